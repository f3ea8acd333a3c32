import Foundation

extension OfflineQueue {
    /// Handles a notice of the store.
    func handle(_ notice: OfflineNotice) {
        switch notice {
        case .work(let shards):
            storeState.noteStale(shards)
            wakes.yield()
        case .gained(let shards):
            storeState.gain(shards)
            wakes.yield()
        case .leaving(let shards):
            scheduler.close(shards)
            storeState.leave(shards)
        case .lost(let shards):
            storeState.lose(shards)
            for id in scheduler.lose(shards) { work.markShardLost(of: id)?.cancel() }
            forgetAbsent()
        case .problem(let error):
            if let error { noteFailedWrite(error) } else { storeState.noteWritten() }
        case .left(let entries, let reason):
            for entry in entries { noteDropped(entry, reason: reason) }
        }
        beginDueEntries()
    }

    /// Handles an alarm or a notice.
    func wake() async {
        let now = configuration.clock.now
        storeState.lookAgain(ifDueAt: now)
        await catchUp()
        await trimDeadLetters()
        if network.takeQuestion(at: now) { await askMonitor() }
        beginDueEntries()
    }

    /// Brings pauses into the store, lists the changes in it, and hands over free shards.
    func catchUp() async {
        await storePauses()
        while !isClosed, storeState.hasWork {
            let free = storeState.takeFree()
            if !free.isEmpty { await store.relinquish(free) }
            guard let stale = storeState.takeStale() else { continue }
            guard await list(stale.shards, hasRemoteChanges: stale.hasRemoteChanges) else { break }
        }
    }

    /// Lists some shards, or all that are owned, and returns whether that worked without a problem.
    ///
    /// A listing that fails is repeated at the next alarm, and one whose caller was cancelled at once.
    /// `hasRemoteChanges` is whether others may have changed entries that are known here.
    @discardableResult
    func list(_ shards: Set<Int>?, hasRemoteChanges: Bool) async -> Bool {
        let clock = configuration.clock
        let change = scheduler.beginListing()
        let uncertain = storeState.beginListing(shards, at: clock.now)
        defer { scheduler.endListing() }
        do {
            let listing = try await store.lines(of: shards, depth: storeState.depth)
            let new = newEntries(in: listing)
            storeState.note(listing)
            scheduler.merge(
                listing.lines,
                of: shards,
                depth: storeState.depth,
                since: change,
                now: clock.now,
                hasRemoteChanges: hasRemoteChanges
            )
            let now = clock.now
            scheduler.merge(pauses: pauses.merged(into: listing.pauses, at: now), of: shards, since: change, now: now)
            forgetRefusals()
            noteEarlierAttempts(of: new)
            forgetAbsent()
            for record in listing.quarantined {
                emit(.quarantined, reason: record.reason) { $0.quarantined = record }
            }
            let listed = await removeAsAsked(listing.lines.filter(\.isToBeRemoved), in: uncertain)
            let certain = storeState.noteCertain(listed.filter { !scheduler.wasLost($0, since: change) })
            scheduler.reopen(certain.filter { store.owns($0) })
        } catch is CancellationError where Task.isCancelled {
            // That says nothing about the store.
            storeState.noteStale(shards)
            wakes.yield()
            return false
        } catch _ where scheduler.listingOrder.isObsolete(change, of: shards) {
            // The store could be read later.
        } catch {
            let problem = Self.storeError(error)
            let isNew = storeState.noteFailedListing(problem, at: clock.now, isHeard: isHeard)
            if isNew, !isClosed { emit(.storeFailed, reason: problem.message) { $0.error = problem } }
        }
        return storeState.readProblem == nil
    }

    /// Returns the entries of a listing that another queue may have tried to send, and that are new here.
    ///
    /// Most entries of a shared store are added while it is open, so there, an entry counts only if it has failed.
    private func newEntries(in listing: OfflineListing) -> Set<UUID> {
        Set(
            listing.lines.compactMap { line in
                let isTriable = !store.isShared || line.entry.retryCount > 0
                return isTriable && scheduler[line.entry.id] == nil ? line.entry.id : nil
            }
        )
    }

    /// Notes that the latest attempts of entries may be under way on the server, because the queue that made them has
    /// lost its notes, and may have ended during an attempt.
    ///
    /// Only the first entry of a lane can have been sent.
    private func noteEarlierAttempts(of ids: Set<UUID>) {
        guard !ids.isEmpty else { return }
        for id in scheduler.firstIDs where ids.contains(id) { history[id].noteResponse(nil) }
    }

    /// Removes entries of this queue whose removal was requested through another queue, and returns the uncertain
    /// shards that were listed and have none of them left.
    ///
    /// Their shards are uncertain until they are removed, so that none of them is sent after a removal that fails.
    private func removeAsAsked(_ lines: [OfflineListedEntry], in uncertain: Set<Int>) async -> Set<Int> {
        guard !lines.isEmpty else { return uncertain }
        let shards = Set(lines.map(\.entry.shard))
        scheduler.close(shards)
        storeState.distrust(shards)
        do {
            _ = try await remove(lines.map(\.entry.id))
            return uncertain.union(shards)
        } catch {
            if !(error is CancellationError) { noteFailedWrite(error) }
            return uncertain.subtracting(shards)
        }
    }

    /// Notes the shards to list again, because their listed entries are all finished or wait for an identity.
    func noteStaleShards() {
        guard store.isShared else { return }
        storeState.noteStale(scheduler.takeExhaustedShards())
        if scheduler.hasLaneWithOnlyHeldEntries { storeState.deepen() }
        let free = storeState.freeLeaving { !scheduler.isBusy(in: [$0]) }
        if !free.isEmpty { _ = scheduler.lose(free) }
        if storeState.hasWork { wakes.yield() }
    }

    /// Lists the shard of an entry that may belong to another queue by now.
    ///
    /// If the entry still exists, no entry of its lane may overtake it, so its shard waits until it was listed again.
    func listAgain(_ shard: Int) {
        guard store.isShared else { return }
        for id in scheduler.lose([shard]) where !work.hasTask(id) { work.markLost(id) }
        storeState.doubt([shard])
        wakes.yield()
    }

    /// Forgets the notes about entries that have left through a listing or with their shards.
    private func forgetAbsent() {
        history.forget { scheduler[$0] == nil }
    }
}
