import Foundation

/// One request on its way through the cache.
struct CacheCall: Sendable {
    let cache: CacheInterceptor
    let request: HTTPRequest
    let context: RequestContext
    let next: Next
    let ask: CacheAsk
    let policy: CachePolicy
    let partition: CachePartition

    /// What the store has for the request.
    struct Found: Sendable {
        let key: CacheKey
        let record: CacheRecord
        let answer: StoredAnswer
    }

    /// What the store has for the URL.
    struct Sight: Sendable {
        let primary: CacheKey
        var variants: VariantSets?
        var found: Found?

        var miss: CacheForward { variants == nil ? .uriMiss : .varyMiss }
    }

    var now: Date { context.clock.date }
    private var book: CacheBook { cache.book }

    func key(of url: URL) -> CacheKey {
        partition.key(of: url, secret: cache.secret)
    }

    /// Answers a GET or HEAD.
    func read() async throws -> HTTPResponse {
        let sight = await look()
        let now = now
        let decision = CacheEngine.decide(
            now: now,
            ask: ask,
            stored: sight.found?.answer,
            miss: sight.miss,
            policy: policy,
            settings: cache.settings
        )
        switch decision {
        case .use(let freshness):
            if let found = sight.found, let response = try await answer(found, sight, freshness, now) {
                return response
            }
            return try await exchange(sight, asking: nil, reason: .request)
        case .revalidate(let reason): return try await exchange(sight, asking: sight.found, reason: reason)
        case .fetch(let reason):
            book.count { $0.misses += 1 }
            return try await exchange(sight, asking: nil, reason: reason)
        case .gatewayTimeout:
            book.count { $0.misses += 1 }
            let status = CacheStatusText.forward(sight.found == nil ? sight.miss : .stale, detail: "only-if-cached")
            return HTTPResponse(status: .gatewayTimeout, headers: ["Cache-Status": status], url: request.url)
        case .miss(let miss):
            book.count { $0.misses += 1 }
            throw miss.error("The answer to \(context.call.redaction.requestLine(for: request))")
        }
    }

    /// What is stored for the request: of several answers that would do, the one that came last.
    private func look() async -> Sight {
        let primary = key(of: request.url)
        guard let record = await cache.read(primary, context) else {
            return Sight(primary: primary)
        }
        switch record.head.content {
        case .value: return Sight(primary: primary)
        case .answer(let answer):
            return Sight(primary: primary, found: Found(key: primary, record: record, answer: answer))
        case .variants(let sets):
            var latest: Found?
            for names in sets.sets {
                let key = sets.key(for: names, in: ask.headers, of: primary, secret: cache.secret)
                guard let record = await cache.read(key, context), let answer = record.head.answer
                else {
                    continue
                }
                if let latest, latest.answer.responseDate >= answer.responseDate { continue }
                latest = Found(key: key, record: record, answer: answer)
            }
            return Sight(primary: primary, variants: sets, found: latest)
        }
    }

    private func answer(
        _ found: Found,
        _ sight: Sight,
        _ freshness: CacheDecision.Freshness,
        _ now: Date
    ) async throws -> HTTPResponse? {
        let left =
            CacheEngine.life(of: found.answer, policy: policy, settings: cache.settings) - found.answer.age(at: now)
        let status = CacheStatusText.hit(left)
        guard let response = try await response(from: found, status: status, now: now) else { return nil }
        book.count { counts in
            counts.hits += 1
            if freshness != .fresh { counts.staleHits += 1 }
        }
        if freshness == .staleWhileRefreshing { refresh(sight) }
        return response
    }

    /// Sends a request that changes something, and forgets what it makes invalid (RFC 9111, section 4.4).
    func change() async throws -> HTTPResponse {
        let primary = key(of: request.url)
        let requestDate = now
        var response: HTTPResponse
        do {
            response = try await next(request, context)
        } catch {
            // The server may have acted on it, and nobody knows.
            if (error as? NetKitError)?.outcome != .notSent { await forget([primary]) }
            throw error
        }
        guard CacheEngine.changes(response.status) else {
            response.headers.add("Cache-Status", CacheStatusText.forward(.method))
            return response
        }
        let others = CacheEngine.alsoInvalid(after: response.headers, of: request.url).map(key)
        let isOwnURL = ask.method == .post && response.status == .ok && isContentLocationOwn(response.headers)
        await forget([primary] + others)
        guard isOwnURL, policy.kind != .noCache else {
            response.headers.add("Cache-Status", CacheStatusText.forward(.method))
            return response
        }
        return try await stored(
            response,
            sight: Sight(primary: primary),
            requestDate: requestDate,
            began: book.changeCount,
            reason: .method
        )
    }

    private func isContentLocationOwn(_ headers: HTTPHeaders) -> Bool {
        guard let text = headers["Content-Location"], let url = URL(string: text, relativeTo: request.url) else {
            return false
        }
        return CacheAddress.text(of: url.absoluteURL) == CacheAddress.text(of: request.url)
    }

    private func forget(_ keys: [CacheKey]) async {
        for key in keys {
            // Before and after: what is on its way now must not be stored behind this.
            book.noteChange(of: key)
            await cache.tell(context) { try await $0.remove(key) }
        }
    }
}
