public import Foundation

// An entry is removed because somebody decides so, and dropped by a rule of the queue. It is lost if it is gone or may
// belong to another queue. `forget` follows each of these and a delivery, and changes nothing in the store.
extension OfflineQueue {
    /// The number of entries that the store changes with one call.
    ///
    /// If the store fails after some of the calls, the entries of those have been changed.
    static let partSize = 256

    // MARK: Single entries

    /// Sends an entry as soon as possible: a dead letter starts again, and an entry that waits for a time is due now.
    ///
    /// A dead letter or a conflict that is retried no longer expires, even if its `expiresAt` has not passed yet.
    ///
    /// - Throws: `.invalidRequest` if there is no such entry or it is being sent right now, `.closed` after `close`, or
    ///   an error of the store.
    public func retry(_ id: UUID) async throws {
        guard !isClosed else { throw NetKitError.queueClosed }
        if scheduler[id]?.isBusy == true {
            throw NetKitError(.invalidRequest, "The entry \(id) is being sent. Try again after its attempt has ended.")
        }
        guard try await revive([id]) > 0 else { throw Self.missing(id) }
    }

    /// Removes an entry; an entry that is being sent is removed when its attempt ends.
    ///
    /// If the process is killed during that attempt, or the store fails while the queue is closed after it, the entry
    /// stays, and is sent again. In a shared store, the process that sends the entry's lane is asked to remove it, and
    /// may still send it once.
    ///
    /// - Throws: `.invalidRequest` if there is no such entry, `.closed` after `close`, or an error of the store.
    public func remove(_ id: UUID) async throws {
        guard !isClosed else { throw NetKitError.queueClosed }
        guard try await remove([id]) > 0 else { throw Self.missing(id) }
    }

    // MARK: Many entries

    /// Sends every entry that meets a condition as soon as possible, as `retry(_:)` does.
    ///
    /// Entries that are being sent right now are left out.
    ///
    /// - Parameter filter: The condition.
    /// - Returns: The number of those entries.
    /// - Throws: `.closed` after `close`, or an error of the store. The entries that were changed before it are sent.
    @discardableResult
    public func retry(where filter: OfflineFilter) async throws -> Int {
        guard !isClosed else { throw NetKitError.queueClosed }
        return try await revive(matching(filter).map(\.id))
    }

    /// Removes every entry that meets a condition, each with an event.
    ///
    /// Entries that are being sent are removed when their attempts end.
    ///
    /// - Parameter filter: The condition.
    /// - Returns: The number of those entries.
    /// - Throws: `.closed` after `close`, or an error of the store. The entries that were removed before it are gone,
    ///   each with its event.
    @discardableResult
    public func remove(where filter: OfflineFilter) async throws -> Int {
        let ids = try await matching(filter).map(\.id)
        // The store may have another queue by now.
        guard !isClosed else { throw NetKitError.queueClosed }
        return try await remove(ids)
    }

    /// Removes every entry, including dead letters and conflicts.
    ///
    /// Entries that are being sent are removed when their attempts end.
    ///
    /// - Throws: `.closed` after `close`, or an error of the store.
    public func clear() async throws { try await remove(where: OfflineFilter()) }

    /// Removes the entries that have to be sent under an identity, including dead letters and conflicts.
    ///
    /// Use this method after a logout. Entries that are being sent are removed when their attempts end.
    ///
    /// - Parameter identity: The name of the identity.
    /// - Returns: The number of those entries.
    /// - Throws: `.closed` after `close`, or an error of the store.
    @discardableResult
    public func clear(for identity: String) async throws -> Int {
        try await remove(where: OfflineFilter(identities: [identity]))
    }

    private static func missing(_ id: UUID) -> NetKitError {
        NetKitError(.invalidRequest, "There is no entry \(id).")
    }

    // MARK: Carrying out

    /// Keeps free entries from being sent or changed otherwise, and returns them.
    private func makeBusy(_ ids: [UUID]) -> Set<UUID> {
        var busy: Set<UUID> = []
        for id in ids where scheduler[id]?.isBusy == false {
            scheduler.set(id, isBusy: true)
            busy.insert(id)
        }
        return busy
    }

