import Foundation

/// Adds a credential to the requests of its origins, and replaces one that a server refuses.
///
/// ```swift
/// AuthInterceptor(tokens)                                          // Authorization: Bearer …
/// AuthInterceptor(tokens, header: "X-Session") { $0.value }        // any header and scheme
/// AuthInterceptor { await session.token }                          // a closure; nil adds no header
/// AuthInterceptor.basic(user: "ada", password: password)
/// AuthInterceptor.apiKey(key, header: "X-API-Key")
/// ```
/// After a 401, the interceptor fetches a new token, once for all refused requests, and sends the request again. If the
/// new token is refused too, the call throws `.unauthorized`. If an earlier interceptor has added a token to another
/// header field, that one is replaced first. A request that already has the header field, or whose `requiresAuth` is
/// `false`, is left alone, and so is a TRACE. If the body cannot be sent again, the call returns the 401.
public struct AuthInterceptor: IdentityVerifying, InspectableInterceptor, CallBound {
    /// The source of the tokens.
    public let provider: any TokenProvider
    /// The servers to which the tokens may be sent.
    public let origins: AuthOrigins
    /// The header field that carries them.
    public let header: String
    /// Whether a 403 also counts as a refusal of the token.
    public let refreshesOnForbidden: Bool

    /// The maximum number of tokens that are tried after a refusal.
    private static let maxReplacements = 20

    private let value: (@Sendable (AccessToken) -> String?)?
    private let kind: String

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - provider: The source of the tokens.
    ///   - origins: The servers to which the tokens may be sent.
    ///   - header: The header field that carries them.
    ///   - refreshesOnForbidden: Whether a 403 also counts as a refusal of the token, for servers that send it instead
    ///     of a 401.
    ///   - value: A closure that returns the header's value for a token, `Bearer …` by default. If it returns `nil`, no
    ///     header is added.
    public init(
        _ provider: some TokenProvider,
        origins: AuthOrigins = .baseURL,
        header: String = "Authorization",
        refreshesOnForbidden: Bool = false,
        value: (@Sendable (AccessToken) -> String?)? = nil
    ) {
        self.init(
            provider,
            for: origins,
            in: header,
            refreshesOnForbidden: refreshesOnForbidden,
            kind: value == nil ? "bearer token" : "token",
            value: value
        )
    }

    /// Creates an interceptor that asks a closure for the bearer token of every attempt.
    ///
    /// - Parameters:
    ///   - identity: The name of the tokens' identity, if it never changes. Without a name, no responses are shared.
    ///   - origins: The servers to which the tokens may be sent.
    ///   - token: A closure that returns the token. If it returns `nil`, no header is added. It may send requests
    ///     through the same client, with `requiresAuth` set to `false`.
    public init(
        identity: String? = nil,
        origins: AuthOrigins = .baseURL,
        token: @escaping @Sendable () async throws -> String?
    ) {
        let provider = ClosureTokenProvider(identity: identity, token: token)
        self.init(provider, for: origins, kind: "bearer token", value: nil)
    }

    init(
        _ provider: any TokenProvider,
        for origins: AuthOrigins,
        in header: String = "Authorization",
        refreshesOnForbidden: Bool = false,
        kind: String,
        value: (@Sendable (AccessToken) -> String?)?
    ) {
        self.provider = provider
        self.origins = origins
        self.header = header
        self.refreshesOnForbidden = refreshesOnForbidden
        self.kind = kind
        self.value = value
    }

    /// The auth stage: every attempt carries the current credential.
    public var stage: Stage { .auth }

    /// The kind of credential, its header field, and its origins.
    public var summary: String { "\(kind) in \(header) for \(origins.summary)" }

    /// Returns warnings about rival interceptors, the credential's origins, and the provider.
    public func warnings(in client: ClientInspection) -> [String] {
        let rivals = client.all(AuthInterceptor.self).filter { other in
            HTTPHeaders.isEqual(other.header, header) && other.origins.overlaps(origins, baseURL: client.baseURL)
        }
        let repeated =
            "\(rivals.count) AuthInterceptors set \(header) for the same origin: only the first one takes effect. Keep one, "
            + "or give them different origins."
        return (rivals.count > 1 ? [repeated] : []) + origins.warnings(baseURL: client.baseURL) + provider.warnings
    }

    /// The header field of the credential.
    public var secretHeaderNames: Set<String> { [header] }

