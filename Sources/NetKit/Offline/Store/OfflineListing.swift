/// Everything a store holds, and what it had to set aside to read it.
public struct OfflineListing: Sendable {
    /// The entries, in the order of their positions.
    public var entries: [OfflineEntry]
    /// What was damaged, set aside since the last listing.
    public var quarantined: [QuarantinedRecord]
    /// Why nothing can be written at the moment, where that is so.
    public var problem: NetKitError?

    /// Makes a listing.
    public init(entries: [OfflineEntry], quarantined: [QuarantinedRecord] = [], problem: NetKitError? = nil) {
        self.entries = entries
        self.quarantined = quarantined
        self.problem = problem
    }
}
