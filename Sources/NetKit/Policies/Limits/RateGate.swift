/// Lets calls through at the rate of a bucket: immediately, after a wait in order of urgency, or not at all.
///
/// A call that waits has no permit yet. If it leaves the line, the calls behind it move up.
final class RateGate: Sendable {
    /// The reason why a call gets no permit.
    struct Excess {
        /// The time that the call would have to wait.
        let wait: Duration
        /// Whether the call has waited already, and more urgent ones have overtaken it.
        var isOvertaken = false
    }

    /// The wait of a call, which ends with `nil` if the call gets a permit.
    private typealias Wait = Promise<Excess?>

    private enum Entry {
        case granted
        case waiting(Int)
        case refused(after: Duration)
    }

    /// The task that grants permits to the calls in line.
    private struct PermitTask {
        let number: Int
        var task: Task<Void, any Error>?
    }

    private struct State {
        var bucket: RateBucket
        var line = RankedHeap<Int, QueueRank, Wait>()
        /// The last place in the line since it was empty.
        ///
        /// A call with a later place is behind all others, without counting them.
        var lastPlace: QueueRank?
        var lastNumber = 0
        var permitTask: PermitTask?

        /// Returns the time until a call with a position in the line has its turn.
        func wait(for place: QueueRank, now: NetKitClock.Instant) -> Duration {
            let isBehindAll = lastPlace.map { $0 < place } ?? true
            return bucket.wait(behind: isBehindAll ? line.count : line.count { $0 < place }, now: now)
        }

        /// Removes and returns the calls whose turn it is.
        mutating func takeDue(now: NetKitClock.Instant) -> [Wait] {
            var due: [Wait] = []
            while !line.isEmpty, bucket.take(now: now) {
                if let (_, wait) = line.popFirst() { due.append(wait) }
            }
            return due
        }

        /// Removes a call from the line, and also the task if the line is then empty.
        mutating func remove(_ number: Int) -> (wait: Wait?, permitTask: PermitTask?) {
            let wait = line.remove(number)
            guard line.isEmpty else { return (wait, nil) }
            defer { (permitTask, lastPlace) = (nil, nil) }
            return (wait, permitTask)
        }
    }

    private let headStart: Duration
    private let state: Locked<State>

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - bucket: The permits.
    ///   - headStart: The waiting time that offsets one step of priority.
    init(_ bucket: RateBucket, headStart: Duration) {
        self.headStart = headStart
        state = Locked(State(bucket: bucket))
    }

    /// The number of waiting calls.
    var waitingCount: Int { state.withLock { $0.line.count } }

    /// The instant at which the bucket is full again, after all waiting calls have passed.
    var full: Int64 { state.withLock { $0.bucket.full(after: $0.line.count) } }

    /// Waits for a permit.
    ///
    /// Returns `nil` with a permit, or the reason why there is none.
    func pass(_ call: Call, waitingUpTo bound: Duration) async throws -> Excess? {
        let now = call.clock.now
        if state.withLock({ $0.line.isEmpty && $0.bucket.take(now: now) }) { return nil }
        return try await waitInLine(call, now: now, waitingUpTo: bound)
    }

    /// Waits in line.
    ///
    /// It is a separate function, so that other calls do not hold its memory.
    @inline(never)
    private func waitInLine(
        _ call: Call,
        now: NetKitClock.Instant,
        waitingUpTo bound: Duration
    ) async throws -> Excess? {
        let wait = Wait()
        let (entry, permitTask) = state.withLock { state -> (Entry, Int?) in
            if state.line.isEmpty, state.bucket.take(now: now) { return (.granted, nil) }
            state.lastNumber &+= 1
            let number = state.lastNumber
            let place = QueueRank(call.priority, arrival: now, number: number, headStart: headStart)
            let expected = state.wait(for: place, now: now)
            let isLate = call.deadline.map { now.advanced(by: expected) >= $0 } ?? false
            if expected > bound || isLate { return (.refused(after: expected), nil) }
            state.line.insert(number, rank: place, wait)
            state.lastPlace = max(state.lastPlace ?? place, place)
            guard state.permitTask == nil else { return (.waiting(number), nil) }
            state.permitTask = PermitTask(number: number)
            return (.waiting(number), number)
        }
        if let permitTask { start(permitTask, clock: call.clock) }
        switch entry {
        case .granted: return nil
        case .refused(let expected): return Excess(wait: expected)
        case .waiting(let number):
            // Later calls that are more urgent may make the wait longer than expected.
            let clock = call.clock
            let alarm = clock.scheduleWakeUp(at: now.advanced(by: bound)) { [self] in expire(number, now: clock.now) }
            defer { alarm.cancel() }
            let exit = WaitCancellation { [self] in leave(number, with: $0) }
            call.addWaiter(exit)
            defer { call.removeWaiter(exit) }
            return try await withTaskCancellationHandler {
                try await wait.value()
            } onCancel: {
                leave(number, with: CancellationError())
            }
        }
    }

