import Foundation
public import NetKit

extension Postgres {
    /// Returns the store of a queue in the database, which is shared with every process that uses the same name.
    ///
    /// ```swift
    /// let queue = try await OfflineQueue(store: database.outbox("orders"), sender: client)
    /// ```
    /// - Parameters:
    ///   - name: The name of the queue, of at most 200 bytes.
    ///   - shards: The number of shards if the queue does not exist yet: a power of 2 up to 4096. It never changes
    ///     later, and bounds the number of processes that send at the same time.
    ///   - spill: A folder for this queue of this process alone, on a disk of this machine, that takes entries while
    ///     the database is unreachable; `nil` lets additions fail then.
    ///   - seal: The encryption of requests, bodies and responses, including those in the folder.
    /// - Returns: The store, which one queue can open.
    public func outbox(
        _ name: String,
        shards: Int = 256,
        spill: URL? = nil,
        seal: RecordSeal? = nil
    ) -> PostgresOutbox {
        outbox(name, shards: shards, spill: spill, seal: seal, lease: .seconds(15))
    }

    /// Returns the store of a queue with another lease, for tests.
    package func outbox(
        _ name: String,
        shards: Int = 256,
        spill: URL? = nil,
        seal: RecordSeal? = nil,
        lease: Duration
    ) -> PostgresOutbox {
        PostgresOutbox(OutboxTable(self, queue: name, shards: shards), spill: spill, seal: seal, lease: lease)
    }
}

/// A store of an `OfflineQueue` in PostgreSQL, which several processes share.
///
/// Each process owns some shards of the queue for a lease of 15 seconds, which it renews every 5 seconds, and sends
/// only what is in them. If it ends without closing its queue, the others take its shards over when the lease expires.
///
/// The body of a request has at most 8 MiB, and the rest of it at most 2 MiB. A lane, a coalescing key and an identity
/// have at most 1,000 bytes each. A larger request is refused.
///
/// Several queues of a database, and several stores of a queue, may be open in one process. Each open store takes its
/// share of the shards. The identifier of an entry is unique in its queue; other queues of the database may have it
/// too.
///
/// If the queue is dropped while it is open, or the database is replaced by a backup, the next addition or heartbeat
/// notices it, and the queue is recreated if it is missing. Until the heartbeat, which follows within 5 seconds,
/// nothing is sent.
///
/// The database's clock measures every wait, pause, lease and expiry, so the clocks of the processes may differ. If it
/// goes back, waits, pauses and expiries end later by as much, but a lease ends as if it began then. When a request is
/// added, the time from now until its `expiresAt` is stored.
///
/// The bounds of a queue are exact once nine tenths of them are used. Before that, the entries are counted every 5
/// seconds, so processes that together add more than a tenth in that time can exceed a bound by what they add until
/// then.
///
/// A change whose connection was lost before its response arrived is made again. Three things follow from that:
///
/// - If an entry was delivered before its addition is repeated, it is added and sent again, with the same idempotency
///   key.
/// - Entries that an addition has replaced or dropped leave without an event, if the addition is repeated.
/// - A retry of another process between the two has no effect, if the change was that of a failed attempt.
///
/// ## The spill folder
///
/// With a spill folder, an addition succeeds while the database is unreachable: its entry is stored in the folder
/// before the call returns, and is moved to the database later with the same identifier, key, lane, rule, identity,
/// priority and expiry. It is sent only after that, by the owner of its shard. Entries that the process leaves in the
/// folder when it ends are moved after the next start.
///
/// - The folder belongs to the first queue that uses it, and any other queue refuses it. The folder of an
///   `OfflineQueue` without a database can become a spill folder: its entries are moved to the database, and their
///   attempts are counted from zero there. It is refused if it has dead letters or conflicts, which would be sent
///   again.
/// - An entry is stored in the folder if no connection can be made, if the database takes too long, or if a connection
///   was lost and the outcome is not known. A database that refuses the password or the schema is reachable, so the
///   addition fails.
/// - The order of each lane is kept for this process: while entries of a lane are in the folder, later additions to the
///   lane go there too. Other processes, and statements of ``insertion(of:wakes:redaction:)``, add to the database
///   itself.
/// - An entry whose identifier the database has already is recognized. If it was sent before that, it is sent again
///   with the same idempotency key. This can happen if the outcome of the addition was not known, or if the process
///   ended between the commit and the removal from the folder.
/// - The bounds of the queue apply to the entries of the folder and of the database together, as they were last
///   counted. Entries of an earlier process are moved without them until this process adds one.
/// - An entry that the database refuses, such as at the bounds, or because another request has its identifier, stays in
///   the folder with those after it in its lane. The queue reports it once as `.storeFailed`, ``spilledEntries`` has
///   the reason, and the entry is tried again every 5 seconds. Other lanes continue.
/// - `entries` and `pendingCount` of the queue include the folder, after the database. While the database is
///   unreachable, they show nothing; use ``spilledEntries`` then. An entry of the folder can be read, removed and
///   retried by its identifier at any time.
public final class PostgresOutbox: OfflineStore {
    private struct State {
        var notify: (@Sendable (OfflineNotice) -> Void)?
        var lease: ReplicaLease?
        var spill: OutboxSpill?
        var clock = NetKitClock.system
        /// The reason why the latest heartbeat failed, if it did.
        var problem: NetKitError?
        var listening: UInt64?
        var polling: Task<Void, any Error>?
        var isOpened = false
        var isClosed = false
    }

