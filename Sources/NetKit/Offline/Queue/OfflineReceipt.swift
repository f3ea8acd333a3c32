public import Foundation

/// The receipt of `enqueue` for an entry that is safe on disk.
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
    /// The name of the identity that is kept with the entry, which is sent only while the client has it.
    public let identity: String?
    /// Whether the entry requires an identity without a lasting name, which is remembered only until the process ends.
    ///
    /// After a restart such an entry is sent under the identity that the client has then. To have it kept, name the identity
    /// with the parameter `identity:` of ``TokenStore`` or ``AuthInterceptor``.
    public let isIdentityLostOnRestart: Bool
}