    private func leave(_ number: Int, with error: any Error) {
        // The code that removes a call from the line ends its wait: this with an error, the task with a permit.
        let (wait, permitTask) = state.withLock { $0.remove(number) }
        wait?.end(.failure(error))
        permitTask?.task?.cancel()
    }

    /// Ends the wait of a call that may wait no longer, unless its turn comes at the same time.
    private func expire(_ number: Int, now: NetKitClock.Instant) {
        let (due, expected, wait, permitTask) = state.withLock { state in
            let due = state.takeDue(now: now)
            let expected = state.line.rank(of: number).map { state.wait(for: $0, now: now) }
            let (wait, permitTask) = state.remove(number)
            return (due, expected, wait, permitTask)
        }
        for wait in due { wait.end(.success(nil)) }
        wait?.end(.success(Excess(wait: expected ?? .zero, isOvertaken: true)))
        permitTask?.task?.cancel()
    }

    // MARK: - Letting through

    /// Starts the task that lets calls through, each at its time, until the line is empty.
    ///
    /// It sleeps instead of setting alarms, so that a test clock can skip the time between two permits.
    private func start(_ number: Int, clock: NetKitClock) {
        // Urgent calls depend on it, even if a background call started it.
        let task = startImmediately(priority: .high) { [self] in
            while true {
                let now = clock.now
                guard let next = next(for: number, now: now) else { return }
                try await clock.sleep(until: next)
                letThrough(now: clock.now)
            }
        }
        let isOver = state.withLock { state in
            guard state.permitTask?.number == number else { return true }
            state.permitTask?.task = task
            return false
        }
        if isOver { task.cancel() }
    }

    /// Returns the time at which the first call in line has its turn; `nil` if the task has nothing left to do.
    private func next(for number: Int, now: NetKitClock.Instant) -> NetKitClock.Instant? {
        state.withLock { state in
            guard state.permitTask?.number == number else { return nil }
            guard !state.line.isEmpty else {
                (state.permitTask, state.lastPlace) = (nil, nil)
                return nil
            }
            return now.advanced(by: state.bucket.wait(now: now))
        }
    }

    private func letThrough(now: NetKitClock.Instant) {
        for wait in state.withLock({ $0.takeDue(now: now) }) { wait.end(.success(nil)) }
    }
}

/// A bucket of permits that fills at a steady rate: pure arithmetic on one instant.
///
/// It keeps the instant at which it will be full again; each permit that is taken moves that instant by one interval.
struct RateBucket: Sendable {
    /// The time between two permits.
    private let interval: Int64
    /// The time that may be used in advance: that of the burst after the first permit.
    private let tolerance: Int64
    private var full: Int64

    /// Creates a bucket.
    ///
    /// - Parameters:
    ///   - permits: The number of permits in a period.
    ///   - period: The period.
    ///   - burst: The number of permits that the bucket holds.
    ///   - full: The instant at which it is full.
    init(permits: Int, per period: Duration, burst: Int, full: Int64 = .min) {
        self.full = full
        let interval = max(1, period.clampedNanoseconds / Int64(max(1, permits)))
        self.interval = interval
        let (tolerance, overflow) = interval.multipliedReportingOverflow(by: Int64(max(1, burst) - 1))
        self.tolerance = overflow ? .max : tolerance
    }

    /// Returns the time until a permit is available after those of the waiting calls; zero if one is available now.
    func wait(behind waiting: Int = 0, now: NetKitClock.Instant) -> Duration {
        let (ahead, overflow) = interval.multipliedReportingOverflow(by: Int64(max(0, waiting)))
        let start = max(full, now.nanoseconds).addingSaturated(overflow ? .max : ahead)
        return .nanoseconds(max(0, start.subtractingSaturated(tolerance).subtractingSaturated(now.nanoseconds)))
    }

    /// Returns the instant at which it would be full again if a number of further permits were taken.
    func full(after waiting: Int) -> Int64 {
        let (ahead, overflow) = interval.multipliedReportingOverflow(by: Int64(max(0, waiting)))
        return full.addingSaturated(overflow ? .max : ahead)
    }

    /// Takes a permit if one is available.
    mutating func take(now: NetKitClock.Instant) -> Bool {
        let start = max(full, now.nanoseconds)
        guard start.subtractingSaturated(tolerance) <= now.nanoseconds else { return false }
        full = start.addingSaturated(interval)
        return true
    }
}
