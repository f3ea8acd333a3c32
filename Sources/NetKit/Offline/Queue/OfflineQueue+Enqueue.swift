import Foundation

extension OfflineQueue {
    /// What a new entry goes ahead with.
    private enum Admission: Sendable {
        /// An entry with the same key waits already.
        case kept(UUID)
        case admitted(OfflineEntry, replaced: [UUID], dropped: [UUID])
    }

    /// Puts a request into the queue, and returns once it would survive `kill -9` and a power cut.
    ///
    /// - Parameter request: What is sent, and how it is treated until then.
    /// - Returns: Its name, and the key under which the server will see it.
    /// - Throws: `.queueFull` at the bounds, `.file` where the disk refuses, `.invalidRequest` for what could never be sent
    ///   or must not be kept, `.encoding` for a body that cannot be made, `.closed` after `close`. Then nothing was added.
    @concurrent
    @discardableResult
    public nonisolated func enqueue(_ request: QueuedRequest) async throws -> OfflineReceipt {
        try await enqueue(request, madeUnder: HandedOver.identity)
    }

    /// Puts a request into the queue that was made under an identity; `nil` asks the sender.
    @concurrent
    nonisolated func enqueue(
        _ request: QueuedRequest,
        madeUnder identity: RequestIdentity?
    ) async throws -> OfflineReceipt {
        try Task.checkCancellation()
        var request = try settled(request)
        let owner = owner(of: request, madeUnder: identity)
        request.identity = owner.flatMap { $0.isLasting ? $0.name : nil }
        switch try await admit(request, of: owner) {
        case .kept(let id):
            let kept = try await store.load(id)
            return OfflineReceipt(
                id: id,
                idempotencyKey: kept?.request.idempotencyKey ?? "",
                lane: request.lane,
                isCoalesced: true,
                replaced: [],
                identity: request.identity,
                isIdentityLostOnRestart: owner.map { !$0.isLasting } ?? false
            )
        case .admitted(let entry, let replaced, let dropped):
            do {
                try await store.append(entry, request, replacing: replaced + dropped)
            } catch {
                await withdraw(entry, replaced + dropped)
                throw ErrorBoundary.outward(error, outcome: .notSent)
            }
            await confirm(entry, request, replaced, dropped)
            return OfflineReceipt(
                id: entry.id,
                idempotencyKey: request.idempotencyKey ?? "",
                lane: entry.lane,
                isCoalesced: false,
                replaced: replaced,
                identity: request.identity,
                isIdentityLostOnRestart: owner.map { !$0.isLasting } ?? false
            )
        }
    }

