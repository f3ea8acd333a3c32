public import Foundation

/// What becomes of an entry that was not delivered, when whoever had it lets go of it.
public struct OfflineUpdate: Sendable {
    /// What it waits for now.
    public var state: OfflineEntry.State
    /// How many attempts have failed.
    public var retryCount: Int
    /// How many conflicts there were.
    public var conflictCount: Int
    /// The earliest time of the next attempt.
    public var notBefore: Date?
    /// The time of the first attempt that failed.
    public var firstFailure: Date?
    /// What there is to know beside a dead letter or a conflict.
    public var detail: OfflineDetail?
    /// What is sent from now on, where that is something else.
    public var request: QueuedRequest?

    /// Makes an update that leaves an entry as it is.
    public init(_ entry: OfflineEntry) {
        state = entry.state
        retryCount = entry.retryCount
        conflictCount = entry.conflictCount
        notBefore = entry.notBefore
        firstFailure = entry.firstFailure
    }
}
