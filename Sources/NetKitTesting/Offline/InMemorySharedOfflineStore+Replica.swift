public import Foundation
public import NetKit

extension InMemorySharedOfflineStore {
    /// The store of one of several queues.
    public final class Replica: OfflineStore {
        struct Weak: Sendable {
            weak let replica: Replica?

            init(_ replica: Replica) {
                self.replica = replica
            }
        }

        private struct State {
            /// Whether notices wait, because the replica is stopped.
            var isStopped = false
            var notify: (@Sendable (OfflineNotice) -> Void)?
            var missed: [OfflineNotice] = []
            var lease: ReplicaLease?
            var isOpened = false
            var isClosed = false
        }

        /// The label that tests use to distinguish replicas.
        public let label: String

        /// The number of the replica in the order of creation.
        let number: Int
        private let store: InMemorySharedOfflineStore
        private let faults: ReplicaFaults
        private let state = Locked(State())

        init(_ store: InMemorySharedOfflineStore, number: Int, label: String) {
            (self.store, self.number, self.label) = (store, number, label)
            faults = ReplicaFaults(clock: store.clock)
        }

        deinit { lease?.stop() }

        // MARK: Faults

        /// Pauses the replica, as if its process were stopped.
        ///
        /// Its calls and notices wait for `resume()`.
        public func stop() {
            state.withLock { $0.isStopped = true }
            faults.stop()
        }

        /// Resumes a stopped replica.
        public func resume() {
            let (missed, notify) = state.withLock { state in
                defer { (state.isStopped, state.missed) = (false, []) }
                return (state.missed, state.notify)
            }
            for notice in missed { notify?(notice) }
            faults.resume()
        }

        /// Cuts the replica off from the store, or connects it again.
        ///
        /// Every call fails, and no notice of the store arrives. Once it is connected again, the replica renews its
        /// lease and looks for entries.
        public func cutOff(_ isCutOff: Bool = true) {
            faults.cutOff(isCutOff)
            guard !isCutOff, let lease else { return }
            lease.wake()
            let shards = lease.shards
            if !shards.isEmpty { tell(.work(shards)) }
        }

        /// Delays every call, by half of the time before it reaches the store and half after.
        public func slowDown(to delay: Duration) { faults.slowDown(to: delay) }

        // MARK: OfflineStore

        /// Whether several queues can share the store; always `true`.
        public var isShared: Bool { true }

        /// Begins to share the shards with the other replicas.
        ///
        /// - Throws: `.queueLocked` if the replica was opened before.
        public func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
            let lease = ReplicaLease(clock: clock, lease: store.lease, interval: store.lease / 3) {
                [weak self] notice in
                self?.tell(notice)
            } beat: { [weak self] in
                guard let self else { throw CancellationError() }
                return try await call { $0.beat(self.number) }
            }
            let isFirst = state.withLock { state in
                guard !state.isOpened else { return false }
                (state.notify, state.lease, state.isOpened) = (notify, lease, true)
                return true
            }
            guard isFirst else {
                throw NetKitError(.queueLocked, "The replica has a queue already. Take another one from `replica(_:)`.")
            }
            await lease.start()
        }

        /// Returns whether the replica owns a shard.
        public func owns(_ shard: Int) -> Bool { lease?.owns(shard) ?? false }

