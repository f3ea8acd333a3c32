public import NetKit

/// A store in memory that several queues share, like replicas of a service that share a database.
///
/// ```swift
/// let shared = InMemorySharedOfflineStore(clock: simulation.clock)
/// let first = try await OfflineQueue(store: shared.replica("a"), sender: client)
/// let second = try await OfflineQueue(store: shared.replica("b"), sender: client)
/// ```
/// Each replica can be stopped, slowed down or cut off, to test the effect on its entries.
public final class InMemorySharedOfflineStore: Sendable {
    let state: Locked<SharedOfflineState>
    let clock: NetKitClock
    let lease: Duration
    private let replicas = Locked(Replicas())

    private struct Replicas {
        var lastNumber = 0
        var byNumber: [Int: Replica.Weak] = [:]
    }

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - shardCount: The number of shards, at least 1.
    ///   - lease: The duration of a replica's lease, at least a millisecond. A replica renews it after a third of that
    ///     time.
    ///   - clock: The clock of the store, which determines the ends of leases.
    public init(shardCount: Int = 16, lease: Duration = .seconds(15), clock: NetKitClock = .system) {
        // A lease without a length would be over before it is granted.
        self.lease = max(.milliseconds(1), lease)
        state = Locked(SharedOfflineState(shardCount: shardCount, clock: clock, lease: self.lease))
        self.clock = clock
    }

    /// Creates the store of another queue.
    public func replica(_ label: String = "") -> Replica {
        replicas.withLock { replicas in
            replicas.lastNumber += 1
            let replica = Replica(self, number: replicas.lastNumber, label: label)
            replicas.byNumber = replicas.byNumber.filter { $0.value.replica != nil }
            replicas.byNumber[replica.number] = Replica.Weak(replica)
            return replica
        }
    }

    private func replica(number: Int) -> Replica? { replicas.withLock { $0.byNumber[number]?.replica } }

    /// The number of entries.
    public var count: Int { state.withLock { $0.tally.count } }

    /// Returns the shard of a lane.
    public func shard(of lane: String) -> Int { state.withLock { $0.shard(of: lane) } }

    /// Returns the label of the replica that owns the shard of a lane, or `nil` if none does.
    public func owner(ofLane lane: String) -> String? {
        let owner = state.withLock { state in state.owner(of: state.shard(of: lane)) }
        return owner.flatMap { replica(number: $0)?.label }
    }

    /// Notifies the owner of a shard of work.
    func tellOwner(of shard: Int) {
        let owner = state.withLock { $0.owner(of: shard) }
        owner.flatMap { replica(number: $0) }?.hear(.work([shard]))
    }

    /// Notifies the owners of shards of work, in one order.
    func tellOwners(of shards: Set<Int>) {
        for shard in shards.sorted() { tellOwner(of: shard) }
    }

    /// Makes every other replica ask for free shards, in the order of their numbers.
    func wakeOthers(but number: Int) {
        let others = replicas.withLock { replicas in
            replicas.byNumber.filter { $0.key != number }.sorted { $0.key < $1.key }.compactMap(\.value.replica)
        }
        for replica in others { replica.wake() }
    }
}
