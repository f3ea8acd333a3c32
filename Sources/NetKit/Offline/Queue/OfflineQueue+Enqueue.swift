import Foundation

extension OfflineQueue {
    /// Puts a request into the queue, and returns once it would survive `kill -9` and a power cut.
    ///
    /// - Parameter request: The request, with the rules for its entry.
    /// - Returns: The receipt, with the entry's identifier and the key under which the server will see the request.
    /// - Throws: `.queueFull` at the bounds, `.file` if a file cannot be written or read, `.invalidRequest` for a
    ///   request that can never be sent or must not be kept, or whose identifier another entry has, `.encoding` for a
    ///   body that cannot be encoded, `.queueLocked` if another queue has taken the folder, `.closed` after `close`, or
    ///   `CancellationError`. A shared store throws `.storeUnavailable` or `.timeout` if it cannot be reached. Nothing
    ///   was added, except perhaps to a shared store after a cancellation or an error with the outcome `.unknown`. The
    ///   same request can then be added again under its identifier.
    @concurrent
    @discardableResult
    public nonisolated func enqueue(_ request: QueuedRequest) async throws -> OfflineReceipt {
        try await enqueue(request, madeUnder: nil)
    }

    /// Puts a request that was made under an identity into the queue; `nil` asks the sender for the identity.
    ///
    /// `redaction` has the rules of the client whose call is captured, which can differ from the sender.
    @concurrent
    nonisolated func enqueue(
        _ request: QueuedRequest,
        madeUnder identity: RequestIdentity?,
        redaction: Redaction? = nil
    ) async throws -> OfflineReceipt {
        try Task.checkCancellation()
        let coder = sender.withLock { $0 }?.payloadSettings.json ?? .standard
        var request = try request.prepared(
            redactions: redactions + [redaction].compactMap(\.self),
            random: configuration.random,
            clock: configuration.clock,
            preparingBody: { try $0.prepared(json: coder) }
        )
        let required = requiredIdentity(of: request, madeUnder: identity)
        request.identity = required.flatMap { $0.isLasting ? $0.name : nil }
        if store.isShared, required?.isLasting == false { throw Self.namelessIdentity }
        let addition = OfflineAddition(request: request, byteCount: request.storedSize, identity: required?.name)
        let id: UUID
        var replaced: [UUID] = []
        switch try await add(addition, under: required) {
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
            isIdentityLostOnRestart: required.map { !$0.isLasting } ?? false
        )
    }

    /// The rules for sensitive values, which are not kept: those of the queue, and those of its sender.
    nonisolated var redactions: [Redaction] {
        let knowing = sender.withLock { $0 } as? any IdentityKnowing
        return [configuration.redaction] + [knowing?.redaction].compactMap(\.self)
    }

    /// Returns the target of a request for an event, with sensitive parts masked.
    nonisolated func maskedEndpoint(of request: QueuedRequest) -> String {
        redactions.reduce(request.endpoint) { $1.redacted(urlText: $0) }
    }

    private static let namelessIdentity = NetKitError(
        .invalidRequest,
        "The store is shared, and the login of this request has no name that other processes know. Name the identity with the "
            + "parameter `identity:` of TokenStore or AuthInterceptor."
    )

    /// Adds an entry to the store and the scheduler.
    private func add(_ addition: OfflineAddition, under identity: CredentialIdentity?) async throws
        -> OfflineAppendResult
    {
        guard !isClosed else { throw NetKitError.queueClosed }
        // An entry that the store has removed might still be in the queue.
        let id = addition.request.id
        let isFree = store.isShared || scheduler[id] == nil && !work.isBeingAdded(id)
        guard isFree else { throw NetKitError.entryExists(id) }
        work.beginAdding(addition.request)
        work.beginCall()
        defer {
            work.endAdding(id)
            work.endCall()
        }
        let bounds = OfflineBounds(
            maxEntries: configuration.maxEntries,
            maxBytes: configuration.maxBytes,
            maxDeadLetters: configuration.deadLetters.overflow.dropsOldest ? nil : configuration.deadLetters.maxEntries,
            dropsOldest: configuration.overflow.dropsOldest
        )
        let appended: OfflineAppendResult
        do {
            appended = try await store.append(addition, within: bounds)
        } catch {
            let error = ErrorBoundary.outward(error, outcome: .notSent)
            // The error is assumed to be a disk error, which concerns every entry.
            if let error = error as? NetKitError, error.code == .file { noteFailedWrite(error) }
            throw error
        }
        storeState.noteWritten()
        if storeState.readProblem != nil {
            // The read problem is probably over as well.
            storeState.lookAgain()
            wakes.yield()
        }
        if case .added(let entry, let replaced, let dropped) = appended {
            schedule(entry, under: identity, replaced, dropped)
        }
        return appended
    }

    /// Adds an entry of the store to the scheduler, unless it has already left again, and removes those that left
    /// because of it.
    private func schedule(
        _ entry: OfflineEntry,
        under identity: CredentialIdentity?,
        _ replaced: [OfflineEntry],
        _ dropped: [OfflineEntry]
    ) {
        for other in replaced { noteDropped(other, reason: "It was replaced by \(entry.id).") }
        for other in dropped { noteDropped(other, reason: "The queue was full.") }
        reportAddition(of: entry)
        // Other queues of a shared store may have added entries before this one, so the store reports it.
        if !store.isShared, !work.hasLeft(entry.id) {
            let clock = configuration.clock
            scheduler.add(
                entry,
                timeLeft: OfflineListedEntry(entry, at: clock.date).timeLeft,
                under: identity,
                now: clock.now
            )
        }
        scheduler.endRefusals()
        beginDueEntries()
    }
}

extension QueuedRequest {
    /// The approximate size of the stored request in bytes.
    fileprivate var storedSize: Int {
        // A file may have any length without using its disk.
        let bodySize = Int(min(body?.length ?? 0, Int64(OfflineEntry.maxByteCount)))
        var size = endpoint.utf8.count + (baseData?.count ?? 0) + bodySize
        for field in headers.fields { size += field.name.utf8.count + field.value.utf8.count }
        return size
    }
}
