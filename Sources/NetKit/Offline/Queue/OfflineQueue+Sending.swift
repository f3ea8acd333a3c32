import Foundation

// The part of an entry's path that ends with its attempt. Every way out of it either puts the entry back, makes a dead
// letter of it, or marks it as lost.
extension OfflineQueue {
    /// The result of an attempt.
    struct AttemptResult: Sendable {
        /// The date at which the response began to arrive, or the attempt failed.
        let date: Date
        var response: NetKitError.Response?
        var error: (any Error)?

        /// The response of the server, which an error may have as well.
        var serverResponse: NetKitError.Response? {
            if let response { return response }
            guard let error = error as? NetKitError, !error.isOfRefresh else { return nil }
            return error.response
        }

        /// Whether the server may have received the request.
        var mayHaveArrived: Bool {
            guard let error = error as? NetKitError else { return true }
            return error.outcome != .notSent && !error.isOfRefresh
        }

        /// The error of the attempt, if it failed.
        var failure: (any Error)? {
            if let error { return error }
            return response.map {
                NetKitError(.server, "The server responded with \($0.status).", outcome: .answered, response: $0)
            }
        }
    }

    /// An attempt to send an entry, with everything that its outcome depends on.
    ///
    /// It is an object, because it is large and every following step takes it.
    final class EntryAttempt: Sendable {
        let entry: OfflineEntry
        let request: QueuedRequest
        /// The identity of the client's credential; `nil` if it had none or cannot tell.
        let login: CredentialIdentity?
        /// The number of times that the network had returned before the attempt.
        ///
        /// If it returned during the attempt, the entry does not wait for the next time.
        let earlierReturnCount: Int
        /// The number of times that there was a new credential before the attempt.
        let earlierCredentialCount: Int
        let result: AttemptResult

        var response: NetKitError.Response? { result.serverResponse }

        init(
            _ entry: OfflineEntry,
            _ request: QueuedRequest,
            login: CredentialIdentity?,
            earlierReturnCount: Int,
            earlierCredentialCount: Int,
            _ result: AttemptResult
        ) {
            self.entry = entry
            self.request = request
            self.login = login
            self.earlierReturnCount = earlierReturnCount
            self.earlierCredentialCount = earlierCredentialCount
            self.result = result
        }
    }

    /// Sends an entry, and acts on the result.
    func send(_ id: UUID) async {
        guard let entry = scheduler[id]?.entry, let sender = sender.withLock({ $0 }),
            let request = await readRequest(of: entry)
        else { return }
        let identity = scheduler.identity(of: entry)
        let login = login(for: request.request, by: sender)
        if let identity, sender is any IdentityKnowing, login?.continues(identity) != true {
            return await putBackUntilIdentity(entry, request)
        }
        // This login may have come after the entry was chosen, and may have earlier entries.
        compareIdentities()
        guard scheduler.first(of: entry.lane) == id else { return await putBack(entry) }
        if let identity, scheduler.identities.hasHeld {
            let group = IdentityGroup(identity: identity, host: request.host)
            guard !scheduler.hasHeld(before: entry, in: group) else {
                scheduler.separate(id, into: group)
                return await putBack(entry)
            }
        }
        guard await claim(entry) else { return }
        // The store may have taken so long that the queue is being closed, the entry was removed or its lane paused.
        let isPaused = scheduler.isPaused(entry.lane, at: configuration.clock.now)
        guard !Task.isCancelled, work.remains(id), !isPaused else { return await putBack(entry) }
        emit(.started, entry) { $0.endpoint = maskedEndpoint(of: request) }
        // Until an attempt counts, the call from which the entry was captured is the earlier one.
        if request.mayHaveArrived, entry.retryCount == 0, history[id].deferrals == 0 { history[id].noteResponse(nil) }
        let (earlierReturnCount, earlierCredentialCount) = (network.returnCount, pauses.newCredentialCount)
        work.note(id, isOutsideQueue: true)
        let result = await attempt(request, sender, as: identity.map { login ?? $0 })
        work.note(id, isOutsideQueue: false)
        let attempt = EntryAttempt(
            entry,
            request,
            login: login ?? identity,
            earlierReturnCount: earlierReturnCount,
            earlierCredentialCount: earlierCredentialCount,
            result
        )
        let verdict = configuration.policy.verdict(
            on: facts(about: attempt),
            maxServerDelay: configuration.maxServerDelay
        )
        note(attempt, verdict)
        if verdict == .waitsForIdentity { return await putBackUntilIdentity(entry, request) }
        history.endAnnouncement(of: id)
        lastError = verdict == .delivered ? nil : attempt.result.failure
        await act(on: verdict, attempt)
    }

    /// Reads the stored request of an entry.
    ///
    /// The result is `nil` if there is none to send, after the entry was put back or given up.
    private func readRequest(of entry: OfflineEntry) async -> QueuedRequest? {
        do {
            guard let stored = try await store.load([entry.id])[entry.id] else {
                work.markLost(entry.id)
                return nil
            }
            let request = try stored.get().request
            history.note(nil, of: entry.id)
            return request
        } catch is CancellationError where Task.isCancelled {
            // A cancellation says nothing about the store.
            await putBack(entry)
        } catch {
            let error = Self.storeError(error)
            if error.cause is StoredRequestDamage {
                await giveUp(entry, .unreadable, error.message, response: nil)
            } else {
                await putBackUnreadable(entry, error)
            }
        }
        return nil
    }

