/// Lets calls through at the rate of a bucket: immediately, after a wait in order of urgency, or not at all.
///
/// A call that waits has no permit yet. If it leaves the line, the calls behind it move up.
final class RateGate: Sendable {
    /// The reason why a call gets no permit.
    struct Excess {
        /// The time that the call would have to wait.
        let wait: Duration
        /// The rest of the longest wait of a call that has waited already; `nil` if it has not.
        var rest: Duration?
        /// Whether the call has waited already, and more urgent ones have overtaken it.
        var isOvertaken = false
    }

    /// The wait of a call, which ends with `nil` if the call gets a permit.
    private typealias Wait = Promise<Excess?>

    private struct Waiting {
        let wait: Wait
        let call: Call
        /// The end of the longest wait.
        let bound: NetKitClock.Instant

        /// The time up to which the call waits; a call that shares its exchanges may have a later deadline by now.
        var end: NetKitClock.Instant { min(bound, call.deadline ?? bound) }
    }

    /// The next step of the task that grants permits.
    private enum Step {
        case sleep(until: NetKitClock.Instant)
        case take(Int)
    }

    private enum Entry {
        case granted
        case waiting(Int)
        case refused(after: Duration)
    }

    /// The task that grants permits to the calls in line.
    private struct PermitTask {
        let number: Int
        var task: Task<Void, any Error>?
        /// Whether it waits for the answer of the store, which counts even if no call waits for it any longer.
        var isTaking = false
    }

    private struct State: ~Copyable {
        var bucket: RateBucket
        /// The permits of a limit that several processes share, which replace those of the bucket.
        var shared: SharedPermits?
        var line = RankedHeap<Int, QueueRank, Waiting>()
        /// The last place in the line since it was empty.
        ///
        /// A call with a later place is behind all others, without counting them.
        var lastPlace: QueueRank?
        var lastNumber = 0
        var permitTask: PermitTask?

        /// Takes a permit if one is available.
        mutating func take(now: NetKitClock.Instant) -> Bool {
            shared == nil ? bucket.take(now: now) : shared?.take(now: now) ?? false
        }

        /// Returns the time until a call with a position in the line has its turn.
        func wait(for place: QueueRank, now: NetKitClock.Instant) -> Duration {
            let isBehindAll = lastPlace.map { $0 < place } ?? true
            return wait(behind: isBehindAll ? line.count : line.count { $0 < place }, now: now)
        }

        private func wait(behind waiting: Int, now: NetKitClock.Instant) -> Duration {
            shared?.wait(behind: waiting, now: now) ?? bucket.wait(behind: waiting, now: now)
        }

        /// Removes and returns the calls that are due.
        mutating func takeDue(now: NetKitClock.Instant) -> [Wait] {
            var due: [Wait] = []
            while !line.isEmpty, take(now: now) {
                if let (_, waiting) = line.popFirst() { due.append(waiting.wait) }
            }
            return due
        }

        /// Continues with the store, and returns the number of a task in place of the one that sleeps until the next
        /// permit of this process's share.
        mutating func regainStore(now: NetKitClock.Instant) -> (obsolete: Task<Void, any Error>?, number: Int)? {
            let wasLost = shared?.isStoreLost ?? false
            shared?.regainStore(now: now)
            guard wasLost, let earlier = permitTask else { return nil }
            lastNumber &+= 1
            permitTask = PermitTask(number: lastNumber)
            return (earlier.task, lastNumber)
        }

        /// Removes and returns the calls that would wait too long even as the next, after a shared store had too few
        /// permits or was lost.
        ///
        /// Others stay, because the store may be back before their turn, or other processes may use fewer permits.
        mutating func takeHopeless(now: NetKitClock.Instant) -> [(wait: Wait, excess: Excess)] {
            guard let least = shared?.wait(now: now), least > .zero else { return [] }
            let end = now.advanced(by: least)
            return line.positions { $0.end < end }.compactMap { name, index in
                guard let waiting = line.remove(name) else { return nil }
                let rest = max(.zero, now.duration(to: waiting.end))
                return (wait: waiting.wait, excess: Excess(wait: wait(behind: index, now: now), rest: rest))
            }
        }

