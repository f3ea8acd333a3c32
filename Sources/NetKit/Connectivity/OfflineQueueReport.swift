/// How an offline queue stands.
public struct OfflineQueueReport: Sendable {
    /// How many entries wait to be sent.
    public var pendingCount: Int
    /// How many entries could not be delivered, and wait for a person.
    public var deadLetterCount: Int
    /// Why the latest attempt to send failed; nil where it did not.
    public var lastError: (any Error)?

    /// Makes a report.
    public init(pendingCount: Int, deadLetterCount: Int = 0, lastError: (any Error)? = nil) {
        self.pendingCount = pendingCount
        self.deadLetterCount = deadLetterCount
        self.lastError = lastError
    }
}
