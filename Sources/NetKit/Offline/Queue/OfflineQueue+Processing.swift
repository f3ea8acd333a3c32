import Foundation

extension OfflineQueue {
    /// A call that waits until the entries up to a position were tried.
    struct Waiter {
        let upTo: Int64
        /// The entry whose attempt makes the call, if one does.
        let entry: UUID?
        let promise = Promise<Void>()
    }

    /// The entry that the current task sends or decides about.
    @TaskLocal static var handledEntry: UUID?

    /// Sends every entry that is due now, and returns when each was tried or cannot be sent for now.
    ///
    /// Entries that are added meanwhile are sent as well, but not waited for. Concurrent calls send each entry only
    /// once. In a shared store, only the entries that this queue owns are sent. A call inside an attempt or a conflict
    /// resolver does not wait for the entry of that attempt, nor for others whose attempts wait in such a call.
    public func processQueue() async {
        guard !isClosed else { return }
        await askMonitor()
        let last = await tally.lastPosition
        storeState.lookAgain()
        await catchUp()
        guard !isClosed else { return }
        let entry = Self.handledEntry.flatMap { work.hasTask($0) ? $0 : nil }
        let waiter = Waiter(upTo: last, entry: entry)
        scheduler.endRefusals()
        waiters.append(waiter)
        beginDueEntries()
        try? await waiter.promise.cancellableValue()
    }

    /// Ends the calls for which nothing is left to wait for.
    func resolveWaiters() {
        let nested = Set(waiters.lazy.compactMap(\.entry))
        waiters.removeAll { waiter in
            // Attempts that wait for each other would never end.
            let others = waiter.entry == nil ? [] : nested
            let isOver =
                isClosed || !canProgress(without: others)
                || !storeState.isBehind && !scheduler.hasWork(upTo: waiter.upTo, without: others)
            if isOver { waiter.promise.resolve(.success(())) }
            return isOver
        }
    }

    /// Whether another attempt may begin.
    var mayBeginAttempt: Bool { isReadyToSend && work.sendingCount < max(1, configuration.parallelLanes) }

    /// Whether there is a network, a store that can be read, and a sender.
    private var isReadyToSend: Bool {
        network.isConnected && storeState.readProblem == nil && sender.withLock { $0 != nil }
    }

    /// Returns whether anything may change about entries that are due, without the attempts of some.
    private func canProgress(without others: Set<UUID>) -> Bool {
        work.canProgress(without: others) ?? (others.isEmpty ? isReadyToSend : mayBeginAttempt)
    }
}
