/// The `cause` of `.queued`: where the request went, and what had failed.
public struct QueuedCall: Error, Sendable {
    /// The entry.
    public let receipt: OfflineReceipt
    /// Why it could not be sent; nil where it was not tried.
    public let failure: NetKitError?
}

extension NetKitError {
    /// The receipt of the entry in the queue, if `code` is `.queued`.
    public var receipt: OfflineReceipt? { (cause as? QueuedCall)?.receipt }
}
