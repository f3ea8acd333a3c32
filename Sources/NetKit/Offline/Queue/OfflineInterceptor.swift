import Foundation

/// An interceptor that puts deferrable requests into an offline queue if they cannot be sent.
///
/// ```swift
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [OfflineInterceptor(queue)])
/// await queue.attach(client)
/// var options = CallOptions(idempotencyKey: .automatic)
/// options.tags[Deferrable.self] = Deferrable(lane: "orders")
/// do {
///     _ = try await client.send(request, options: options)
/// } catch let error as NetKitError where error.code == .queued {
///     print(error.receipt?.id)
/// }
/// ```
/// A request whose outcome is unknown may have arrived. It is queued only if it was sent with an `Idempotency-Key`,
/// which it keeps. A call that ends at its deadline is queued like any other failed call, but a cancelled call is not.
/// While the lane of a request holds entries, the request is queued without being sent, so that it does not overtake
/// them. If a call has waited for the first login, the entries of that login count. The same applies while a shared
/// store cannot be read, because the lane may hold entries. If the store cannot take the request either, the call
/// throws the error of the store.
///
/// The queue keeps the request as this interceptor passes it on, without the call's tags, principal and other options.
/// An interceptor that derives a header field or a URL from a tag therefore has to run before this one, at the stage
/// ``Stage/call`` or earlier, and has to leave a request without the tag unchanged. A replay passes it again, without
/// the tag. If it runs later, what it adds is missing from a replay.
///
/// A call whose credential depends on a tag is not queued, because its replays would have another credential. It throws
/// its own error, and does not wait for the entries of its lane. An interceptor that adds a credential can find its
/// tenant in the request instead, such as in a header field. A call whose body is a stream or a multipart form is not
/// queued and does not wait either, because a queue keeps only bytes and files. Nor is a call queued that ends with a
/// TLS failure, because its caller has to see that.
public struct OfflineInterceptor: InspectableInterceptor {
    private let queue: OfflineQueue

    /// Creates an interceptor over a queue.
    public init(_ queue: OfflineQueue) { self.queue = queue }

    /// The offline stage.
    public var stage: Stage { .offline }

    /// A description of the captured requests.
    public var summary: String {
        let end = queue.configuration.maxAttempts.map {
            ", and gives them up after \($0) attempts and \(queue.configuration.minRetryTime.shortText)"
        }
        return "queues deferrable requests that cannot be sent\(end ?? "")"
    }

    /// Passes the request on, and puts it into the queue if that fails.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard !context.call.isReplay, let deferrable = context.tags[Deferrable.self] else {
            return try await next(request, context)
        }
        let identity = next.keptIdentity(of: request, context)
        // Only an identity without a lasting name gets one by a later login.
        if case .known(let began)? = identity, !began.isLasting {
            context.call.endsAtLogin = request.body?.isKeepable != false
        }
        do {
            return try await send(request, deferrable, context, next, identity)
        } catch let error as NetKitError where error.cause is IdentityChange && error.outcome == .notSent {
            // The lane may hold entries of the login that the call waited for.
            let login = next.currentIdentity(of: request, context, context.tags)
            guard context.call.endsAtLogin, case .known(let began)? = identity, case .known(let current)? = login,
                current.continues(began), current.name != began.name
            else { throw error }
            context.call.endsAtLogin = false
            return try await send(request, deferrable, context, next, login)
        }
    }

    /// Sends the request of a call under an identity, and puts it into the queue if that fails or is not its turn.
    private func send(
        _ request: HTTPRequest,
        _ deferrable: Deferrable,
        _ context: RequestContext,
        _ next: Next,
        _ identity: RequestIdentity?
    ) async throws -> HTTPResponse {
        try request.headers.validateBase(deferrable.baseETag)
        let isKeepable = request.body?.isKeepable != false
        let hasPending = await isKeepable ? queue.hasPending(in: deferrable.lane, for: identity) : false
        var cause: NetKitError?
        if !hasPending || !next.canReplay(request, context) {
            // The server compares the versions now as it would after a replay.
            var sent = request
            sent.headers.addBase(deferrable.baseETag)
            do {
                return try await next(sent, context)
            } catch {
                cause = try Self.reasonToQueue(request, after: error, context, next)
            }
        }
        throw try await capture(request, deferrable, context, identity, cause)
    }

    /// Returns the failure after which a request is put into the queue, or throws the error for its caller.
    private static func reasonToQueue(
        _ request: HTTPRequest,
        after error: any Error,
        _ context: RequestContext,
        _ next: Next
    ) throws -> NetKitError {
        // An earlier exchange of the call may have arrived: the one before a redirect, or an earlier attempt. Code that
        // the deadline ended knows only that it was cancelled.
        guard let failure = context.call.outward(error) as? NetKitError, mayQueue(request, after: failure) else {
            throw error
        }
        guard next.canReplay(request, context) else { throw failure.adding(dependsOnTag) }
        return failure
    }

    private static let dependsOnTag =
        "The request was not put into the offline queue, because its credential depends on a tag of the call, which a "
        + "replay does not have."

    /// The codes of errors after which the same request may succeed later.
    private static let outageCodes: Set<NetKitError.Code> = [
        .offline, .dns, .connect, .proxy, .connectionLost, .timeout, .circuitOpen, .rateLimited, .queueFull,
        .invalidResponse,
    ]

    /// Returns whether a failed request can be stored and sent later, without the risk that its effect occurs twice.
    static func mayQueue(_ request: HTTPRequest, after error: NetKitError) -> Bool {
        // The server of the tokens, or their vault, may be down while the server of the request is not.
        let isRefreshOutage =
            error.isOfRefresh
            && (error.code == .storeUnavailable || error.status.map { RetryPolicy.standard.concerns($0) } ?? false)
        let isOutage = Self.outageCodes.contains(error.code) || isRefreshOutage
        guard isOutage, request.body?.isKeepable != false else { return false }
        switch error.outcome {
        case .notSent: return true
        case .unknown: return request.headers.idempotencyKey != nil
        default: return false
        }
    }

    /// Puts a request into the queue, and returns the error `.queued` for its caller.
    ///
    /// `cause` is the failure; `nil` if the request was not sent, because its lane has earlier entries.
    private func capture(
        _ request: HTTPRequest,
        _ deferrable: Deferrable,
        _ context: RequestContext,
        _ identity: RequestIdentity?,
        _ cause: NetKitError?
    ) async throws -> NetKitError {
        var entry = QueuedRequest(
            request,
            lane: deferrable.lane,
            priority: deferrable.priority,
            expiresAt: deferrable.expiresAfter.map { context.clock.date.addingTimeInterval($0.inSeconds) },
            maxAttempts: deferrable.maxAttempts,
            coalescingKey: deferrable.coalescingKey,
            coalescing: deferrable.coalescing,
            baseETag: deferrable.baseETag
        )
        entry.mayHaveArrived = cause?.outcome == .unknown
        let receipt = try await add(entry, madeUnder: identity, context.call)
        let reason = cause?.message ?? "Earlier entries of its lane are still waiting."
        return NetKitError(
            .queued,
            "The request was put into the offline queue. \(reason)",
            outcome: cause?.outcome ?? .notSent,
            cause: QueuedCall(receipt: receipt, failure: cause) { [weak queue] ids in
                await queue?.states(of: ids)
            }
        )
    }

    /// Adds an entry to the queue, even if the deadline of the call has passed or passes meanwhile.
    ///
    /// The call waits for the receipt until half a second after its deadline. If it is cancelled, so is the write.
    private func add(
        _ entry: QueuedRequest,
        madeUnder identity: RequestIdentity?,
        _ call: Call
    ) async throws -> OfflineReceipt {
        if call.cancellation.reason != .deadline { try Task.checkCancellation() }
        let task = startWithoutDeadline { [queue] in
            try await queue.enqueue(entry, madeUnder: identity, redaction: call.redaction)
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            if call.cancellation.reason != .deadline { task.cancel() }
        }
    }
}

