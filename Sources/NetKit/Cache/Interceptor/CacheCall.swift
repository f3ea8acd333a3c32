import Foundation

/// A request on its way through the cache, which is never copied.
struct CacheCall: ~Copyable, Sendable {
    let cache: CacheInterceptor
    let request: HTTPRequest
    let context: RequestContext
    let next: Next
    let cacheRequest: CacheRequest
    let policy: CachePolicy
    let partition: CachePartition
    /// Whether the call renews a stored response in the background, for no caller.
    var isRenewal = false

    /// The step of a read after its lookup.
    private enum Step {
        case respond(HTTPResponse)
        case fetch(revalidates: Bool, CacheForward)
    }

    /// The stored response for the request.
    ///
    /// An object, because a call that waits for the server would hold several copies of a value.
    final class StoredMatch: Sendable {
        let key: CacheKey
        let record: CacheRecord
        let response: StoredResponse

        init(key: CacheKey, record: CacheRecord, response: StoredResponse) {
            (self.key, self.record, self.response) = (key, record, response)
        }
    }

    /// The stored responses for the URL.
    struct LookupResult: Sendable {
        let primary: CacheKey
        var variants: VariantSets?
        var found: StoredMatch?

        var miss: CacheForward { variants == nil ? .uriMiss : .varyMiss }
    }

    /// An exchange with the server, from the lookup on; like `StoredMatch`, an object.
    final class Exchange: Sendable {
        let lookup: LookupResult
        /// Whether the server is asked about the stored response, rather than for a whole one.
        let revalidates: Bool
        let reason: CacheForward
        /// The token from before a read was sent, or from the invalidation by a change; without one, nothing is stored.
        let token: CacheWriteToken?
        /// The flight that it ends; the calls that wait for it receive the result.
        let flight: CacheFlight?

        init(
            _ lookup: LookupResult,
            revalidates: Bool,
            _ reason: CacheForward,
            _ token: CacheWriteToken?,
            _ flight: CacheFlight? = nil
        ) {
            (self.lookup, self.revalidates, self.reason) = (lookup, revalidates, reason)
            (self.token, self.flight) = (token, flight)
        }
    }

    var now: Date { context.clock.date }

    /// Returns the time at which the request of a response was sent, after all earlier attempts and waits of the call.
    func requestDate(of response: HTTPResponse) -> Date {
        now.addingTimeInterval(-(response.timings.total ?? .zero).inSeconds)
    }

    var bookkeeping: CacheBookkeeping { cache.bookkeeping }

    /// The key of the request's URL.
    var primaryKey: CacheKey { partition.key(of: request.url, host: cacheRequest.host, secret: cache.secret) }

    /// Responds to a GET or HEAD, in this round or a later one.
    func read(_ round: CacheRound) async throws -> HTTPResponse {
        let primary = primaryKey
        var lookup = LookupResult(primary: primary)
        // Memory is read without suspending, so that a hit in it never waits.
        let record = if let memory = cache.memory { memory.read(primary) } else { await cache.read(primary, context) }
        switch record.map({ ($0, $0.head.content) }) {
        case (let record, .response(let response))?:
            lookup.found = StoredMatch(key: primary, record: record, response: response)
        case (_, .variants(let sets))?: lookup = await findVariant(in: sets, of: primary)
        case (_, .value)?, nil: break
        }
        switch try step(after: lookup) {
        case .respond(let response): return isDelivered(response) ? response : try await deliver(response)
        case .fetch(let revalidates, let reason):
            return try await fetch(lookup, revalidates: revalidates, reason, round)
        }
    }

    /// Returns what follows a lookup; not inlined, or it would be repeated for each wait of the lookup.
    @inline(never)
    private func step(after lookup: LookupResult) throws -> Step {
        let now = now
        var decision = decision(about: lookup, now)
        while true {
            switch decision {
            case .use(let freshness):
                if let found = lookup.found, let response = respond(found, lookup, freshness, now) {
                    return .respond(response)
                }
                // The stored response cannot be read, or only the server has what is asked for.
                decision = CacheEngine.decideWithoutStored(cacheRequest, policy, .absent, .request)
            case .revalidate(let reason): return .fetch(revalidates: true, reason)
            case .fetch(let reason): return .fetch(revalidates: false, reason)
            case .gatewayTimeout(let reason):
                bookkeeping.count { $0.misses += 1 }
                return .respond(CacheInterceptor.gatewayTimeout(for: request, reason))
            case .miss(let miss):
                bookkeeping.count { $0.misses += 1 }
                throw miss.error(about: "The response to \(context.call.redaction.requestLine(for: request))")
            }
        }
    }