    /// Returns the identity of the provider.
    public func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
        provider.credentialIdentity
    }

    /// Returns whether the request goes to one of the origins, wants a credential, and has none yet.
    ///
    /// A call with a credential of its own never gets another one, even if a redirect has removed its own. A TRACE
    /// never gets one, because its response repeats the request (RFC 9110, section 9.3.8).
    public func addsCredential(to request: HTTPRequest, context: RequestContext) -> Bool {
        request.requiresAuth && request.method != .trace
            && origins.contains(request.url, base: context.call.baseOrigin) && !request.headers.contains(header)
            && !context.call.request.headers.contains(header)
    }

    /// Sends the request with a credential, and again with a new one if the first one is refused.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let needsToken = addsCredential(to: request, context: context)
        var issued = needsToken ? provider.readyToken : nil
        if needsToken, issued == nil { issued = try await firstToken(context, next) }
        guard let issued, let signed = try signing(request, with: issued, context, next) else {
            return try await next(request, context)
        }
        let response = try await next(signed, context)
        guard isRefusal(response.status) else { return response }
        return try await replay(request, refusal: response, of: issued, context: context, next: next)
    }

    private func isRefusal(_ status: HTTPStatus) -> Bool {
        status == .unauthorized || (refreshesOnForbidden && status == .forbidden)
    }

    /// Returns the request with the token, which must stand for the identity under which the call began.
    @inline(never)
    private func signing(
        _ request: HTTPRequest,
        with issued: IssuedToken,
        _ context: RequestContext,
        _ next: Next
    ) throws -> HTTPRequest? {
        try next.verify(issued.identity ?? provider.credentialIdentity, context)
        guard let text = value.map({ $0(issued.token) }) ?? issued.bearer else { return nil }
        var signed = request
        signed.headers.add(header, text)
        return signed
    }

    @inline(never)
    private func firstToken(_ context: RequestContext, _ next: Next) async throws -> IssuedToken? {
        // A call of an earlier identity must not fetch a token for the current one.
        try next.verify(provider.credentialIdentity, context)
        return try await askProvider(context) { [provider] in try await provider.current() }
    }

    /// Sends a refused request again.
    ///
    /// If the token was already replaced, the replacement is tried first. A refusal of the replacement can still start
    /// a refresh. The number of replacements is bounded, because a provider may have another one each time.
    ///
    /// It is not inlined, so that waiting calls do not hold its memory.
    @inline(never)
    private func replay(
        _ request: HTTPRequest,
        refusal: HTTPResponse,
        of refused: IssuedToken,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        var (response, issued) = (refusal, refused)
        for _ in 0..<Self.maxReplacements {
            var newer = provider.readyToken
            if newer?.token.value == issued.token.value { newer = nil }
            guard provider.canRefresh || newer != nil else { return response }
            if let body = request.body, !body.canReplay {
                provider.noteRefused(issued)
                return response
            }
            // Read the refusal first: the refresh may be waiting for its connection and its permit.
            let kept = try await RefusedResponse(reading: response, context)
            let replacement = try await replacement(newer, for: issued, response.status, of: request, context, next)
            guard let replacement, let signed = try signing(request, with: replacement, context, next) else {
                return try kept.response()
            }
            response = try await next(signed, context)
            noteReplay(of: replacement, in: signed, response.status, context, next)
            guard isRefusal(response.status) else { return response }
            guard newer != nil, replacement.version > issued.version else { break }
            issued = replacement
        }
        guard response.status == .unauthorized, !mayRefuseOtherToken(response.status, in: request, context, next) else {
            return response
        }
        let message = "The server refused the credential, even after it was renewed."
        let kept = try await RefusedResponse(reading: response, context).kept
        throw NetKitError(.unauthorized, message, outcome: .answered, response: kept)
    }

    /// Returns another token after a refusal, unless a newer one is ready.
    ///
    /// `nil` means that there is none, and the refusal is the response. If the limit for refreshes is reached, that is
    /// an error, unless the refusal is a 403, which may have another reason, or an earlier interceptor's token may be
    /// the one that was refused. That interceptor then replaces its own.
    @inline(never)
    private func replacement(
        _ newer: IssuedToken?,
        for refused: IssuedToken,
        _ status: HTTPStatus,
        of request: HTTPRequest,
        _ context: RequestContext,
        _ next: Next
    ) async throws -> IssuedToken? {
        try next.verify(provider.credentialIdentity, context)
        if let newer { return newer }
        do {
            return try await askProvider(context) { [provider] in try await provider.replacement(for: refused) }
        } catch let error as NetKitError where error.cause is RefreshLimitReached {
            if status == .unauthorized, !mayRefuseOtherToken(status, in: request, context, next) { throw error }
            return nil
        }
    }

    /// Tells the providers whether the server accepted the tokens of a request that was sent again.
    ///
    /// A refusal may also be that of an earlier interceptor's token. That interceptor sends the request again with
    /// another one, and the response then also counts for the tokens that later interceptors have added.
    @inline(never)
    private func noteReplay(
        of replacement: IssuedToken,
        in request: HTTPRequest,
        _ status: HTTPStatus,
        _ context: RequestContext,
        _ next: Next
    ) {
        provider.noteReplay(of: replacement, isAccepted: !isRefusal(status))
        guard case (let pipeline, let index)? = next.chain else { return }
        for (place, adder) in pipeline.adders where place >= index {
            guard let later = adder as? AuthInterceptor, later.provider.canRefresh,
                later.addsCredential(to: request, context: context), let issued = later.provider.readyToken
            else { continue }
            later.provider.noteReplay(of: issued, isAccepted: !later.isRefusal(status))
        }
    }

    /// Returns whether a status may refuse a token that an earlier interceptor has added, and that it can replace.
    private func mayRefuseOtherToken(
        _ status: HTTPStatus,
        in request: HTTPRequest,
        _ context: RequestContext,
        _ next: Next
    ) -> Bool {
        guard case (let pipeline, let index)? = next.chain else { return false }
        return pipeline.adders.contains { other in
            guard other.index < index - 1, let earlier = other.adder as? AuthInterceptor else { return false }
            // A field of the caller is left alone.
            return earlier.provider.canRefresh && earlier.isRefusal(status) && request.headers.contains(earlier.header)
                && !context.call.request.headers.contains(earlier.header)
        }
    }

    /// Requests a token from the provider.
    ///
    /// A refresh that the provider starts is reported as an event, and its error says that a refresh failed.
    private func askProvider(
        _ context: RequestContext,
        _ ask: @escaping @Sendable () async throws -> IssuedToken?
    ) async throws -> IssuedToken? {
        let call = context.call
        do {
            return try await CallReporter.$ofRefresh.withValue(call.reporter) {
                try await context.endingWithCall(ask)
            }
        } catch {
            let error = call.failure(error, of: "The source of the token")
            guard let known = ErrorBoundary.outward(error, outcome: call.outcome) as? NetKitError else { throw error }
            // The identity of this call ended: no credential was refused. The error of another call names its request.
            if known.cause is IdentityChange, known.requestLine == nil { throw known.with(outcome: call.outcome) }
            throw known.duringRefresh(for: call).ofRefresh(outcome: call.outcome)
        }
    }
}

