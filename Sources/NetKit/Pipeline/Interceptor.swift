/// One link of the chain that every request passes: it may change the request, answer it, call the rest again, or
/// change the answer.
///
/// ```swift
/// struct Timing: Interceptor {
///     func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
///         let start = context.clock.now
///         defer { record(start.duration(to: context.clock.now)) }
///         return try await next(request, context)
///     }
/// }
/// ```
/// To touch only one side, `RequestInterceptor` and `ResponseInterceptor` are simpler; both are interceptors.
/// An interceptor is shared by every call of a client and has to be `Sendable`; what it throws reaches the caller as the
/// `cause` of a `NetKitError`. One that calls `next` again first discards the previous response's body.
public protocol Interceptor: Sendable {
    /// Where in the chain it stands; `.call` unless said otherwise.
    var stage: Stage { get }

    /// What it does in a few words, for `explain()`; its type's name unless said otherwise.
    var summary: String { get }

    /// What it consists of, where it needs more than one place in the chain; only itself unless said otherwise.
    ///
    /// The client asks once, when it is made, and puts each part where its stage says.
    var parts: [any Interceptor] { get }

    /// What makes no sense about it in a client, for `explain()`; nothing unless said otherwise.
    ///
    /// Each is a sentence that names the value at fault and says what to do. Of equal sentences one is shown.
    func warnings(in facts: PipelineFacts) -> [String]

    /// Handles one request by passing it on, or not.
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse
}

extension Interceptor {
    /// The caller's side of the chain.
    public var stage: Stage { .call }

    /// The type's name.
    public var summary: String { String(describing: type(of: self)) }

    /// Only itself.
    public var parts: [any Interceptor] { [self] }

    /// Nothing.
    public func warnings(in facts: PipelineFacts) -> [String] { [] }
}