        /// Removes a call from the line, and also the task if the line is then empty and the task only sleeps.
        mutating func remove(_ number: Int) -> (wait: Wait?, permitTask: PermitTask?) {
            let wait = line.remove(number)?.wait
            guard line.isEmpty else { return (wait, nil) }
            lastPlace = nil
            return (wait, permitTask?.isTaking == true ? nil : permitTask.take())
        }
    }

    private let headStart: Duration
    private let supply: RateSupply?
    private let state: Locked<State>

    /// Creates a gate; the head start is the waiting time that offsets one step of priority.
    ///
    /// `supply` is the store of a limit that several processes share, with the rules for it.
    init(_ bucket: RateBucket, headStart: Duration, shared supply: (RateSupply, SharedPermits.Rules)?) {
        self.headStart = headStart
        self.supply = supply?.0
        state = Locked(State(bucket: bucket, shared: supply.map { SharedPermits($0.1) }))
    }

    deinit { state.withLock { $0.permitTask?.task }?.cancel() }

    /// The number of waiting calls.
    var waitingCount: Int { state.withLock { $0.line.count } }

    /// The instant at which the bucket is full again, after all waiting calls have passed.
    var full: Int64 { state.withLock { $0.bucket.full(after: $0.line.count) } }

    /// Waits for a permit.
    ///
    /// Returns `nil` with a permit, or the reason why there is none.
    func pass(_ call: Call, maxWait bound: Duration) async throws -> Excess? {
        let now = call.clock.now
        let isGranted = state.withLock { $0.line.isEmpty && $0.take(now: now) }
        if let supply { lookForStore(supply, clock: call.clock, random: call.random) }
        if isGranted { return nil }
        return try await waitInLine(call, now: now, maxWait: bound)
    }

    /// Waits in line.
    ///
    /// It is a separate function, so that other calls do not hold its memory.
    @inline(never)
    private func waitInLine(_ call: Call, now: NetKitClock.Instant, maxWait bound: Duration) async throws -> Excess? {
        let wait = Wait()
        let (entry, permitTask) = state.withLock { state -> (Entry, Int?) in
            if state.line.isEmpty, state.take(now: now) { return (.granted, nil) }
            state.lastNumber &+= 1
            let number = state.lastNumber
            let place = QueueRank(call.priority, arrival: now, number: number, headStart: headStart)
            let expected = state.wait(for: place, now: now)
            let isLate = call.deadline.map { now.advanced(by: expected) >= $0 } ?? false
            if expected > bound || isLate { return (.refused(after: expected), nil) }
            state.line.insert(number, rank: place, Waiting(wait: wait, call: call, bound: now.advanced(by: bound)))
            state.lastPlace = max(state.lastPlace ?? place, place)
            guard state.permitTask == nil else { return (.waiting(number), nil) }
            state.permitTask = PermitTask(number: number)
            return (.waiting(number), number)
        }
        if let permitTask { start(permitTask, clock: call.clock, random: call.random) }
        switch entry {
        case .granted: return nil
        case .refused(let expected): return Excess(wait: expected)
        case .waiting(let number):
            // Later calls that are more urgent may make the wait longer than expected.
            let clock = call.clock
            // A call that does not wait for a permit still waits for the answer of a store.
            let longest = supply == nil ? bound : max(bound, RateSupply.patience * 2)
            let alarm = clock.scheduleWakeUp(at: now.advanced(by: longest)) { [self] in
                expire(number, now: clock.now)
            }
            defer { alarm.cancel() }
            return try await call.wait(for: wait) { [self] in leave(number, with: $0) }
        }
    }

    private func leave(_ number: Int, with error: any Error) {
        // The code that removes a call from the line ends its wait: this with an error, the task with a permit.
        let (wait, permitTask) = state.withLock { $0.remove(number) }
        wait?.resolve(.failure(error))
        permitTask?.task?.cancel()
    }

    /// Ends the wait of a call at its time limit, unless it receives its permit at the same time.
    private func expire(_ number: Int, now: NetKitClock.Instant) {
        let (due, expected, wait, permitTask) = state.withLock { state in
            let due = state.takeDue(now: now)
            let expected = state.line.rank(of: number).map { state.wait(for: $0, now: now) }
            let (wait, permitTask) = state.remove(number)
            return (due, expected, wait, permitTask)
        }
        for wait in due { wait.resolve(.success(nil)) }
        wait?.resolve(.success(Excess(wait: expected ?? .zero, isOvertaken: true)))
        permitTask?.task?.cancel()
    }