extension NetKitError {
    /// Returns the error of another call's refresh, with the request that needed the token.
    fileprivate func duringRefresh(for call: Call) -> NetKitError {
        guard requestLine != nil else { return self }
        return adding("The token for \(call.redaction.requestLine(for: call.request)) was being refreshed.")
    }
}

/// A refusal whose body was read, up to the limit for errors, to free its connection.
struct RefusedResponse: ~Copyable {
    private let original: HTTPResponse
    let kept: NetKitError.Response

    /// Reads the body.
    ///
    /// A body that fails or takes too long counts as truncated, because the status alone matters. Not inlined, because
    /// the compiler would make copies of what follows the read.
    @inline(never)
    init(reading response: HTTPResponse, _ context: RequestContext) async throws {
        original = response
        let (limit, time) = (NetKitError.Response.defaultMaxBodyBytes, context.timeouts.refusalBody)
        var (data, isTruncated) = (Data(), false)
        do {
            (data, isTruncated) = try await context.readingToEnd(of: response.body) {
                try await response.body.prefix(upTo: limit, within: time, on: context.clock)
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try context.call.checkStopped()
            isTruncated = true
        }
        kept = NetKitError.Response(
            status: response.status,
            headers: response.headers,
            body: data,
            isTruncated: isTruncated
        )
    }

    /// Returns the response with its body, or throws if the body is incomplete.
    func response() throws -> HTTPResponse {
        guard !kept.isTruncated else {
            let message = "The server refuses the credential, and there is no other."
            throw NetKitError(.unauthorized, message, outcome: .answered, response: kept)
        }
        var response = original
        response.body = ResponseBody(kept.body, trailers: original.trailers)
        return response
    }
}
