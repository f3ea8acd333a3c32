import Foundation

extension OfflineQueue {
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
