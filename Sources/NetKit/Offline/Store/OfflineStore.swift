public import Foundation

/// A place where an `OfflineQueue` keeps its entries.
///
/// A store consists of shards, and each shard has one owner at a time. A lane belongs to one shard for good. Only the owner of
/// a shard sends its entries, so that order, priorities and pauses inside a lane need no further agreement. The folder of
/// ``JSONOfflineStore`` and ``InMemoryOfflineStore`` are one shard that never changes hands. A store that several processes
/// share divides its shards among them: `ReplicaLease` keeps track of what a process owns.
///
/// What `append`, `commit`, `release`, `revive` and `remove` return for has to survive the end of the process and,
/// in a store on a disk, of the power. If one of them throws, nothing has changed; the queue repeats a `commit` or `release`. `OfflineStoreConformance` in NetKitTesting tries every promise that is made here.
public protocol OfflineStore: Sendable {
    /// A Boolean value that indicates whether other queues add to the same store and send from it.
    ///
    /// The queue of a store that is not shared reads all its entries once and then knows them. The queue of a shared one reads
    /// the front of each lane, again whenever it is told that there is work and each `refreshInterval`.
    var isShared: Bool { get }

    /// Opens the store for one queue, which it tells from now on what changes.
    ///
    /// - Parameters:
    ///   - clock: The clock of the queue. Waits and leases are measured by it.
    ///   - notify: A closure that takes what changed. It returns at once, and may be called from any thread.
    /// - Throws: `.queueLocked` if the store is not shared and has an owner. A disk or server that cannot be used now is no
    ///   error here but the `problem` of a listing or a notice.
    func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws

    /// Returns whether a shard is owned by this queue at this moment.
    ///
    /// The queue asks before each attempt. Once the response was no, the shard is owned again only after a `gained` notice.
    func owns(_ shard: Int) -> Bool

    /// Lists the first entries of each lane of shards that are owned, in order, and those that are asked to be removed.
    ///
    /// Dead letters and conflicts are listed if they hold up their lanes. A store that is not shared may list all of them.
    ///
    /// - Parameters:
    ///   - shards: The shards; `nil` stands for all that are owned.
    ///   - depth: The number of entries of a lane at most. A lane with as many is taken to have more.
    /// - Returns: The entries, the pauses of those lanes, and what was found damaged.
    /// - Throws: The reason why the store cannot be read now.
    func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing

    /// Reads entries with their bodies.
    ///
    /// - Parameter ids: The names of the entries.
    /// - Returns: What is stored under each name, or why it cannot be read. Names without an entry are missing.
    /// - Throws: The reason why nothing can be read now.
    func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>]

    /// Adds an entry, and removes with the same write what it replaces or drops.
    ///
    /// Of two calls of which one began after the other had returned, the first has the lower position.
    ///
    /// - Parameters:
    ///   - addition: The new entry, with the rule for those of the same coalescing key. An entry for which `begin` returned
    ///     `true` and that was not released since is neither kept instead nor replaced.
    ///   - bounds: The bounds of the queue.
    /// - Returns: The entry as it was added, or the name of the one that was kept instead.
    /// - Throws: `.queueFull` at the bounds, `.invalidRequest` if the name exists, and what the disk or server refuses with.
    func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppended

    /// Notes that an entry is being sent, so that no other replaces it.
    ///
    /// - Returns: `false` if it was replaced or removed, or is not owned anymore.
    func begin(_ id: UUID) async throws -> Bool

    /// Removes an entry that was delivered, even if its shard has another owner by now.
    ///
    /// - Parameters:
    ///   - id: The name of the entry.
    ///   - key: The key under which it was sent. An entry that was changed since has another one, and stays.
    /// - Throws: The reason why it cannot be removed now.
    func commit(_ id: UUID, sentAs key: String?) async throws

    /// Releases an entry with its new state.
    ///
    /// An entry that waits can be released by the owner of its shard alone; a dead letter or conflict by any queue.
    ///
    /// - Parameters:
    ///   - id: The name of the entry.
    ///   - update: What has become of it; `nil` if nothing has, which need not be written.
    /// - Returns: `false` if the entry is gone, is not owned anymore, or has another state than the update began with.
    /// - Throws: The reason why it cannot be written now.
    func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool

    /// Holds a lane up, for a time or until `resume`.
    ///
    /// Only a store that is shared has to keep pauses over a restart.
    func pause(_ lane: String, for time: Duration?) async throws

    /// Ends the pause of a lane.
    func resume(_ lane: String) async throws

    /// Has entries wait for nothing but their turn: dead letters and conflicts start again, without an end of their time.
    ///
    /// - Parameter ids: The names of the entries, which may have any owner.
    /// - Returns: The entries that were there, as they are now.
    /// - Throws: The reason why that cannot be written now.
    func revive(_ ids: [UUID]) async throws -> [OfflineEntry]

    /// Removes dead letters, conflicts and entries of shards that are owned, and asks the owners of others to remove theirs.
    ///
    /// - Parameter ids: The names of the entries.
    /// - Returns: The entries that were removed, and the names of those whose owners were asked.
    /// - Throws: The reason why that cannot be written now.
    func remove(_ ids: [UUID]) async throws -> OfflineRemoval

    /// Lists entries of all shards, in order and without their requests.
    ///
    /// - Parameters:
    ///   - filter: The condition that entries have to meet.
    ///   - position: The position after which the listing begins; `nil` for the beginning.
    ///   - limit: The number of entries at most.
    /// - Returns: The entries.
    /// - Throws: The reason why the store cannot be read now.
    func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry]

    /// Counts the entries of all shards.
    func tally() async throws -> OfflineTally

    /// Hands over shards after a `leaving` notice; none of their entries is being sent anymore.
    func letGo(_ shards: Set<Int>) async

    /// Closes the store: writes down what can be, hands over every shard, and releases every resource.
    ///
    /// - Parameter bound: The time that this may take. A queue does not wait longer.
    func close(within bound: Duration) async
}

extension OfflineStore {
    /// The value `false`: there is one queue.
    public var isShared: Bool { false }

    /// Returns `true`: the shards never change hands.
    public func owns(_ shard: Int) -> Bool { true }

    /// Does nothing: the shards never change hands.
    public func letGo(_ shards: Set<Int>) async {}

    /// Closes the store within five seconds.
    public func close() async { await close(within: OfflineQueue.closingTime) }
}

/// Something that a store tells its queue.
public enum OfflineNotice: Sendable {
    /// Entries were added, or wait no longer, in shards that are owned.
    case work(Set<Int>)
    /// Shards are owned from now on.
    case gained(Set<Int>)
    /// Others are to have shards: the queue begins nothing in them, finishes what runs, and calls `letGo`.
    case leaving(Set<Int>)
    /// Shards are not owned anymore: the queue calls off what it sends from them.
    case lost(Set<Int>)
    /// The store cannot be reached or written to for a reason, or can again.
    case problem(NetKitError?)
}
