import Foundation
import NetKit
import NetKitTesting

/// One experiment: the actions of a server and of a caller, and a text with the observations.
///
/// The client's side runs in a child process with a time limit, because it may trap or hang.
struct Probe: Sendable {
    /// The name on the command line.
    let name: String
    /// The behavior of a peer or a caller, as the table names it.
    let title: String
    var timeLimit = Duration.seconds(6)
    /// The variants, each of which runs in its own child process with its own servers.
    var parts: [String] = [""]
    /// The number of times each part runs: more than once if chance decides the result.
    var repeats = 1
    /// Whether the parts are only counted by their result, and not shown one by one.
    var isCounted = false
    /// A closure that prepares the servers.
    var arrange: @Sendable (_ servers: ProbeServers, _ part: String) -> Void = { servers, _ in
        servers.main.on(nil, "/**", .text("hello"))
    }
    /// A closure that performs the client's part, and returns its observations.
    let act: @Sendable (_ subject: any ProbeSubject, _ site: ProbeSite) async throws -> String
    /// A closure that returns the servers' observations afterwards; `nil` if they do not matter.
    var observe: (@Sendable (_ servers: ProbeServers) -> String)?
}
