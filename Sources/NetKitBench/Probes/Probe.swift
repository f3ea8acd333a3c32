import Foundation
import NetKit
import NetKitTesting

/// One experiment: what a server and a caller do, and how to say what was seen.
///
/// The client's side runs in a child process with a limit in time, because it may trap or hang.
struct Probe: Sendable {
    /// The name on the command line.
    let name: String
    /// The behaviour of a peer or a caller, as the table names it.
    let title: String
    var timeLimit = Duration.seconds(6)
    /// Variants that run one by one, each in a child and with servers of its own.
    var parts: [String] = [""]
    /// The number of times each part runs: more than once if chance decides the result.
    var repeats = 1
    /// Whether the parts are only counted by how they ended, and not shown one by one.
    var isCounted = false
    /// Makes the servers do their part.
    var arrange: @Sendable (_ servers: ProbeServers, _ part: String) -> Void = { servers, _ in
        servers.main.on(nil, "/**", .text("hello"))
    }
    /// Does the client's part, and says what it saw.
    let act: @Sendable (_ subject: any ProbeSubject, _ site: ProbeSite) async throws -> String
    /// Says what the servers saw, afterwards; `nil` if that is not the point.
    var observe: (@Sendable (_ servers: ProbeServers) -> String)?
}
