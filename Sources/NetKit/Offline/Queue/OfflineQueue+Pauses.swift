import Foundation

extension OfflineQueue {
    /// A change of the pause of a lane.
    struct PauseChange: Equatable {
        /// The time until which the lane is paused; `nil` if it is resumed.
        let end: NetKitClock.Instant?
        var reason: OfflinePauseReason?
        /// Whether the change may be stored; until then, it applies to this queue alone.
        var isReady = true
        /// Whether the lane is resumed first, because a pause that lasts longer would otherwise stay in the store.
        var resumesFirst = false

        static let resumption = PauseChange(end: nil)

        /// Returns the rest of a pause; `nil` if it has no end.
        func rest(at now: NetKitClock.Instant) -> Duration? {
            end.flatMap { $0 == .distantFuture ? nil : now.duration(to: $0) }
        }
    }

    /// Brings the changes of pauses into the store; those that fail are tried again with the next listing.
    ///
    /// A closed queue does so only once more, before it closes the store.
    func storePauses(isLast: Bool = false) async {
        // One write at a time, so that the latest change of a lane is also the last one in the store.
        while let pauseWrite { try? await pauseWrite.value }
        guard isLast || !isClosed, isResumptionUnstored || !unstoredPauses.isEmpty else { return }
        // The caller may be cancelled, but not the write.
        let write = startDetached { await self.writePauses() }
        pauseWrite = write
        try? await write.value
    }

    private func writePauses() async {
        defer { pauseWrite = nil }
        guard await writeResumption() else { return }
        for lane in unstoredPauses.keys.ordered() {
            guard await writePause(of: lane) else { return }
        }
    }

    // The steps are not inlined, because their code would be repeated after each suspension.

    /// Ends the pauses because of a refused credential in the store, and returns whether it can be reached.
    @inline(never)
    private func writeResumption() async -> Bool {
        guard isResumptionUnstored else { return true }
        isResumptionUnstored = false
        do {
            try await store.resumeLanes(pausedBecause: .unauthorized)
            return true
        } catch {
            isResumptionUnstored = true
            return isReachable(after: error)
        }
    }

    /// Brings the change of a lane's pause into the store, and returns whether it can be reached.
    @inline(never)
    private func writePause(of lane: String) async -> Bool {
        guard let unstored = unstoredPauses[lane], unstored.isReady else { return true }
        var change = unstored
        do {
            if change.resumesFirst {
                try await store.resume(lane)
                change.resumesFirst = false
                // If the pause cannot be stored now, one that a person makes meanwhile is not ended.
                if unstoredPauses[lane] == unstored { unstoredPauses[lane] = change }
            }
            try await apply(change, to: lane)
            // An earlier listing does not have it yet.
            scheduler.notePause(lane)
            if unstoredPauses[lane] == change { unstoredPauses[lane] = nil }
            return true
        } catch {
            return isReachable(after: error)
        }
    }

    private func isReachable(after error: any Error) -> Bool {
        noteStore(error)
        return (error as? NetKitError)?.code != .storeUnavailable
    }

    @inline(never)
    private func apply(_ change: PauseChange, to lane: String) async throws {
        guard change.end != nil else { return try await store.resume(lane) }
        let rest = change.rest(at: configuration.clock.now)
        if let rest, rest <= .zero { return }
        guard let reason = change.reason else { return try await store.pause(lane, for: rest) }
        try await store.pause(lane, for: rest, because: reason)
    }

    /// Returns the pauses of a listing with the changes that the store does not have yet.
    func withUnstored(_ listed: [String: Duration?]) -> [String: Duration?] {
        var pauses = listed
        let now = configuration.clock.now
        for (lane, change) in unstoredPauses {
            pauses[lane] = nil
            if let end = change.end, end > now { pauses.updateValue(change.rest(at: now), forKey: lane) }
        }
        return pauses
    }

    /// Forgets the refusal of a credential in lanes that others have resumed, or have paused for longer.
    func forgetRefusals() {
        let latest = configuration.clock.now.advanced(by: configuration.unauthorizedPause)
        for lane in unauthorizedLanes.keys where unstoredPauses[lane] == nil {
            if let end = scheduler.pauseEnd(of: lane), end <= latest { continue }
            unauthorizedLanes.removeValue(forKey: lane)
        }
    }
}
