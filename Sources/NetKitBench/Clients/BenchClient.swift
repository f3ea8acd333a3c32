import Foundation
import NetKit

/// What scenarios over the wire compare: a way to make HTTP calls.
protocol BenchClient: Sendable {
    /// Reads a small answer into memory, and gives the number of its bytes; anything but a 200 is an error.
    func get(_ url: URL) async throws -> Int

    /// Sends a file.
    func upload(_ file: URL, to url: URL) async throws

    /// Receives a large answer in one of the ways it has.
    func download(_ url: URL, _ way: DownloadWay) async throws -> Int
}

/// How a large answer is received.
enum DownloadWay: String, Codable, Sendable, CaseIterable {
    /// All of it in memory.
    case buffered
    /// Chunk by chunk, each let go of.
    case streamed
}

/// A kind of client: to add a contender to every scenario, add it to `all`.
struct ClientKind: Sendable {
    let name: String
    let make: @Sendable () -> any BenchClient

    static let urlSession = ClientKind(name: "URLSession") { BareClient() }
    static let transport = ClientKind(name: "URLSessionTransport") { TransportClient(URLSessionTransport()) }
    static let netKit = ClientKind(name: "NetKit") { NetKitClient(URLSessionTransport()) }

    static let all = [netKit, transport, urlSession]

    /// The whole of NetKit, over whatever transport.
    static let netKits = [netKit]

    static func named(_ name: String) throws -> ClientKind {
        guard let kind = all.first(where: { $0.name == name }) else { throw BenchError("There is no client \(name).") }
        return kind
    }
}
