public import Foundation

extension OfflineQueue {
    /// The entries that wait or are being sent, oldest first, with their bodies.
    ///
    /// Those that cannot be read are not among them; `entries` has all. Of a long queue this takes as much memory as its bodies
    /// do; `pendingCount` and `entries` do not.
    public var pending: [QueuedRequest] {
        get async {
            let entries = await entries(where: OfflineFilter(states: [.waiting]))
            return await load(entries).compactMap { try? $0.stored.get().request }
        }
    }

    /// The entries that were given up, oldest first.
    ///
    /// One that cannot be read has the reason `.unreadable` and a request without a target.
    public var deadLetters: [DeadLetter] {
        get async {
            let entries = await entries(where: OfflineFilter(states: [.deadLetter]))
            return await load(entries).map { DeadLetter($0.entry, $0.stored) }
        }
    }

    /// Every entry without its request, oldest first; none while the store cannot be read.
    public var entries: [OfflineEntry] {
        get async { await entries(where: OfflineFilter()) }
    }

    /// Returns the entries that meet a condition, oldest first; none while the store cannot be read.
    public func entries(where filter: OfflineFilter) async -> [OfflineEntry] {
        (try? await matching(filter)) ?? []
    }

    /// Returns an entry with its body, whatever it waits for, or `nil` if there is none of that name.
    ///
    /// - Throws: `.decoding` if what is kept of it cannot be read, and what the store throws.
    public func keptRequest(_ id: UUID) async throws -> QueuedRequest? {
        try await store.load([id])[id]?.get().request
    }

    /// The lanes that are held up.
    public var pausedLanes: [String] { book.pausedLanes }

    // MARK: Single entries

    /// Sends an entry as soon as possible: a dead letter starts again, and an entry that waits for its time is due now.
    ///
    /// - Throws: `.invalidRequest` if there is no such entry or it is being sent right now, and what the store throws.
    public func retry(_ id: UUID) async throws {
        if book[id]?.isSettled == false {
            throw NetKitError(.invalidRequest, "The entry \(id) is being sent right now.")
        }
        guard try await revive([id]) > 0 else { throw Self.missing(id) }
    }

    /// Removes an entry; one that is being sent goes when its attempt is over.
    ///
    /// - Throws: `.invalidRequest` if there is no such entry, and what the store throws.
    public func remove(_ id: UUID) async throws {
        guard try await remove([id]) > 0 else { throw Self.missing(id) }
    }

    // MARK: Many entries

    /// Has every entry that meets a condition sent as soon as possible, as `retry(_:)` does.
    ///
    /// Entries that are being sent right now are left out.
    ///
    /// - Parameter filter: The condition.
    /// - Returns: The number of those entries.
    /// - Throws: What the store throws.
    @discardableResult
    public func retry(where filter: OfflineFilter) async throws -> Int {
        try await revive(matching(filter).map(\.id))
    }

    /// Removes every entry that meets a condition, each with an event; those that are being sent go when their attempts are over.
    ///
    /// - Parameter filter: The condition.
    /// - Returns: The number of those entries.
    /// - Throws: What the store throws.
    @discardableResult
    public func remove(where filter: OfflineFilter) async throws -> Int {
        try await remove(matching(filter).map(\.id))
    }

    /// Removes every entry, dead letters and conflicts included; those that are being sent go when their attempts are over.
    ///
    /// - Throws: What the store throws.
    public func clear() async throws {
        try await remove(where: OfflineFilter())
    }

    // MARK: Lanes

    /// Holds a lane up until it is resumed, without calling off what is being sent.
    ///
    /// A queue that is opened again has no pauses.
    public func pause(lane: String) async {
        book.pause(lane, until: nil)
        unauthorizedLanes.removeValue(forKey: lane)
        emit(laneEvent(.lanePaused, lane))
        do { try await store.pause(lane, for: nil) } catch { noteStore(error) }
        pump()
    }

    /// Lets a lane go on.
    public func resume(lane: String) async {
        endPause(of: lane)
        endedPauses.insert(lane)
        await catchUp()
        pump()
    }

    /// Ends the pause of a lane here, and in the store as soon as that is possible.
    func endPause(of lane: String) {
        guard book.isPaused(lane) else { return }
        unauthorizedLanes.removeValue(forKey: lane)
        book.resume(lane)
        emit(laneEvent(.laneResumed, lane))
        endedPauses.insert(lane)
        wakes.yield()
    }

    /// Lets every lane go on that is held up because its credential was refused: call it when there is a new one.
    public func credentialChanged() async {
        for lane in unauthorizedLanes.keys.ordered() { await resume(lane: lane) }
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
