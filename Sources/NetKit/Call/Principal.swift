/// The user or tenant on whose behalf a call is made: a stable identity, never the credential itself.
///
/// Caching and coalescing keep the responses of different principals apart. Two principals are the same only if their
/// identities have the same bytes.
public struct Principal: Hashable, Sendable, CustomStringConvertible {
    private let exactIdentity: ExactText

    /// Creates a principal from a stable identity, such as a tenant's number.
    public init(_ identity: String) { exactIdentity = ExactText(identity) }

    /// The identity.
    public var identity: String { exactIdentity.text }

    /// Returns a principal for one call only, for a call whose principal is unknown.
    static func ofOneCall(_ id: CallID) -> Principal { Principal("call-\(id)") }

    /// The identity.
    public var description: String { identity }
}
