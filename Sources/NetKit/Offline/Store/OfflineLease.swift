public import Foundation

/// The right to send an entry, until a time or until it is given back.
public struct OfflineLease: Sendable, Hashable {
    /// The entry.
    public let id: UUID
    /// What tells this lease from an earlier one of the same entry.
    public let token: UInt64
    /// When it ends by itself.
    public var until: Date

    /// Makes a lease; only a store does.
    public init(id: UUID, token: UInt64, until: Date) {
        self.id = id
        self.token = token
        self.until = until
    }
}
