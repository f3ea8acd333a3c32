/// A request as a store keeps it, with what is beside it.
public struct KeptRequest: Sendable {
    /// The request.
    public var request: QueuedRequest
    /// What there is to know beside a dead letter or a conflict.
    public var detail: OfflineDetail?

    /// Makes the pair.
    public init(request: QueuedRequest, detail: OfflineDetail? = nil) {
        self.request = request
        self.detail = detail
    }
}
