import Foundation

extension OfflineQueue {
    /// The result of an attempt.
    private struct Attempted: Sendable {
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

    /// Sends an entry, and acts on the result.
    func send(_ id: UUID) async {
        guard let entry = scheduler[id]?.entry, let sender = sender.withLock({ $0 }),
            let request = await stored(entry)
        else { return }
        let owner = scheduler.owners.owner(of: entry)
        if let owner, !isSendable(request.request, as: owner, by: sender) {
            return await waitForIdentity(entry, request)
        }
        guard await mayBegin(entry) else { return }
        // The store may have taken so long that the queue is being closed.
        guard !Task.isCancelled else { return await putBack(entry) }
        emit(.started, entry) { $0.endpoint = configuration.redaction.redacted(urlText: request.endpoint) }
        let earlier = waitEnds
        work.note(id, isOutsideQueue: true)
        let attempted = await attempt(request, sender, as: owner)
        work.note(id, isOutsideQueue: false)
        let verdict = verdict(on: attempted, entry, request, hasIdentity: owner != nil, since: earlier)
        if verdict == .waitsForIdentity { return await waitForIdentity(entry, request) }
        history.endAnnouncement(of: id)
        lastError = verdict == .delivered ? nil : attempted.failure
        await act(on: verdict, entry, request, attempted.serverResponse, at: attempted.date, since: earlier)
    }

    /// Reads the stored request of an entry.
    ///
    /// The result is `nil` if there is none to send, after the entry was put back or given up.
    private func stored(_ entry: OfflineEntry) async -> QueuedRequest? {
        do {
            guard let stored = try await store.load([entry.id])[entry.id] else {
                work.markLost(entry.id)
                return nil
            }
            let request = try stored.get().request
            history.note(nil, of: entry.id)
            return request
        } catch is CancellationError where Task.isCancelled {
            // That says nothing about the store.
            await putBack(entry)
        } catch {
            let error = Self.storeError(error)
            if error.cause is KeptFileDamage {
                await bury(entry, .unreadable, error.message, response: nil)
            } else {
                await waitForStore(entry, error)
            }
        }
        return nil
    }

    /// Decides about the result of an attempt, and notes it; `earlier` are the events that had ended waits before it
    /// began.
    private func verdict(
        on attempted: Attempted,
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        hasIdentity: Bool,
        since earlier: WaitEnds
    ) -> ReplayVerdict {
        var record = history[entry.id]
        record.failedReads = 0
        record.isBusyResponse = attempted.serverResponse?.status == .conflict
        let facts = ReplayFacts(
            status: attempted.response?.status,
            headers: attempted.response?.headers ?? HTTPHeaders(),
            isConditional: request.sentHeaders.contains("If-Match"),
            mayBeInProgress: record.mayBeInProgress,
            error: attempted.error,
            retryCount: entry.retryCount,
            maxAttempts: entry.maxAttempts,
            lastingFailure: configuration.maxAttempts.map {
                ($0, failingTime(of: entry.id) >= configuration.minRetryTime)
            },
            deferrals: record.deferrals,
            previousDelay: entry.postponedFor,
            isConnected: network.isConnected && waitEnds.networkReturns == earlier.networkReturns,
            hasIdentity: hasIdentity,
            date: configuration.clock.date,
            random: configuration.random.unitInterval
        )
        let verdict = configuration.policy.verdict(on: facts, maxServerDelay: configuration.maxServerDelay)
        if attempted.mayHaveArrived { record.noteResponse(attempted.serverResponse?.status) }
        if verdict != .waitsForIdentity, verdict != .unauthorized { record.instantRefusals = 0 }
        history[entry.id] = record
        return verdict
    }

    /// Returns the time since the first failed attempt of an entry.
    private func failingTime(of id: UUID) -> Duration {
        scheduler[id]?.times.failingSince?.duration(to: configuration.clock.now) ?? .zero
    }

