import Foundation

/// The addresses of a probe's servers for its child process.
struct ProbeSite: Codable, Sendable {
    /// The server that receives the requests.
    let base: URL
    /// Another origin.
    let other: URL
    /// A port that refuses connections.
    let refused: URL
    /// The part of the probe; empty if it has none.
    let part: String
    /// A folder for files, which is removed afterwards.
    let folder: URL

    func url(_ path: String) -> URL { base.appending(path: path) }
}
