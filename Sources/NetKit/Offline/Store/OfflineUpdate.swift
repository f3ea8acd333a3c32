import Foundation

/// The new state of an entry that was not delivered, when its owner releases it.
public struct OfflineUpdate: Sendable {
    /// The previous state.
    public let previousState: OfflineEntry.State
    /// The new state.
    public var state: OfflineEntry.State
    /// The number of failed attempts.
    public var retryCount: Int
    /// The number of conflicts.
    public var conflictCount: Int
    /// The time until its next attempt; `nil` if it need not wait.
    public var wait: Duration?
    /// The time since its first attempt that failed, not counting when no queue was open.
    public var failingFor: Duration?
    /// A Boolean value that indicates whether a dead letter or conflict holds up its lane, and so is listed with it.
    public var holdsUpLane = false
    /// A Boolean value that indicates whether it is never too late for it from now on.
    public var removesExpiry = false
    /// The status that the server gave last to a dead letter or conflict.
    public var status: HTTPStatus?
    /// The details of a dead letter or a conflict.
    public var detail: OfflineDetail?
    /// The new request, if it is another one.
    public var request: QueuedRequest?

    /// The time of the next attempt, as the store's clock says.
    var notBefore: Date?
    /// The time at which it became a dead letter or conflict, as the store's clock says.
    var settledAt: Date?

    /// Creates an update that leaves an entry as it is, but for its wait, which is over.
    public init(_ entry: OfflineEntry) {
        previousState = entry.state
        state = entry.state
        retryCount = entry.retryCount
        conflictCount = entry.conflictCount
        failingFor = entry.failingFor
    }

    /// Creates the update that leads to an entry as it is.
    init(leadingTo entry: OfflineEntry) {
        self.init(entry)
        wait = entry.postponedFor
        notBefore = entry.notBefore
        settledAt = entry.settledAt
        status = entry.status
        removesExpiry = entry.expiresAt == nil
    }

    /// Returns the update that has an entry start again, for stores that revive it.
    public static func revival(of entry: OfflineEntry) -> OfflineUpdate {
        var update = OfflineUpdate(entry)
        update.failingFor = nil
        guard entry.state != .waiting else { return update }
        update.state = .waiting
        update.retryCount = 0
        update.conflictCount = 0
        // It would be over at once.
        update.removesExpiry = true
        return update
    }

    /// The update with its times as dates.
    func dated(_ date: Date) -> OfflineUpdate {
        var update = self
        update.notBefore = wait.map { date.addingTimeInterval($0.inSeconds) }
        update.settledAt = state == .waiting ? nil : date
        return update
    }
}