    /// Changes entries in the store; a caller that is cancelled does not cancel the change.
    private func change<Success: Sendable>(
        _ ids: [UUID],
        _ body: @escaping @Sendable (any OfflineStore, [UUID]) async throws -> Success
    ) async throws -> Success {
        try Task.checkCancellation()
        do {
            return try await withoutCancellation { try await body($0, ids) }
        } catch {
            throw ErrorBoundary.outward(error, outcome: .notSent)
        }
    }

    /// Makes entries due now, and returns their number.
    func revive(_ ids: [UUID]) async throws -> Int {
        var count = 0
        for part in ids.parts(of: Self.partSize) {
            // The store may have another queue by now.
            guard !isClosed else { throw NetKitError.queueClosed }
            let free = part.filter { scheduler[$0]?.isBusy != true }
            guard !free.isEmpty else { continue }
            // In a shared store, the owner of a shard learns of the change from the store.
            let busy = store.isShared ? [] : makeBusy(free)
            defer { makeFree(busy) }
            let entries = try await change(free) { try await $0.revive($1) }
            if !entries.isEmpty { storeState.noteWritten() }
            count += entries.count
            for entry in entries where !work.isToBeRemoved(entry.id) {
                applyRevival(of: entry, isHere: busy.contains(entry.id))
            }
        }
        return count
    }

    private func applyRevival(of entry: OfflineEntry, isHere: Bool) {
        guard isHere else {
            // The next attempt may begin before the store is listed.
            return scheduler.forgetWait(entry.id, startsAgain: true)
        }
        history[entry.id].startAgain()
        var times = scheduler[entry.id]?.times ?? LaneScheduler.Times()
        times.nextAttempt = nil
        times.failingSince = nil
        if entry.expiresAt == nil { times.expiry = nil }
        scheduler.set(entry.id, entry, times)
    }

    /// Removes entries, and returns the number of those that left or will leave.
    ///
    /// `letters` are the dead letters that the queue drops by itself for a reason; `nil` if a person removes the
    /// entries.
    func remove(_ ids: [UUID], dropping letters: [UUID: DeadLetter]? = nil, reason: String? = nil) async throws -> Int {
        var free: [UUID] = []
        for id in ids {
            // Abandoned code may never free its entry, or only when another queue has the store.
            let isAwaited = scheduler[id]?.isBusy == true && !work.isAbandoned(id)
            if isAwaited { work.removeLater(id) } else { free.append(id) }
        }
        // All of them, so that none is sent before its turn to be removed, even if a listing brings it only then.
        _ = makeBusy(free)
        work.beginRemoval(of: free)
        work.beginCall()
        defer {
            makeFree(work.endRemoval(of: free))
            work.endCall()
        }
        var count = ids.count - free.count
        for (index, part) in free.parts(of: Self.partSize).enumerated() {
            // `close` itself removes entries whose attempts it has abandoned, in a single part.
            if index > 0, isClosed { throw NetKitError.queueClosed }
            let removal = try await change(part) { try await $0.remove($1) }
            if !removal.removed.isEmpty { storeState.noteWritten() }
            count += removal.removed.count + removal.asked.count
            for entry in removal.removed {
                // Its identifier may be used again.
                forget(entry.id)
                let kind = letters == nil ? OfflineEvent.Kind.removed : .dropped
                emit(kind, entry, reason: reason) { $0.deadLetter = letters?[entry.id] }
            }
        }
        return count
    }

    /// Removes a busy entry that is no longer sent, or asks its owner to remove it.
    func removeBusy(_ entry: OfflineEntry, reason: String?) async {
        let isRemoved = await persist(entry.id) { try await !$0.remove([entry.id]).removed.isEmpty }
        // A removal that a person requested meanwhile is made as soon as the store can be reached.
        if isRemoved != nil || isClosed { work.noteRemoved(entry.id) }
        if !work.isLost(entry.id) { forget(entry.id) }
        if (try? isRemoved?.get()) == true { emit(OfflineEvent(.removed, entry, reason: reason)) }
    }

    /// Forgets an entry that is no longer in the store, and reports it as dropped.
    func noteDropped(_ entry: OfflineEntry, reason: String) {
        if scheduler[entry.id]?.isBusy == true { work.markLost(entry.id) } else { forget(entry.id) }
        emit(OfflineEvent(.dropped, entry, reason: reason))
    }

    func forget(_ id: UUID) {
        scheduler.forget(id)
        history.forget(id)
        work.forgetFollowUp(of: id)
    }
}

extension Array {
    /// Returns the elements in parts of a size, the last of which may be smaller.
    fileprivate func parts(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
