import Foundation

/// Where a probe's servers are, as its child process is told.
struct ProbeSite: Codable, Sendable {
    /// The server that is asked.
    let base: URL
    /// Another origin.
    let other: URL
    /// A port at which nobody listens.
    let refused: URL
    /// Which part of the probe it is; empty where it has none.
    let part: String
    /// A folder for files, which is removed afterwards.
    let folder: URL

    func url(_ path: String) -> URL { base.appending(path: path) }
}
