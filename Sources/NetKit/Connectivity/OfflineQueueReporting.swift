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
