/// Returns stored responses as RFC 9111 allows a private cache to, and stores new ones.
///
/// ```swift
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [CacheInterceptor(MemoryCacheStore())])
/// let user: User = try await client.send(.get("/users/42"), options: CallOptions(cachePolicy: .networkFirst))
/// ```
/// The `cachePolicy` of the call applies, or `policy` if the call has none. Responses for different principals,
/// credentials, scopes and client certificates are kept apart, so that no user gets a response for another one. Calls
/// that miss the same entry at the same time share one exchange. The header field `Cache-Status` of every response says
/// where it comes from. If the store fails, calls work without it.
public final class CacheInterceptor: InspectableInterceptor, CallBound, SentFieldsReading {
    /// A closure that names the scope of a request's entries, besides its principal and its credentials.
    public typealias Scope = @Sendable (HTTPRequest, RequestContext) -> String?

    /// The store of the entries.
    public let store: any CacheStore
    /// The policy of calls that name none.
    public let policy: CachePolicy
    let settings: CacheSettings
    let scope: Scope?
    /// Whether the operations of the store return promptly, so that a call does not have to end them.
    let isPrompt: Bool
    /// The store, if it is one in memory; it is read without suspending.
    let memory: MemoryCacheStore?
    let bookkeeping = CacheBookkeeping()
    let flights: CacheFlights
    private let removals = Locked(PendingRemovals())
    /// The time that a call waits for an action on the store that goes on without it.
    private static let patience = Duration.seconds(1)

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - store: The store of the entries.
    ///   - policy: The policy of calls that name none.
    ///   - defaultTTL: The lifetime, with `.cacheFirst`, of a response that states none, if no TTL is given.
    ///   - servesStaleWhenDisconnected: Whether a stale response is used if the server cannot be reached, even without
    ///     `stale-if-error`. Responses with `no-cache` or `must-revalidate` are never used stale.
    ///   - maxSharedBodyBytes: The maximum number of bytes of a body that are kept for calls that wait for the exchange
    ///     of another one. A longer body is fetched by each call separately. All bodies together may take four times as
    ///     much.
    ///   - scope: A closure that names the scope of a request's entries, such as a tenant; `nil` adds no scope.
    public init(
        _ store: some CacheStore,
        policy: CachePolicy = .standard,
        defaultTTL: Duration = .seconds(3600),
        servesStaleWhenDisconnected: Bool = false,
        maxSharedBodyBytes: Int = 8 << 20,
        scope: Scope? = nil
    ) {
        self.store = store
        self.policy = policy
        self.scope = scope
        isPrompt = (store as? any PromptCacheStore)?.isPrompt ?? false
        memory = store as? MemoryCacheStore
        flights = CacheFlights(maxBodyBytes: max(0, maxSharedBodyBytes))
        settings = CacheSettings(
            defaultTTL: max(0, defaultTTL.inSeconds),
            servesStaleWhenDisconnected: servesStaleWhenDisconnected
        )
    }

    /// The secret of the store, read for each key, because a store may learn it later.
    var secret: CacheHashKey { store.secret }

    /// The cache stage.
    public var stage: Stage { .cache }

    /// The kind of cache and its store, in words.
    public var summary: String { "private cache in \(type(of: store)), partitioned by principal" }

    /// Returns warnings about a second cache, and about interceptors with unknown credentials or header fields.
    public func warnings(in client: ClientInspection) -> [String] {
        client.warnings(ifRepeated: Self.self, "The second only stores what the first has stored already.")
            + client.warningsAboutAdders(after: Self.self, "stored")
    }

    /// The numbers of hits and misses, and the size of the store.
    public var statistics: CacheStatistics {
        get async {
            var statistics = bookkeeping.counts
            statistics.store = await store.statistics
            return statistics
        }
    }

    /// Waits until no stored response is being renewed in the background.
    public func waitForRefreshes() async { await bookkeeping.waitForRefreshes() }

