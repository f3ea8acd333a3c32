import Foundation
import NetKit

/// The entries of an outbox that wait in a folder until they can be moved to the database.
///
/// A lane goes through the folder until its last entry was moved, so that the order of this process is kept. An entry
/// is in the folder's journal from before its addition returns until it is committed in the database.
final class OutboxSpill: Sendable {
    /// A closure that adds entries to the database in order, and returns a result for each one that it tried.
    ///
    /// After a failure, it tries no later entry of the same lane.
    typealias Move =
        @Sendable ([OfflineAddition], OfflineBounds) async throws -> [UUID: Result<OfflineAppendResult, any Error>]

    struct State {
        /// The number of entries of each lane that are in the folder or on their way into it.
        var counts: [String: Int] = [:]
        /// The number of entries of each lane that are on their way into the folder.
        var arriving: [String: Int] = [:]
        /// Whether the folder was replaced since its entries were counted.
        var isRecountNeeded = false
        /// The number of changes of the folder that have begun.
        var changeCount = 0
        /// The reasons why entries cannot be moved.
        var refusals: [UUID: NetKitError] = [:]
        /// The entries of the batch that is being moved, and the end of it.
        var moving: Set<UUID> = []
        var movingEnd: Promise<Void>?
        /// The entries that were committed in the database, and could not be removed from the folder yet.
        var moved: Set<UUID> = []
        /// The entries that are about to be removed by their identifiers.
        var removing: Set<UUID> = []
        /// The bounds of the latest addition.
        var bounds = OfflineBounds()
        /// Whether the latest statement failed because the database is unreachable.
        var isAway = false
        var quarantined: [QuarantinedRecord] = []
        /// The wait of the mover, and whether it lasts until there is something to move.
        var sleep: (end: Promise<Void>, isIdle: Bool)?
        var isWoken = false
        var isClosing = false
        var task: Task<Void, any Error>?

        mutating func uncount(_ entries: [OfflineEntry]) {
            for entry in entries {
                refusals[entry.id] = nil
                uncount(entry.lane)
            }
        }

        /// Notes that an entry is in the folder, or does not come.
        mutating func endArrival(in lane: String, isAdded: Bool) {
            let count = arriving[lane, default: 1] - 1
            arriving[lane] = count > 0 ? count : nil
            if !isAdded { uncount(lane) }
        }

        /// The lanes that have entries in the folder.
        var lanes: Set<String> { Set(counts.filter { $0.value > arriving[$0.key, default: 0] }.keys) }

        mutating func uncount(_ lane: String) {
            let count = counts[lane, default: 1] - 1
            counts[lane] = count > 0 ? count : nil
            // The next addition finds out.
            if counts.isEmpty { isAway = false }
        }
    }

    /// The position that is added to those of the journal, so that the entries come after those of the database.
    static let firstPosition = Int64.max / 2

    let journal: JSONOfflineStore
    private let queue: String
    let clock: NetKitClock
    let notify: @Sendable (OfflineNotice) -> Void
    let state = Locked(State())
    private let estimate: OutboxEstimate

    /// Creates the entries of a folder from its journal, the name of the queue to which it belongs, the numbers of
    /// entries in the database, the queue's clock, and a closure that takes notices for the queue.
    init(
        journal: JSONOfflineStore,
        queue: String,
        estimate: OutboxEstimate,
        clock: NetKitClock,
        notify: @escaping @Sendable (OfflineNotice) -> Void
    ) {
        (self.journal, self.queue, self.estimate, self.clock, self.notify) = (journal, queue, estimate, clock, notify)
    }

    deinit { stop() }

    /// Opens the folder, and finds the entries of earlier processes.
    ///
    /// - Throws: `.queueLocked` if the folder is open already; `.invalidConfiguration` if it belongs to another queue,
    ///   or has dead letters or conflicts; `.file` if it cannot be read or written to, because later entries could
    ///   then overtake those that are in it.
    func open() async throws {
        // Its entries would be moved to this queue.
        let folderQueue = try readFolderQueue()
        guard folderQueue.isEmpty || folderQueue == queue else {
            throw NetKitError(
                .invalidConfiguration,
                "The spill folder \"\(path)\" belongs to the queue \"\(folderQueue)\". Give \"\(queue)\" a folder of its own."
            )
        }
        try await journal.open(clock: clock) { [weak self] notice in
            guard case .work = notice, let self else { return }
            state.withLock { $0.isRecountNeeded = true }
            wake(ifIdle: true)
        }
        let listing = try await journal.lines(of: nil, depth: .max)
        if let problem = listing.problem {
            throw NetKitError(
                .file,
                "The spill folder \"\(path)\" cannot be used. \(problem.message)",
                cause: problem
            )
        }
        // As new entries of the database, they would be sent again.
        let settled = listing.lines.count { $0.entry.state != .waiting }
        guard settled == 0 else {
            throw NetKitError(
                .invalidConfiguration,
                "The spill folder \"\(path)\" has \(settled) dead letters or conflicts of a queue without a database. "
                    + "Retry or remove them with `netkit queue`, or give \"\(queue)\" another folder."
            )
        }
        do {
            if folderQueue.isEmpty { try Data(queue.utf8).write(to: queueFile, options: .atomic) }
        } catch {
            throw NetKitError(.file, "The spill folder \"\(path)\" cannot be written to.", cause: error)
        }
        state.withLock { state in
            for line in listing.lines { state.counts[line.entry.lane, default: 0] += 1 }
            state.quarantined = listing.quarantined
        }
    }

