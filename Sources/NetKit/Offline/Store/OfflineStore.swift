public import Foundation

/// Where an `OfflineQueue` keeps its entries.
///
/// Its vocabulary is leases, so that a database can stand behind it from which many replicas drain one queue: whoever
/// sends an entry has leased it, and gives it back with `commit` or `release`; a lease that ends by itself frees the entry
/// for others. What `append`, `commit` and `release` returned for has to survive the end of the process and of the power.
public protocol OfflineStore: Sendable {
    /// Whether others drain the same entries: then the queue renews its leases, and looks for new entries.
    var isShared: Bool { get }

    /// Opens the store where it is not open yet, and gives everything it holds.
    ///
    /// - Throws: `.queueLocked` where another owner has it. A disk that refuses is a `problem` of the listing: what can be
    ///   read is there, and the store tries again with every write.
    func list() async throws -> OfflineListing

    /// Reads an entry with its body; nil where there is none of that name.
    func load(_ id: UUID) async throws -> KeptRequest?

    /// Adds an entry, and removes others with the same write.
    func append(_ entry: OfflineEntry, _ request: QueuedRequest, replacing replaced: [UUID]) async throws

    /// Takes an entry until a time; nil where there is none of that name, or somebody has it.
    func lease(_ id: UUID, now: Date, until: Date) async throws -> OfflineLease?

    /// Makes a lease longer; nil where it was lost.
    func renew(_ lease: OfflineLease, now: Date, until: Date) async throws -> OfflineLease?

    /// Removes an entry that is done with; false where the lease was lost.
    @discardableResult
    func commit(_ lease: OfflineLease) async throws -> Bool

    /// Gives an entry back with what has become of it; false where the lease was lost.
    @discardableResult
    func release(_ lease: OfflineLease, _ update: OfflineUpdate) async throws -> Bool

    /// Writes down what can be, and lets go of everything.
    func close() async
}

extension OfflineStore {
    /// Nobody else.
    public var isShared: Bool { false }
}