    /// Responds from the store, or sends the request and stores the response.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        do {
            let response = try await respond(request, context, next)
            report(context) { $0.detail = response.headers.values(of: "Cache-Status").last }
            return response
        } catch {
            report(context) { $0.error = context.call.observed(error, outcome: context.call.outcome) }
            throw error
        }
    }

    private func report(_ context: RequestContext, _ fill: (inout ClientEvent) -> Void) {
        context.call.reporter?.report(.cache, at: context.clock.now, fill)
    }

    private func respond(_ request: HTTPRequest, _ context: RequestContext, _ next: Next) async throws -> HTTPResponse {
        let policy = context.cachePolicy ?? policy
        let cacheRequest = CacheRequest(request)
        func pass(_ reason: CacheForward, _ detail: String? = nil) async throws -> HTTPResponse {
            bookkeeping.count { $0.bypasses += 1 }
            if policy.kind == .cacheOnly { throw CacheMiss.absent.error(about: "The response") }
            if cacheRequest.control.onlyIfCached { return Self.gatewayTimeout(for: request, reason) }
            var response = try await next(request, context)
            response.headers.add("Cache-Status", CacheStatusText.forward(reason, detail: detail))
            return response
        }
        guard cacheRequest.isRead || (!cacheRequest.method.isSafe && policy.kind != .cacheOnly) else {
            return try await pass(.method)
        }
        if cacheRequest.isRead, request.body != nil {
            // Only the server knows its meaning, so no other request counts as the same (RFC 9110, section 9.3.1).
            return try await pass(.bypass, "the request has a body")
        }
        let partition: CachePartition
        var mayStore = true
        do throws(CachePartition.Problem) {
            partition = try CachePartition(
                request,
                context: context,
                principal: next.principal(for: request, context),
                identity: next.transportIdentity,
                scope: scope?(request, context)
            )
        } catch {
            if cacheRequest.isRead { return try await pass(.bypass, error.rawValue) }
            // A change applies to all partitions.
            (partition, mayStore) = (.none, false)
        }
        let call = CacheCall(
            cache: self,
            request: request,
            context: context,
            next: next,
            cacheRequest: cacheRequest,
            policy: policy,
            partition: partition
        )
        if !cacheRequest.isRead { return try await call.change(mayStore: mayStore) }
        if policy.kind == .noCache { return try await pass(.bypass) }
        return try await call.read(.first(endedExchanges: flights.landings))
    }

    /// Returns the response to a request with `only-if-cached` for which no stored response may be used.
    static func gatewayTimeout(for request: HTTPRequest, _ reason: CacheForward) -> HTTPResponse {
        let status = CacheStatusText.forward(reason, detail: "only-if-cached")
        return HTTPResponse(status: .gatewayTimeout, headers: ["Cache-Status": status], url: request.url)
    }

    /// Queries the store; returns `nil` if the store throws or the call ends first.
    ///
    /// Not inlined, because what callers do afterwards would be repeated for each of the waits in here.
    @inline(never)
    func query<Found: Sendable>(
        _ context: RequestContext,
        _ question: @escaping @Sendable (any CacheStore) async throws -> Found?
    ) async -> Found? {
        let store = store
        do {
            if isPrompt { return try await question(store) }
            return try await context.endingWithCall { try await question(store) }
        } catch {
            countFailure(error, context)
            return nil
        }
    }

    // Not part of `query`, whose code is generated again for each type and closure.
    @inline(never)
    private func countFailure(_ error: any Error, _ context: RequestContext) {
        if !(error is CancellationError), !context.call.isStopped { bookkeeping.count { $0.storeFailures += 1 } }
    }

    /// Returns the stored record of a key.
    func read(_ key: CacheKey, _ context: RequestContext) async -> CacheRecord? {
        if let memory { return memory.read(key) }
        guard await mayUse(key.resource, context) else { return nil }
        return await query(context) { try await $0.read(key) }
    }

    /// Returns a token for an exchange that begins now; `nil` if the store has none, in which case nothing is stored.
    func token(for key: CacheKey, _ context: RequestContext) async -> CacheWriteToken? {
        if let memory { return memory.token(for: key) }
        guard await mayUse(key.resource, context) else { return nil }
        return await query(context) { try await $0.token(for: key) }
    }

    /// Returns whether the entries of a URL may be used, after repeating an invalidation that failed.
    private func mayUse(_ resource: CacheResource, _ context: RequestContext) async -> Bool {
        switch removals.withLock({ $0.use(resource) }) {
        case .allowed: true
        case .refused: false
        case .after(let removal): await carryOut(removal, context)
        }
    }

    /// Removes all entries of a URL, which are not used before the store has removed them.
    ///
    /// The removal may outlast the call, and what is in memory as well counts as removed meanwhile. It is not inlined
    /// into the loop over the URLs, which would be repeated for each wait.
    ///
    /// - Returns: A token for the response to a change, if the URL is that of the key which it began with. It is `nil`
    ///   if the URL was invalidated after the token of the beginning was issued, even if the store could not do so, or
    ///   if the removal fails or goes on.
    @inline(never)
    func invalidate(
        _ resource: CacheResource,
        since began: (key: CacheKey, token: CacheWriteToken)?,
        _ context: RequestContext
    ) async -> CacheWriteToken? {
        bookkeeping.count { $0.invalidations += 1 }
        flights.close(resource)
        let removal = removals.withLock { $0.begin(resource) }
        guard let began, began.key.resource == resource, !removal.followsFailure else {
            await carryOut(removal, context)
            return nil
        }
        return await carryOut(removal, context) { store in
            try await store.invalidate(began.key, since: began.token)
        } ?? nil
    }

    /// Carries out a removal that has begun, and returns whether it succeeded.
    @discardableResult
    private func carryOut(_ removal: PendingRemovals.Removal, _ context: RequestContext) async -> Bool {
        await carryOut(removal, context) { store -> Void in
            if let resource = removal.resource {
                try await store.invalidate(resource)
            } else {
                try await store.removeAll()
            }
        } != nil
    }

    /// Carries out a removal that has begun in a given way, and returns its result; `nil` if it fails or goes on.
    private func carryOut<Success: Sendable>(
        _ removal: PendingRemovals.Removal,
        _ context: RequestContext,
        _ remove: @escaping @Sendable (any CacheStore) async throws -> Success
    ) async -> Success? {
        await runToEnd(context) { [self] store in
            do {
                let success = try await remove(store)
                removals.withLock { $0.end(removal, isDone: true) }
                return success
            } catch {
                removals.withLock { $0.end(removal, isDone: false) }
                throw error
            }
        }
    }

    /// Removes the entries that a response would have replaced, unless a later exchange has written them.
    func removeOlder(_ exchange: CacheCall.Exchange, _ context: RequestContext, _ key: CacheKey? = nil) async {
        let lookup = exchange.lookup
        for key in Set([key ?? lookup.primary, lookup.found?.key ?? lookup.primary]) {
            // The entry with the names of the selecting fields serves other responses too.
            if key == lookup.primary, lookup.variants != nil { continue }
            await runToEnd(context) { try await $0.remove(key, token: exchange.token) }
        }
    }

    /// Runs an action on the store, unless the call ends first.
    func run(
        _ context: RequestContext,
        _ action: @escaping @Sendable (any CacheStore) async throws -> Void
    ) async {
        _ = await query(context) { store -> Void? in try await action(store) }
    }

    /// Runs an action on the store that must not get lost if the call ends meanwhile, and returns its result.
    ///
    /// An action that takes longer than the patience continues without the call. Then, and if it fails, the result is
    /// `nil`.
    @discardableResult
    func runToEnd<Success: Sendable>(
        _ context: RequestContext,
        _ action: @escaping @Sendable (any CacheStore) async throws -> Success
    ) async -> Success? {
        if isPrompt { return await query(context) { store -> Success? in try await action(store) } }
        let end = Promise<Success>()
        _ = startWithoutDeadline { [store] in end.resolve(await Result.catching { try await action(store) }) }
        let clock = context.clock
        let alarm = clock.scheduleWakeUp(at: clock.now.advanced(by: Self.patience)) {
            let message = "The store of the cache did not answer within \(Self.patience.shortText)."
            end.resolve(.failure(NetKitError(.storeUnavailable, message)))
        }
        defer { alarm.cancel() }
        return await query(context) { _ -> Success? in try await end.cancellableValue() }
    }
}
