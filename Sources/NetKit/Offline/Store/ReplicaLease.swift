/// A lease that keeps track of the shards that one process owns in a shared store.
///
/// The process has one lease, which a heartbeat renews. The store knows which shards belong to the process, and raises
/// a number, the fence, whenever the owner of a shard changes. The lease begins before its heartbeat is sent, and lasts
/// a tenth less than the store grants, on a monotonic clock. It therefore ends here before another process can own the
/// shards, unless the machine was suspended, during which that clock stands still.
///
/// ```swift
/// let lease = ReplicaLease(clock: clock, notify: notify) { try await table.beat() }
/// await lease.start()
/// ```
public final class ReplicaLease: Sendable {
    /// The result of a heartbeat.
    public struct Beat: Sendable {
        /// The shards that belong to this process, each with its fence.
        public var shards: [Int: Int64]
        /// The shards among them that other processes are to own.
        public var surplus: Set<Int>
        /// The time until the lease of another process ends; the next heartbeat is sent shortly after that at the
        /// latest.
        public var nextLapse: Duration?

        /// Creates a result.
        public init(shards: [Int: Int64], surplus: Set<Int> = [], nextLapse: Duration? = nil) {
            self.shards = shards
            self.surplus = surplus
            self.nextLapse = nextLapse
        }
    }

    private struct State: ~Copyable {
        var shards: [Int: Int64] = [:]
        var surplus: Set<Int> = []
        var deadline: NetKitClock.Instant?
        var lastBeat: NetKitClock.Instant?
        var alarm: ClockAlarm?
        var sleep: Promise<Void>?
        var isWoken = false
        var isFailing = false
        var nextLapse: Duration?
        var task: Task<Void, any Error>?
        /// The number of starts and stops; the result of a heartbeat of an earlier start changes nothing.
        var session = 0
        /// The shards that were handed over, with their fences and times; a heartbeat that was sent before still has
        /// them.
        var relinquished: [(shard: Int, fence: Int64, time: NetKitClock.Instant)] = []
    }

    private let clock: NetKitClock
    private let lease: Duration
    private let interval: Duration
    /// The notices, in the order of the changes.
    private let notices = Broadcast<OfflineNotice>()
    private let beat: @Sendable () async throws -> Beat
    private let state = Locked(State())

    /// Creates a lease.
    ///
    /// - Parameters:
    ///   - clock: The clock of the process.
    ///   - lease: The time for which the store grants a lease.
    ///   - interval: The time from one heartbeat to the next, at least a millisecond.
    ///   - notify: A closure that takes notices about the shards, and about problems with the store, one after the
    ///     other and in the order of the changes.
    ///   - beat: A closure that renews the lease in the store.
    public init(
        clock: NetKitClock,
        lease: Duration = .seconds(15),
        interval: Duration = .seconds(5),
        notify: @escaping @Sendable (OfflineNotice) -> Void,
        beat: @escaping @Sendable () async throws -> Beat
    ) {
        self.clock = clock
        self.lease = lease
        // Without a pause, the heartbeats would follow each other endlessly.
        self.interval = max(.milliseconds(1), interval)
        self.beat = beat
        notices.forward { notice in
            if let notice { notify(notice) }
            return true
        }
    }

    /// Sends the first heartbeat, and further ones until `stop`.
    ///
    /// A second call replaces the heartbeats of the first; the shards stay owned.
    public func start() async {
        let (session, earlier) = state.withLock { state in
            state.session += 1
            return (state.session, exchange(&state.task, with: nil))
        }
        earlier?.cancel()
        let wait = await beatOnce(in: session)
        let task = startDetached { [weak self] in
            var wait = wait
            while true {
                try await self?.pause(for: wait, in: session)
                guard let next = await self?.beatOnce(in: session) else { return }
                wait = next
            }
        }
        let isOver = state.withLock { state in
            if state.session == session { state.task = task }
            return state.session != session
        }
        if isOver { task.cancel() }
    }

    /// Stops the heartbeats; the shards are no longer owned.
    public func stop() {
        let (task, alarm) = state.withLock { state in
            let (task, alarm, session) = (state.task, state.alarm, state.session)
            state = State()
            state.session = session + 1
            return (task, alarm)
        }
        task?.cancel()
        alarm?.cancel()
    }

    deinit { stop() }

    /// Returns whether a shard belongs to this process at this moment.
    public func owns(_ shard: Int) -> Bool { fence(of: shard) != nil }

    /// Returns the fence of a shard, or `nil` if it does not belong to this process at this moment.
    public func fence(of shard: Int) -> Int64? {
        // A lease that is over here must not be renewed as if nothing had happened.
        endIfOver()
        return state.withLock { $0.shards[shard] }
    }

    /// The shards that belong to this process at this moment.
    public var shards: Set<Int> {
        endIfOver()
        return state.withLock { Set($0.shards.keys) }
    }

