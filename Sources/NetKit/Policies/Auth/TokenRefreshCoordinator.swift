/// The state that a `TokenStore` and its flights share, with the tasks and waiting calls.
final class TokenRefreshCoordinator: Sendable {
    private struct Flight {
        let number: Int
        var task: Task<Void, Never>?
        var alarm: ClockAlarm?
        /// The token that was obtained and is about to be saved.
        var obtained: AccessToken?

        /// Cancels the flight.
        ///
        /// The waiting calls are resumed first, because cancellation can take time.
        func end() {
            alarm?.cancel()
            task?.cancel()
        }
    }

    private struct Shared: ~Copyable {
        var state: TokenState
        var flight: Flight?
        /// The last login or logout, which has to be saved before the next refresh.
        var login: TokenSaver.Job?
        /// The calls that wait for the flight, in order of arrival.
        var waiting: [Promise<IssuedToken?>] = []
        /// The waits for the next end of a flight's task, login or logout.
        var ends: [Promise<Void>] = []

        mutating func takeWaiting() -> [Promise<IssuedToken?>] { exchange(&waiting, with: []) }

        /// Returns a promise for the end of the flight under way.
        mutating func endOfFlight() -> Promise<IssuedToken?> {
            let end = Promise<IssuedToken?>()
            waiting.append(end)
            return end
        }

        /// Returns a promise for the next end of a flight's task, login or logout, if a flight may bring a token.
        mutating func nextEnd() -> Promise<Void>? {
            guard state.awaitsToken else { return nil }
            let end = Promise<Void>()
            ends.append(end)
            return end
        }

        /// The start of a flight that begins now.
        var start: FlightStart {
            let basis = TokenBasis(
                token: state.issued?.token,
                identity: lastingName,
                login: login?.version ?? 0,
                isRefused: state.isRefused
            )
            return FlightStart(basis: basis, login: login, needsLoad: state.needsLoad)
        }

        /// Notes a login or a logout that the state has made.
        mutating func noteLogin(_ token: AccessToken?, version: Int) -> TokenSaver.Job {
            let job = TokenSaver.Job(token: token, identity: lastingName, version: version, login: version)
            login = job
            return job
        }

        private var lastingName: String? { state.identity.isLasting ? state.identity.name : nil }
    }

    /// The state with which a flight begins; a later login or logout does not change it.
    private struct FlightStart {
        var basis: TokenBasis
        let login: TokenSaver.Job?
        let needsLoad: Bool
    }

    private enum Question {
        case needed
        case refused(Int)
        case demanded
    }

    let clock: NetKitClock
    private let source: any TokenSource
    private let timeout: Duration
    private let saver: TokenSaver?
    private let shared: Locked<Shared>

    init(_ state: TokenState, initial: AccessToken?, source: any TokenSource, timeout: Duration, clock: NetKitClock) {
        self.source = source
        self.timeout = timeout
        saver = TokenSaver(source, clock: clock)
        self.clock = clock
        var state = state
        if let initial {
            let lifetime = initial.lifetime(clock)
            _ = state.set(initial, lifetime: lifetime, at: clock.now)
        }
        shared = Locked(Shared(state: state))
    }

    var identity: CredentialIdentity { shared.withLock { $0.state.identity } }

    /// The error of the last save, if it failed.
    var saveProblem: (any Error)? { saver?.problem.withLock { $0 } }

    /// The token, if it can be used without a decision.
    var readyToken: IssuedToken? {
        let (issued, recheckAt) = shared.withLock { shared in
            (shared.state.isRefused ? nil : shared.state.issued, shared.state.recheckAt)
        }
        guard let recheckAt, clock.now >= recheckAt else { return issued }
        return nil
    }

    // MARK: - Asking

    func current() async throws -> IssuedToken? { try await ask(.needed) }

    func replacement(for refused: IssuedToken) async throws -> IssuedToken? {
        if isRefreshing { return nil }
        return try await ask(.refused(refused.version))
    }

    func next() async throws -> IssuedToken? { try await ask(.demanded) }

    func noteRefused(_ refused: IssuedToken) {
        shared.withLock { $0.state.noteRefused(refused.version, at: clock.now) }
    }

    func noteReplay(of issued: IssuedToken, isAccepted: Bool) {
        shared.withLock { $0.state.noteReplay(issued.version, isAccepted: isAccepted) }
    }

    private var isRefreshing: Bool { Call.refreshingSources.contains(ObjectIdentifier(source)) }

    /// Performs an operation whose requests use the token as it is, because a refresh by the source waits for them.
    static func asPartOfRefresh(
        by source: any TokenSource,
        _ operation: @Sendable () async throws -> Void
    ) async throws {
        let sources = Call.refreshingSources.union([ObjectIdentifier(source)])
        return try await Call.$refreshingSources.withValue(sources) { try await operation() }
    }

