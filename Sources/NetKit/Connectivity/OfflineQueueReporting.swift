/// An offline queue that ``NetworkState`` can observe and process.
public protocol OfflineQueueReporting: Sendable {
    /// Returns the number of entries that wait to be sent.
    func pendingCount() async -> Int

    /// Sends the waiting entries and returns when they are processed.
    ///
    /// Concurrent calls share one run.
    func processQueue() async throws

    /// The current state of the queue, then every change.
    var reports: AsyncStream<OfflineQueueReport> { get }
}

extension OfflineQueueReporting {
    /// An empty stream.
    public var reports: AsyncStream<OfflineQueueReport> { AsyncStream { $0.finish() } }
}

/// The state of an offline queue.
public struct OfflineQueueReport: Sendable {
    /// The number of entries that wait to be sent.
    public var pendingCount: Int
    /// The number of entries that could not be delivered and need a decision.
    public var deadLetterCount: Int
    /// The reason why the store cannot be read, or else the error of the latest attempt to send; `nil` if it succeeded.
    public var lastError: (any Error)?

    /// The number of waiting entries that are sent only when their identity is the client's again.
    public var waitingForIdentityCount: Int
    /// A sentence about entries whose identity has no persistent name; `nil` if there are none.
    public var identityNote: String?
    /// The number of parts of the store that were found damaged or missing since the queue was opened.
    public var quarantinedCount: Int

    /// Creates a report.
    public init(
        pendingCount: Int,
        deadLetterCount: Int = 0,
        lastError: (any Error)? = nil,
        waitingForIdentityCount: Int = 0,
        identityNote: String? = nil,
        quarantinedCount: Int = 0
    ) {
        self.pendingCount = pendingCount
        self.deadLetterCount = deadLetterCount
        self.lastError = lastError
        self.waitingForIdentityCount = waitingForIdentityCount
        self.identityNote = identityNote
        self.quarantinedCount = quarantinedCount
    }
}