    /// The time until the lease ends if no heartbeat renews it; `nil` if there is no lease at this moment.
    public var timeLeft: Duration? {
        let now = clock.now
        return state.withLock { $0.deadline.flatMap { now < $0 ? now.duration(to: $0) : nil } }
    }

    /// The time since the latest heartbeat that succeeded; `nil` if none has.
    public var timeSinceHeartbeat: Duration? {
        let now = clock.now
        return state.withLock { $0.lastBeat.map { $0.duration(to: now) } }
    }

    /// Forgets shards that the process hands over.
    public func relinquish(_ shards: Set<Int>) {
        let now = clock.now
        state.withLock { state in
            for shard in shards {
                guard let fence = state.shards.removeValue(forKey: shard) else { continue }
                state.relinquished.append((shard, fence, now))
            }
            state.surplus.subtract(shards)
        }
    }

    /// Sends the next heartbeat at once, because shards may be free.
    public func wake() {
        let sleep = state.withLock { state in
            state.isWoken = true
            return state.sleep
        }
        sleep?.resolve(.success(()))
    }

    /// Waits for a time or until `wake`, or throws `CancellationError` if the session is over.
    private func pause(for wait: Duration, in session: Int) async throws {
        let promise = Promise<Void>()
        let isWoken = state.withLock { state -> Bool? in
            // A later start has a pause of its own.
            guard state.session == session else { return nil }
            state.sleep = promise
            return state.isWoken
        }
        guard let isWoken else { throw CancellationError() }
        if isWoken { return }
        try await clock.waitForAlarm(at: clock.now.advanced(by: wait), or: promise)
    }

    /// Sends a heartbeat, and returns the time until the next one.
    private func beatOnce(in session: Int) async -> Duration {
        defer { notices.publish() }
        // The heartbeat answers every earlier call of `wake`.
        state.withLock { if $0.session == session { $0.isWoken = false } }
        let sent = clock.now
        do {
            handle(try await beat(), sent, session)
            return state.withLock { state in
                if state.session == session, exchange(&state.isFailing, with: false) { notices.note(.problem(nil)) }
                // Another lease may end earlier. The sum with the longest duration would overflow.
                let margin = Duration.milliseconds(100)
                return state.nextLapse.map { min(interval - margin, max(.zero, $0)) + margin } ?? interval
            }
        } catch {
            let problem = ErrorBoundary.outward(error, outcome: .notSent) as? NetKitError
            state.withLock { state in
                guard state.session == session else { return }
                state.isFailing = true
                if let problem { notices.note(.problem(problem)) }
            }
            return interval / 5
        }
    }

    /// Handles the result of a heartbeat that was sent at a time.
    private func handle(_ beat: Beat, _ sent: NetKitClock.Instant, _ session: Int) {
        endIfOver()
        defer { notices.publish() }
        let deadline = sent.advanced(by: lease / 10 * 9)
        let now = clock.now
        // A result that arrives so late has already ended; the next heartbeat renews the lease.
        guard now < deadline else { return }
        let isRenewed = state.withLock { state in
            guard state.session == session else { return false }
            state.relinquished.removeAll { $0.time < sent }
            let shards = beat.shards.filter { shard, fence in
                !state.relinquished.contains { $0.shard == shard && $0.fence == fence }
            }
            let lost = state.shards.filter { shards[$0.key] != $0.value }
            let gained = shards.filter { state.shards[$0.key] != $0.value }
            let leaving = beat.surplus.subtracting(state.surplus.subtracting(gained.keys))
            state.shards = shards
            state.surplus = beat.surplus
            state.deadline = deadline
            state.lastBeat = sent
            state.nextLapse = beat.nextLapse
            if !lost.isEmpty { notices.note(.lost(Set(lost.keys))) }
            if !gained.isEmpty { notices.note(.gained(Set(gained.keys))) }
            if !leaving.isEmpty { notices.note(.leaving(leaving)) }
            return true
        }
        guard isRenewed else { return }
        // Not under the lock, because an alarm whose time has come meanwhile may go off at once.
        let alarm = clock.scheduleWakeUp(at: deadline) { [weak self] in self?.endIfOver() }
        let obsolete = state.withLock { state in
            state.session == session ? exchange(&state.alarm, with: alarm) : alarm
        }
        obsolete?.cancel()
    }

    /// Loses every shard if the lease was not renewed in time.
    private func endIfOver() {
        let now = clock.now
        let hasLost = state.withLock { state in
            guard let deadline = state.deadline, now >= deadline else { return false }
            let lost = Set(state.shards.keys)
            (state.shards, state.surplus, state.deadline) = ([:], [], nil)
            if !lost.isEmpty { notices.note(.lost(lost)) }
            return !lost.isEmpty
        }
        if hasLost { notices.publish() }
    }
}
