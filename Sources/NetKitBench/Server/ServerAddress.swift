import Foundation

/// Where the servers of a run are, and what they are.
struct ServerAddress: Codable, Equatable, Sendable {
    /// Name and version of the fast one.
    let name: String
    /// The fast one: `/small`, `/large` and `/upload`.
    let fast: URL
    /// One that takes its time: `/slow`.
    let slow: URL
    /// A port at which nobody listens, and nobody will.
    let refused: URL

    static let smallSize = 1024
    static let largeSize = 200_000_000

    var small: URL { fast.appending(path: "small") }
    var large: URL { fast.appending(path: "large") }
    var upload: URL { fast.appending(path: "upload") }
    var slowAnswer: URL { slow.appending(path: "slow") }
}