    /// Returns whether an entry may be sent: it was not replaced, this queue still owns it, and it has not expired.
    private func mayBegin(_ entry: OfflineEntry) async -> Bool {
        // The other entries need no note: an entry without a key is never replaced, and only its owner sends it.
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
                await waitForStore(entry, Self.storeError(error))
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

    /// Loses an entry that was replaced, or puts it back if it still exists because a new one could not be written.
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
    private func waitForStore(_ entry: OfflineEntry, _ error: NetKitError) async {
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
        await bury(entry, .expired, "It expired before it could be sent.", response: nil)
    }

    @concurrent
    private nonisolated func attempt(
        _ request: QueuedRequest,
        _ sender: any RequestSending,
        as owner: EntryOwner?
    ) async -> Attempted {
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
        options.requiredIdentity = owner?.identity
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
                return Attempted(date: date, error: Self.departed(by: hop, to: kept))
            }
            return Attempted(date: date, response: kept)
        } catch {
            return Attempted(date: configuration.clock.date, error: error)
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

    /// Acts on the verdict of an attempt, whose response arrived at a date; `earlier` are the events that had ended
    /// waits before it began.
    private func act(
        on verdict: ReplayVerdict,
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        _ response: NetKitError.Response?,
        at date: Date,
        since earlier: WaitEnds
    ) async {
        // The failure of an attempt whose shard was lost says nothing about the entry.
        if work.isLost(entry.id), verdict != .delivered { return work.markLost(entry.id) }
        switch verdict {
        case .delivered:
            let key = request.idempotencyKey
            let isCommitted: Void? = await persist(entry.id) { try await $0.commit(entry.id, sentAs: key) }
            guard isCommitted != nil else {
                // The entry is sent once more, under the same key.
                return work.markLost(entry.id)
            }
            forget(entry.id)
            emit(.delivered, entry) {
                $0.endpoint = configuration.redaction.redacted(urlText: request.endpoint)
                $0.response = response
            }
        case .conflict:
            await resolveAfterAttempt(entry, request, response, at: date)
        case .deadLetter(let reason, let message):
            await bury(entry, reason, message, response: response)
        case .postponed(let delay, let countsAttempt, let message):
            await postpone(entry, delay, countsAttempt: countsAttempt, message, since: earlier)
        case .unauthorized:
            await pauseUnauthorized(entry, response, since: earlier)
        case .waitsForIdentity:
            await waitForIdentity(entry, request)
        case .calledOff:
            guard !isClosed else { return await putBack(entry) }
            let message = "The attempt was cancelled."
            await postpone(entry, .seconds(5), countsAttempt: false, message, since: earlier)
        }
    }

    /// Pauses the lane of an entry whose credential was refused, unless it is already paused for longer, or there is a
    /// new credential that was not tried.
    ///
    /// Each attempt may renew the credential, so the number of immediate attempts is bounded.
    private func pauseUnauthorized(
        _ entry: OfflineEntry,
        _ response: NetKitError.Response?,
        since earlier: WaitEnds
    ) async {
        let (pause, lane) = (configuration.unauthorizedPause, entry.lane)
        let end = configuration.clock.now.advanced(by: pause)
        let isPaused = scheduler.pauseEnd(of: lane).map { $0 >= end } ?? false
        let isUntried = waitEnds.newCredentials != earlier.newCredentials && history[entry.id].mayTryAtOnce
        history[entry.id].instantRefusals = isUntried ? history[entry.id].instantRefusals + 1 : 0
        if isPaused || isUntried {
            _ = await settle(entry, OfflineUpdate(entry))
            return
        }
        let refusal = pauses.refuse(lane, under: scheduler.owners.owner(of: entry), until: end)
        scheduler.pause(lane, until: end)
        let settled = await settle(entry, OfflineUpdate(entry))
        // The lane may have been paused or resumed by its user meanwhile.
        guard pauses.isLatest(refusal) else { return }
        // A queue that no longer owns the lane must not hold it up.
        guard settled != nil else {
            pauses.takeBack(refusal)
            return scheduler.resume(lane)
        }
        pauses.makeReady(refusal)
        emit(.lanePaused, entry, reason: "The credential was refused.") {
            $0.date = configuration.clock.date.addingTimeInterval(pause.inSeconds)
            $0.response = response
        }
        await storePauses()
    }

    /// Postpones an entry until a delay has passed.
    ///
    /// If the attempt does not count, the wait also ends when the network returns, which may already have happened. It
    /// does not if the server is still carrying out an earlier attempt, because the next response would be the same.
    private func postpone(
        _ entry: OfflineEntry,
        _ delay: Duration,
        countsAttempt: Bool,
        _ message: String,
        since earlier: WaitEnds
    ) async {
        var update = OfflineUpdate(entry)
        if countsAttempt {
            history[entry.id].deferrals = 0
            update.retryCount = update.retryCount.addingSaturated(1)
            update.failingFor = failingTime(of: entry.id)
        } else {
            history[entry.id].deferrals += 1
        }
        update.wait = delay
        let mayWaitForNetwork = history[entry.id].mayWaitForNetwork
        guard var settled = await settle(entry, update) else { return }
        if mayWaitForNetwork, waitEnds.networkReturns != earlier.networkReturns {
            scheduler.forgetWait(entry.id)
            settled.notBefore = nil
        }
        emit(.postponed, settled, reason: message) { $0.date = settled.notBefore ?? configuration.clock.date }
    }

    /// Makes a dead letter of an entry.
    func bury(
        _ entry: OfflineEntry,
        _ reason: DeadLetterReason,
        _ message: String,
        response: NetKitError.Response?
    ) async {
        var update = OfflineUpdate(entry)
        update.state = .deadLetter
        update.status = response?.status
        if reason == .attemptsUsedUp { update.retryCount = update.retryCount.addingSaturated(1) }
        let date = configuration.clock.date
        update.detail = OfflineDetail(reason: reason, message: message, date: date, response: kept(response))
        let settled = await settle(entry, update) { [update] error in
            var plain = update
            let message = "\(message) The response cannot be stored. \(error.message)"
            plain.detail = OfflineDetail(reason: reason, message: message, date: date)
            return plain
        }
        guard let settled else { return }
        emit(reason == .expired ? .expired : .deadLettered, settled, reason: message) { $0.response = response }
        hasNewDeadLetters = true
        wakes.yield()
    }

    /// Returns a response as it is kept: bounded, and without fields that are secret or have a URL with a secret.
    func kept(_ response: NetKitError.Response?) -> NetKitError.Response? {
        guard let response else { return nil }
        let (limit, redactions) = (max(0, configuration.maxResponseBytes), redactions)
        let fields = response.headers.withoutSecrets(of: redactions).fields.filter { field in
            !redactions.contains { $0.hasSecretURL(field) }
        }
        return NetKitError.Response(
            status: response.status,
            headers: HTTPHeaders(fields),
            body: response.body.prefix(limit),
            isTruncated: response.isTruncated || response.body.count > limit
        )
    }
}
