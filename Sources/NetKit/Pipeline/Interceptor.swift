/// Code that every request passes on its way out, and its response on its way back.
///
/// An interceptor may change the request, respond to it, call the rest of the chain again, or change the response.
///
/// ```swift
/// struct Timing: Interceptor {
///     let record: @Sendable (Duration) -> Void
///
///     func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
///         let start = context.clock.now
///         defer { record(start.duration(to: context.clock.now)) }
///         return try await next(request, context)
///     }
/// }
/// ```
/// To change only one side, adopt ``RequestInterceptor`` or ``ResponseInterceptor`` instead. To say more in
/// `explain()`, adopt ``InspectableInterceptor``.
///
/// All calls of a client share an interceptor, so it has to be `Sendable`. An error that it throws reaches the caller
/// as the `cause` of a ``NetKitError``. Before an interceptor calls `next` again, it has to discard the body of the
/// previous response.
public protocol Interceptor: Sendable {
    /// The position in the chain; `.call` by default.
    var stage: Stage { get }

    /// Handles one request: passes it on with `next`, or responds to it.
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse
}

extension Interceptor {
    /// The stage nearest to the caller, `.call`.
    public var stage: Stage { .call }
}

/// An interceptor that describes itself, or that consists of several others.
public protocol InspectableInterceptor: Interceptor {
    /// The effect of the interceptor in a few words, for `explain()`; the name of its type by default.
    var summary: String { get }

    /// The interceptors that this one consists of; only itself by default.
    ///
    /// A client asks once, when it is created, and sorts each part by its own stage.
    var parts: [any Interceptor] { get }

    /// Returns diagnostics about settings that conflict with the rest of the client; none by default.
    ///
    /// Each is a sentence that names the value at fault and the remedy. Equal sentences are shown once.
    func warnings(in client: ClientInspection) -> [String]
}

extension InspectableInterceptor {
    /// The name of the type.
    public var summary: String { String(describing: type(of: self)) }

    /// The interceptor itself.
    public var parts: [any Interceptor] { [self] }

    /// Returns no warnings.
    public func warnings(in client: ClientInspection) -> [String] { [] }
}

extension Interceptor {
    /// The effect of the interceptor in a few words; the name of its type unless it is inspectable.
    public var summary: String { (self as? any InspectableInterceptor)?.summary ?? String(describing: type(of: self)) }

    /// The interceptors that this one consists of; only itself unless it is inspectable.
    var parts: [any Interceptor] { (self as? any InspectableInterceptor)?.parts ?? [self] }
}
