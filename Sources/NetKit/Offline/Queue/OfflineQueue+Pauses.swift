extension OfflineQueue {
    /// Pauses a lane until it is resumed, without cancelling its running attempt.
    ///
    /// Only a shared store keeps pauses until the queue is opened again. While it cannot be reached, the pause applies
    /// to this queue, which stores it as soon as possible.
    public func pause(lane: String) async {
        let lane = lane.laneName
        scheduler.pause(lane, until: nil)
        pauses.pause(lane)
        emit(.lanePaused) { $0.lane = lane }
        await storePauses()
        beginDueEntries()
    }

    /// Resumes a lane.
    public func resume(lane: String) async {
        let lane = lane.laneName
        endPause(of: lane)
        pauses.resume(lane)
        await catchUp()
        beginDueEntries()
    }

    /// Ends the pause of a lane here, and in the store as soon as possible.
    private func endPause(of lane: String) {
        pauses.forgetRefusal(in: lane)
        let isPaused = scheduler.isPaused(lane, at: configuration.clock.now)
        scheduler.resume(lane)
        guard isPaused else { return }
        emit(.laneResumed) { $0.lane = lane }
        pauses.resume(lane)
        wakes.yield()
    }

    /// Ends the pause of a lane whose credential was refused, and no pause that a person has made.
    ///
    /// A shared store ends all pauses for this reason; a lane whose credential is still refused is paused again after
    /// one attempt.
    func endRefusal(in lane: String) {
        // A person's resumption that the store does not have yet still counts.
        let isResumed = pauses.unstored[lane]?.resumesFirst ?? false
        endPause(of: lane)
        // The store ends pauses by their reason, because another process may have paused the lane for longer.
        if store.isShared { pauses.endRefusals(with: lane, isResumed: isResumed) }
    }

    /// Resumes every lane that is paused because its credential was refused.
    ///
    /// Call this method when there is a new credential.
    public func resumeUnauthorizedLanes() async {
        for lane in pauses.noteNewCredential() { endRefusal(in: lane) }
        await catchUp()
        beginDueEntries()
    }

    // MARK: Storing

    /// Brings the changes of pauses into the store; those that fail are tried again with the next listing.
    ///
    /// A closed queue does so only once more, before it closes the store.
    func storePauses(isLast: Bool = false) async {
        // One write at a time, so that the latest change of a lane is also the last one in the store.
        while let write = pauses.write { try? await write.value }
        guard isLast || !isClosed, pauses.hasUnstored else { return }
        // The caller may be cancelled, but not the write.
        let write = startDetached { await self.writePauses() }
        pauses.write = write
        try? await write.value
    }

    private func writePauses() async {
        defer { pauses.write = nil }
        guard await writeResumption() else { return }
        for lane in pauses.unstored.keys.ordered() {
            guard await writePause(of: lane) else { return }
        }
    }

    // The steps are not inlined, because their code would be repeated after each suspension.

    /// Ends the pauses because of a refused credential in the store, and returns whether it can be reached.
    @inline(never)
    private func writeResumption() async -> Bool {
        guard pauses.takeResumption() else { return true }
        do {
            try await store.resumeLanes(pausedBecause: .unauthorized)
            return true
        } catch {
            pauses.noteFailedResumption()
            return isReachable(after: error)
        }
    }

    /// Brings the change of a lane's pause into the store, and returns whether it can be reached.
    @inline(never)
    private func writePause(of lane: String) async -> Bool {
        guard let unstored = pauses.unstored[lane], unstored.isReady else { return true }
        var change = unstored
        do {
            if change.resumesFirst {
                try await store.resume(lane)
                change.resumesFirst = false
                // If the pause cannot be stored now, one that a person makes meanwhile is not ended.
                pauses.replace(unstored, of: lane, with: change)
            }
            try await write(change, of: lane)
            // An earlier listing does not have it yet.
            scheduler.notePause(lane)
            pauses.replace(change, of: lane, with: nil)
            return true
        } catch {
            return isReachable(after: error)
        }
    }

    private func isReachable(after error: any Error) -> Bool {
        noteFailedWrite(error)
        return (error as? NetKitError)?.code != .storeUnavailable
    }

    @inline(never)
    private func write(_ change: PauseState.Change, of lane: String) async throws {
        guard change.end != nil else { return try await store.resume(lane) }
        let rest = change.rest(at: configuration.clock.now)
        if let rest, rest <= .zero { return }
        guard let reason = change.reason else { return try await store.pause(lane, for: rest) }
        try await store.pause(lane, for: rest, because: reason)
    }

    /// Forgets the refusal of a credential in lanes that others have resumed, or have paused for longer.
    func forgetRefusals() {
        let latest = configuration.clock.now.advanced(by: configuration.unauthorizedPause)
        pauses.forgetRefusals { lane in scheduler.pauseEnd(of: lane).map { $0 > latest } ?? true }
    }
}
