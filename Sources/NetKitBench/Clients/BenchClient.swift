import Foundation
import NetKit

/// A way to make HTTP calls, for the scenarios over the wire.
protocol BenchClient: Sendable {
    /// Reads a small response into memory, and gives the number of its bytes; anything but a 200 is an error.
    func get(_ url: URL) async throws -> Int

    /// Sends a large body.
    func upload(_ source: UploadSource, to url: URL) async throws

    /// Receives a large response in one of the ways it has.
    func download(_ url: URL, _ way: DownloadWay) async throws -> Int
}

/// The way in which a large response is received.
enum DownloadWay: String, Codable, Sendable, CaseIterable {
    /// All of it in memory.
    case buffered
    /// Chunk by chunk, each let go of.
    case streamed
}

/// One that gives a large response chunk by chunk to a reader who takes the time he needs.
protocol StreamingClient: BenchClient {
    func stream(_ url: URL, _ read: (Data) async throws -> Void) async throws
}