    /// The maximum number of bytes of a body.
    static let maxBodyBytes = 8 << 20
    /// The interval in which entries are looked for while notices do not arrive.
    private static let pollInterval = Duration.seconds(1)

    let table: OutboxTable
    let seal: RecordSeal?
    let leaseTime: Duration
    /// The folder for entries while the database is unreachable.
    private let spillFolder: URL?
    let estimate = OutboxEstimate()
    let census = OutboxCensus()
    /// The number of shards that are listed with one statement.
    let sliceSize = Locked(OutboxSliceSize())
    /// The positions from which shards are listed.
    let floors = Locked(OutboxFloors())
    let adding: StatementBatcher<OutboxItem, OutboxItem.Outcome>
    let committing: StatementBatcher<OutboxDelivery, Void>
    let loading: StatementBatcher<UUID, OutboxRecord?>
    /// The positions of entries that were read to be sent, which tell them from later ones with the same identifier.
    let positions = Locked<[UUID: Int64]>([:])
    private let state = Locked(State())
    private let remoteNotices: NoticeThrottle
    private let localNotices = Locked<NoticeThrottle?>(nil)

    init(_ table: OutboxTable, spill: URL?, seal: RecordSeal?, lease: Duration) {
        (self.table, spillFolder, self.seal, leaseTime) = (table, spill, seal, lease)
        adding = OutboxItem.batcher(table, estimate)
        committing = OutboxDelivery.batcher(table)
        loading = StatementBatcher(maxCount: 32) { ids in
            let found = try await table.load(ids, seal)
            return ids.map { .success(found[$0]) }
        }
        remoteNotices = NoticeThrottle(interval: .milliseconds(15), clock: table.database.clock) { shards in
            // Without the notice, the entries are found within the interval of polling.
            try? await table.notify(shards)
        }
    }

    deinit {
        let state = state.withLock { $0 }
        state.lease?.stop()
        state.spill?.stop()
        state.polling?.cancel()
        if let key = state.listening { table.database.stopListening(key) }
    }

    /// The name of the queue.
    public var name: String { table.queue }

    /// Always `true`, because other processes add to the same queue and send from it.
    public var isShared: Bool { true }

    // MARK: - Opening

