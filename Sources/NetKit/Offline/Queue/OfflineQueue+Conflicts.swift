public import Foundation

extension OfflineQueue {
    /// The conflicts that wait for a person, oldest first.
    public var unresolvedConflicts: [SyncConflict] {
        get async {
            var conflicts: [SyncConflict] = []
            let entries = await entries(where: OfflineFilter(states: [.conflict]))
            for (_, stored) in await load(entries) {
                if let conflict = try? stored.get().detail?.conflict { conflicts.append(conflict) }
            }
            return conflicts
        }
    }

    /// Resolves a conflict that waits for a person.
    ///
    /// An entry with a version to send starts again, and no longer expires.
    ///
    /// - Parameters:
    ///   - id: The identifier of the entry, which is the `requestID` of the conflict.
    ///   - resolution: The decision. `.leaveUnresolved` leaves the conflict unresolved.
    /// - Throws: `.invalidRequest` if no such conflict waits for a person or it cannot be read, `.closed` after
    ///   `close`, or an error of the store. Then the conflict stays unresolved. The decision is stored even if the task
    ///   is cancelled.
    public func resolve(_ id: UUID, with resolution: ConflictResolution) async throws {
        guard !isClosed else { throw NetKitError.queueClosed }
        let entry = try await store.browse(OfflineFilter(ids: [id], states: [.conflict]), after: nil, limit: 1).first
        guard !isClosed else { throw NetKitError.queueClosed }
        let item = scheduler[id]
        // The queue knows every entry of a store that is not shared, and may have changed this one since.
        let isConflict = store.isShared || item.map { $0.entry.state == .conflict } ?? true
        guard let entry, isConflict, item?.isBusy != true else { throw Self.withoutConflict(id) }
        if item == nil {
            // It was not listed, so its shard is listed again after the decision.
            scheduler.add(entry, now: configuration.clock.now)
            work.markLost(id)
        }
        let decided = Promise<Void>()
        // No other decision is made meanwhile. The caller's task may be cancelled, but not the queue's own.
        begin(id, as: .deciding) { queue in
            do {
                try await queue.decide(resolution, entry)
                decided.resolve(.success(()))
            } catch {
                decided.resolve(.failure(ErrorBoundary.outward(error, outcome: .notSent)))
            }
        }
        try await decided.value()
    }

    /// Stores the decision of a person; nothing changes if it cannot be stored.
    private func decide(_ resolution: ConflictResolution, _ entry: OfflineEntry) async throws {
        let id = entry.id
        let stored = try await withoutCancellation { try await $0.load([id])[id] }
        guard let stored = try? stored?.get(), let conflict = stored.detail?.conflict else {
            throw NetKitError(.invalidRequest, "The conflict of the entry \(id) cannot be read; retry or remove it.")
        }
        var fresh = entry
        // A person has looked at it, so its counts start again.
        fresh.conflictCount = 0
        fresh.retryCount = 0
        fresh.failingFor = nil
        var request = stored.request
        // Otherwise, the entry could expire at once.
        request.expiresAt = nil
        do {
            guard let update = update(for: resolution, conflict, fresh, request, response: stored.detail?.response)
            else {
                guard try await withoutCancellation({ try await !$0.remove([id]).removed.isEmpty }) else {
                    throw noteDecidedElsewhere(entry)
                }
                storeState.noteWritten()
                forget(id)
                return emit(OfflineEvent(.removed, entry, reason: Self.serverStays))
            }
            let newState = withLaneHold(update, fresh)
            guard try await withoutCancellation({ try await $0.release(id, newState) }) else {
                throw noteDecidedElsewhere(entry)
            }
            storeState.noteWritten()
            apply(update, to: fresh, isReleased: true)
        } catch {
            if (error as? NetKitError)?.isRefusal != true { noteFailedWrite(error) }
            throw error
        }
    }

    /// Notes that another queue has already decided about the entry or removed it, and returns the error to throw.
    private func noteDecidedElsewhere(_ entry: OfflineEntry) -> NetKitError {
        work.markLost(entry.id)
        return Self.withoutConflict(entry.id)
    }

    private static let serverStays = "The server's version was kept."

    private static func withoutConflict(_ id: UUID) -> NetKitError {
        NetKitError(.invalidRequest, "The entry \(id) has no unresolved conflict.")
    }

    /// Resolves the conflict of an entry for which an attempt has found another version on the server.
    func resolveAfterAttempt(_ attempt: EntryAttempt) async {
        let response = attempt.response
        var entry = attempt.entry
        entry.conflictCount = entry.conflictCount.addingSaturated(1)
        let conflict = conflict(attempt.request, response, at: attempt.result.date)
        var event = OfflineEvent(.conflict, entry, reason: response.map { "The server responded with \($0.status)." })
        event.conflict = conflict
        event.response = response
        guard let resolution = await decision(about: conflict, entry, &event) else {
            return await putBack(attempt.entry)
        }
        // After `close` has abandoned a resolver, another queue may have the store.
        guard !isClosed || !work.isLost(entry.id) else { return }
        event.resolution = resolution
        emit(event)
        let problem = event.error.map { "The conflict resolver failed: \($0.message)" }
        let update = update(for: resolution, conflict, entry, attempt.request, response: response, problem: problem)
        guard let update else { return await removeBusy(entry, reason: Self.serverStays) }
        let refusal = Locked<NetKitError?>(nil)
        let saved = await save(update, of: entry) { [entry] error in
            refusal.withLock { $0 = error }
            let problem = "The decision of the conflict resolver cannot be stored: \(error.message)"
            return self.unresolved(OfflineUpdate(entry), conflict, response, problem)
        }
        guard saved != nil, let error = refusal.withLock({ $0 }) else { return }
        (event.error, event.resolution) = (error, .leaveUnresolved)
        emit(event)
    }