    /// Decides about the request, given the stored entry.
    func decision(about lookup: LookupResult, _ now: Date) -> CacheDecision {
        CacheEngine.decide(
            now: now,
            cacheRequest: cacheRequest,
            stored: lookup.found?.response,
            miss: lookup.miss,
            policy: policy,
            settings: cache.settings
        )
    }

    /// Returns the stored response that matches the request; the newest if there are several.
    private func findVariant(in sets: VariantSets, of primary: CacheKey) async -> LookupResult {
        var latest: StoredMatch?
        for names in sets.sets {
            let key = sets.key(for: names, in: cacheRequest.headers, of: primary, secret: cache.secret)
            guard let record = await cache.read(key, context), let response = record.head.response else { continue }
            if let latest, !response.isNewer(than: latest.response) { continue }
            latest = StoredMatch(key: key, record: record, response: response)
        }
        return LookupResult(primary: primary, variants: sets, found: latest)
    }

    private func respond(
        _ found: StoredMatch,
        _ lookup: LookupResult,
        _ freshness: CacheDecision.Freshness,
        _ now: Date
    ) -> HTTPResponse? {
        let headers = found.response.headers(at: now, timeLeft: timeLeft(of: found.response, at: now))
        guard let response = response(from: found, headers: headers, now: now) else { return nil }
        bookkeeping.count { counts in
            counts.hits += 1
            if freshness != .fresh { counts.staleHits += 1 }
        }
        // Nothing is sent for a call that is over already.
        if freshness == .staleWhileRefreshing, !context.call.isStopped { refresh(lookup) }
        return response
    }

    /// Returns the remaining lifetime of a response, in whole seconds.
    func timeLeft(of response: StoredResponse, at now: Date) -> Int64 {
        let left = CacheEngine.life(of: response, policy: policy, settings: cache.settings) - response.age(at: now)
        return Int64(min(max(left.rounded(.down), -1e15), 1e15))
    }

    /// Sends an unsafe request, and invalidates the stored responses that it changes (RFC 9111, section 4.4).
    ///
    /// The response to a POST may be stored if it states that a GET would return the same.
    func change(mayStore: Bool) async throws -> HTTPResponse {
        let primary = primaryKey
        let earlierAttempts = context.call.attemptCount
        let mayStore = mayStore && policy.kind != .noCache && cacheRequest.method == .post
        let began = mayStore ? await cache.token(for: primary, context) : nil
        var response: HTTPResponse
        do {
            response = try await next(request, context)
        } catch {
            // The server may have acted on it.
            let outcome = (error as? NetKitError).map { context.call.outcome(after: $0) }
            if outcome != .notSent { await invalidate(changedResources) }
            throw error
        }
        // A refusal may be the response to what an earlier attempt or replay has done.
        let status = response.status
        let mayHaveChanged =
            CacheEngine.changes(status) || context.call.attemptCount > earlierAttempts + 1 || context.call.isReplay
            || (status.isServerError || CacheEngine.isGone(status)) && context.tags[RepositoryWrite.self] != nil
        guard mayHaveChanged else {
            response.headers.add("Cache-Status", CacheStatusText.forward(.method))
            return response
        }
        let own = changedResources
        let others = CacheEngine.alsoInvalid(after: response.headers, of: request.url)
            .map { resource(of: $0) }
            .filter { !own.contains($0) }
        let isOwnURL = response.status == .ok && isContentLocationOwn(response.headers)
        // The response may lack changes that others made after this was sent.
        guard let token = await invalidate(own + others, since: isOwnURL ? began : nil) else {
            response.headers.add("Cache-Status", CacheStatusText.forward(.method))
            return response
        }
        let lookup = LookupResult(primary: primary)
        let exchange = Exchange(lookup, revalidates: false, .method, token)
        return try await store(response, exchange)
    }

