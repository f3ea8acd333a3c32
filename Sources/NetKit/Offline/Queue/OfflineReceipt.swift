public import Foundation

/// What `enqueue` gives once an entry is safe.
public struct OfflineReceipt: Sendable, Hashable, Identifiable {
    /// The entry's name: of the waiting one where that was kept instead.
    public let id: UUID
    /// The key under which the server will see it.
    public let idempotencyKey: String
    /// The lane it is in.
    public let lane: String
    /// Whether an entry with the same coalescing key was waiting already, and the new one was not added.
    public let isCoalesced: Bool
    /// The entries that it took the place of.
    public let replaced: [UUID]
}
