/// A request as a store keeps it, with what is beside it.
public struct StoredRequest: Sendable {
    /// The request.
    public var request: QueuedRequest
    /// The details of a dead letter or a conflict.
    public var detail: OfflineDetail?

    /// Creates the pair.
    public init(request: QueuedRequest, detail: OfflineDetail? = nil) {
        self.request = request
        self.detail = detail
    }

    /// Returns the pair with the numbers and the end that its entry has by now, for stores that keep them apart.
    public func counting(_ entry: OfflineEntry) -> StoredRequest {
        var stored = self
        stored.request.retryCount = entry.retryCount
        stored.request.conflictCount = entry.conflictCount
        stored.request.expiresAt = entry.expiresAt
        return stored
    }
}
