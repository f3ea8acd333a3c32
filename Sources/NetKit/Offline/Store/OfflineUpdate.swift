import Foundation

/// The changes to an entry that was not delivered, which its owner makes when it releases the entry.
public struct OfflineUpdate: Sendable {
    /// The state before the update; the store does not update an entry in another state.
    public let previousState: OfflineEntry.State
    /// The new state.
    public var state: OfflineEntry.State
    /// The number of failed attempts.
    public var retryCount: Int
    /// The number of conflicts.
    public var conflictCount: Int
    /// The time until its next attempt; `nil` if it need not wait.
    public var wait: Duration?
    /// The time since its first failed attempt, without the time when no queue was open.
    public var failingFor: Duration?
    /// Whether a dead letter or conflict holds up its lane, and is therefore listed with it.
    public var holdsUpLane = false
    /// Whether the entry no longer expires.
    public var removesExpiry = false
    /// The status of the server's latest response to a dead letter or conflict.
    public var status: HTTPStatus?
    /// The details of a dead letter or a conflict.
    public var detail: OfflineDetail? {
        get { ownDetail?.value }
        set { ownDetail = newValue.map { Box($0) } }
    }
    /// The new request, if it was changed.
    public var request: QueuedRequest? {
        get { ownRequest?.value }
        set { ownRequest = newValue.map { Box($0) } }
    }

    /// The time of the next attempt, by the store's clock.
    var notBefore: Date?
    /// The time at which the entry became a dead letter or conflict, by the store's clock.
    var settledAt: Date?

    // Most updates have neither; inside each update, they would be most of its size.
    private var ownDetail: Box<OfflineDetail>?
    private var ownRequest: Box<QueuedRequest>?

    /// Creates an update that ends the wait of an entry, and leaves everything else as it is.
    public init(_ entry: OfflineEntry) {
        previousState = entry.state
        state = entry.state
        retryCount = entry.retryCount
        conflictCount = entry.conflictCount
        failingFor = entry.failingFor
    }

    /// Creates the update that leads to the current state of an entry.
    init(leadingTo entry: OfflineEntry) {
        self.init(entry)
        wait = entry.postponedFor
        notBefore = entry.notBefore
        settledAt = entry.settledAt
        status = entry.status
        removesExpiry = entry.expiresAt == nil
    }

    /// Returns the update that restarts an entry, for stores that revive it.
    public static func revival(of entry: OfflineEntry) -> OfflineUpdate {
        var update = OfflineUpdate(entry)
        update.failingFor = nil
        guard entry.state != .waiting else { return update }
        update.state = .waiting
        update.retryCount = 0
        update.conflictCount = 0
        // The entry could expire at once.
        update.removesExpiry = true
        return update
    }

    /// Returns the update with its times as dates.
    func dated(_ date: Date) -> OfflineUpdate {
        var update = self
        update.notBefore = wait.map { date.addingTimeInterval($0.inSeconds) }
        update.settledAt = state == .waiting ? nil : date
        return update
    }
}
