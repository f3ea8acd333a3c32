import Foundation

extension OfflineQueue {
    /// Calls the store in a task of its own, which is not cancelled with the current one.
    func withoutCancellation<Success: Sendable>(
        _ body: @escaping @Sendable (any OfflineStore) async throws -> Success
    ) async throws -> Success {
        try await startDetached { [store] in try await body(store) }.value
    }

    /// Repeats a write about an entry until it succeeds, and returns its result.
    ///
    /// The attempt may be cancelled, but not the write. The result is `nil` if the queue was closed or lost the entry
    /// before the write succeeded. If the store may refuse the write, its refusal is returned and nothing is repeated.
    func persist(
        _ id: UUID,
        mayBeRefused: Bool = false,
        _ write: @escaping @Sendable (any OfflineStore) async throws -> Bool
    ) async -> Result<Bool, NetKitError>? {
        defer { work.note(id, isStalled: false) }
        var isLast = false
        while true {
            do {
                let result = try await withoutCancellation(write)
                storeState.noteWritten()
                return .success(result)
            } catch let error as NetKitError where mayBeRefused && error.isRefusal {
                return .failure(error)
            } catch {
                noteFailedWrite(error)
                if isLast || isClosed { return nil }
                work.note(id, isStalled: true)
                beginDueEntries()
                let clock = configuration.clock
                let wait: Void? = try? await clock.waitForAlarm(
                    at: clock.now.advanced(by: configuration.refreshInterval)
                )
                isLast = wait == nil
            }
        }
    }

    /// Reports that the store could not be written to.
    func noteFailedWrite(_ error: any Error) {
        let error = Self.storeError(error)
        if error.code != .closed { storeState.noteFailedWrite(error) }
        emit(.storeFailed, reason: error.message) { $0.error = error }
    }

    /// Returns an error of the store as the queue reports it.
    ///
    /// A `CancellationError` becomes `.storeUnavailable`.
    static func storeError(_ error: any Error) -> NetKitError {
        ErrorBoundary.outward(error, outcome: .notSent) as? NetKitError
            ?? NetKitError(.storeUnavailable, "The store cancelled the call.", cause: error)
    }

    /// Saves the new state of an entry in the store and in this queue, and returns the entry in that state.
    ///
    /// The result is `nil` if the entry leaves the queue or this queue no longer owns it. If the store can never accept
    /// the new state, the state that `other` returns is stored instead, if there is such a closure.
    func save(
        _ update: OfflineUpdate,
        of entry: OfflineEntry,
        ifRefused other: ((NetKitError) -> OfflineUpdate)? = nil
    ) async -> OfflineEntry? {
        guard work.remains(entry.id) else { return nil }
        var update = withLaneHold(update, entry)
        var isReleased = await release(entry.id, update, mayBeRefused: true)
        if case .failure(let refusal) = isReleased {
            if let other { update = withLaneHold(other(refusal), entry) }
            isReleased = await release(entry.id, update, mayBeRefused: false)
        }
        return apply(update, to: entry, isReleased: (try? isReleased?.get()) == true)
    }

    private func release(_ id: UUID, _ update: OfflineUpdate, mayBeRefused: Bool) async -> Result<Bool, NetKitError>? {
        await persist(id, mayBeRefused: mayBeRefused) { try await $0.release(id, update) }
    }

    /// Returns an update that states whether the entry holds up its lane.
    func withLaneHold(_ update: OfflineUpdate, _ entry: OfflineEntry) -> OfflineUpdate {
        var update = update
        update.holdsUpLane = scheduler.holdsUpLane(update.state, lane: entry.lane)
        return update
    }

    /// Applies the new state of an entry to this queue after the store has it, and returns the same as `save`.
    @discardableResult
    func apply(_ update: OfflineUpdate, to entry: OfflineEntry, isReleased: Bool) -> OfflineEntry? {
        guard isReleased, !work.isLost(entry.id) else {
            work.markLost(entry.id)
            return nil
        }
        let clock = configuration.clock
        let changed = entry.updated(by: update, at: clock.date)
        var times = scheduler[entry.id]?.times ?? LaneScheduler.Times()
        times.nextAttempt = update.wait.map { clock.now.advanced(by: $0) }
        times.noteFailing(for: update.failingFor, now: clock.now)
        if changed.expiresAt == nil { times.expiry = nil }
        scheduler.set(entry.id, changed, times)
        if update.request != nil { history[entry.id].noteNewKey() }
        if update.state != .waiting { history.end(entry.id) }
        return work.remains(entry.id) ? changed : nil
    }

    /// Puts back an unchanged entry; the time until its next attempt is not stored.
    func putBack(_ entry: OfflineEntry, for wait: Duration? = nil) async {
        guard work.remains(entry.id) else { return }
        // Nothing is lost if the store cannot be told.
        let isThere = try? await withoutCancellation { try await $0.release(entry.id, nil) }
        guard isThere != false else { return work.markLost(entry.id) }
        var times = scheduler[entry.id]?.times ?? LaneScheduler.Times()
        times.wait(until: wait.map { configuration.clock.now.advanced(by: $0) })
        scheduler.set(entry.id, entry, times)
    }
}

extension NetKitError {
    /// Whether a store refuses to write, and would refuse again.
    var isRefusal: Bool { code == .invalidRequest || code == .encoding }
}