        /// Lists the front of each lane.
        public func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
            try checkIsOpen()
            return try await call { [self] shared in
                let owned = lease?.shards ?? []
                return shared.listing(of: shards.map { $0.intersection(owned) } ?? owned, depth: depth)
            }
        }

        /// Reads entries.
        public func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
            try await call { shared in
                var found: [UUID: Result<StoredRequest, NetKitError>] = [:]
                for id in ids {
                    guard let row = shared.rows[id] else { continue }
                    found[id] = .success(row.stored.counting(row.entry))
                }
                return found
            }
        }

        /// Adds an entry and notifies the owner of its shard.
        ///
        /// A request that is there already under its identifier is returned, and not added again.
        public func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws
            -> OfflineAppendResult
        {
            try checkIsOpen()
            let shard = store.shard(of: addition.request.lane)
            // A database stores the bytes of a file.
            let whole = OfflineAddition(
                request: try await addition.request.holdingBytes(),
                byteCount: addition.byteCount,
                identity: addition.identity
            )
            let result = try await call(telling: shard) { try $0.append(whole, within: bounds) }
            if case .added = result { addition.request.removeTakenFile() }
            return result
        }

        /// Marks an entry as being sent.
        public func begin(_ id: UUID) async throws -> Bool {
            try await call { [self] shared in
                guard let row = shared.rows[id], !row.isToBeRemoved, isOwned(row.entry.shard, shared) else {
                    return false
                }
                shared.set(id, isBegun: true)
                return true
            }
        }

        /// Removes a delivered entry.
        public func commit(_ id: UUID, sentAs key: String?) async throws {
            try await call { shared in
                guard let row = shared.rows[id], row.stored.request.idempotencyKey == key else { return }
                shared.remove(id)
            }
        }

        /// Releases an entry.
        public func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
            let (isReleased, shard) = try await call { [self] shared -> (Bool, Int?) in
                guard let row = shared.rows[id] else { return (false, nil) }
                let shard = row.entry.shard
                guard row.entry.state != .waiting || isOwned(shard, shared) else { return (false, nil) }
                guard let update else {
                    shared.set(id, isBegun: false)
                    return (true, nil)
                }
                guard row.entry.state == update.previousState else { return (false, nil) }
                shared.set(id, isBegun: false)
                return (shared.update(id, update) != nil, isOwned(shard, shared) ? nil : shard)
            }
            if let shard { store.tellOwner(of: shard) }
            return isReleased
        }

        /// Pauses a lane.
        public func pause(_ lane: String, for time: Duration?) async throws {
            try await pause(lane, for: time, reason: nil)
        }

        /// Pauses a lane, and notes the reason; a pause that lasts longer stays.
        public func pause(_ lane: String, for time: Duration?, because reason: OfflinePauseReason) async throws {
            try await pause(lane, for: time, reason: reason)
        }

        private func pause(_ lane: String, for time: Duration?, reason: OfflinePauseReason?) async throws {
            let end = time.map { store.clock.now.advanced(by: $0) }
            try await call(telling: store.shard(of: lane)) { $0.pause(lane, until: end, because: reason) }
        }

        /// Resumes the lanes that were paused for a reason.
        public func resumeLanes(pausedBecause reason: OfflinePauseReason) async throws {
            let shards = try await call { $0.resumeLanes(pausedBecause: reason) }
            store.tellOwners(of: Set(shards))
        }

        /// Resumes a lane.
        public func resume(_ lane: String) async throws {
            try await call(telling: store.shard(of: lane)) { $0.resume(lane) }
        }

        /// Makes entries due now.
        public func revive(_ ids: [UUID]) async throws -> [OfflineEntry] {
            let entries = try await call { shared in
                ids.compactMap { id in shared.rows[id].flatMap { shared.update(id, .revival(of: $0.entry)) } }
            }
            store.tellOwners(of: Set(entries.map(\.shard)))
            return entries
        }

        /// Removes entries, and asks the other owners of shards to remove theirs.
        public func remove(_ ids: [UUID]) async throws -> OfflineRemoval {
            let (removal, asked) = try await call { [number] shared in
                var removal = OfflineRemoval()
                var asked: Set<Int> = []
                for id in ids {
                    guard let row = shared.rows[id] else { continue }
                    if row.entry.state != .waiting || shared.owner(of: row.entry.shard) ?? number == number {
                        if let entry = shared.remove(id) { removal.removed.append(entry) }
                    } else {
                        shared.askToRemove(id)
                        removal.asked.append(id)
                        asked.insert(row.entry.shard)
                    }
                }
                return (removal, asked)
            }
            store.tellOwners(of: asked)
            return removal
        }

        /// Removes dead letters that are too old or too many.
        public func removeDeadLetters(
            olderThan age: Duration?,
            above maxCount: Int?,
            limit: Int
        ) async throws -> [OfflineRemovedEntry] {
            try await call { $0.removeDeadLetters(olderThan: age, above: maxCount, limit: limit) }
        }

        /// Lists the entries that match a filter.
        public func browse(
            _ filter: OfflineFilter,
            after position: Int64?,
            limit: Int
        ) async throws -> [OfflineEntry] {
            try await call { $0.browse(filter, after: position, limit: limit) }
        }

        /// Counts the entries.
        public func tally() async throws -> OfflineTally { try await call { $0.tally } }

        /// Releases shards.
        public func relinquish(_ shards: Set<Int>) async {
            lease?.relinquish(shards)
            // If this call fails, the next heartbeat reports that the shards are still owned.
            try? await call { [number] in $0.leave(number, shards) }
            store.wakeOthers(but: number)
        }

        /// Releases every shard.
        public func close(within bound: Duration) async {
            let (lease, isStopped) = state.withLock { state in
                defer { (state.lease, state.isClosed) = (nil, true) }
                return (state.lease, state.isStopped)
            }
            lease?.stop()
            // A stopped process does not announce its end.
            guard !isStopped else { return }
            try? await call { [number] in $0.leave(number) }
            store.wakeOthers(but: number)
        }

        private func checkIsOpen() throws {
            guard !state.withLock({ $0.isClosed }) else {
                throw NetKitError(.closed, "The replica was closed. Take another one from `replica(_:)`.")
            }
        }

        // MARK: Calls

        /// Takes a notice of the store, which is lost while the replica is cut off.
        func hear(_ notice: OfflineNotice) {
            if !faults.isCutOff { tell(notice) }
        }

        private func tell(_ notice: OfflineNotice) {
            let notify = state.withLock { state -> (@Sendable (OfflineNotice) -> Void)? in
                guard state.isStopped else { return state.notify }
                state.missed.append(notice)
                return nil
            }
            notify?(notice)
        }

        func wake() {
            if !faults.isCutOff { lease?.wake() }
        }

        private var lease: ReplicaLease? { state.withLock { $0.lease } }

        private func isOwned(_ shard: Int, _ shared: SharedOfflineState) -> Bool {
            shared.isOwned(shard, by: number, lease?.fence(of: shard))
        }

        /// Calls the store.
        ///
        /// A stopped replica waits first, and one that is cut off throws.
        private func call<Success: Sendable>(
            telling shard: Int? = nil,
            _ body: (inout SharedOfflineState) throws -> Success
        ) async throws -> Success {
            try await faults.call {
                let success = try store.state.withLock { try body(&$0) }
                if let shard { store.tellOwner(of: shard) }
                return success
            }
        }
    }
}
