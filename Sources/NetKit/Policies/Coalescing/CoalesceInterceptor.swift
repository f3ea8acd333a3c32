import Foundation

/// Lets identical reads that are in flight at the same time share one exchange.
///
/// ```swift
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [CoalesceInterceptor()])
/// ```
/// A GET or HEAD joins a running exchange with the same URL, header fields, limits and priority, for the same
/// principal. Each caller gets the response with a body of its own. A call that is cancelled or exceeds its deadline
/// does not affect the others. When the last call leaves, the exchange is cancelled on the wire. Redirects are shared
/// hop by hop.
///
/// The following requests are not shared: those with a streamed response body, which has one reader; those with tags of
/// yours whose call names no principal, because an interceptor may use the tags; those whose credential has no
/// identity; those with a retry policy or a body of their own; those with `Cache-Control: no-cache` or `no-store`; and
/// those whose own cache policy always sends a request, such as `.reload`. A call that begins after a write to its URL
/// does not join an exchange from before it. A call that a token refresh makes shares nothing, and neither does one
/// that an ``OfflineInterceptor`` may queue at the login that it waits for.
///
/// A `CacheInterceptor` shares the responses that it may reuse. Use coalescing for clients without a cache, and for
/// responses that no cache keeps. If an interceptor of yours adds a credential, it has to adopt `CredentialAdding`, or
/// calls have to name their `principal`. Otherwise the calls of two users look the same.
///
/// The events of a shared exchange belong to the call that began it.
public final class CoalesceInterceptor: InspectableInterceptor {
    /// The names of header fields that may differ between calls that share.
    ///
    /// The fields of the first call are sent.
    public let ignoredHeaders: Set<String>

    private typealias Flights = FlightTable<CoalesceKey, Call, Promise<HTTPResponse>>

    private let flights = Locked(Flights())

    /// Creates an interceptor.
    ///
    /// - Parameter ignoredHeaders: The names of header fields that may differ, such as those of tracing.
    public init(ignoring ignoredHeaders: Set<String> = ["traceparent", "tracestate", "x-request-id"]) {
        self.ignoredHeaders = Set(ignoredHeaders.map { $0.lowercased() })
    }

    /// The coalesce stage.
    public var stage: Stage { .coalesce }

    /// A description of the shared exchanges.
    public var summary: String { "identical buffered reads in flight share one exchange" }

    /// Returns warnings about a second one, and about interceptors whose credentials or header fields are unknown to
    /// it.
    public func warnings(in client: ClientInspection) -> [String] {
        client.warnings(ifRepeated: Self.self, "The second has nothing left to share.")
            + client.warningsAboutAdders(after: Self.self, "shared")
    }

    /// The number of shared exchanges in flight.
    public var exchangeCount: Int { flights.withLock { $0.count } }

    /// The number of calls that wait for a shared exchange.
    public var callCount: Int { flights.withLock { $0.memberCount } }

