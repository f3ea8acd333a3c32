import NetKit
import NetKitTesting

/// The servers of one experiment.
///
/// They run in the bench and not in its child, so that their observations are available whatever the child does.
struct ProbeServers: Sendable {
    let main: MockServer
    let other: MockServer
    let refused: MockServer

    init() throws {
        main = try MockServer()
        other = try MockServer()
        refused = try MockServer()
        try refused.refuseConnections()
    }

    func stop() {
        for server in [main, other, refused] { server.stop() }
    }

    /// Returns the values of fields of the first request, in words.
    func fields(_ names: String...) -> String {
        guard let request = main.requests.first else { return "no request" }
        return names.flatMap { name in
            let values = request.headers.values(of: name)
            return values.isEmpty ? ["no \(name)"] : values.map { "\(name): \($0)" }
        }
        .joined(separator: ", ")
    }
}
