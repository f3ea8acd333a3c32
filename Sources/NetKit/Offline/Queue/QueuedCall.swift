import Foundation

/// The `cause` of `.queued`: the receipt of the entry, and the error of the failed attempt.
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
