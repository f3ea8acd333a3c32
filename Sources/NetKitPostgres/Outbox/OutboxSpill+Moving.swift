import Foundation
import NetKit

/// The move of entries to the database.
extension OutboxSpill {
    /// The maximum number of entries and bytes of a batch.
    private static let maxBatch = (count: 128, bytes: 4 << 20)
    /// The number of entries that are looked up in the journal at once.
    private static let pageSize = 4096
    /// The wait before the next attempt while the database is unreachable.
    private static let awayInterval = Duration.seconds(1)
    /// The wait before the next attempt to move entries that were refused.
    private static let refusedInterval = Duration.seconds(5)

    /// Begins to move entries, until `close` or `stop`.
    func start(_ move: @escaping Move) {
        let task = startImmediately { [weak self] in
            var wait: Duration? = .zero
            while true {
                try await self?.pause(for: wait)
                guard let self, !state.withLock({ $0.isClosing }) else { return }
                wait = try await moveAll(move)
            }
        }
        state.withLock { $0.task = task }
    }

    // MARK: - Waiting

    /// Tries to move entries at once; with `ifIdle`, only if the mover does not wait before another attempt.
    func wake(ifIdle isOnlyIfIdle: Bool = false) {
        let end = state.withLock { state -> Promise<Void>? in
            if let sleep = state.sleep, isOnlyIfIdle, !sleep.isIdle { return nil }
            state.isWoken = true
            return state.sleep?.end
        }
        end?.resolve(.success(()))
    }

    /// Waits for a time, or until there is something to move.
    private func pause(for wait: Duration?) async throws {
        let end = Promise<Void>()
        let isWoken = state.withLock { state in
            defer { state.isWoken = false }
            state.sleep = (end, wait == nil)
            return state.isWoken && wait == nil || state.isClosing
        }
        defer { state.withLock { $0.sleep = nil } }
        if isWoken || wait == .zero { return }
        guard let wait else { return try await end.cancellableValue() }
        try await clock.waitForAlarm(at: clock.now.advanced(by: wait), or: end)
    }

    // MARK: - Moving