    private func ask(_ question: Question) async throws -> IssuedToken? {
        if isRefreshing { return shared.withLock { $0.state.issued } }
        try Task.checkCancellation()
        let (now, wait) = (clock.now, Promise<IssuedToken?>())
        let (decision, start) = shared.withLock { shared in
            let decision =
                switch question {
                case .needed: shared.state.needed(at: now)
                case .refused(let version): shared.state.refused(version, at: now)
                case .demanded: shared.state.demanded(at: now)
                }
            switch decision {
            case .begin, .wait: shared.waiting.append(wait)
            default: break
            }
            return (decision, shared.start)
        }
        switch decision {
        case .use(let issued): return issued
        case .useAndBegin(let issued, let flight):
            launch(flight, start)
            return issued
        case .stands: return nil
        case .fail(let error): throw error
        case .missing: throw Self.missing
        case .begin(let flight): launch(flight, start)
        case .wait: break
        }
        return try await wait.cancellableValue()
    }

    // MARK: - From outside

    func set(_ token: AccessToken, identity: String?) async {
        let (now, lifetime) = (clock.now, token.lifetime(clock))
        let (issued, job, flight, waiting) = shared.withLock { shared in
            let issued = shared.state.logIn(token, as: identity, lifetime: lifetime, at: now)
            let job = shared.noteLogin(token, version: issued.version)
            return (issued, job, shared.flight.take(), shared.takeWaiting())
        }
        for wait in waiting { wait.resolve(.success(issued)) }
        resumeFlushes()
        flight?.end()
        await saver?.save(job)
    }

    func clear() async {
        let (job, flight, waiting) = shared.withLock { shared in
            let version = shared.state.clear()
            return (shared.noteLogin(nil, version: version), shared.flight.take(), shared.takeWaiting())
        }
        for wait in waiting { wait.resolve(.failure(IdentityChange.error(outcome: .notSent))) }
        resumeFlushes()
        flight?.end()
        await saver?.save(job)
    }

    /// Waits for each refresh that may bring a token, and saves one that is not saved yet.
    ///
    /// Returns whether everything is saved.
    func flush() async throws -> Bool {
        while let end = shared.withLock({ $0.nextEnd() }) { try await end.cancellableValue() }
        let login = shared.withLock { $0.login }
        return await saver?.flush(login: login) ?? true
    }

    /// Makes each flush look again for flights that may bring a token.
    private func resumeFlushes() {
        for end in shared.withLock({ exchange(&$0.ends, with: []) }) { end.resolve(.success(())) }
    }

    /// Ends the flight and the waiting calls when the store is deallocated.
    func close() {
        let (flight, waiting) = shared.withLock { ($0.flight.take(), $0.takeWaiting()) }
        let error = NetKitError(
            .closed,
            "The token store was released while a call waited for a token. Keep a reference to it."
        )
        for wait in waiting { wait.resolve(.failure(error)) }
        flight?.end()
        source.close()
    }

    // MARK: - Flights

    private func launch(_ number: Int, _ start: FlightStart) {
        let report = CallReporter.ofRefresh.map { RefreshReport($0, clock) }
        let alarm = alarm(for: number, report)
        // The refresh outlives the caller that began it, and ignores its deadline and its cancellation. The
        // store owns it, and ends it in its `deinit`. More urgent callers may join, so it never has background
        // priority.
        let (refreshing, trace) = (Call.refreshingSources.union([ObjectIdentifier(source)]), TraceContext.current)
        let (executor, priority) = (SimulatedExecution.current, max(Task.currentPriority, .medium))
        let task = Task.detached(executorPreference: executor, priority: priority) { [self] in
            // Of the caller's other task-local values, none concerns the calls that join.
            await TraceContext.$current.withValue(trace) {
                await Call.$refreshingSources.withValue(refreshing) { await fly(number, start, report) }
            }
            shared.withLock { $0.state.noteEnd(of: number) }
            resumeFlushes()
        }
        let isOver = shared.withLock { shared in
            guard shared.state.flight == number else { return true }
            // The flight may already have obtained its token, or the right to fetch one.
            let later = shared.flight?.alarm
            shared.flight = Flight(number: number, task: task, alarm: later ?? alarm, obtained: shared.flight?.obtained)
            if later != nil { alarm.cancel() }
            return false
        }
        if isOver {
            alarm.cancel()
            task.cancel()
        }
    }

    private func fly(_ number: Int, _ start: FlightStart, _ report: RefreshReport?) async {
        do {
            let obtained = try await obtain(number, start, report)
            // The server may have replaced the old token, even if the time limit ended the flight. Another flight that
            // began with the old one may fail for that reason.
            while obtained.right == nil, let other = otherFlight(than: number) { _ = try? await other.value() }
            if shared.withLock({ $0.state.resume(number) }) { restartTimer(number, report) }
            if obtained.isFetched, let saver {
                if let job = reserve(obtained, for: number) {
                    await saver.save(job)
                } else {
                    await source.keepLate(obtained)
                }
            }
            report?.end(nil)
            end(number, .success(obtained.token))
        } catch {
            report?.end(Self.seen(by: error))
            end(number, .failure(error))
        }
    }

