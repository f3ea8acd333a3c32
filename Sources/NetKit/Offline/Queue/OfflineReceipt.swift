public import Foundation

/// The receipt that `enqueue` returns after the store has the entry.
public struct OfflineReceipt: Sendable, Hashable, Identifiable {
    /// The identifier of the entry, or of the waiting entry that was kept instead.
    public let id: UUID
    /// The key under which the server will see the request.
    public let idempotencyKey: String
    /// The lane of the entry.
    public let lane: String
    /// Whether an entry with the same coalescing key was already waiting, and the new one was not added.
    public let isCoalesced: Bool
    /// The identifiers of the entries that the new entry replaced.
    public let replaced: [UUID]
    /// The name of the identity that is kept with the entry; the entry is sent only while the client has it.
    public let identity: String?
    /// Whether the entry requires an identity without a persistent name.
    ///
    /// Such an identity is remembered only until the process ends. After a restart, the entry is sent under the
    /// identity that the client has then. To keep the identity, name it with the parameter `identity:` of
    /// ``TokenStore`` or ``AuthInterceptor``.
    public let isIdentityLostOnRestart: Bool
}

/// The `cause` of the error `.queued` of a call: the receipt of its entry, and the error of its failed attempt.
public struct QueuedCall: Error, Sendable {
    /// The receipt of the entry.
    public let receipt: OfflineReceipt
    /// The error of the failed attempt; `nil` if no attempt was made.
    public let failure: NetKitError?
    /// A closure that returns the states of the given entries that their queue still has; `nil` if it does not know
    /// them.
    let states: @Sendable (Set<UUID>) async -> [UUID: OfflineEntry.State]?
}

extension NetKitError {
    /// The receipt of the entry in the queue, if `code` is `.queued`.
    public var receipt: OfflineReceipt? { (cause as? QueuedCall)?.receipt }
}