    /// Tries to move every entry once.
    ///
    /// - Returns: The wait before the next attempt; `nil` if there is nothing left.
    private func moveAll(_ move: Move) async throws -> Duration? {
        var held: Set<String> = []
        do {
            try await recount()
            guard !isEmpty else { return nil }
            try await removeMoved([])
            var position: Int64?
            while let page = try await page(after: position) {
                position = page.last?.position
                var rest = page
                while !rest.isEmpty, !state.withLock({ $0.isClosing }) {
                    let batch = Self.batch(rest)
                    let done = try await moveOnce(batch, &held, move)
                    rest.removeAll { done.contains($0.id) || held.contains($0.lane) }
                }
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            return Self.wait(after: note(error))
        }
        // Entries that were added meanwhile are found at once. Those that are still being written wake the mover.
        let lanes = state.withLock { $0.lanes }
        guard lanes.isSubset(of: held) else { return .zero }
        return lanes.isEmpty ? nil : Self.refusedInterval
    }

    /// Counts the entries again after the folder was replaced, unless entries are being written or removed.
    private func recount() async throws {
        while true {
            let change = state.withLock { state in
                let isNow = state.isRecountNeeded && state.arriving.isEmpty && state.removing.isEmpty
                return isNow ? state.changeCount : nil
            }
            guard let change else { return }
            let entries = try await journal.browse(OfflineFilter(), after: nil, limit: .max)
            state.withLock { state in
                guard state.changeCount == change else { return }
                state.isRecountNeeded = false
                state.counts = Dictionary(entries.map { ($0.lane, 1) }, uniquingKeysWith: +)
            }
        }
    }

    private static func wait(after error: NetKitError?) -> Duration {
        error?.isAbsence == true ? awayInterval : refusedInterval
    }

    private func page(after position: Int64?) async throws -> [OfflineEntry]? {
        guard !state.withLock({ $0.isClosing }) else { return nil }
        let page = try await journal.browse(OfflineFilter(), after: position, limit: Self.pageSize)
        return page.isEmpty ? nil : page
    }

    /// Returns the entries for the next batch.
    ///
    /// A statement adds entries that could replace others after all others, so each of them is the only one of its
    /// lane.
    static func batch(_ entries: [OfflineEntry]) -> [OfflineEntry] {
        var batch: [OfflineEntry] = []
        var (taken, closed): (Set<String>, Set<String>) = ([], [])
        var bytes = 0
        for entry in entries where !closed.contains(entry.lane) {
            let isAlone = entry.coalescingKey != nil
            if isAlone, taken.contains(entry.lane) {
                closed.insert(entry.lane)
                continue
            }
            guard batch.isEmpty || bytes + entry.byteCount <= maxBatch.bytes else { break }
            batch.append(entry)
            bytes += entry.byteCount
            taken.insert(entry.lane)
            if isAlone { closed.insert(entry.lane) }
            if batch.count == maxBatch.count { break }
        }
        return batch
    }

    /// Moves one batch of entries in order, and returns those that are no longer in the folder.
    ///
    /// `held` has the lanes whose further entries are not moved in this attempt. It throws the error because of which
    /// no entry can be moved at the moment.
    private func moveOnce(_ batch: [OfflineEntry], _ held: inout Set<String>, _ move: Move) async throws -> Set<UUID> {
        let end = Promise<Void>()
        let bounds = state.withLock { state in
            for entry in batch where state.removing.contains(entry.id) { held.insert(entry.lane) }
            state.moving = Set(batch.filter { !held.contains($0.lane) }.map(\.id))
            state.movingEnd = end
            return state.bounds
        }
        defer {
            state.withLock { ($0.moving, $0.movingEnd) = ([], nil) }
            end.resolve(.success(()))
        }
        var done: Set<UUID> = []
        let additions = try await begin(batch, &held, &done)
        guard !additions.isEmpty else { return done }
        var results: [UUID: Result<OfflineAppendResult, any Error>] = [:]
        do {
            results = try await move(additions, bounds)
        } catch {
            for addition in additions { results[addition.request.id] = .failure(error) }
        }
        let triedIDs = Set(additions.map(\.request.id))
        let (moved, absence) = try await settle(batch.filter { triedIDs.contains($0.id) }, results, &held)
        // Every other result shows that the database is there.
        if absence == nil { state.withLock { $0.isAway = false } }
        try await removeMoved(moved)
        if let absence { throw absence }
        // If no entry has a result, its lanes wait for a later attempt.
        if moved.isEmpty, done.isEmpty { held.formUnion(additions.map(\.request.lane)) }
        return done.union(moved)
    }

    /// Keeps the entries of a batch from being replaced meanwhile, and reads them.
    private func begin(
        _ batch: [OfflineEntry],
        _ held: inout Set<String>,
        _ done: inout Set<UUID>
    ) async throws -> [OfflineAddition] {
        let stored = try await journal.load(batch.map(\.id))
        var additions: [OfflineAddition] = []
        for entry in batch where !held.contains(entry.lane) {
            guard try await journal.begin(entry.id), let stored = stored[entry.id] else {
                // It was replaced or removed; if that is not safe yet, the others of its lane wait for it.
                let isGone = try await journal.browse(OfflineFilter(ids: [entry.id]), after: nil, limit: 1).isEmpty
                if isGone { done.insert(entry.id) } else { held.insert(entry.lane) }
                continue
            }
            switch stored {
            case .success(let stored):
                let request = stored.request
                additions.append(
                    OfflineAddition(request: request, byteCount: entry.byteCount, identity: request.identity)
                )
            case .failure(let error):
                _ = try await journal.release(entry.id, nil)
                held.insert(entry.lane)
                refuse(entry, error)
            }
        }
        return additions
    }

    /// Reports the results of entries, and releases those that were not moved.
    ///
    /// - Returns: The entries that were moved, and the error because of which no entry can be moved at the moment.
    private func settle(
        _ entries: [OfflineEntry],
        _ results: [UUID: Result<OfflineAppendResult, any Error>],
        _ held: inout Set<String>
    ) async throws -> (moved: Set<UUID>, absence: (any Error)?) {
        var (moved, absence): (Set<UUID>, (any Error)?) = ([], nil)
        for entry in entries {
            switch results[entry.id] {
            case .success(let appended)?:
                moved.insert(entry.id)
                report(appended, of: entry)
            case .failure(let error)?:
                held.insert(entry.lane)
                if let refusal = Self.refusal(error) { refuse(entry, refusal) } else { absence = error }
            case nil: break
            }
            if !moved.contains(entry.id) { _ = try await journal.release(entry.id, nil) }
        }
        return (moved, absence)
    }

    /// Removes entries that were committed in the database, including those whose removal failed before.
    private func removeMoved(_ ids: Set<UUID>) async throws {
        let moved = state.withLock { state in
            state.moved.formUnion(ids)
            return state.moved
        }
        guard !moved.isEmpty else { return }
        let removed = try await journal.remove(Array(moved)).removed
        uncount(removed)
        state.withLock { $0.moved.subtract(moved) }
    }

    // MARK: - Reports

    /// Reports the entries that left because of an entry that was moved.
    private func report(_ appended: OfflineAppendResult, of entry: OfflineEntry) {
        switch appended {
        case .kept(let id):
            if id != entry.id { notify(.left([entry], reason: "The entry \(id) was kept instead.")) }
        case .added(let new, let replaced, let dropped):
            if !replaced.isEmpty { notify(.left(replaced, reason: "It was replaced by \(new.id).")) }
            if !dropped.isEmpty { notify(.left(dropped, reason: "The queue was full.")) }
        }
    }

    /// Returns the reason why an entry alone cannot be moved; `nil` for an error that concerns all entries.
    private static func refusal(_ error: any Error) -> NetKitError? {
        if let error = error as? NetKitError { return error.isAbsence || !error.isTransient ? nil : error }
        if error is CancellationError { return nil }
        return NetKitError(.encoding, "The entry cannot be written for the database: \(error).", cause: error)
    }

    /// Notes that an entry cannot be moved, and reports it the first time.
    private func refuse(_ entry: OfflineEntry, _ error: NetKitError) {
        let problem = NetKitError(
            error.code,
            "The entry \(entry.id) and those after it in the lane \"\(entry.lane)\" stay in the spill folder, because the "
                + "entry cannot be moved to the database. \(error.message) It is tried again until it is moved or removed.",
            outcome: error.outcome,
            cause: error
        )
        let isNew = state.withLock { state in
            defer { state.refusals[entry.id] = problem }
            return state.refusals[entry.id]?.code != problem.code
        }
        if isNew { notify(.problem(problem)) }
    }

    /// Notes an error that concerns all entries.
    private func note(_ error: any Error) -> NetKitError? {
        let error = error as? NetKitError
        // The heartbeat reports that the database is unreachable.
        if error?.isAbsence == true {
            state.withLock { $0.isAway = !$0.counts.isEmpty }
        } else if let error, error.code != .closed {
            notify(.problem(error))
        }
        return error
    }
}

extension NetKitError {
    /// Whether the database did not respond, so that the same call can succeed later.
    var isAbsence: Bool { code == .storeUnavailable || code == .timeout }

    /// Returns the error for an entry whose identifier another request has.
    static func nameTaken(_ id: UUID) -> NetKitError {
        entryExists(id).with(outcome: .answered)
    }
}