    /// Begins to share the shards of the queue with other processes.
    ///
    /// - Throws: `.queueLocked` if the store was opened before or another one uses the spill folder, `.file` if the
    ///   folder cannot be written to, `.unsupported` if it is on a network file system, and `.invalidConfiguration` if
    ///   the folder belongs to another queue or has dead letters or conflicts, or the database refuses the queue. An
    ///   unreachable database is not an error here.
    public func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
        let wasOpened = state.withLock { exchange(&$0.isOpened, with: true) }
        guard !wasOpened else {
            throw NetKitError(
                .queueLocked,
                "The outbox has a queue already. Take another one from `database.outbox(…)`."
            )
        }
        let spill = try await openSpill(clock, notify)
        try await checkQueue()
        let notify = recordingNotices(before: notify)
        let localNotices = NoticeThrottle(interval: .milliseconds(10), clock: clock) { notify(.work($0)) }
        self.localNotices.withLock { $0 = localNotices }
        let lease = makeLease(clock, spill, notify)
        state.withLock { state in
            (state.notify, state.lease, state.clock) = (notify, lease, clock)
        }
        await lease.start()
        beginWatching(clock, notify)
        spill?.start { [weak self] additions, bounds in
            guard let self else { throw Postgres.closed }
            return try await move(additions, within: bounds)
        }
    }

    private func openSpill(
        _ clock: NetKitClock,
        _ notify: @escaping @Sendable (OfflineNotice) -> Void
    ) async throws -> OutboxSpill? {
        guard let folder = spillFolder else { return nil }
        let spill = OutboxSpill(
            journal: JSONOfflineStore(directory: folder, seal: seal),
            queue: name,
            estimate: estimate,
            clock: clock,
            notify: notify
        )
        do {
            try await spill.open()
        } catch let error as NetKitError where error.code == .queueLocked {
            // The queue does not close the store then, and may try again once the folder is free.
            state.withLock { $0.isOpened = false }
            throw error
        }
        state.withLock { $0.spill = spill }
        return spill
    }

    /// Creates the queue in the database if it is missing; throws if the database refuses it.
    private func checkQueue() async throws {
        do {
            _ = try await table.shards(within: .seconds(5))
        } catch let error as NetKitError where !error.isTransient {
            throw error
        } catch {
            // The first heartbeat fails as well, which is reported, and repeated until it succeeds.
        }
    }

    /// Returns a closure that records what a notice means for this store before it passes the notice on.
    private func recordingNotices(
        before notify: @escaping @Sendable (OfflineNotice) -> Void
    ) -> @Sendable (OfflineNotice) -> Void {
        { [weak self] notice in
            switch notice {
            case .problem(let problem): self?.state.withLock { $0.problem = problem }
            // A queue that was made again, or restored, may use positions again.
            case .gained: self?.floors.withLock { $0.reset() }
            default: break
            }
            notify(notice)
        }
    }

    /// Creates the lease, whose heartbeats also let the entries of the folder be moved.
    private func makeLease(
        _ clock: NetKitClock,
        _ spill: OutboxSpill?,
        _ notify: @escaping @Sendable (OfflineNotice) -> Void
    ) -> ReplicaLease {
        let hasJoined = Flag()
        return ReplicaLease(clock: clock, lease: leaseTime, interval: leaseTime / 3, notify: notify) {
            [table, leaseTime, spill] in
            let beat = try await table.beat(lease: leaseTime)
            spill?.wake()
            if !hasJoined.isSet {
                hasJoined.set()
                // The other processes check at once whether they own too many shards.
                if beat.nextLapse != nil { _ = startImmediately { try await table.notifyOfFreeShards() } }
            }
            return beat
        }
    }

    /// Begins to listen to the other processes, and to poll while their notices do not arrive.
    private func beginWatching(_ clock: NetKitClock, _ notify: @escaping @Sendable (OfflineNotice) -> Void) {
        let key = table.database.listen(to: OutboxTable.topic) { [weak self] in self?.handle($0) }
        let polling = startImmediately { [weak self] in
            while true {
                try await clock.waitForAlarm(at: clock.now.advanced(by: Self.pollInterval))
                guard let self else { return }
                // With notices, the queue's own listing each `refreshInterval` is enough.
                if !table.database.health.isListening { notify(.work(owned)) }
            }
        }
        let isClosed = state.withLock { state in
            (state.listening, state.polling) = (key, polling)
            return state.isClosed
        }
        if isClosed { endWatching() }
    }

    private func endWatching() {
        let (key, polling) = state.withLock { state in
            defer { (state.listening, state.polling) = (nil, nil) }
            return (state.listening, state.polling)
        }
        polling?.cancel()
        if let key { table.database.stopListening(key) }
    }

    // MARK: - Ownership

    /// Returns whether this process owns a shard at this moment.
    public func owns(_ shard: Int) -> Bool { lease?.owns(shard) ?? false }

    var lease: ReplicaLease? { state.withLock { $0.lease } }

    /// The entries that wait for the database; `nil` without a folder, or before the outbox was opened.
    var spill: OutboxSpill? { state.withLock { $0.spill } }

    /// The shards that this process owns at this moment.
    package var owned: Set<Int> { lease?.shards ?? [] }

    /// Returns the fence under which this process owns the shard of a lane; `nil` if it does not own it.
    package func fence(ofLane lane: String) async throws -> Int64? {
        lease?.fence(of: try await table.shards().shard(of: lane))
    }

    /// The reason why this process owns nothing; `nil` if it does, or if others own all.
    var problem: NetKitError? { owned.isEmpty ? state.withLock { $0.problem } : nil }

    /// The clock of the queue.
    var clock: NetKitClock { state.withLock { $0.clock } }

    /// Throws if the store was closed.
    func checkIsOpen() throws {
        guard !state.withLock({ $0.isClosed }) else {
            throw NetKitError(.closed, "The outbox was closed. Take another one from `database.outbox(…)`.")
        }
    }

    /// Hands over shards, and lets the other processes take them at once.
    public func relinquish(_ shards: Set<Int>) async {
        lease?.relinquish(shards)
        // If this fails, the next heartbeat reports that the shards are still owned.
        try? await table.leave(shards)
    }

    /// Hands over every shard, and lets the other processes take them at once; entries in the spill folder stay there.
    public func close(within bound: Duration) async {
        let (lease, spill) = state.withLock { state in
            defer { (state.isClosed, state.lease) = (true, nil) }
            return (state.lease, state.spill)
        }
        endWatching()
        lease?.stop()
        // A disk that hangs must not keep the shards from the other processes; moving entries needs no lease.
        async let spillEnd: Void? = spill?.close(within: bound / 4)
        // If this fails, the lease ends by itself.
        if lease != nil { try? await table.leave(nil, within: bound) }
        _ = await spillEnd
    }

    // MARK: - Notices

    /// Reports a change to the queue.
    func report(_ notice: OfflineNotice) { state.withLock { $0.notify }?(notice) }

    /// Reports that entries were added to shards, to this queue or to their owners.
    func announce(_ shards: Set<Int>) {
        let mine = owned.intersection(shards)
        if !mine.isEmpty { localNotices.withLock { $0 }?.announce(mine) }
        remoteNotices.announce(shards.subtracting(mine))
    }

    /// Handles a notice of another process.
    private func handle(_ notice: PostgresNotice) {
        switch notice {
        case .missed:
            lease?.wake()
            spill?.wake()
            floors.withLock { $0.reset() }
            localNotices.withLock { $0 }?.announce(owned)
        case .message(let payload):
            switch OutboxNotice(payload, queue: table.queue) {
            case .work(let shards): localNotices.withLock { $0 }?.announce(owned.intersection(shards))
            case .free(let replica): if replica != table.replica.uuidString { lease?.wake() }
            case nil: break
            }
        }
    }
}

extension NetKitError {
    /// Whether the same call can succeed later without a change of the configuration.
    var isTransient: Bool { ![.invalidConfiguration, .closed, .unsupported].contains(code) }
}
