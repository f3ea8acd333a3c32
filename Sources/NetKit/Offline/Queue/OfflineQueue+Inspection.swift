public import Foundation

extension OfflineQueue {
    /// The entries that wait or are being sent, oldest first, with their bodies.
    ///
    /// Of a long queue that takes as much memory as its bodies do; `pendingCount` and `entries` do not.
    public var pending: [QueuedRequest] {
        get async {
            var requests: [QueuedRequest] = []
            for entry in book.entries(.waiting) {
                if let kept = try? await store.load(entry.id) { requests.append(kept.request) }
            }
            return requests
        }
    }

    /// The entries that were given up, oldest first.
    public var deadLetters: [DeadLetter] {
        get async {
            var letters: [DeadLetter] = []
            for entry in book.entries(.deadLetter) {
                if let kept = try? await store.load(entry.id) { letters.append(DeadLetter(kept)) }
            }
            return letters
        }
    }

    /// Every entry without its request, oldest first.
    public var entries: [OfflineEntry] {
        (book.entries(.waiting) + book.entries(.conflict) + book.entries(.deadLetter))
            .orderedByNumber(\.position)
            .map { entry in
                guard let item = book[entry.id], book.isHeld(item) else { return entry }
                var entry = entry
                entry.waitsForIdentity = true
                return entry
            }
    }

    /// An entry with its body, whatever it waits for; nil where there is none of that name.
    ///
    /// - Throws: `.decoding` where what is kept of it cannot be read.
    public func keptRequest(_ id: UUID) async throws -> QueuedRequest? {
        try await store.load(id)?.request
    }

    /// The lanes that are held up.
    public var pausedLanes: [String] { book.pausedLanes }

    /// Has an entry sent as soon as possible: a dead letter begins anew, one that waits for its time does not wait.
    ///
    /// - Throws: `.invalidRequest` where there is no such entry, or it is being sent right now; what the store throws.
    public func retry(_ id: UUID) async throws {
        guard let entry = book[id]?.entry else { throw Self.missing(id) }
        let place = book[id]?.place ?? .waiting
        let lease = try await take(entry)
        do {
            await giveBack(lease, entry, try await freshUpdate(entry))
        } catch {
            await putBack(lease)
            book.set(id, place, entry)
            pump()
            throw ErrorBoundary.outward(error, outcome: .notSent)
        }
        pump()
    }

    /// The entry as it is when it begins again.
    private func freshUpdate(_ entry: OfflineEntry) async throws -> OfflineUpdate {
        var update = OfflineUpdate(entry)
        update.notBefore = nil
        update.firstFailure = nil
        if entry.state != .waiting {
            update.state = .waiting
            update.retryCount = 0
            update.conflictCount = 0
            if entry.expiresAt != nil, var kept = try await store.load(entry.id) {
                // It would expire at once.
                kept.request.expiresAt = nil
                kept.request.retryCount = 0
                kept.request.conflictCount = 0
                update.request = kept.request
            }
        }
        return update
    }

    /// Removes an entry; one that is being sent goes when its attempt is over.
    ///
    /// - Throws: `.invalidRequest` where there is no such entry; what the store throws.
    public func remove(_ id: UUID) async throws {
        guard let item = book[id] else { throw Self.missing(id) }
        guard item.place == .waiting || item.place == .aside else {
            pendingRemovals.insert(id)
            return
        }
        let lease = try await take(item.entry)
        await finish(lease)
        emit(OfflineEvent(.removed, item.entry))
        pump()
    }

    /// Removes every entry, dead letters and conflicts included; those that are being sent go when their attempts are over.
    ///
    /// - Throws: What the store throws.
    public func clear() async throws {
        try await removeTogether(Array(book.items.keys))
    }

    func removeTogether(_ ids: [UUID]) async throws {
        // Side by side, so that they share their syncs.
        for start in stride(from: 0, to: ids.count, by: 256) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in ids[start..<min(start + 256, ids.count)] {
                    group.addTask { try await self.removeIfThere(id) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Holds a lane up until it is resumed, without calling off what is being sent.
    ///
    /// A queue that is opened anew has no pauses.
    public func pause(lane: String) {
        book.pause(lane, until: nil)
        unauthorizedLanes.removeValue(forKey: lane)
        emit(laneEvent(.lanePaused, lane))
        pump()
    }

    /// Lets a lane go on.
    public func resume(lane: String) {
        endPause(of: lane)
        pump()
    }

    func endPause(of lane: String) {
        guard book.isPaused(lane) else { return }
        unauthorizedLanes.removeValue(forKey: lane)
        book.resume(lane)
        emit(laneEvent(.laneResumed, lane))
    }

    /// Lets every lane go on that is held up because its credential was refused: call it when there is a new one.
    public func credentialChanged() {
        for lane in unauthorizedLanes.keys.ordered() { resume(lane: lane) }
    }

    private func removeIfThere(_ id: UUID) async throws {
        if book[id] != nil { try await remove(id) }
    }

    /// Takes an entry out of the line to do something with it.
    func take(_ entry: OfflineEntry) async throws -> OfflineLease {
        guard let place = book[entry.id]?.place, place == .waiting || place == .aside else {
            throw NetKitError(.invalidRequest, "The entry \(entry.id) is being sent right now.")
        }
        book.set(entry.id, .busy)
        do {
            let now = configuration.clock.date
            let until = now.addingTimeInterval(configuration.leaseDuration.inSeconds)
            if let lease = try await store.lease(entry.id, now: now, until: until) { return lease }
        } catch {
            book.set(entry.id, place)
            throw ErrorBoundary.outward(error, outcome: .notSent)
        }
        book.set(entry.id, place)
        throw NetKitError(.invalidRequest, "Another queue that shares the store has the entry \(entry.id).")
    }

    private func laneEvent(_ kind: OfflineEvent.Kind, _ lane: String) -> OfflineEvent {
        var event = OfflineEvent(kind)
        event.lane = lane
        return event
    }

    private static func missing(_ id: UUID) -> NetKitError {
        NetKitError(.invalidRequest, "There is no entry \(id).")
    }
}