    /// The URL of an unsafe request, and that of the list if a repository writes an entity.
    private var changedResources: [CacheResource] {
        guard let write = context.tags[RepositoryWrite.self] else { return [resource(of: request.url)] }
        let base = context.call.baseURL.flatMap { try? BaseURL($0) }
        let list = try? HTTPRequest(.get, write.listPath).resolved(against: base).url
        return [request.url, list].compactMap(\.self).map { resource(of: $0) }
    }

    private func resource(of url: URL) -> CacheResource {
        CacheResource(of: url, host: cacheRequest.host, secret: cache.secret)
    }

    private func isContentLocationOwn(_ headers: HTTPHeaders) -> Bool {
        guard let text = headers["Content-Location"], let url = URL(text: text, relativeTo: request.url) else {
            return false
        }
        return NormalizedURL.text(of: url.absoluteURL) == NormalizedURL.text(of: request.url)
    }

    /// Removes all stored responses of URLs, whatever their owner.
    ///
    /// - Returns: A token for the response to the request, if its URL was not invalidated after an earlier token was
    ///   issued.
    @discardableResult
    private func invalidate(
        _ resources: [CacheResource],
        since began: CacheWriteToken? = nil
    ) async -> CacheWriteToken? {
        let own = began.map { (key: primaryKey, token: $0) }
        var token: CacheWriteToken?
        for resource in resources {
            let issued = await cache.invalidate(resource, since: own, context)
            if resource == own?.key.resource { token = issued }
        }
        return token
    }
}

extension CacheCall {
    /// The time for a renewal that begins with a call without any limit that covers the body.
    ///
    /// A body of 100 MB arrives within it at 3 Mbit/s. Without a bound, a peer that sends a byte now and then would
    /// hold the renewal, its connection and a shutdown forever.
    private static let longestRenewal = Duration.seconds(300)

    /// Renews a stale response in the background, once for all calls that ask for it.
    ///
    /// Without a limit for attempts that covers the body, the renewal has the time of that call or of a standard
    /// attempt, whichever is longer. If the call has no limit either, the renewal has five minutes.
    func refresh(_ lookup: LookupResult) {
        guard let found = lookup.found, cache.bookkeeping.beginRefresh(of: found.key) else { return }
        var plain = request
        plain.method = .get
        for name in ["Range", "If-Range", "If-None-Match", "If-Modified-Since"] { plain.headers.remove(name) }
        // It outlives the call that starts it, so it has no deadline. It is a call in flight of its own, so that a
        // shutdown waits for it and ends it.
        let shared = context.call.shared(deadline: nil)
        do throws(NetKitError) {
            try shared.settings.calls?.add(shared)
        } catch {
            return cache.bookkeeping.endRefresh(of: found.key)
        }
        let call = CacheCall(
            cache: cache,
            request: plain,
            context: RequestContext(call: shared),
            next: next,
            cacheRequest: CacheRequest(plain),
            policy: policy,
            partition: partition,
            isRenewal: true
        )
        // The limit of an attempt ends with the head of a streamed response.
        let isLimited = context.timeouts.attempt != nil && !context.delivery.isStreamed
        let budget = isLimited ? nil : context.call.budget ?? Self.longestRenewal
        let alarm = budget.map { budget in
            let end = context.clock.now.advanced(by: max(budget, Timeouts.standard.attempt ?? budget))
            return context.clock.schedule(at: end) { shared.stop(.deadline) }
        }
        let task = startWithoutDeadline {
            defer {
                alarm?.cancel()
                shared.settings.calls?.remove(shared)
                call.cache.bookkeeping.endRefresh(of: found.key)
            }
            let response = try await call.exchange(lookup, revalidates: found.response.hasValidator, .stale)
            for try await _ in response.body {}
        }
        shared.addWaiter(WaitCancellation { _ in task.cancel() })
    }
}

/// A mark of a write of a repository, which also invalidates the stored responses of the list, even after an error of
/// the server or a response that says that the entity is gone.
///
/// The server may have made the change before. The repository forgets its entity and the list then, and the cache of
/// its client must not give them back.
struct RepositoryWrite: OwnCallTag {
    let listPath: RequestPath
}
