/// Who a call is made for: a stable identity, never the credential itself.
///
/// Caches and coalescing keep the answers of different principals apart.
public struct Principal: Hashable, Sendable, CustomStringConvertible {
    /// The identity.
    public let identity: String

    /// Makes a principal from a stable identity, such as a tenant's number.
    public init(_ identity: String) {
        self.identity = identity
    }

    /// The principal of a call of which nobody knows for whom it will be made.
    static func ofOneCall(_ id: CallID) -> Principal { Principal("call-\(id)") }

    /// The identity.
    public var description: String { identity }
}
