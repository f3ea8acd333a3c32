/// Whether a limit holds for each server or for all calls together.
public struct LimitScope: Sendable, Hashable {
    /// The number of servers that are kept; `nil` if all calls share one limit.
    let hosts: Int?

    /// Returns a scope in which each server (scheme, host and port) has its own limit.
    ///
    /// A bounded number of servers is remembered. Beyond it, the least recently called one is forgotten.
    public static func perHost(upTo hosts: Int = 1024) -> LimitScope { LimitScope(hosts: hosts) }

    /// A scope in which all calls of the client share one limit.
    public static let total = LimitScope(hosts: nil)
}