    /// The request as it is kept: checked, its body made, its key minted, without what is secret.
    private nonisolated func settled(_ request: QueuedRequest) throws -> QueuedRequest {
        if let problem = request.problem { throw problem }
        var request = request
        if let fragment = request.endpoint.utf8.firstIndex(of: UInt8(ascii: "#")) {
            request.endpoint = String(request.endpoint[..<fragment])
        }
        // A secret stands before an `@` or in the query.
        let mayHaveSecret = request.endpoint.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }
        guard !mayHaveSecret || configuration.redaction.redacted(urlText: request.endpoint) == request.endpoint else {
            throw NetKitError(
                .invalidRequest,
                "The URL has a secret in it, and secrets are not kept. Have the client add it when the request is sent, or "
                    + "say in `configuration.redaction` that it is none."
            )
        }
        if !request.headers.isEmpty {
            request.headers = HTTPHeaders(
                request.headers.fields.filter { !configuration.redaction.isSensitive(header: $0.name) }
            )
            if let field = request.headers.fields.first(where: { configuration.redaction.hasSecretURL($0) }) {
                throw NetKitError(
                    .invalidRequest,
                    "The URL in \(field.name) has a secret in it, and secrets are not kept. Have the client add the field when "
                        + "the request is sent, or say in `configuration.redaction` that it is none."
                )
            }
            for name in ["Idempotency-Key", "Content-Length"] { request.headers.remove(name) }
        }
        let coder = sender.withLock { $0 }?.payloadSettings.json ?? .standard
        request.body = try request.body?.prepared(json: coder)
        if let body = request.body, body.bytes == nil, body.fileRange == nil { throw QueuedRequest.notKeepable }
        try RequestValidation.validate(request.method, request.sentHeaders, request.body)
        request.idempotencyKey = request.idempotencyKey ?? configuration.random.uuidText()
        if !request.isStamped { request.timestamp = configuration.clock.date }
        return request
    }

    /// Finds room and a place for an entry; from here on nothing of its lane overtakes it.
    private func admit(_ request: QueuedRequest, of owner: EntryOwner?) async throws -> Admission {
        if needsReload { try await reload() }
        guard !isClosed else { throw NetKitError(.closed, "The queue was closed.") }
        guard book[request.id] == nil else {
            throw NetKitError(.invalidRequest, "There is an entry \(request.id) already; give each its own name.")
        }
        var replaced: [UUID] = []
        if let key = request.coalescingKey, request.coalescing != .append {
            let waiting = book.waiting(lane: request.lane, key: key, of: owner)
            if request.coalescing == .keep, let last = waiting.last { return .kept(last) }
            replaced = waiting
        }
        let size = request.storedSize
        let dropped = try makeRoom(for: size, of: owner, replacing: replaced)
        let entry = OfflineEntry(request, position: book.takePosition(), byteCount: size)
        book.add(entry, .arriving, of: owner)
        // What is about to leave is not sent meanwhile.
        for id in replaced + dropped { book.set(id, .busy) }
        return .admitted(entry, replaced: replaced, dropped: dropped)
    }

    /// Finds the entries that make room: of the same owner, so that no identity pushes out what another one made.
    private func makeRoom(for size: Int, of owner: EntryOwner?, replacing replaced: [UUID]) throws -> [UUID] {
        var count = book.count + 1 - replaced.count
        var bytes = book.byteCount + size - replaced.reduce(0) { $0 + (book[$1]?.entry.byteCount ?? 0) }
        var dropped: [UUID] = []
        var leaving = Set(replaced)
        while count > configuration.maxCount || bytes > configuration.maxBytes {
            guard configuration.overflow.dropsOldest, let oldest = book.oldestWaiting(of: owner, without: leaving)
            else {
                throw NetKitError(
                    .queueFull,
                    "The queue is full: \(book.count) entries with \(book.byteCount) bytes. Let it drain, remove dead "
                        + "letters, or raise `maxCount` or `maxBytes`."
                )
            }
            leaving.insert(oldest.id)
            dropped.append(oldest.id)
            count -= 1
            bytes -= oldest.byteCount
        }
        return dropped
    }

    private func withdraw(_ entry: OfflineEntry, _ replaced: [UUID]) {
        book.remove(entry.id)
        for id in replaced { book.set(id, .waiting) }
        pump()
    }

    private func confirm(
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        _ replaced: [UUID],
        _ dropped: [UUID]
    ) async {
        for id in replaced + dropped {
            var event = OfflineEvent(.dropped, book[id]?.entry)
            event.reason = dropped.contains(id) ? "The queue was full." : "It was replaced by \(entry.id)."
            book.remove(id)
            emit(event)
        }
        // What was cleared while it arrived is not sent first.
        let isToBeRemoved = pendingRemovals.contains(entry.id)
        book.set(entry.id, isToBeRemoved ? .aside : .waiting)
        if broadcast.listenerCount > 0 || listeningHub != nil {
            var event = OfflineEvent(.enqueued, entry)
            event.endpoint = configuration.redaction.redacted(urlText: request.endpoint)
            emit(event)
        }
        if !identityRetries.isEmpty { identityRetries.removeAll() }
        if isToBeRemoved { try? await remove(entry.id) }
        pump()
    }
}

extension QueuedRequest {
    /// About how much room it takes.
    fileprivate var storedSize: Int {
        var size = endpoint.utf8.count + (baseData?.count ?? 0) + Int(clamping: body?.length ?? 0)
        for field in headers.fields { size += field.name.utf8.count + field.value.utf8.count }
        return size
    }
}
