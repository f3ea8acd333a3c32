import Foundation

extension OfflineQueue {
    /// A change of the pause of a lane.
    struct PauseChange: Equatable {
        /// The time until which the lane is paused; `nil` if it is resumed.
        let end: NetKitClock.Instant?
        var reason: OfflinePauseReason?
        /// Whether the change may be stored; until then, it applies to this queue alone.
        var isReady = true

        static let resumption = PauseChange(end: nil)

        /// Returns the rest of a pause; `nil` if it has no end.
        func rest(at now: NetKitClock.Instant) -> Duration? {
            end.flatMap { $0 == .distantFuture ? nil : now.duration(to: $0) }
        }
    }

    /// Brings the changes of pauses into the store; those that fail are tried again with the next listing.
    func storePauses() async {
        // One write at a time, so that the latest change of a lane is also the last one in the store.
        while let write = pauseWrite { try? await write.value() }
        guard !isClosed, isResumptionUnstored || !unstoredPauses.isEmpty else { return }
        let write = Promise<Void>()
        pauseWrite = write
        if isResumptionUnstored {
            isResumptionUnstored = false
            do {
                try await store.resumeLanes(pausedBecause: .unauthorized)
            } catch {
                isResumptionUnstored = true
                noteStore(error)
            }
        }
        for (lane, change) in unstoredPauses.sorted(by: { $0.key < $1.key }) where change.isReady {
            do {
                try await apply(change, to: lane)
                // An earlier listing does not have it yet.
                scheduler.notePause(lane)
                if unstoredPauses[lane] == change { unstoredPauses[lane] = nil }
            } catch {
                noteStore(error)
            }
        }
        pauseWrite = nil
        write.resolve(.success(()))
    }

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