    /// The file with the name of the queue.
    private var queueFile: URL { journal.directory.appending(path: "outbox.txt") }

    /// Reads the name of the queue to which the folder belongs; empty if it belongs to none yet.
    private func readFolderQueue() throws -> String {
        do {
            return String(decoding: try Data(contentsOf: queueFile), as: UTF8.self)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return ""
        } catch {
            let message = "The spill folder \"\(path)\" cannot be used, because the name of its queue cannot be read."
            throw NetKitError(.file, message, cause: error)
        }
    }

    private var path: String { journal.directory.path(percentEncoded: false) }

    /// Whether there is no entry.
    var isEmpty: Bool { state.withLock { $0.counts.isEmpty } }

    /// Returns the damaged parts of the journal that were found since the last call.
    func takeQuarantined() -> [QuarantinedRecord] { state.withLock { exchange(&$0.quarantined, with: []) } }

    // MARK: - Adding

    /// Adds an entry to the database, or to the folder if the database is unreachable or entries of its lane wait in
    /// the folder.
    ///
    /// If `isAway`, no connection can be made, so that the database need not be asked. An error is that of the one that
    /// was asked last.
    func append(
        _ addition: OfflineAddition,
        body: Data?,
        within bounds: OfflineBounds,
        isAway: Bool,
        directly add: (OfflineBounds) async throws -> OfflineAppendResult
    ) async throws -> OfflineAppendResult {
        if let known = try await known(addition.request, body) { return known }
        let request = addition.request
        let (isMoved, isTaken) = state.withLock { state in
            state.bounds = bounds
            return (state.moved.contains(request.id), isAway || state.isAway || state.counts[request.lane] != nil)
        }
        // The folder would refuse a moved entry, which only the database can recognize.
        if isTaken, !isMoved { return try await keep(addition, within: bounds) }
        do {
            return try await add(try await bounds.without(isEmpty ? OfflineTally() : tally()))
        } catch let error as NetKitError where error.isAbsence && !isMoved {
            return try await keep(addition, within: bounds, after: error)
        }
    }

    /// Returns the result for a request that an earlier attempt has put into the folder.
    private func known(_ request: QueuedRequest, _ body: Data?) async throws -> OfflineAppendResult? {
        guard !isEmpty, let entry = try await entries(OfflineFilter(ids: [request.id])).first,
            let stored = try await journal.load([request.id])[request.id]
        else { return nil }
        var known = try stored.get().request
        if let body = known.body, body.bytes == nil {
            known.body = .data(try await OutboxRequest.bytes(of: body) ?? Data(), contentType: body.contentType)
        }
        guard known.isSame(as: request, body: body) else { throw NetKitError.nameTaken(request.id) }
        guard known.idempotencyKey == request.idempotencyKey else { return .kept(entry.id) }
        return .added(entry, replaced: [], dropped: [])
    }

    /// Adds an entry to the folder, after an error of the database if there was one.
    private func keep(
        _ addition: OfflineAddition,
        within bounds: OfflineBounds,
        after absence: NetKitError? = nil
    ) async throws -> OfflineAppendResult {
        let lane = addition.request.lane
        state.withLock { state in
            state.counts[lane, default: 0] += 1
            state.arriving[lane, default: 0] += 1
            state.changeCount += 1
            if absence != nil { state.isAway = true }
        }
        do {
            let appended = try await journal.append(addition, within: bounds.rest(beside: estimate.tally))
            guard case .added(let entry, let replaced, let dropped) = appended else {
                state.withLock { $0.endArrival(in: lane, isAdded: false) }
                return appended
            }
            uncount(replaced + dropped)
            state.withLock { $0.endArrival(in: lane, isAdded: true) }
            wake(ifIdle: true)
            return .added(entry.spilled, replaced: replaced.map(\.spilled), dropped: dropped.map(\.spilled))
        } catch {
            state.withLock { $0.endArrival(in: lane, isAdded: false) }
            throw await refusal(error, bounds, after: absence)
        }
    }

    /// Returns the error for an addition that the folder does not take.
    ///
    /// Its outcome is unknown if the database may have taken the entry.
    private func refusal(_ error: any Error, _ bounds: OfflineBounds, after absence: NetKitError?) async -> any Error {
        guard let error = error as? NetKitError else { return error }
        let outcome = absence?.outcome ?? .notSent
        switch error.code {
        case .queueFull:
            let spilled = (try? await tally()) ?? OfflineTally()
            return bounds.refusal(estimate.tally.adding(spilled)).with(outcome: outcome)
        case .file:
            return NetKitError(
                .file,
                "The database is unreachable, and the spill folder \"\(path)\" cannot take the entry. \(error.message)",
                outcome: outcome,
                cause: error
            )
        default: return error.with(outcome: outcome)
        }
    }

