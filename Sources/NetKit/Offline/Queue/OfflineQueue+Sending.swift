import Foundation

extension OfflineQueue {
    /// How an attempt ended.
    private struct Attempted: Sendable {
        var answer: NetKitError.Answer?
        var error: (any Error)?

        /// What it failed with, where it did.
        var failure: (any Error)? {
            if let error { return error }
            return answer.map {
                NetKitError(.server, "The server answered \($0.status).", outcome: .answered, answer: $0)
            }
        }
    }

    /// Sends an entry and does what follows from how that ended.
    func send(_ id: UUID) async {
        let clock = configuration.clock
        guard let entry = book[id]?.entry, let sender = sender.withLock({ $0 }), let lease = await lease(entry) else {
            return
        }
        let kept: KeptRequest?
        do {
            kept = try await store.load(id)
        } catch {
            let error = ErrorBoundary.outward(error, outcome: .notSent) as? NetKitError
            guard let error, error.cause is KeptFileDamage else { return await waitForStore(lease, entry, error) }
            return await bury(lease, entry, .unreadable, error.message, answer: nil)
        }
        guard let request = kept?.request else { return book.remove(id) }
        let owner = book.owners.owner(of: entry)
        if let owner {
            guard isSendable(request.request, as: owner, by: sender) else {
                return await waitForIdentity(lease, entry, request)
            }
        }
        var started = OfflineEvent(.started, entry)
        started.endpoint = configuration.redaction.redacted(urlText: request.endpoint)
        emit(started)
        let renewal = keepLeased(lease)
        let attempted = await attempt(request, sender, as: owner)
        renewal?.cancel()
        let facts = ReplayFacts(
            status: attempted.answer?.status,
            headers: attempted.answer?.headers ?? HTTPHeaders(),
            error: attempted.error,
            retryCount: entry.retryCount,
            maxAttempts: entry.maxAttempts,
            lastingFailure: configuration.maxAttempts.map { ($0, hasFailedForLong(entry)) },
            deferrals: deferrals[id] ?? 0,
            isConnected: isConnected,
            date: clock.date,
            random: configuration.random.unitInterval()
        )
        let verdict = configuration.policy.verdict(on: facts, mostServerDelay: configuration.maxServerDelay)
        if verdict == .waitsForIdentity { return await waitForIdentity(lease, entry, request) }
        if !announced.isEmpty { announced.remove(id) }
        lastError = verdict == .delivered ? nil : attempted.failure
        let answer = attempted.answer ?? (attempted.error as? NetKitError)?.answer
        await act(on: verdict, lease, entry, request, answer)
    }

    private func hasFailedForLong(_ entry: OfflineEntry) -> Bool {
        guard let first = entry.firstFailure else { return false }
        return configuration.clock.date.timeIntervalSince(first) >= configuration.minRetryTime.inSeconds
    }

    /// Gives an entry back that cannot be read now, because its key or its disk is away.
    ///
    /// That says nothing about the entry. The queue pauses and asks again, later each time, so that one entry that can never be
    /// read does not hold up all others.
    private func waitForStore(_ lease: OfflineLease, _ entry: OfflineEntry, _ error: NetKitError?) async {
        await putBack(lease)
        deferrals[entry.id, default: 0] += 1
        let count = min(deferrals[entry.id] ?? 1, 8)
        var later = entry
        let wait = configuration.refreshInterval.inSeconds * Double(1 << (count - 1))
        later.notBefore = configuration.clock.date.addingTimeInterval(wait)
        storeProblem = error
        book.set(entry.id, .waiting, later)
        var event = OfflineEvent(.storeFailed, entry, reason: error?.message)
        event.error = error
        event.date = later.notBefore
        emit(event)
        if pendingRemovals.contains(entry.id) { try? await remove(entry.id) }
    }

    /// Ends a lease; nothing about the entry changes or is written.
    func putBack(_ lease: OfflineLease) async {
        let now = configuration.clock.date
        do { _ = try await store.renew(lease, now: now, until: now) } catch { noteStore(error) }
    }

    /// The end of an entry whose time is over.
    func expire(_ id: UUID) async {
        guard let entry = book[id]?.entry, let lease = await lease(entry) else { return }
        await bury(lease, entry, .expired, "Its time was over before it could be sent.", answer: nil)
    }

    private func lease(_ entry: OfflineEntry) async -> OfflineLease? {
        let now = configuration.clock.date
        let until = now.addingTimeInterval(configuration.leaseDuration.inSeconds)
        do {
            if let lease = try await store.lease(entry.id, now: now, until: until) { return lease }
        } catch {
            noteStore(error)
        }
        // Somebody else has it, or it is gone; the next listing tells.
        var later = entry
        later.notBefore = now.addingTimeInterval(configuration.refreshInterval.inSeconds)
        book.set(entry.id, .waiting, later)
        return nil
    }

