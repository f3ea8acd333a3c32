public import Foundation

/// The storage of the entries of an `OfflineQueue`.
///
/// A store consists of shards, and each shard has one owner at a time. A lane always belongs to the same shard. Only
/// the owner of a shard sends its entries, so that order, priorities and pauses inside a lane need no further
/// agreement. The folder of ``JSONOfflineStore`` and ``InMemoryOfflineStore`` are one shard with one owner. A store
/// that several processes share divides its shards among them. `ReplicaLease` keeps track of the shards that a process
/// owns.
///
/// When `append`, `commit`, `release`, `revive` or `remove` returns, its change has to survive the end of the process
/// and, in a store on a disk, a power cut. If one of them throws, nothing has changed; the queue repeats a `commit` or
/// `release`, and calls `revive` and `remove` with a few hundred entries at a time. `OfflineStoreConformance` in
/// NetKitTesting tests a store.
public protocol OfflineStore: Sendable {
    /// Whether other queues add to the same store and send from it.
    ///
    /// The queue reads all entries of a store that is not shared once, and then knows them. In a shared store, it reads
    /// the first entries of each lane, and again after each notice of work and each `refreshInterval`.
    var isShared: Bool { get }

    /// Opens the store for one queue, and reports changes to it from now on.
    ///
    /// - Parameters:
    ///   - clock: The clock of the queue. Waits and leases are measured by it.
    ///   - notify: A closure that takes notices of changes. It returns at once, and may be called from any thread.
    /// - Throws: `.queueLocked` if this object has a queue already, or if the store is not shared and has another
    ///   owner. The queue does not close the store after this error. A disk or server that is unavailable now is not an
    ///   error here: the `problem` of a listing or a notice reports it.
    func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws

    /// Returns whether a shard is owned by this queue at this moment.
    ///
    /// The queue asks before each attempt. After `false`, the shard is owned again only after a `gained` notice.
    func owns(_ shard: Int) -> Bool

    /// Lists the first entries of each lane of owned shards, in order, and the entries whose removal was requested.
    ///
    /// Dead letters and conflicts are listed if they hold up their lanes. A store that is not shared may list all of
    /// them.
    ///
    /// - Parameters:
    ///   - shards: The shards; `nil` stands for all that are owned.
    ///   - depth: The maximum number of entries of a lane. A lane with that many is assumed to have more.
    /// - Returns: The entries, the pauses of those lanes, and the damaged parts.
    /// - Throws: The reason why the store cannot be read now.
    func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing

    /// Reads entries with their bodies.
    ///
    /// - Parameter ids: The identifiers of the entries.
    /// - Returns: The stored request of each identifier, or the reason why it cannot be read. Identifiers without an
    ///   entry are missing. After a `.decoding` error, the entry alone waits; any other error counts as one of the
    ///   store.
    /// - Throws: The reason why nothing can be read now.
    func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>]

    /// Adds an entry, and removes the entries that it replaces or drops with the same write.
    ///
    /// If one call begins after another has returned, the entry of the earlier call has the lower position. The store
    /// keeps the bytes of a body that is a file, which may be changed or removed after the call, and removes the file
    /// itself if `takesFile` is set. Lanes, coalescing keys and identities are compared byte by byte; the queue gives
    /// each lane in the composed form of its name (NFC).
    ///
    /// - Parameters:
    ///   - addition: The new entry, with its coalescing rule. An entry for which `begin` returned `true` and that was
    ///     not released since is neither replaced nor kept instead.
    ///   - bounds: The bounds of the queue.
    /// - Returns: The entry as it was added, or the identifier of the one that was kept instead.
    /// - Throws: `.queueFull` at the bounds, `.invalidRequest` if the identifier exists, or the error of the disk or
    ///   server. A shared store returns the entry of an identifier that exists if it has the same request, because the
    ///   addition may be a repetition of one whose outcome was not known.
    func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult

    /// Notes that an entry is being sent, so that no other replaces it.
    ///
    /// - Returns: `false` if the entry was replaced or removed, or is no longer owned.
    func begin(_ id: UUID) async throws -> Bool

    /// Removes a delivered entry, even if its shard has another owner.
    ///
    /// - Parameters:
    ///   - id: The identifier of the entry.
    ///   - key: The key under which it was sent. An entry of a shared store that was changed since has another one, and
    ///     stays.
    /// - Throws: The reason why it cannot be removed now.
    func commit(_ id: UUID, sentAs key: String?) async throws

    /// Releases an entry with its new state.
    ///
    /// An entry that waits can be released only by the owner of its shard, and a dead letter or conflict by any queue.
    ///
    /// - Parameters:
    ///   - id: The identifier of the entry.
    ///   - update: The new state; `nil` if nothing has changed, which need not be written.
    /// - Returns: `false` if the entry is gone, is no longer owned, or has another state than the update began with.
    /// - Throws: The reason why it cannot be written now.
    func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool

    /// Pauses a lane for a time, or until `resume`. This pause replaces any other one of the lane.
    ///
    /// Only a shared store has to keep pauses across a restart.
    func pause(_ lane: String, for time: Duration?) async throws

    /// Pauses a lane for a time, or until `resume`, and notes the reason.
    ///
    /// It replaces a pause of the lane that ends earlier, and its reason. A pause that lasts longer stays, so that a
    /// person who paused the lane is not overruled.
    func pause(_ lane: String, for time: Duration?, because reason: OfflinePauseReason) async throws

    /// Ends the pause of a lane.
    func resume(_ lane: String) async throws

    /// Ends the pauses that have a reason, in all shards, and notifies the owners of those shards of work.
    func resumeLanes(pausedBecause reason: OfflinePauseReason) async throws

    /// Makes entries due now: dead letters and conflicts start again, and no longer expire.
    ///
    /// - Parameter ids: The identifiers of the entries, which may have any owner.
    /// - Returns: The entries that exist, in their new state.
    /// - Throws: The reason why that cannot be written now.
    func revive(_ ids: [UUID]) async throws -> [OfflineEntry]

    /// Removes dead letters, conflicts and entries of shards that no other queue owns, and asks the owners of other
    /// entries to remove them.
    ///
    /// - Parameter ids: The identifiers of the entries.
    /// - Returns: The entries that were removed, and the identifiers of those whose owners were asked.
    /// - Throws: The reason why that cannot be written now.
    func remove(_ ids: [UUID]) async throws -> OfflineRemoval

    /// Removes dead letters that are too old, and the oldest ones above a number; only a shared store is asked.
    ///
    /// If several queues call it at the same time, as many dead letters stay as for one call. An entry that was revived
    /// meanwhile is not removed. The queue calls it again until it returns nothing.
    ///
    /// - Parameters:
    ///   - age: The age from which on a dead letter is removed; `nil` if none is too old.
    ///   - maxCount: The maximum number of dead letters that stay; `nil` if there is none.
    ///   - limit: The maximum number of entries that are removed.
    /// - Returns: The removed entries in order, each with its stored request.
    /// - Throws: The reason why that cannot be written now.
    func removeDeadLetters(olderThan age: Duration?, above maxCount: Int?, limit: Int) async throws
        -> [OfflineRemovedEntry]

    /// Lists entries of all shards, in order and without their requests.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries have to meet.
    ///   - position: The position after which the listing begins; `nil` for the beginning.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries.
    /// - Throws: The reason why the store cannot be read now.
    func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry]

    /// Counts the entries of all shards.
    func tally() async throws -> OfflineTally

    /// Returns the metrics of the store, for `OfflineQueue.metricSamples()`.
    ///
    /// It is called whenever the metrics of the process are read, so it returns soon even if a server is unreachable.
    func metricSamples() async -> [MetricSample]

    /// Hands over shards after a `leaving` notice; none of their entries is being sent anymore.
    func relinquish(_ shards: Set<Int>) async

    /// Closes the store: finishes pending writes, hands over every shard, and releases every resource.
    ///
    /// - Parameter bound: The time limit. A queue does not wait longer.
    func close(within bound: Duration) async
}

