import Foundation
import NetKit

/// A way to make HTTP calls, for the scenarios over the wire.
protocol BenchClient: Sendable {
    /// Reads a small response into memory, and returns the number of its bytes. A status outside 200…299 is an error.
    func get(_ url: URL) async throws -> Int

    /// Sends a large body.
    func upload(_ source: UploadSource, to url: URL) async throws

    /// Receives a large response in one of the ways, and returns the number of its bytes.
    func download(_ url: URL, _ way: DownloadWay) async throws -> Int
}

/// The way in which a large response is received.
enum DownloadWay: String, Codable, Sendable, CaseIterable {
    /// The whole body in memory.
    case buffered
    /// Chunk by chunk, without keeping any chunk.
    case streamed
}

/// A client that passes a large response to a reader chunk by chunk, and waits for the reader.
protocol StreamingClient: BenchClient {
    func stream(_ url: URL, _ read: (Data) async throws -> Void) async throws
}