    /// Returns the end of another flight that is under way, if the token of this one may be used after it.
    private func otherFlight(than number: Int) -> Promise<IssuedToken?>? {
        shared.withLock { $0.state.isOvertaken(number) ? $0.endOfFlight() : nil }
    }

    /// Returns the stored token if it is still valid, or a new one.
    private func obtain(_ number: Int, _ start: FlightStart, _ report: RefreshReport?) async throws -> ObtainedToken {
        var basis = start.basis
        if start.needsLoad {
            basis.isLoaded = true
            if let loaded = try await source.load(after: basis.login) {
                // An expired token is loaded again if its refresh fails, because the next one needs it too.
                guard source.canFetch, loaded.isExpired(clock) else {
                    shared.withLock { $0.state.noteLoaded() }
                    return ObtainedToken(token: loaded, isFetched: false)
                }
                basis.token = loaded
            } else {
                shared.withLock { $0.state.noteLoaded() }
            }
        }
        // A store that has a newer token than its vault must not begin another refresh with it.
        try await saver?.saveRest(login: start.login)
        return try await source.next(after: basis) { [self] in restartTimer(number, report) }
    }

    private func alarm(for number: Int, _ report: RefreshReport?) -> ClockAlarm {
        clock.schedule(at: clock.now.advanced(by: timeout)) { [weak self] in self?.timeOut(number, report) }
    }

    /// Begins the time limit again, after a flight has waited for other processes.
    ///
    /// A refresh that is cut short after its request was sent can lose the token.
    private func restartTimer(_ number: Int, _ report: RefreshReport?) {
        let alarm = alarm(for: number, report)
        let obsolete = shared.withLock { shared -> ClockAlarm? in
            guard shared.state.flight == number else { return alarm }
            var flight = shared.flight ?? Flight(number: number)
            defer {
                flight.alarm = alarm
                shared.flight = flight
            }
            return flight.alarm
        }
        obsolete?.cancel()
    }

    private func reserve(_ obtained: ObtainedToken, for number: Int) -> TokenSaver.Job? {
        shared.withLock { shared in
            guard let version = shared.state.reserveVersion(for: number) else { return nil }
            shared.flight = shared.flight ?? Flight(number: number)
            shared.flight?.obtained = obtained.token
            return TokenSaver.Job(
                token: obtained.token,
                identity: obtained.identity,
                version: version,
                login: obtained.login,
                right: obtained.right
            )
        }
    }

    private func timeOut(_ number: Int, _ report: RefreshReport?) {
        let message =
            "The token was not refreshed within \(timeout.shortText). Check the refresh closure, or raise the "
            + "store's refresh timeout."
        end(number, .failure(NetKitError(.timeout, message, timeoutPhase: .deadline)), report)
        // A token that is being saved was obtained in time.
        let obtained = shared.withLock { $0.flight?.number == number ? $0.flight?.obtained : nil }
        if let obtained { end(number, .success(obtained)) }
    }

    /// Ends a flight, unless it no longer counts, or fails after it has obtained its token.
    ///
    /// `report` receives the error of a flight that is ended from outside.
    private func end(_ number: Int, _ result: Result<AccessToken, any Error>, _ report: RefreshReport? = nil) {
        let now = clock.now
        let lifetime = (try? result.get()).flatMap { $0.lifetime(clock) }
        typealias Ending = (Result<IssuedToken, any Error>, Flight?, [Promise<IssuedToken?>])
        let ending = shared.withLock { shared -> Ending? in
            let outcome: Result<IssuedToken, any Error>
            switch result {
            case .success(let token):
                guard let issued = shared.state.succeed(number, token, lifetime: lifetime, at: now) else { return nil }
                outcome = .success(issued)
            case .failure(let error):
                let error = Self.seen(by: error)
                guard shared.flight?.obtained == nil, shared.state.fail(number, error, at: now) else { return nil }
                outcome = .failure(error)
            }
            return (outcome, shared.flight.take(), shared.takeWaiting())
        }
        guard let (outcome, flight, waiting) = ending else { return }
        if case .failure(let error) = outcome { report?.end(error) }
        flight?.alarm?.cancel()
        for wait in waiting { wait.resolve(outcome.map { $0 }) }
        // Last, because cancellation can take time.
        if case .failure = outcome { flight?.task?.cancel() }
    }

    /// Replaces the cancellation of a refresh, because the waiting calls were not cancelled.
    private static func seen(by error: any Error) -> any Error {
        guard error is CancellationError else { return error }
        return NetKitError(.unauthorized, "The refresh of the token was cancelled.", cause: error)
    }

    static var missing: NetKitError {
        let hint = "Call `set(_:)` first, give the store a refresh closure, or set `requiresAuth` to false."
        return NetKitError(.unauthorized, "There is no token, and nothing to fetch one with. \(hint)")
    }
}
