/// Hands tokens to a source one after the other, and never an older one after a newer.
actor TokenSaver {
    /// A token to save.
    struct Job: Sendable {
        let token: AccessToken?
        /// The name of the token's identity, unless it is random.
        let identity: String?
        /// The version of the token in its store.
        let version: Int
        /// The version of the last login or logout, which is the token's own one if it was set or cleared.
        let login: Int
        /// The right with which the token was fetched; `nil` if there was none, or if the token was set or cleared.
        var right: RefreshRight?
    }

    private static let pauses = (first: Duration.milliseconds(100), longest: Duration.seconds(5))

    /// A save in progress.
    private final class Save: Sendable {
        let isRunning = Locked(true)
    }

    /// The save of any saver that the current task is part of.
    ///
    /// The code that saves may log in or out, here or elsewhere. It must not wait for a save behind another one, which
    /// may wait for this code in turn.
    @TaskLocal private static var saving: Save?

    private let source: any TokenSource
    private let clock: NetKitClock
    private var newest = 0
    /// Whether a save is in progress.
    private var isBusy = false
    private var last: Task<Void, any Error>?
    /// The token whose save failed.
    private var unsaved: Job?
    private var repeating: Task<Void, any Error>?
    /// The error of the last save, if it failed.
    nonisolated let problem = Locked<(any Error)?>(nil)

    /// Creates a saver, or returns `nil` for a source that saves nothing.
    init?(_ source: any TokenSource, clock: NetKitClock) {
        if case .never = source.saving { return nil }
        (self.source, self.clock) = (source, clock)
    }

    deinit { repeating?.cancel() }

    /// Saves the token, or skips it if a newer one is to be saved.
    func save(_ job: Job) async {
        guard job.version > newest else { return }
        newest = job.version
        await run(job)
    }

    /// Saves the last login, and a token whose save failed, before the next token is fetched.
    ///
    /// Otherwise the source would still know the token of the previous login, and give it to the refresh.
    func saveRest(login: Job?) async throws {
        guard case .untilSaved(let isRequired) = source.saving else { return }
        if let login { await save(login) }
        _ = await last?.result
        // A save can take longer than the refresh that waits for it may.
        try Task.checkCancellation()
        guard let job = unsaved else { return }
        await run(job, isRepetition: true)
        if isRequired, let error = problem.withLock({ $0 }) { throw error }
    }

    /// Saves the last login, waits for the last save, and repeats it once if it failed.
    ///
    /// Returns whether the newest token is saved.
    func flush(login: Job?) async -> Bool {
        if let login { await save(login) }
        await waitForLastSave()
        if let job = unsaved {
            await run(job, isRepetition: true)
            await waitForLastSave()
        }
        return problem.withLock { $0 == nil }
    }

    private func waitForLastSave() async {
        while let save = last {
            _ = await save.result
            // Meanwhile, a newer token may have come.
            if save == last { break }
        }
    }

    private func run(_ job: Job, isRepetition: Bool = false) async {
        let previous = last
        // A save that has begun finishes even if its caller is cancelled or has no more time. The next save
        // waits for it.
        let task = startWithoutDeadline {
            _ = await previous?.result
            await self.attempt(job, isRepetition: isRepetition)
        }
        last = task
        let mustNotWait = isBusy && Self.saving?.isRunning.withLock { $0 } ?? false
        if !mustNotWait { _ = await task.result }
    }

    private func attempt(_ job: Job, isRepetition: Bool) async {
        // Another repetition may have saved it meanwhile, and another process may have replaced it since.
        guard newest == job.version, !isRepetition || unsaved?.version == job.version else { return }
        unsaved = nil
        let save = Save()
        isBusy = true
        defer {
            isBusy = false
            save.isRunning.withLock { $0 = false }
        }
        do {
            // A refresh waits for the save, so the requests of the save must not wait for a refresh.
            try await Self.$saving.withValue(save) {
                try await TokenRefreshCoordinator.asPartOfRefresh(by: source) { [source] in try await source.save(job) }
            }
            problem.withLock { $0 = nil }
        } catch {
            problem.withLock { $0 = error }
            guard newest == job.version else { return }
            unsaved = job
            if case .untilSaved = source.saving { repeatLater() }
        }
    }

    private func repeatLater() {
        guard repeating == nil else { return }
        let clock = clock
        // The save is repeated after its caller has returned, and without the caller's deadline. The actor owns
        // the task, and cancels it in `deinit`.
        repeating = startDetached { [weak self] in
            var pause = Self.pauses.first
            repeat {
                try await clock.waitForAlarm(at: clock.now.advanced(by: pause))
                pause = min(pause * 2, Self.pauses.longest)
            } while await self?.isUnsavedAfterRepetition() ?? false
        }
    }

    private func isUnsavedAfterRepetition() async -> Bool {
        if let job = unsaved { await run(job, isRepetition: true) }
        if unsaved != nil { return true }
        repeating = nil
        return false
    }
}