    // MARK: - Letting through

    /// Starts the task that releases each call at its time, until the line is empty.
    ///
    /// It sleeps instead of setting alarms, so that a test clock can skip the time between two permits.
    private func start(_ number: Int, clock: NetKitClock, random: RandomSource) {
        // Urgent calls depend on it, even if a background call started it. It may wait for the store when no call
        // holds the gate any longer, so the gate ends it.
        let task = startImmediately(priority: .high) { [weak self, supply] in
            while let step = self?.next(for: number, now: clock.now) {
                switch step {
                case .sleep(let end): try await clock.sleep(until: end)
                case .take(let count):
                    guard let supply else { return }
                    let sent = clock.now
                    let grant = await Result.catching { try await supply.take(count, clock: clock) }
                    self?.note(grant, asked: count, sent: sent, now: clock.now, random)
                }
                self?.passDue(now: clock.now)
                if let supply { self?.lookForStore(supply, clock: clock, random: random) }
            }
        }
        let isOver = state.withLock { state in
            guard state.permitTask?.number == number else { return true }
            state.permitTask?.task = task
            return false
        }
        if isOver { task.cancel() }
    }

    /// Returns the next step of the task that grants permits; `nil` if it is over.
    private func next(for number: Int, now: NetKitClock.Instant) -> Step? {
        state.withLock { state in
            guard state.permitTask?.number == number else { return nil }
            guard !state.line.isEmpty else {
                (state.permitTask, state.lastPlace) = (nil, nil)
                return nil
            }
            state.permitTask?.isTaking = false
            switch state.shared?.step(waiting: state.line.count, now: now) {
            case .take(let count):
                state.permitTask?.isTaking = true
                return .take(count)
            case .wait(let end): return .sleep(until: end)
            case nil: return .sleep(until: now.advanced(by: state.bucket.wait(now: now)))
            }
        }
    }

    /// Lets the calls through that are due.
    private func passDue(now: NetKitClock.Instant) {
        for wait in state.withLock({ $0.takeDue(now: now) }) { wait.resolve(.success(nil)) }
    }

    // MARK: - A shared store

    /// Adds the permits that the store granted, or falls back to a share of the limit if it did not answer.
    private func note(
        _ grant: Result<RateGrant, any Error>,
        asked count: Int,
        sent: NetKitClock.Instant,
        now: NetKitClock.Instant,
        _ random: RandomSource
    ) {
        switch grant {
        case .success(let grant):
            let chance = random.unitInterval()
            state.withLock { $0.shared?.add(grant, asked: count, sent: sent, now: now, chance: chance) }
        case .failure(let error):
            if state.withLock({ $0.shared?.loseStore(now: now) ?? false }) { supply?.report(error) }
        }
        let (due, hopeless) = state.withLock { state in
            (state.takeDue(now: now), state.takeHopeless(now: now))
        }
        for wait in due { wait.resolve(.success(nil)) }
        for (wait, excess) in hopeless { wait.resolve(.success(excess)) }
    }

    /// Probes an unreachable store from time to time, without delaying calls.
    @inline(never)
    private func lookForStore(_ supply: RateSupply, clock: NetKitClock, random: RandomSource) {
        let now = clock.now
        guard state.withLock({ $0.shared?.takeProbe(now: now) ?? false }) else { return }
        // The calls continue meanwhile. The task ends with the store's answer, or after the supply's patience.
        _ = startImmediately { [self] in
            do {
                _ = try await supply.take(1, clock: clock)
            } catch {
                // Another bucket may have had the store back meanwhile, which this one has not.
                if state.withLock({ $0.shared?.isStoreLost ?? false }) { supply.report(error) }
                return
            }
            let now = clock.now
            let renewal = state.withLock { $0.regainStore(now: now) }
            renewal?.obsolete?.cancel()
            if let renewal { start(renewal.number, clock: clock, random: random) }
            supply.report(nil)
        }
    }
}
