import Foundation
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
    private let replicas = Locked<[UUID: Replica.Weak]>([:])

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - shardCount: The number of shards.
    ///   - lease: The duration of a replica's lease. A replica renews it after a third of that time.
    ///   - clock: The clock of the store, which determines the ends of leases.
    public init(shardCount: Int = 16, lease: Duration = .seconds(15), clock: NetKitClock = .system) {
        state = Locked(SharedOfflineState(shardCount: shardCount, clock: clock, lease: lease))
        self.clock = clock
        self.lease = lease
    }

    /// Creates the store of another queue.
    public func replica(_ label: String = "") -> Replica {
        let replica = Replica(self, label: label)
        replicas.withLock { $0[replica.id] = Replica.Weak(replica) }
        return replica
    }

    /// The number of entries.
    public var count: Int { state.withLock { $0.tally.count } }

    /// Returns the shard of a lane.
    public func shard(of lane: String) -> Int { state.withLock { $0.shard(of: lane) } }

    /// Returns the label of the replica that owns the shard of a lane, or `nil` if none does.
    public func owner(ofLane lane: String) -> String? {
        let owner = state.withLock { state in state.owner(of: state.shard(of: lane)) }
        return owner.flatMap { id in replicas.withLock { $0[id]?.replica?.label } }
    }

    /// Notifies the owner of a shard of work.
    func tellOwner(of shard: Int) {
        let owner = state.withLock { $0.owner(of: shard) }
        owner.flatMap { id in replicas.withLock { $0[id]?.replica } }?.tell(.work([shard]))
    }

    /// Makes every other replica ask for free shards.
    func wakeOthers(but id: UUID) {
        for replica in replicas.withLock({ $0.filter { $0.key != id }.compactMap(\.value.replica) }) { replica.wake() }
    }
}