    // MARK: - Reading and removing

    /// Returns the entries that meet a condition, in order.
    func entries(
        _ filter: OfflineFilter,
        after position: Int64? = nil,
        limit: Int = .max
    ) async throws -> [OfflineEntry] {
        guard !isEmpty else { return [] }
        let position = position.flatMap { $0 < Self.firstPosition ? nil : $0 - Self.firstPosition }
        let moved = state.withLock { $0.moved }
        let entries = try await journal.browse(filter, after: position, limit: limit)
        return entries.filter { !moved.contains($0.id) }.map(\.spilled)
    }

    /// Counts the entries.
    func tally() async throws -> OfflineTally {
        var tally = try await journal.tally()
        let moved = state.withLock { $0.moved }
        guard !moved.isEmpty else { return tally }
        let left = try await journal.browse(OfflineFilter(ids: moved), after: nil, limit: .max)
        for entry in left { tally.add(entry, -1) }
        return tally
    }

    /// Reads entries with their bodies; identifiers without an entry are missing.
    func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
        isEmpty ? [:] : try await journal.load(ids)
    }

    /// Returns the reason why an entry cannot be moved, if there is one.
    func problem(of id: UUID) -> NetKitError? { state.withLock { $0.refusals[id] } }

    /// Tries to move entries at once, and returns those among the identifiers.
    func retry(_ ids: [UUID]) async throws -> [OfflineEntry] {
        let found = try await entries(OfflineFilter(ids: Set(ids)))
        if !found.isEmpty { wake() }
        return found
    }

    /// Keeps entries from being moved until `remove` or `unclaim`, after the end of the move that is under way.
    ///
    /// - Returns: The identifiers that are in the folder.
    func claim(_ ids: [UUID]) async throws -> Set<UUID> {
        while true {
            let end = state.withLock { state in
                guard state.moving.isDisjoint(with: ids) else { return state.movingEnd }
                state.removing.formUnion(ids)
                state.changeCount += 1
                return nil
            }
            guard let end else { break }
            try await end.value()
        }
        return Set(try await entries(OfflineFilter(ids: Set(ids))).map(\.id))
    }

    func unclaim(_ ids: [UUID]) {
        state.withLock { $0.removing.subtract(ids) }
        // The entries after a removed one may be moved now.
        wake()
    }

    /// Removes entries that were claimed.
    func remove(_ ids: Set<UUID>) async throws -> [OfflineEntry] {
        let removed = try await journal.remove(Array(ids)).removed
        uncount(removed)
        return removed.map(\.spilled)
    }

    /// Notes that entries have left the folder, and reports if nothing is refused anymore.
    func uncount(_ entries: [OfflineEntry]) {
        let isAllRight = state.withLock { state in
            let hadRefusals = !state.refusals.isEmpty
            state.uncount(entries)
            return hadRefusals && state.refusals.isEmpty
        }
        if isAllRight { notify(.problem(nil)) }
    }

    // MARK: - End

    /// Ends the move, and closes the folder; its entries stay for the next process.
    ///
    /// - Parameter bound: The time limit for the move that is under way.
    func close(within bound: Duration) async {
        let task = state.withLock { state in
            state.isClosing = true
            return state.task
        }
        wake()
        if let task {
            let end = Promise<Void>()
            let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: bound)) { task.cancel() }
            // It ends with the task, which a cancellation ends.
            _ = startImmediately {
                _ = try? await task.value
                end.resolve(.success(()))
            }
            try? await end.value()
            alarm.cancel()
        }
        await journal.close(within: bound)
    }

    /// Ends the move at once.
    func stop() {
        state.withLock { $0.task }?.cancel()
    }
}

extension OfflineEntry {
    /// The entry of a journal as the outbox shows it: after all of the database.
    fileprivate var spilled: OfflineEntry {
        var entry = self
        entry.position += OutboxSpill.firstPosition
        return entry
    }
}

extension OfflineBounds {
    /// Returns the bounds for the database if other entries wait outside of it.
    fileprivate func without(_ tally: OfflineTally) -> OfflineBounds {
        var bounds = self
        if maxEntries != .max { bounds.maxEntries = max(0, maxEntries - tally.count) }
        if maxBytes != .max { bounds.maxBytes = max(0, maxBytes - tally.byteCount) }
        return bounds
    }

    /// Returns the bounds for the folder if the database had some entries when it was last asked.
    ///
    /// - Throws: `.queueFull` if there are too many dead letters.
    fileprivate func rest(beside tally: OfflineTally) throws -> OfflineBounds {
        if let maxDeadLetters, tally.deadLetterCount >= maxDeadLetters { throw refusal(tally) }
        // The database makes room itself when the entry is moved.
        var bounds = dropsOldest ? self : without(tally)
        bounds.maxDeadLetters = nil
        return bounds
    }
}
