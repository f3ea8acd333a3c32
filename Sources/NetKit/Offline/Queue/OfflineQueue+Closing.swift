extension OfflineQueue {
    /// Closes the queue: no attempt begins, running attempts are waited for, and the store is closed.
    ///
    /// Attempts that exceed the bound are cancelled. The store then has five seconds to record their results. A sender
    /// or a conflict resolver that does not react for half of that time is abandoned, and its entry stays as it was. A
    /// store that takes longer, for example on a disk that hangs, is abandoned too. Additions and removals that have
    /// begun are waited for within the same time; one that takes longer has no events. A second call waits for the
    /// first.
    ///
    /// - Parameter bound: The time limit for the attempts.
    /// - Returns: Whether every attempt ended by itself, the store was closed, and no addition or removal took longer.
    @discardableResult
    public func close(within bound: Duration = .seconds(10)) async -> Bool {
        if let ending { return (try? await ending.value) ?? false }
        let ending = startDetached { await self.end(within: bound) }
        self.ending = ending
        return (try? await ending.value) ?? false
    }

    private func end(within bound: Duration) async -> Bool {
        for watch in watches { watch.cancel() }
        alarm?.cancel()
        resolveWaiters()
        // A write that waits to be repeated is then tried at once, for the last time.
        for task in work.stalledTasks { task.cancel() }
        var isDrained = true
        if !work.tasks.isEmpty {
            isDrained = await work.drain().value(or: false, after: bound, configuration.clock)
            for task in work.tasks { task.cancel() }
        }
        let isStoreClosed = await closeStore()
        sender.withLock { $0 = nil }
        broadcast.finish()
        steps.finish()
        return isDrained && isStoreClosed
    }

    /// Closes the store after the last tasks, and returns whether it was closed in time.
    private func closeStore() async -> Bool {
        let closed = Promise<Bool>()
        _ = startDetached {
            await self.abandonOutsideCode()
            await self.finishTasks()
            await self.storePauses(isLast: true)
            await self.store.close(within: self.configuration.closingTime)
            await self.finishCalls()
            closed.resolve(.success(true))
        }
        return await closed.value(or: false, after: configuration.closingTime, onSystemOr: configuration.clock)
    }

    /// Abandons a sender or a resolver that does not react to its cancellation: the store must not stay open for it.
    private func abandonOutsideCode() async {
        guard !work.tasks.isEmpty else { return }
        let patience = configuration.closingTime / 2
        if await work.drain().value(or: false, after: patience, onSystemOr: configuration.clock) { return }
        let removals = work.abandonOutsideCode()
        if !removals.isEmpty { _ = try? await remove(Array(removals)) }
    }

    /// Waits for every task, including those that others begin at their end.
    private func finishTasks() async {
        while let task = work.tasks.first { _ = try? await task.value }
    }

    /// Waits for the calls that change entries, so that their events come before the end of `events`.
    private func finishCalls() async { _ = try? await work.endOfCalls()?.value() }
}
