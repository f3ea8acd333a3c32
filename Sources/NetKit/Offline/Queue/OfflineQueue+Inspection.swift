public import Foundation

extension OfflineQueue {
    /// The entries that wait or are being sent, oldest first, with their bodies.
    ///
    /// Entries that cannot be read are left out; `entries` has all. For a long queue, this takes as much memory as all
    /// its bodies; `pendingCount` and `entries` do not.
    public var pending: [QueuedRequest] {
        get async {
            let entries = await entries(where: OfflineFilter(states: [.waiting]))
            return await load(entries).compactMap { try? $0.stored.get().request }
        }
    }

    /// The entries that were given up, oldest first.
    ///
    /// An entry that cannot be read has the reason `.unreadable` and a request without a target.
    public var deadLetters: [DeadLetter] {
        get async {
            let entries = await entries(where: OfflineFilter(states: [.deadLetter]))
            return await load(entries).map { DeadLetter($0.entry, $0.stored) }
        }
    }

    /// All entries without their requests, oldest first; none while the store cannot be read.
    public var entries: [OfflineEntry] {
        get async { await entries(where: OfflineFilter()) }
    }

    /// Returns the entries that meet a condition, oldest first; none while the store cannot be read.
    public func entries(where filter: OfflineFilter) async -> [OfflineEntry] {
        (try? await matching(filter)) ?? []
    }

    /// Returns an entry's request with its body, in any state; `nil` if there is no such entry.
    ///
    /// - Throws: `.decoding` if the stored request cannot be read, or an error of the store.
    public func storedRequest(_ id: UUID) async throws -> QueuedRequest? {
        try await store.load([id])[id]?.get().request
    }

    /// The paused lanes.
    public var pausedLanes: [String] { scheduler.pausedLanes(at: configuration.clock.now) }

    // MARK: Single entries

    /// Sends an entry as soon as possible: a dead letter starts again, and an entry that waits for a time is due now.
    ///
    /// A dead letter or a conflict that is retried no longer expires, even if its `expiresAt` has not passed yet.
    ///
    /// - Throws: `.invalidRequest` if there is no such entry or it is being sent right now, `.closed` after `close`, or
    ///   an error of the store.
    public func retry(_ id: UUID) async throws {
        if scheduler[id]?.isBusy == true {
            // The attempt of a sender that `close` has abandoned never ends.
            guard !isClosed else { throw NetKitError.queueClosed }
            throw NetKitError(.invalidRequest, "The entry \(id) is being sent. Try again after its attempt has ended.")
        }
        guard try await revive([id]) > 0 else { throw Self.missing(id) }
    }

    /// Removes an entry; an entry that is being sent is removed when its attempt ends.
    ///
    /// - Throws: `.invalidRequest` if there is no such entry, or an error of the store.
    public func remove(_ id: UUID) async throws {
        guard try await remove([id]) > 0 else { throw Self.missing(id) }
    }

    // MARK: Many entries

    /// Sends every entry that meets a condition as soon as possible, as `retry(_:)` does.
    ///
    /// Entries that are being sent right now are left out.
    ///
    /// - Parameter filter: The condition.
    /// - Returns: The number of those entries.
    /// - Throws: An error of the store. The entries that were changed before it are sent.
    @discardableResult
    public func retry(where filter: OfflineFilter) async throws -> Int {
        try await revive(matching(filter).map(\.id))
    }

    /// Removes every entry that meets a condition, each with an event.
    ///
    /// Entries that are being sent are removed when their attempts end.
    ///
    /// - Parameter filter: The condition.
    /// - Returns: The number of those entries.
    /// - Throws: An error of the store. The entries that were removed before it are gone, each with its event.
    @discardableResult
    public func remove(where filter: OfflineFilter) async throws -> Int {
        try await remove(matching(filter).map(\.id))
    }

    /// Removes every entry, including dead letters and conflicts.
    ///
    /// Entries that are being sent are removed when their attempts end.
    ///
    /// - Throws: An error of the store.
    public func clear() async throws { try await remove(where: OfflineFilter()) }

    // MARK: Lanes

    /// Pauses a lane until it is resumed, without cancelling its running attempt.
    ///
    /// Only a shared store keeps pauses until the queue is opened again. While it cannot be reached, the pause applies
    /// to this queue, which stores it as soon as possible.
    public func pause(lane: String) async {
        scheduler.pause(lane, until: nil)
        pauses.pause(lane)
        emit(.lanePaused) { $0.lane = lane }
        await storePauses()
        pump()
    }

    /// Resumes a lane.
    public func resume(lane: String) async {
        endPause(of: lane)
        pauses.resume(lane)
        await catchUp()
        pump()
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
        pump()
    }

    private static func missing(_ id: UUID) -> NetKitError {
        NetKitError(.invalidRequest, "There is no entry \(id).")
    }
}
