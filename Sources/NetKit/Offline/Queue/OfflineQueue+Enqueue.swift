import Foundation

extension OfflineQueue {
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
        if store.isShared, owner?.isLasting == false { throw Self.namelessIdentity }
        let addition = OfflineAddition(request: request, byteCount: request.storedSize, owner: owner?.name)
        let id: UUID
        var replaced: [UUID] = []
        switch try await add(addition, of: owner) {
        case .kept(let kept):
            id = kept
            request.idempotencyKey = try? await store.load([kept])[kept]?.get().request.idempotencyKey
        case .added(let entry, let others, _):
            id = entry.id
            replaced = others.map(\.id)
        }
        return OfflineReceipt(
            id: id,
            idempotencyKey: request.idempotencyKey ?? "",
            lane: request.lane,
            isCoalesced: id != request.id,
            replaced: replaced,
            identity: request.identity,
            isIdentityLostOnRestart: owner.map { !$0.isLasting } ?? false
        )
    }

    private static let namelessIdentity = NetKitError(
        .invalidRequest,
        "The store is shared, and the login of this request has no name that other processes know. Name the identity with the "
            + "parameter `identity:` of TokenStore or AuthInterceptor."
    )

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

    /// Adds an entry to the store and the book.
    private func add(_ addition: OfflineAddition, of owner: EntryOwner?) async throws -> OfflineAppended {
        guard !isClosed else { throw NetKitError(.closed, "The queue was closed.") }
        let bounds = OfflineBounds(
            maxEntries: configuration.maxEntries,
            maxBytes: configuration.maxBytes,
            maxDeadLetters: configuration.deadLetters.overflow.dropsOldest ? nil : configuration.deadLetters.maxEntries,
            dropsOldest: configuration.overflow.dropsOldest
        )
        let appended: OfflineAppended
        do {
            appended = try await store.append(addition, within: bounds)
        } catch {
            let error = ErrorBoundary.outward(error, outcome: .notSent)
            // Its disk refuses, whatever the entry is.
            if let error = error as? NetKitError, error.code == .file { noteStore(error) }
            throw error
        }
        writeProblem = nil
        if readProblem != nil {
            // It is likely to be over.
            isAllStale = true
            wakes.yield()
        }
        if case .added(let entry, let replaced, let dropped) = appended {
            take(entry, addition.request, of: owner, replaced, dropped)
        }
        return appended
    }

    private func take(
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        of owner: EntryOwner?,
        _ replaced: [OfflineEntry],
        _ dropped: [OfflineEntry]
    ) {
        for other in replaced { leave(other, reason: "It was replaced by \(entry.id).") }
        for other in dropped { leave(other, reason: "The queue was full.") }
        // Of a store that is shared others may have added something in front of it: the store tells.
        if !store.isShared {
            let clock = configuration.clock
            book.add(entry, timeLeft: OfflineLine(entry, at: clock.date).timeLeft, of: owner, now: clock.now)
        }
        if broadcast.listenerCount > 0 || listeningHub != nil {
            var event = OfflineEvent(.enqueued, entry)
            event.endpoint = configuration.redaction.redacted(urlText: request.endpoint)
            emit(event)
        }
        if !identityRetries.isEmpty { identityRetries.removeAll() }
        pump()
    }

    /// Forgets an entry that left for another one.
    private func leave(_ entry: OfflineEntry, reason: String) {
        // Of one that is being looked at the attempt hears that it is gone.
        if book[entry.id]?.isSettled == true { forget(entry.id) }
        emit(OfflineEvent(.dropped, entry, reason: reason))
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