extension OfflineInterceptor {
    /// Returns diagnostics about credentials whose identity is forgotten at a restart, about a second offline
    /// interceptor, and about a connectivity interceptor that comes first.
    public func warnings(in client: ClientInspection) -> [String] {
        client.warnings(ifRepeated: Self.self, "Only the last one receives calls that fail.")
            + client.warnings(
                if: ConnectivityInterceptor.self,
                isBefore: Self.self,
                "Without a network, it ends calls before they can be queued."
            )
            + identityWarnings(in: client)
    }

    private func identityWarnings(in client: ClientInspection) -> [String] {
        let adders = client.interceptors.compactMap { $0 as? any CredentialAdding }
        let request = client.baseURL.map { HTTPRequest(.post, $0) } ?? HTTPRequest(.post, RequestPath(raw: "/"))
        let isKnown = adders.allSatisfy { $0.identity(for: request, tags: CallTags())?.isLasting == true }
        guard !isKnown else { return [] }
        return [
            "A credential of this client has no persistent name, so after a restart, the entries of the offline queue are "
                + "sent under the login that is current then. Name it with the parameter `identity:`, such as that of TokenStore."
        ]
    }
}

extension Next {
    /// Returns the identity under which the call began, for the request as it is kept: without secret fields.
    func keptIdentity(of request: HTTPRequest, _ context: RequestContext) -> RequestIdentity? {
        if chain?.pipeline.adders.isEmpty == true { return .anonymous }
        return currentIdentity(of: request, context, context.tags, as: context.call.identity)
    }

    /// Returns whether a replay of a call, which has no tags, is sent under the same identity.
    ///
    /// Both identities are those of this moment. An entry can wait for the end of another login, but for no tag.
    func canReplay(_ request: HTTPRequest, _ context: RequestContext) -> Bool {
        guard chain?.pipeline.hasCustomAdders == true, context.tags.hasForeignValues else { return true }
        return currentIdentity(of: request, context, context.tags) == currentIdentity(of: request, context, CallTags())
    }

    /// Returns the identity under which a call with tags would send the request as it is kept; without a decided one,
    /// that of this moment.
    fileprivate func currentIdentity(
        of request: HTTPRequest,
        _ context: RequestContext,
        _ tags: CallTags,
        as decided: CallIdentity? = nil
    ) -> RequestIdentity? {
        chain?.pipeline.currentIdentity(
            of: request.kept(by: context.call),
            options: CallOptions(tags: tags),
            timeouts: context.timeouts,
            settings: context.call.settings,
            as: decided
        )
    }
}

extension HTTPRequest {
    /// Returns the request of a call as a queue keeps it: without secret fields.
    fileprivate func kept(by call: Call) -> HTTPRequest {
        var request = self
        request.headers = headers.withoutSecrets(of: [call.redaction])
        return request
    }
}