    /// Returns the decision of the resolver about a conflict; `nil` if it was cut off before it decided, so that the
    /// next attempt finds the conflict again.
    private func decision(
        about conflict: SyncConflict,
        _ entry: OfflineEntry,
        _ event: inout OfflineEvent
    ) async -> ConflictResolution? {
        guard entry.conflictCount < configuration.maxConflicts else { return .leaveUnresolved }
        let resolver = configuration.conflictResolver
        work.note(entry.id, isOutsideQueue: true)
        defer { work.note(entry.id, isOutsideQueue: false) }
        do {
            return try await resolver.resolve(conflict, strategy: configuration.conflictStrategy)
        } catch is CancellationError where Task.isCancelled {
            return nil
        } catch {
            // An error is not a decision: a person decides, and sees the error.
            event.error = ErrorBoundary.outward(error, outcome: .answered) as? NetKitError
            return .leaveUnresolved
        }
    }

    /// Returns the new state of an entry after a decision; `nil` if the entry is removed.
    private func update(
        for resolution: ConflictResolution,
        _ conflict: SyncConflict,
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        response: NetKitError.Response?,
        problem: String? = nil
    ) -> OfflineUpdate? {
        var update = OfflineUpdate(entry)
        switch resolution.kind {
        case .drop: return nil
        case .send(let data, let etag):
            update.state = .waiting
            let key = configuration.random.uuidText()
            update.request = request.with(data, insteadOf: conflict.localData, etag: etag, key: key, entry)
        case .leave: return unresolved(update, conflict, response, problem)
        }
        return update
    }

    /// Returns the new state of an entry that waits for a person.
    private func unresolved(
        _ update: OfflineUpdate,
        _ conflict: SyncConflict,
        _ response: NetKitError.Response?,
        _ problem: String?
    ) -> OfflineUpdate {
        var update = update
        update.state = .conflict
        update.status = response?.status
        let message = (["The server has another version."] + [problem].compactMap(\.self)).joined(separator: " ")
        let date = configuration.clock.date
        update.detail = OfflineDetail(message: message, date: date, response: storable(response), conflict: conflict)
        return update
    }

    private func conflict(_ request: QueuedRequest, _ response: NetKitError.Response?, at date: Date)
        -> SyncConflict
    {
        // A resolver would take the beginning of a version for all of it.
        let whole = response.flatMap { $0.isTruncated || $0.body.isEmpty ? nil : $0.body }
        var conflict = SyncConflict(
            localData: request.body?.bytes,
            serverData: whole,
            timestamp: request.timestamp,
            endpoint: request.endpoint,
            baseData: request.baseData,
            baseETag: request.sentHeaders["If-Match"],
            serverETag: response?.headers["ETag"],
            requestID: request.id
        )
        if let response {
            let field = configuration.conflictStrategy.field
            conflict.serverTimestamp = ServerVersionTime(receivedAt: date, field: field).read(response)
        }
        return conflict
    }
}

extension QueuedRequest {
    /// Returns the request with another version to send, based on the version of the server's `ETag`.
    ///
    /// It has a new key, because a server that keeps its responses by key would repeat the refusal.
    fileprivate func with(
        _ data: Data?,
        insteadOf old: Data?,
        etag: String?,
        key: String,
        _ entry: OfflineEntry
    ) -> QueuedRequest {
        var request = self
        if let idempotencyKey {
            request.previousIdempotencyKeys.append(idempotencyKey)
            request.previousIdempotencyKeys = request.previousIdempotencyKeys.suffix(Self.maxPreviousKeys)
        }
        (request.idempotencyKey, request.mayHaveArrived) = (key, false)
        // A body in a file is not part of the conflict's data, and stays unless there is a new one.
        if data != old { request.body = data.map { .data($0, contentType: body?.contentType) } }
        request.headers.remove("If-Match")
        request.baseETag = etag
        request.retryCount = entry.retryCount
        request.conflictCount = entry.conflictCount
        return request
    }
}

/// A reader for the time of the server's version, by the clock of this machine.
struct ServerVersionTime {
    /// The date on this machine at which the response began to arrive.
    let receivedAt: Date
    /// The field of the server's JSON that contains the time; `nil` stands for `Last-Modified`.
    let field: String?

    /// Reads the time from a response; `nil` if it states no time that can be read.
    ///
    /// The difference between the response's `Date` and `receivedAt` counts as that of the clocks.
    func read(_ response: NetKitError.Response) -> Date? {
        let served = response.headers["Date"].flatMap { HTTPDate.parse($0, now: receivedAt) }
        let skew = served.map { receivedAt.timeIntervalSince($0) } ?? 0
        // Less than two seconds is the time in transit and the whole seconds of `Date`, not a wrong clock.
        return time(response)?.addingTimeInterval(abs(skew) < 2 ? 0 : skew)
    }

    private func time(_ response: NetKitError.Response) -> Date? {
        guard let field else {
            return response.headers["Last-Modified"].flatMap { HTTPDate.parse($0, now: receivedAt) }
        }
        guard let value = try? JSONValue(parsing: response.body)[field] else { return nil }
        // Foundation reads forms that RFC 3339 does not have, such as the end of a day.
        if let text = value.string { return ISO8601Date.parse(text) ?? (try? Date(text, strategy: .iso8601)) }
        // Present-day times have ten digits in seconds, and thirteen in milliseconds.
        return value.double.map { Date(timeIntervalSince1970: $0 > 100_000_000_000 ? $0 / 1000 : $0) }
    }
}
