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

    /// Says what becomes of an entry that waits for a person.
    ///
    /// - Parameters:
    ///   - id: The entry; `requestID` of the conflict.
    ///   - resolution: Whether it is dropped or sent, and as what; `.leaveForPerson` changes nothing.
    /// - Throws: `.invalidRequest` where no such entry waits for a person, and what the store throws.
    public func resolve(_ id: UUID, with resolution: ConflictResolution) async throws {
        guard
            let entry = try await store.browse(OfflineFilter(ids: [id], states: [.conflict]), after: nil, limit: 1)
                .first,
            book[id]?.isSettled ?? true
        else {
            throw NetKitError(.invalidRequest, "No entry \(id) waits for a person.")
        }
        // Nobody else decides meanwhile.
        book.set(id, .busy)
        defer { pump() }
        guard let stored = try? await store.load([id])[id]?.get(), let conflict = stored.detail?.conflict else {
            book.set(id, .aside)
            throw NetKitError(.invalidRequest, "The conflict of the entry \(id) cannot be read; retry or remove it.")
        }
        var fresh = entry
        // A person has looked at it: it may have conflicts again before it is left for one.
        fresh.conflictCount = 0
        fresh.retryCount = 0
        await apply(resolution, to: conflict, fresh, stored.request, response: stored.detail?.response)
    }

    /// Finds out what becomes of an entry for which the server has another version.
    func resolve(
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        _ response: NetKitError.Response?
    ) async {
        var entry = entry
        entry.conflictCount = entry.conflictCount.addingSaturated(1)
        let conflict = conflict(request, response)
        var event = OfflineEvent(.conflict, entry, reason: response.map { "The server answered \($0.status)." })
        event.conflict = conflict
        event.response = response
        var resolution = ConflictResolution.leaveForPerson
        if entry.conflictCount < configuration.maxConflicts {
            let resolver = configuration.conflictResolver
            do {
                resolution = try await resolver.resolve(conflict, strategy: configuration.conflictStrategy)
            } catch {
                // It is no decision: a person makes it, and sees the error.
                event.error = ErrorBoundary.outward(error, outcome: .answered) as? NetKitError
            }
        }
        event.resolution = resolution
        emit(event)
        await apply(resolution, to: conflict, entry, request, response: response, resolverError: event.error)
    }

    private func apply(
        _ resolution: ConflictResolution,
        to conflict: SyncConflict,
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        response: NetKitError.Response?,
        resolverError: NetKitError? = nil
    ) async {
        var update = OfflineUpdate(entry)
        switch resolution.kind {
        case .drop:
            await drop(entry, reason: "The server's version stays.")
        case .send(let data, let etag):
            update.state = .waiting
            let key = configuration.random.uuidText()
            update.request = request.with(data, insteadOf: conflict.localData, etag: etag, key: key, entry)
            _ = await settle(entry, update)
        case .leave:
            update.state = .conflict
            update.status = response?.status
            var message = "The server has another version."
            if let resolverError { message += " The conflict resolver failed: \(resolverError.message)" }
            let date = configuration.clock.date
            update.detail = OfflineDetail(message: message, date: date, response: kept(response), conflict: conflict)
            _ = await settle(entry, update)
        }
    }

    private func conflict(_ request: QueuedRequest, _ response: NetKitError.Response?) -> SyncConflict {
        var conflict = SyncConflict(
            localData: request.body?.bytes,
            serverData: (response?.body).flatMap { $0.isEmpty ? nil : $0 },
            timestamp: request.timestamp,
            endpoint: request.endpoint,
            baseData: request.baseData,
            baseETag: request.baseETag,
            serverETag: response?.headers["ETag"],
            requestID: request.id
        )
        if let response {
            let field = configuration.conflictStrategy.field
            conflict.serverTimestamp = ServerVersionTime(here: configuration.clock.date, field: field).read(response)
        }
        return conflict
    }
}

extension QueuedRequest {
    /// The request with another version to send, and with the server's `ETag` as what it is based on.
    ///
    /// It has a new key: a server that keeps its responses by key would refuse it as it refused the one before.
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
            request.previousIdempotencyKeys = request.previousIdempotencyKeys.suffix(Self.previousKeyLimit)
        }
        request.idempotencyKey = key
        // A body in a file is not among the conflict's data, and stays what it is unless there is another one.
        if data != old { request.body = data.map { .data($0, contentType: body?.contentType) } }
        request.headers.remove("If-Match")
        request.baseETag = etag
        request.retryCount = entry.retryCount
        request.conflictCount = entry.conflictCount
        return request
    }
}

/// The time of the server's version, by the clock of this machine.
struct ServerVersionTime {
    /// The time of day here.
    let here: Date
    /// The field of the server's JSON that says it; `Last-Modified` if there is none.
    let field: String?

    /// Reads the time from a response; `nil` if it states none that can be read.
    ///
    /// The difference between the response's own `Date` and the time here is taken for the difference of the clocks.
    func read(_ response: NetKitError.Response) -> Date? {
        let served = response.headers["Date"].flatMap { HTTPDate.parse($0, now: here) }
        let skew = served.map { here.timeIntervalSince($0) } ?? 0
        // Less than two seconds is the time on the way and the whole seconds of `Date`, not a clock that is wrong.
        return time(response)?.addingTimeInterval(abs(skew) < 2 ? 0 : skew)
    }

    private func time(_ response: NetKitError.Response) -> Date? {
        guard let field else { return response.headers["Last-Modified"].flatMap { HTTPDate.parse($0, now: here) } }
        guard let object = try? JSONSerialization.jsonObject(with: response.body) as? [String: Any] else { return nil }
        switch object[field] {
        case let text as String: return Self.date(text)
        case let number as NSNumber:
            let value = number.doubleValue
            // Seconds of this age have ten digits, milliseconds thirteen.
            return Date(timeIntervalSince1970: value > 100_000_000_000 ? value / 1000 : value)
        default: return nil
        }
    }

    private static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
