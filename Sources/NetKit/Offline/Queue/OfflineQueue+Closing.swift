extension OfflineQueue {
    /// Closes the queue: no attempt begins, running attempts are waited for, and the store is closed.
    ///
    /// Attempts that exceed the bound are cancelled. The store then has five seconds to record their results. A sender
    /// or a conflict resolver that does not react for half of that time is abandoned, and its entry stays as it was. A
    /// store that takes longer, for example on a disk that hangs, is abandoned too. A second call waits for the first.
    ///
    /// - Parameter bound: The time limit for the attempts.
    /// - Returns: Whether every attempt ended by itself and the store was closed.
    @discardableResult
    public func close(within bound: Duration = .seconds(10)) async -> Bool {
        if let ending { return (try? await ending.value) ?? false }
        isClosed = true
        let ending = startDetached { await self.end(within: bound) }
        self.ending = ending
        return (try? await ending.value) ?? false
    }

    private func end(within bound: Duration) async -> Bool {
        for watch in watches { watch.cancel() }
        alarm?.cancel()
        settleWaiters()
        // Each of them tries its write once more.
        for id in stalled { tasks[id]?.cancel() }
        var isDrained = true
        if !tasks.isEmpty {
            isDrained = await drain().value(orFalseAfter: bound, configuration.clock)
            for task in tasks.values { task.cancel() }
        }
        let closed = Promise<Bool>()
        _ = startDetached {
            await self.abandonForeignCode()
            await self.finishTasks()
            await self.storePauses(isLast: true)
            await self.store.close(within: self.configuration.closingTime)
            closed.resolve(.success(true))
        }
        let isStoreClosed = await closed.value(
            orFalseAfter: configuration.closingTime,
            onSystemOr: configuration.clock
        )
        sender.withLock { $0 = nil }
        broadcast.finish()
        return isDrained && isStoreClosed
    }

    /// Returns a promise that ends with the last task.
    private func drain() -> Promise<Bool> {
        let drained = Promise<Bool>()
        self.drained = drained
        return drained
    }

    /// Abandons code of others that does not react to its cancellation: the store must not stay open for it.
    private func abandonForeignCode() async {
        guard !tasks.isEmpty else { return }
        let patience = configuration.closingTime / 2
        if await drain().value(orFalseAfter: patience, onSystemOr: configuration.clock) { return }
        orphans.formUnion(foreign)
        for id in foreign { tasks[id] = nil }
        // Otherwise, the code would carry out a removal at its end, when another queue may have the store.
        let removals = pendingRemovals.intersection(foreign)
        pendingRemovals.subtract(removals)
        if !removals.isEmpty { _ = try? await store.remove(Array(removals)) }
    }

    /// Waits for every task, including those that others begin at their end.
    private func finishTasks() async {
        while let task = tasks.values.first { _ = try? await task.value }
    }
}