    /// Claims an entry for an attempt, so that no other entry replaces it, and returns whether it may be sent.
    ///
    /// Otherwise, it was replaced or lost, has expired, or was put back because the store cannot tell.
    private func claim(_ entry: OfflineEntry) async -> Bool {
        // The store need not know of the other attempts: an entry without a key is never replaced, and only its owner
        // sends it.
        if entry.coalescingKey != nil || configuration.overflow.dropsOldest {
            do {
                guard try await store.begin(entry.id) else {
                    await putBackUnlessReplaced(entry)
                    return false
                }
            } catch is CancellationError where Task.isCancelled {
                await putBack(entry)
                return false
            } catch {
                await putBackUnreadable(entry, Self.storeError(error))
                return false
            }
        }
        guard store.owns(entry.shard), !work.isLost(entry.id) else {
            work.markLost(entry.id)
            return false
        }
        // The store may have taken long.
        if let expiry = scheduler[entry.id]?.times.expiry, expiry <= configuration.clock.now {
            await expire(entry.id)
            return false
        }
        return true
    }

    /// Marks an entry that was replaced as lost.
    ///
    /// If it still exists, because the new one could not be written, it is put back.
    private func putBackUnlessReplaced(_ entry: OfflineEntry) async {
        guard store.owns(entry.shard), (try? await store.load([entry.id]))?[entry.id] != nil else {
            return work.markLost(entry.id)
        }
        await putBack(entry, for: .milliseconds(100))
    }

    /// Puts back an entry that cannot be read now, because its key or its disk is unavailable.
    ///
    /// An entry that cannot be decoded waits alone, longer each time. Any other failure is one of the store, and the
    /// queue pauses as well.
    private func putBackUnreadable(_ entry: OfflineEntry, _ error: NetKitError) async {
        let count = history[entry.id].failedReads.addingSaturated(1)
        history[entry.id].failedReads = count
        // The product may be longer than a duration can be.
        let interval = configuration.refreshInterval.clampedNanoseconds
        let wait = Duration.nanoseconds(interval.multipliedSaturated(by: 1 << (min(count, 8) - 1)))
        if error.code == .decoding {
            history.note(error, of: entry.id)
        } else {
            storeState.noteFailedRead(error, at: configuration.clock.now)
        }
        await putBack(entry, for: wait)
        emit(.storeFailed, entry, reason: error.message) {
            $0.error = error
            $0.date = configuration.clock.date.addingTimeInterval(wait.inSeconds)
        }
    }

    /// Makes a dead letter of an expired entry.
    func expire(_ id: UUID) async {
        guard let entry = scheduler[id]?.entry else { return }
        await giveUp(entry, .expired, "It expired before it could be sent.", response: nil)
    }

    /// Sends a request through the client once, and returns what the queue keeps of the result.
    @concurrent
    private nonisolated func attempt(
        _ request: QueuedRequest,
        _ sender: any RequestSending,
        as identity: CredentialIdentity?
    ) async -> AttemptResult {
        var tags = CallTags()
        tags[QueuedReplay.self] = QueuedReplay(id: request.id, attempt: request.retryCount.addingSaturated(1))
        var options = CallOptions(
            timeout: configuration.timeout,
            delivery: .streamed,
            idempotencyKey: request.idempotencyKey.map { .value($0) },
            // A stored response does not say that the server has received the request.
            cachePolicy: .reload,
            tags: tags
        )
        options.requiredIdentity = identity
        options.endsAtLogin = sender is any IdentityKnowing
        // A large body may take as long as the queue allows, if it makes progress.
        options.limitsAttempts = configuration.timeout == nil
        do {
            let response = try await sender.send(request.request, options: options)
            // Before the body, whose time in transit is no difference of clocks.
            let date = configuration.clock.date
            // The status decides, even if the body breaks off.
            let body = try? await response.body.prefix(upTo: configuration.maxResponseBytes)
            let kept = NetKitError.Response(
                status: response.status,
                headers: response.headers,
                body: body?.data ?? Data(),
                isTruncated: body?.isTruncated ?? true
            )
            if response.status.isSuccess, let hop = RedirectHop.departure(of: request.method, in: response.history) {
                return AttemptResult(date: date, error: Self.departed(by: hop, to: kept))
            }
            return AttemptResult(date: date, response: kept)
        } catch {
            return AttemptResult(date: configuration.clock.date, error: error)
        }
    }

    /// Returns the error of an attempt whose response comes from another origin than the one that the request is for.
    private static func departed(by hop: RedirectHop, to response: NetKitError.Response) -> NetKitError {
        // Not the whole URL, because its query may have a secret of that origin.
        let place = Origin(hop.to).map { " (\($0))" } ?? ""
        return NetKitError(
            .redirect,
            "A redirect with the status \(hop.status) led to another origin\(place), such as that of a login page. "
                + "Its response does not say that the request was accepted.",
            outcome: .answered,
            response: response
        )
    }
}