    /// Where others could take the entry, its lease is renewed for as long as the attempt takes.
    private func keepLeased(_ lease: OfflineLease) -> Task<Void, any Error>? {
        guard store.isShared else { return nil }
        let (clock, store, duration) = (configuration.clock, store, configuration.leaseDuration)
        return startImmediately {
            var held = lease
            while true {
                try await clock.waitForAlarm(at: clock.now.advanced(by: duration / 2))
                let until = clock.date.addingTimeInterval(duration.inSeconds)
                guard let renewed = try await store.renew(held, now: clock.date, until: until) else { return }
                held = renewed
            }
        }
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
            tags: tags
        )
        options.requiredIdentity = owner?.identity
        do {
            let response = try await sender.send(request.request, options: options)
            // The status decides; a body that breaks off changes nothing.
            let body = try? await response.body.prefix(upTo: configuration.answerLimit)
            let answer = NetKitError.Answer(
                status: response.status,
                headers: response.headers,
                body: body?.data ?? Data(),
                isTruncated: body?.isTruncated ?? true
            )
            return Attempted(answer: answer)
        } catch {
            return Attempted(error: error)
        }
    }

    private func act(
        on verdict: ReplayVerdict,
        _ lease: OfflineLease,
        _ entry: OfflineEntry,
        _ request: QueuedRequest,
        _ answer: NetKitError.Answer?
    ) async {
        switch verdict {
        case .delivered:
            await finish(lease)
            var event = OfflineEvent(.delivered, entry)
            event.endpoint = configuration.redaction.redacted(urlText: request.endpoint)
            event.answer = answer
            emit(event)
        case .conflict:
            await resolve(lease, entry, request, answer)
        case .deadLetter(let reason, let message):
            await bury(lease, entry, reason, message, answer: answer)
        case .postponed(let delay, let countsAttempt, let message):
            if countsAttempt { deferrals[entry.id] = nil } else { deferrals[entry.id, default: 0] += 1 }
            await postpone(lease, entry, delay, countsAttempt: countsAttempt, message)
        case .unauthorized:
            let until = configuration.clock.date.addingTimeInterval(configuration.unauthorizedPause.inSeconds)
            unauthorizedLanes.updateValue(book.owners.owner(of: entry), forKey: entry.lane)
            book.pause(entry.lane, until: until)
            await giveBack(lease, entry, OfflineUpdate(entry))
            var event = OfflineEvent(.lanePaused, entry, reason: "The credential was refused.")
            event.date = until
            event.answer = answer
            emit(event)
        case .waitsForIdentity:
            await waitForIdentity(lease, entry, request)
        case .calledOff:
            guard !isClosed else { return await giveBack(lease, entry, OfflineUpdate(entry)) }
            deferrals[entry.id, default: 0] += 1
            await postpone(lease, entry, .seconds(5), countsAttempt: false, "The attempt was called off.")
        }
    }

    private func postpone(
        _ lease: OfflineLease,
        _ entry: OfflineEntry,
        _ delay: Duration,
        countsAttempt: Bool,
        _ message: String
    ) async {
        var update = OfflineUpdate(entry)
        if countsAttempt {
            update.retryCount = update.retryCount.addingSaturated(1)
            update.firstFailure = update.firstFailure ?? configuration.clock.date
        }
        update.notBefore = configuration.clock.date.addingTimeInterval(delay.inSeconds)
        await giveBack(lease, entry, update)
        var event = OfflineEvent(.postponed, entry.updated(by: update), reason: message)
        event.date = update.notBefore
        emit(event)
    }

    /// Makes a dead letter of an entry.
    func bury(
        _ lease: OfflineLease,
        _ entry: OfflineEntry,
        _ reason: DeadLetterReason,
        _ message: String,
        answer: NetKitError.Answer?
    ) async {
        var update = OfflineUpdate(entry)
        update.state = .deadLetter
        update.notBefore = nil
        if reason == .attemptsUsedUp { update.retryCount = update.retryCount.addingSaturated(1) }
        let date = configuration.clock.date
        update.detail = OfflineDetail(reason: reason, message: message, date: date, answer: kept(answer))
        await giveBack(lease, entry, update)
        var event = OfflineEvent(
            reason == .expired ? .expired : .deadLettered,
            entry.updated(by: update),
            reason: message
        )
        event.answer = answer
        emit(event)
    }

    /// An answer as it is kept: without fields that are secret or have a URL with a secret in it.
    func kept(_ answer: NetKitError.Answer?) -> NetKitError.Answer? {
        guard let answer else { return nil }
        let limit = max(0, configuration.answerLimit)
        return NetKitError.Answer(
            status: answer.status,
            headers: HTTPHeaders(
                answer.headers.fields.filter { field in
                    !configuration.redaction.isSensitive(header: field.name)
                        && !configuration.redaction.hasSecretURL(field)
                }
            ),
            body: answer.body.prefix(limit),
            isTruncated: answer.isTruncated || answer.body.count > limit
        )
    }

    /// Removes an entry that is done with.
    func finish(_ lease: OfflineLease) async {
        do { try await store.commit(lease) } catch { noteStore(error) }
        forget(lease.id)
    }

    func forget(_ id: UUID) {
        book.remove(id)
        deferrals[id] = nil
        pendingRemovals.remove(id)
        announced.remove(id)
    }

    /// Gives an entry back with what has become of it.
    func giveBack(_ lease: OfflineLease, _ entry: OfflineEntry, _ update: OfflineUpdate) async {
        if pendingRemovals.contains(entry.id) { return await finish(lease) }
        do { try await store.release(lease, update) } catch { noteStore(error) }
        var updated = entry.updated(by: update)
        if let request = update.request { updated.expiresAt = request.expiresAt }
        book.set(entry.id, update.state == .waiting ? .waiting : .aside, updated)
        if update.state != .waiting { deferrals[entry.id] = nil }
        if pendingRemovals.contains(entry.id) { try? await remove(entry.id) }
    }
}