    /// Joins the exchange that is under way, or starts one.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard request.method == .get || request.method == .head else { return try await write(request, context, next) }
        guard let wait = join(request, context, next) else { return try await next(request, context) }
        do {
            let response = try await withTaskCancellationHandler {
                try await wait.promise.value()
            } onCancel: {
                leave(wait)
            }
            return Self.copy(of: response)
        } catch {
            await wait.waitForCancelledExchange()
            throw error
        }
    }

    /// A call's wait for the exchange that it shares.
    private final class Wait: Sendable {
        let ticket: Flights.Ticket
        let promise: Promise<HTTPResponse>
        /// The task of the exchange, if it was cancelled because this was its last call.
        let cancelled = Locked<Task<Void, any Error>?>(nil)

        init(_ ticket: Flights.Ticket, _ promise: Promise<HTTPResponse>) {
            (self.ticket, self.promise) = (ticket, promise)
        }

        /// Waits until the exchange that the call has cancelled has reported its end.
        @inline(never)
        func waitForCancelledExchange() async {
            _ = await cancelled.withLock { $0 }?.result
        }
    }

    // The functions before and after the wait are not inlined: a waiting call would hold their memory.

    /// Sends a request that may change its URL, and keeps later calls from joining exchanges that began before.
    @inline(never)
    private func write(_ request: HTTPRequest, _ context: RequestContext, _ next: Next) async throws -> HTTPResponse {
        close(request)
        defer { close(request) }
        return try await withTaskCancellationHandler {
            try await next(request, context)
        } onCancel: {
            close(request)
        }
    }

    private func close(_ request: HTTPRequest) {
        guard request.method != .options, request.method != .trace else { return }
        let group = CoalesceKey.group(of: request)
        flights.withLock { $0.close(group) }
    }

    /// Joins the exchange of an equal request, or begins one; returns `nil` if the call may not share.
    @inline(never)
    private func join(_ request: HTTPRequest, _ context: RequestContext, _ next: Next) -> Wait? {
        guard context.call.mayShareExchanges else { return nil }
        let principal = next.principal(for: request, context)
        if let principal, principal == .ofOneCall(context.id) { return nil }
        guard
            let key = CoalesceKey(
                request,
                call: context.call,
                principal: principal,
                pipeline: next.chain?.pipeline,
                ignoring: ignoredHeaders
            )
        else {
            return nil
        }
        let promise = Promise<HTTPResponse>()
        let (ticket, shared, isFirst) = flights.withLock { flights in
            let joined = flights.join(key, promise, starting: context.call.shared(deadline: context.call.deadline))
            joined.exchange.extend(to: context.call.deadline)
            return joined
        }
        context.call.follow(shared)
        if isFirst { start(request, RequestContext(call: shared), next, ticket) }
        return Wait(ticket, promise)
    }

    /// Returns the response with a body of its own over the same bytes, because a body is read once.
    @inline(never)
    private static func copy(of shared: HTTPResponse) -> HTTPResponse {
        var response = shared
        response.body = ResponseBody(shared.body.buffered ?? Data(), trailers: shared.trailers)
        return response
    }

    private func start(_ request: HTTPRequest, _ context: RequestContext, _ next: Next, _ ticket: Flights.Ticket) {
        let task = startWithoutDeadline { [self] in
            let result = await Result.catching {
                let response = try await next(request, context)
                return try await response.buffered(upTo: context.delivery.maxBufferedBytes(of: response.status) ?? 0)
            }
            for promise in flights.withLock({ $0.land(ticket) }) { promise.resolve(result) }
        }
        if !flights.withLock({ $0.attach(ticket, task) }) { task.cancel() }
    }

    private func leave(_ wait: Wait) {
        let (promise, task) = flights.withLock { $0.leave(wait.ticket) }
        wait.cancelled.withLock { $0 = task }
        promise?.resolve(.failure(CancellationError()))
        task?.cancel()
    }
}

/// The properties that two calls must have in common to share one exchange.
struct CoalesceKey: GroupedKey {
    private let method: HTTPMethod
    private let url: String
    private let headers: HTTPHeaders
    private let principal: Principal?
    private let identity: CallIdentity
    /// The chain that carries out the exchange: two clients with one interceptor share nothing.
    private let pipeline: ObjectIdentifier?
    private let requiresAuth: Bool
    private let maxBufferedBytes: Int
    private let timeouts: Timeouts
    private let priority: TaskPriority
    let group: String

    /// The key of a call, or `nil` if it may not share.
    ///
    /// The request is a GET or HEAD, and `pipeline` carries out its exchange, unless a function does. The fields with
    /// the ignored names, which are in lower case, may differ.
    init?(
        _ request: HTTPRequest,
        call: Call,
        principal: Principal?,
        pipeline: Pipeline? = nil,
        ignoring ignored: Set<String>
    ) {
        // A streamed body has one reader; only a body in memory can be handed out twice.
        guard let maxBufferedBytes = call.delivery.maxBufferedBytes else { return nil }
        guard request.body == nil else { return nil }
        // A later interceptor may add fields that depend on the tags, and two sets of tags cannot be compared.
        guard !call.tags.hasForeignValues || call.principal != nil else { return nil }
        // A request for a fresh response must not get one that began earlier.
        guard !Self.wantsOwnResponse(request.headers), call.cachePolicy?.alwaysSends != true else { return nil }
        method = request.method
        url = request.url.absoluteString
        headers = Self.headers(of: request, ignoring: ignored)
        self.principal = principal
        identity = call.identity
        self.pipeline = pipeline.map { ObjectIdentifier($0) }
        requiresAuth = request.requiresAuth
        self.maxBufferedBytes = maxBufferedBytes
        timeouts = call.timeouts
        priority = call.priority
        group = Self.group(of: request)
    }

    /// Returns the group of the requests that a write to a URL concerns, in whatever form they have that URL.
    static func group(of request: HTTPRequest) -> String { NormalizedURL.text(of: request.url) }

    /// Hashes the URL and the principal, which distinguish nearly all keys.
    func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(principal)
    }

    private static func wantsOwnResponse(_ headers: HTTPHeaders) -> Bool {
        guard let value = headers["Cache-Control"]?.lowercased() else { return false }
        return value.contains("no-cache") || value.contains("no-store")
    }

    private static func headers(of request: HTTPRequest, ignoring ignored: Set<String>) -> HTTPHeaders {
        guard request.headers.contains(where: { ignored.contains($0.name.lowercased()) }) else {
            return request.headers
        }
        return HTTPHeaders(request.headers.fields.filter { !ignored.contains($0.name.lowercased()) })
    }
}