extension OfflineStore {
    /// The value `false`: there is one queue.
    public var isShared: Bool { false }

    /// Returns `true`: the owner of a shard never changes.
    public func owns(_ shard: Int) -> Bool { true }

    /// Does nothing: the owner of a shard never changes.
    public func relinquish(_ shards: Set<Int>) async {}

    /// Returns the numbers of entries and their bytes; nothing if the store cannot tell.
    public func metricSamples() async -> [MetricSample] { (try? await tally().samples) ?? [] }

    /// Pauses the lane without the reason, for stores that have one queue and do not keep it.
    public func pause(_ lane: String, for time: Duration?, because reason: OfflinePauseReason) async throws {
        try await pause(lane, for: time)
    }

    /// Does nothing, for stores that have one queue and do not keep the reason of a pause.
    public func resumeLanes(pausedBecause reason: OfflinePauseReason) async throws {}

    /// Removes nothing, for stores that have one queue, which removes dead letters itself.
    public func removeDeadLetters(olderThan age: Duration?, above maxCount: Int?, limit: Int) async throws
        -> [OfflineRemovedEntry]
    {
        []
    }

    /// Closes the store within five seconds.
    public func close() async { await close(within: OfflineQueue.closingTime) }
}

/// The reason for which a queue pauses a lane by itself.
public struct OfflinePauseReason: Sendable, Hashable, CustomStringConvertible {
    /// The reason's name, as a store keeps it.
    public let description: String

    /// The server refused the credential.
    public static let unauthorized = OfflinePauseReason(description: "unauthorized")
}

/// An entry that a store has removed, with its request.
public struct OfflineRemovedEntry: Sendable {
    /// The entry.
    public let entry: OfflineEntry
    /// The stored request, or the reason why it cannot be read.
    public let stored: Result<StoredRequest, NetKitError>

    /// Creates a removed entry.
    public init(_ entry: OfflineEntry, _ stored: Result<StoredRequest, NetKitError>) {
        self.entry = entry
        self.stored = stored
    }
}

/// A notice from a store to its queue.
public enum OfflineNotice: Sendable {
    /// In shards that are owned, entries were added, no longer wait, or are to be removed.
    case work(Set<Int>)
    /// Shards are owned from now on.
    case gained(Set<Int>)
    /// Other queues are to own shards: the queue begins nothing in them, finishes running attempts, and calls
    /// `relinquish`.
    case leaving(Set<Int>)
    /// Shards are no longer owned: the queue cancels its attempts in them.
    case lost(Set<Int>)
    /// The reason why the store cannot be reached or written to; `nil` if it can be again.
    case problem(NetKitError?)
    /// The store removed entries by itself because of others, with the reason as a sentence.
    case left([OfflineEntry], reason: String)
}
