/// One call against its own copy: whichever answers well first is delivered, the other one is cancelled.
final class HedgeRace: Sendable {
    private typealias Outcome = Result<HTTPResponse, any Error>

    private struct State {
        var score = HedgeScore<Result<HTTPResponse, any Error>>()
        var tasks: [Task<Void, any Error>] = []
    }

    private let attempt: @Sendable () async throws -> HTTPResponse
    private let isGood: @Sendable (HTTPResponse) -> Bool
    private let state = Locked(State())
    /// True when it is time for the second attempt, false when it is too late.
    private let isDue = Promise<Bool>()
    private let response = Promise<HTTPResponse>()

    init(
        isGood: @escaping @Sendable (HTTPResponse) -> Bool,
        attempt: @escaping @Sendable () async throws -> HTTPResponse
    ) {
        self.isGood = isGood
        self.attempt = attempt
    }

    /// Runs the race.
    ///
    /// - Parameters:
    ///   - delay: How long the first attempt has.
    ///   - clock: The clock of the race.
    ///   - mayHedge: Asked when the time has come; false leaves it at one attempt.
    /// - Returns: The response.
    /// - Throws: What the better of the attempts threw.
    func run(
        after delay: Duration,
        clock: NetKitClock,
        mayHedge: @Sendable () -> Bool
    ) async throws -> HTTPResponse {
        try await withTaskCancellationHandler {
            let start = clock.now
            startAttempt()
            let alarm =
                isDecided ? nil : clock.scheduleWakeUp(at: start.advanced(by: delay)) { self.isDue.end(.success(true)) }
            defer { alarm?.cancel() }
            if try await isDue.value(), mayHedge(), state.withLock({ $0.score.startSecond() }) { startAttempt() }
            return try await response.value()
        } onCancel: {
            abandon()
        }
    }

    private var isDecided: Bool { state.withLock { $0.score.isDecided } }

    private func startAttempt() {
        let task = startImmediately { [self] in
            do {
                let response = try await attempt()
                finish(.success(response), isGood(response) ? .good : .badResponse)
            } catch {
                finish(.failure(error), .failure)
            }
        }
        let isOver = state.withLock { state in
            if !state.score.isDecided { state.tasks.append(task) }
            return state.score.isDecided
        }
        if isOver { task.cancel() }
    }

    private func finish(_ outcome: Outcome, _ quality: HedgeScore<Outcome>.Quality) {
        let (decision, tasks) = state.withLock { state in
            let decision = state.score.finish(outcome, quality)
            return (decision, Self.takeTasks(&state))
        }
        switch decision {
        case .wait: return
        case .discard(let late): Self.discard(late)
        case .deliver(let outcome, let discarded):
            response.end(outcome)
            isDue.end(.success(false))
            if let discarded { Self.discard(discarded) }
        }
        for task in tasks { task.cancel() }
    }

    private func abandon() {
        let (kept, tasks) = state.withLock { state in
            let kept = state.score.abandon()
            return (kept, Self.takeTasks(&state))
        }
        response.end(.failure(CancellationError()))
        isDue.end(.success(false))
        if let kept { Self.discard(kept) }
        for task in tasks { task.cancel() }
    }

    /// The attempts that have to end, once it is decided; the one that has won is over and does not notice.
    private static func takeTasks(_ state: inout State) -> [Task<Void, any Error>] {
        guard state.score.isDecided else { return [] }
        defer { state.tasks = [] }
        return state.tasks
    }

    private static func discard(_ outcome: Outcome) {
        if case .success(let response) = outcome { response.body.discard() }
    }
}

/// The choice between two attempts: the first good one, or else the better of two bad ones.
///
/// Pure; a result that is handed back as `discarded` has no owner any more and has to be ended.
struct HedgeScore<Outcome> {
    enum Decision {
        case wait
        case deliver(Outcome, discarded: Outcome?)
        case discard(Outcome)
    }

    /// The quality of an outcome.
    enum Quality: Int {
        case failure
        /// A response, but one that another server may have spared the caller.
        case badResponse
        case good
    }

    private var running = 1
    private var kept: (outcome: Outcome, quality: Quality)?
    private(set) var isDecided = false

    /// Counts the second attempt in; false if it comes too late.
    mutating func startSecond() -> Bool {
        guard !isDecided else { return false }
        running += 1
        return true
    }

    /// An attempt is over.
    mutating func finish(_ outcome: Outcome, _ quality: Quality) -> Decision {
        guard !isDecided else { return .discard(outcome) }
        running -= 1
        if quality == .good {
            isDecided = true
            defer { kept = nil }
            return .deliver(outcome, discarded: kept?.outcome)
        }
        guard running == 0 else {
            kept = (outcome, quality)
            return .wait
        }
        isDecided = true
        defer { kept = nil }
        // Of two equals the first to end is delivered.
        guard let kept, kept.quality.rawValue >= quality.rawValue else {
            return .deliver(outcome, discarded: kept?.outcome)
        }
        return .deliver(kept.outcome, discarded: outcome)
    }

    /// Ends the race without a result, and returns the outcome that was kept, if there is one.
    mutating func abandon() -> Outcome? {
        isDecided = true
        defer { kept = nil }
        return kept?.outcome
    }
}
