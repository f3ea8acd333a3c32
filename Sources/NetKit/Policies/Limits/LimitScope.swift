/// Whether a limit holds for each server or for all calls together.
public struct LimitScope: Sendable, Hashable {
    /// The number of servers that are kept; `nil` if all calls share one limit.
    let hosts: Int?

    /// Each server (scheme, host and port) has a limit of its own.
    ///
    /// A bounded number is remembered; beyond it the one not called for longest is forgotten, and starts again.
    public static func perHost(upTo hosts: Int = 1024) -> LimitScope { LimitScope(hosts: hosts) }

    /// Every call of the client counts against one limit.
    public static let total = LimitScope(hosts: nil)
}
