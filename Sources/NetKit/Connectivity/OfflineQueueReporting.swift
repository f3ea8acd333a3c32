/// What ``NetworkState`` wants to know of an offline queue.
public protocol OfflineQueueReporting: Sendable {
    /// How many entries wait to be sent.
    func pendingCount() async -> Int

    /// Sends what waits, and returns when that is done; one call at a time does the work, however many ask.
    func processQueue() async throws

    /// How the queue stands now, then each time that changes.
    var reports: AsyncStream<OfflineQueueReport> { get }
}

extension OfflineQueueReporting {
    /// Nothing.
    public var reports: AsyncStream<OfflineQueueReport> { AsyncStream { $0.finish() } }
}

/// How an offline queue stands.
public struct OfflineQueueReport: Sendable {
    /// How many entries wait to be sent.
    public var pendingCount: Int
    /// How many entries could not be delivered, and wait for a person.
    public var deadLetterCount: Int
    /// Why the latest attempt to send failed; nil where it did not.
    public var lastError: (any Error)?

    /// How many of the entries that wait do so until the identity under which they were made is the client's again.
    public var waitingForIdentityCount: Int
    /// A sentence about entries whose identity has no lasting name; `nil` if there are none.
    public var identityNote: String?
    /// The number of parts of the store that were found damaged or missing since the queue was opened.
    public var quarantinedCount: Int

    /// Makes a report.
    public init(
        pendingCount: Int,
        deadLetterCount: Int = 0,
        lastError: (any Error)? = nil,
        waitingForIdentityCount: Int = 0,
        identityNote: String? = nil,
        quarantinedCount: Int = 0
    ) {
        self.quarantinedCount = quarantinedCount
        self.waitingForIdentityCount = waitingForIdentityCount
        self.identityNote = identityNote
        self.pendingCount = pendingCount
        self.deadLetterCount = deadLetterCount
        self.lastError = lastError
    }
}
