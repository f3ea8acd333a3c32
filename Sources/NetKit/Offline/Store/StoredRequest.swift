/// A request as a store reads it, with the details of a dead letter or a conflict.
public struct StoredRequest: Sendable {
    /// The request.
    public var request: QueuedRequest
    /// The details of a dead letter or a conflict.
    public var detail: OfflineDetail? {
        get { ownDetail?.value }
        set { ownDetail = newValue.map { Box($0) } }
    }

    private var ownDetail: Box<OfflineDetail>?

    /// Creates a stored request.
    public init(request: QueuedRequest, detail: OfflineDetail? = nil) {
        self.request = request
        self.detail = detail
    }

    /// Returns the stored request with the current counts and expiry of its entry, for stores that keep them apart.
    public func counting(_ entry: OfflineEntry) -> StoredRequest {
        var stored = self
        stored.request.retryCount = entry.retryCount
        stored.request.conflictCount = entry.conflictCount
        stored.request.expiresAt = entry.expiresAt
        return stored
    }
}

/// The damage of a stored request, or of a file with a part of it; its entry can never be sent as it was made.
///
/// As the `cause` of an error from `OfflineStore.load`, it makes a dead letter of the entry.
package struct StoredRequestDamage: Error {
    package let message: String

    package init(message: String) { self.message = message }
}
