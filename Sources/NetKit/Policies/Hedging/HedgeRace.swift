/// A race between a call and its copy.
///
/// The first good response is delivered, and the other attempt is cancelled.
final class HedgeRace: Sendable {
    private typealias Outcome = HedgeScore.Outcome

    private struct State: ~Copyable {
        var score = HedgeScore()
        /// The attempts that have begun.
        var tasks: [Task<Void, any Error>] = []
        /// Whether the calls in flight count the loser.
        var isLoserCounted = false
        /// The alarm after which the loser is no longer counted.
        var loserAlarm: ClockAlarm?
    }

    private let attempt: @Sendable () async throws -> HTTPResponse
    private let quality: @Sendable (HTTPResponse) -> HedgeScore.Quality
    private let state = Locked(State())
    /// The signal for the second attempt: `true` when it is due, `false` when it is too late.
    private let isDue = Promise<Bool>()
    private let response = Promise<HTTPResponse>()
    private let call: Call

    init(
        in call: Call,
        quality: @escaping @Sendable (HTTPResponse) -> HedgeScore.Quality,
        attempt: @escaping @Sendable () async throws -> HTTPResponse
    ) {
        self.call = call
        self.quality = quality
        self.attempt = attempt
    }

    /// Runs the race, with a second attempt after a delay if `mayHedge` then returns `true`.
    ///
    /// `giveBack` is called if the race is decided before that attempt can begin. If neither attempt has a response,
    /// this throws the error of the one that was sent, or else of the first to fail.
    func run(
        after delay: Duration,
        clock: NetKitClock,
        mayHedge: @Sendable () -> Bool,
        giveBack: @Sendable () -> Void
    ) async throws -> HTTPResponse {
        do {
            return try await withTaskCancellationHandler {
                let due = clock.now.advanced(by: delay)
                startAttempt()
                let alarm = isDecided ? nil : clock.scheduleWakeUp(at: due) { self.isDue.resolve(.success(true)) }
                defer { alarm?.cancel() }
                if try await isDue.value(), !isDecided, mayHedge() {
                    if state.withLock({ $0.score.startSecond() }) { startAttempt() } else { giveBack() }
                }
                return try await response.value()
            } onCancel: {
                abandon()
            }
        } catch {
            // The call is not over before its attempts have reported their ends.
            for task in state.withLock({ $0.tasks }) { _ = await task.result }
            throw error
        }
    }

    /// The size up to which a bad response is kept; a longer one is delivered at once.
    private static let maxKeptBytes = 64 << 10

    private var isDecided: Bool { state.withLock { $0.score.isDecided } }

    private func startAttempt() {
        let task = startImmediately { [self] in
            do {
                let response = try await attempt()
                finish(.success(response), quality(response))
            } catch {
                finish(.failure(error), (error as? NetKitError)?.outcome == .notSent ? .refusal : .failure)
            }
        }
        let isOver = state.withLock { state in
            state.tasks.append(task)
            return state.score.isDecided
        }
        if isOver { task.cancel() }
    }

    private func finish(_ outcome: Outcome, _ quality: HedgeScore.Quality) {
        decide { $0.finish(outcome, quality) }
    }

    /// Reads a bad response ahead: unread, it would hold the connection and the permit that the other attempt may wait
    /// for.
    private func readingAhead(_ outcome: Outcome) -> Outcome {
        outcome.map { response in
            guard response.body.buffered == nil else { return response }
            var response = response
            response.body = response.body.readingAhead(upTo: Self.maxKeptBytes) { [weak self] in
                self?.decide { $0.finishWithKept() }
            }
            return response
        }
    }

    private func decide(_ action: @Sendable (inout HedgeScore) -> HedgeScore.Decision) {
        let decision = state.withLock { state -> HedgeScore.Decision in
            let decision = action(&state.score)
            // Under the lock, so that the loser cannot end before it is counted.
            if case .deliver = decision, state.score.isRunning, let calls = call.settings.calls {
                calls.addEnding()
                state.isLoserCounted = true
            }
            return decision
        }
        switch decision {
        case .wait: break
        case .readAhead(let outcome, let quality):
            // Not under the lock, because it may run code of the transport.
            let outcome = readingAhead(outcome)
            decide { $0.finish(outcome, quality, isReadAhead: true) }
        case .discard(let late):
            Self.discard(late)
            forgetLoser()
        case .deliver(let outcome, let discarded):
            // First, because `cancel()` runs cancellation handlers, which may take a long time.
            limitLoser()
            end(with: outcome, discarding: discarded)
        }
    }

    /// Delivers an outcome, and cancels the attempts; for the winner, which is over, that has no effect.
    private func end(with outcome: Outcome, discarding discarded: Outcome?) {
        response.resolve(outcome)
        isDue.resolve(.success(false))
        if let discarded { Self.discard(discarded) }
        for task in state.withLock({ $0.tasks }) { task.cancel() }
    }

    /// The longest time for which the loser is counted.
    ///
    /// Code that is abandoned half a second after its cancellation still reports its end within this time.
    private static let endingBound = Duration.seconds(1)

    /// Limits the time for which the loser is counted, because it might ignore its cancellation and never end.
    private func limitLoser() {
        guard state.withLock({ $0.isLoserCounted }) else { return }
        let clock = call.clock
        let alarm = clock.schedule(at: clock.now.advanced(by: Self.endingBound)) { [self] in forgetLoser() }
        let isOver = state.withLock { state in
            if state.isLoserCounted { state.loserAlarm = alarm }
            return !state.isLoserCounted
        }
        if isOver { alarm.cancel() }
    }

    /// Stops counting the loser, if it is counted.
    private func forgetLoser() {
        let (wasCounted, alarm) = state.withLock { state -> (Bool, ClockAlarm?) in
            (exchange(&state.isLoserCounted, with: false), state.loserAlarm.take())
        }
        alarm?.cancel()
        if wasCounted { call.settings.calls?.removeEnding() }
    }

    private func abandon() {
        end(with: .failure(CancellationError()), discarding: state.withLock { $0.score.abandon() })
    }

    private static func discard(_ outcome: Outcome) {
        if case .success(let response) = outcome { response.body.discard() }
    }
}
