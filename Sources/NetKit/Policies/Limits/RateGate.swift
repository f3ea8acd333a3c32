/// Lets calls through at the rate of a bucket: at once, in the order of their arrival, or not at all.
///
/// Whoever waits has no permit yet, so one that leaves the line takes none along, and those behind it move up.
final class RateGate: Sendable {
    private enum Entry {
        case granted
        case waiting(Int)
        case refused(after: Duration)
    }

    private struct State {
        var bucket: RateBucket
        var line = WaitingLine<Turn<Void>>()
        var lastNumber = 0
        /// Whether an alarm is on its way; there is never more than one.
        var isArmed = false
    }

    private let state: Locked<State>

    init(_ bucket: RateBucket) {
        state = Locked(State(bucket: bucket))
    }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.line.count } }

    /// Waits for a permit; nil once it is there, or how long it would have been where that is too long.
    func pass(_ call: Call, waitingUpTo bound: Duration) async throws -> Duration? {
        let now = call.clock.now
        if state.withLock({ $0.line.isEmpty && $0.bucket.take(now: now) }) { return nil }
        return try await waitInLine(call, now: now, waitingUpTo: bound)
    }

    /// Apart, because what it needs would otherwise lie in the memory of every call.
    @inline(never)
    private func waitInLine(
        _ call: Call,
        now: NetKitClock.Instant,
        waitingUpTo bound: Duration
    ) async throws -> Duration? {
        let turn = Turn<Void>()
        let (entry, alarm) = state.withLock { state -> (Entry, NetKitClock.Instant?) in
            if state.line.isEmpty, state.bucket.take(now: now) { return (.granted, nil) }
            let wait = state.bucket.wait(behind: state.line.count, now: now)
            let ready = now.advanced(by: wait)
            if wait > bound || call.deadline.map({ ready >= $0 }) == true { return (.refused(after: wait), nil) }
            state.lastNumber &+= 1
            state.line.append(state.lastNumber, turn)
            return (.waiting(state.lastNumber), Self.nextAlarm(&state, now: now))
        }
        arm(alarm, clock: call.clock)
        switch entry {
        case .granted: return nil
        case .refused(let wait): return wait
        case .waiting(let number):
            let exit = LineExit { [self] in leave(number, with: $0) }
            call.stopSignal.add(exit)
            defer { call.stopSignal.remove(exit) }
            try await withTaskCancellationHandler {
                try await turn.value()
            } onCancel: {
                leave(number, with: CancellationError())
            }
            return nil
        }
    }

    private func leave(_ number: Int, with error: any Error) {
        // Whoever takes the call out of the line ends its wait: either this, or the alarm with a permit.
        state.withLock { $0.line.remove(number) }?.end(.failure(error))
    }

    private func arm(_ instant: NetKitClock.Instant?, clock: NetKitClock) {
        guard let instant else { return }
        _ = clock.scheduleWakeUp(at: instant) { [self] in letThrough(clock: clock) }
    }

    private func letThrough(clock: NetKitClock) {
        let now = clock.now
        let (turns, alarm) = state.withLock { state -> ([Turn<Void>], NetKitClock.Instant?) in
            state.isArmed = false
            var turns: [Turn<Void>] = []
            while !state.line.isEmpty, state.bucket.take(now: now) {
                if let (_, turn) = state.line.popFirst() { turns.append(turn) }
            }
            return (turns, Self.nextAlarm(&state, now: now))
        }
        for turn in turns { turn.end(.success(())) }
        arm(alarm, clock: clock)
    }

    /// When the next one in line has its turn, where somebody has to see to it.
    private static func nextAlarm(_ state: inout State, now: NetKitClock.Instant) -> NetKitClock.Instant? {
        guard !state.isArmed, !state.line.isEmpty else { return nil }
        state.isArmed = true
        return now.advanced(by: state.bucket.wait(now: now))
    }
}
