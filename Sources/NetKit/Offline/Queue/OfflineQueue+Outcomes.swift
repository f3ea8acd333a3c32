import Foundation

// The part of an entry's path that follows its attempt: the verdict, and what the queue does because of it. Conflicts
// are in `OfflineQueue+Conflicts.swift`.
extension OfflineQueue {
    /// Returns everything on which the verdict about an attempt depends.
    func facts(about attempt: EntryAttempt) -> ReplayFacts {
        let (entry, result) = (attempt.entry, attempt.result)
        let record = history[entry.id]
        return ReplayFacts(
            status: result.response?.status,
            headers: result.response?.headers ?? HTTPHeaders(),
            isConditional: attempt.request.sentHeaders.contains("If-Match"),
            mayBeInProgress: record.mayBeInProgress,
            error: result.error,
            retryCount: entry.retryCount,
            maxAttempts: entry.maxAttempts,
            lastingFailure: configuration.maxAttempts.map {
                ($0, failingTime(of: entry.id) >= configuration.minRetryTime)
            },
            deferrals: record.deferrals,
            previousDelay: entry.postponedFor,
            isConnected: network.isConnected && !hasNetworkReturned(since: attempt),
            hasIdentity: scheduler.identity(of: entry) != nil,
            date: configuration.clock.date,
            random: configuration.random.unitInterval
        )
    }

    /// Returns whether the network has returned since an attempt began, so that its entry need not wait for that.
    private func hasNetworkReturned(since attempt: EntryAttempt) -> Bool {
        network.returnCount != attempt.earlierReturnCount
    }

    /// Notes what counts for later attempts of the entry.
    func note(_ attempt: EntryAttempt, _ verdict: ReplayVerdict) {
        let (id, result) = (attempt.entry.id, attempt.result)
        var record = history[id]
        record.failedReads = 0
        record.isBusyResponse = result.serverResponse?.status == .conflict
        if result.mayHaveArrived { record.noteResponse(result.serverResponse?.status) }
        if verdict != .waitsForIdentity, verdict != .unauthorized { record.instantRefusals = 0 }
        history[id] = record
    }

    /// Returns the time since the first failed attempt of an entry.
    private func failingTime(of id: UUID) -> Duration {
        scheduler[id]?.times.failingSince?.duration(to: configuration.clock.now) ?? .zero
    }

    /// Carries out the verdict of an attempt.
    func act(on verdict: ReplayVerdict, _ attempt: EntryAttempt) async {
        let entry = attempt.entry
        // The failure of an attempt whose shard was lost says nothing about the entry, and that of an entry that is to
        // be removed counts no longer.
        guard verdict == .delivered || work.remains(entry.id) else { return }
        switch verdict {
        case .delivered:
            await complete(attempt)
        case .conflict:
            await resolveAfterAttempt(attempt)
        case .deadLetter(let reason, let message):
            await giveUp(entry, reason, message, response: attempt.response)
        case .postponed(let delay, let countsAttempt, let message):
            await postpone(attempt, delay, countsAttempt: countsAttempt, message)
        case .unauthorized:
            await pauseUnauthorized(attempt)
        case .waitsForIdentity:
            await putBackUntilIdentity(entry, attempt.request)
        case .cancelled:
            guard !isClosed else { return await putBack(entry) }
            await postpone(attempt, .seconds(5), countsAttempt: false, "The attempt was cancelled.")
        }
    }

    /// Removes a delivered entry, and reports it.
    private func complete(_ attempt: EntryAttempt) async {
        let (id, key) = (attempt.entry.id, attempt.request.idempotencyKey)
        let isCommitted = await persist(id) { store in
            try await store.commit(id, sentAs: key)
            return true
        }
        guard isCommitted != nil else {
            // The entry is sent once more, under the same key.
            return work.markLost(id)
        }
        forget(id)
        emit(.delivered, attempt.entry) {
            $0.endpoint = maskedEndpoint(of: attempt.request)
            $0.response = attempt.response
        }
    }

    /// Pauses the lane of an entry whose credential was refused, unless it is already paused for longer, or there is a
    /// new credential that was not tried.
    private func pauseUnauthorized(_ attempt: EntryAttempt) async {
        let entry = attempt.entry
        let (pause, lane) = (configuration.unauthorizedPause, entry.lane)
        let end = configuration.clock.now.advanced(by: pause)
        let isPaused = scheduler.pauseEnd(of: lane).map { $0 >= end } ?? false
        let isTriedAgain = takeInstantAttempt(after: attempt)
        if isPaused || isTriedAgain {
            _ = await save(OfflineUpdate(entry), of: entry)
            return
        }
        let refusal = pauses.refuse(lane, under: attempt.login, until: end)
        scheduler.pause(lane, until: end)
        let saved = await save(OfflineUpdate(entry), of: entry)
        // The lane may have been paused or resumed by its user meanwhile.
        guard pauses.isLatest(refusal) else { return }
        // A queue that no longer owns the lane must not hold it up.
        guard saved != nil else {
            pauses.takeBack(refusal)
            return scheduler.resume(lane)
        }
        pauses.makeReady(refusal)
        emit(.lanePaused, entry, reason: "The credential was refused.") {
            $0.date = configuration.clock.date.addingTimeInterval(pause.inSeconds)
            $0.response = attempt.response
        }
        await storePauses()
    }

    /// Returns whether an entry whose credential was refused is tried again at once, with a newer one.
    ///
    /// Each attempt may renew the credential, so the number of immediate attempts is bounded.
    private func takeInstantAttempt(after attempt: EntryAttempt) -> Bool {
        let id = attempt.entry.id
        let isUntried = pauses.newCredentialCount != attempt.earlierCredentialCount && history[id].mayTryAtOnce
        history[id].instantRefusals = isUntried ? history[id].instantRefusals + 1 : 0
        return isUntried
    }

    /// Postpones the entry of an attempt until a delay has passed, and reports it.
    ///
    /// If the attempt does not count, the wait also ends when the network returns, which may already have happened. It
    /// does not if the server is still carrying out an earlier attempt, because the next response would be the same.
    private func postpone(
        _ attempt: EntryAttempt,
        _ delay: Duration,
        countsAttempt: Bool,
        _ message: String
    ) async {
        let entry = attempt.entry
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
        guard var saved = await save(update, of: entry) else { return }
        if mayWaitForNetwork, hasNetworkReturned(since: attempt) {
            scheduler.forgetWait(saved.id)
            saved.notBefore = nil
        }
        emit(.postponed, saved, reason: message) { $0.date = saved.notBefore ?? configuration.clock.date }
    }

    /// Makes a dead letter of an entry.
    func giveUp(
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
        update.detail = OfflineDetail(reason: reason, message: message, date: date, response: storable(response))
        let saved = await save(update, of: entry) { [update] error in
            var plain = update
            let message = "\(message) The response cannot be stored. \(error.message)"
            plain.detail = OfflineDetail(reason: reason, message: message, date: date)
            return plain
        }
        guard let saved else { return }
        emit(reason == .expired ? .expired : .deadLettered, saved, reason: message) { $0.response = response }
        hasNewDeadLetters = true
        wakes.yield()
    }

    /// Returns a response as it is kept: bounded, and without fields that are secret or have a URL with a secret.
    func storable(_ response: NetKitError.Response?) -> NetKitError.Response? {
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
