/// The rest of the chain, which can be called several times, captured, or created in a test.
///
/// ```swift
/// let next = Next { request, context in HTTPResponse(status: .ok) }
/// let response = try await MyInterceptor().intercept(request, context: .test(), next: next)
/// ```
public struct Next: Sendable {
    private enum Rest: Sendable {
        case chain(Pipeline, index: Int)
        case function(@Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse)
    }

    private let rest: Rest

    init(_ pipeline: Pipeline, index: Int) { rest = .chain(pipeline, index: index) }

    /// Creates the rest of a chain from a function, to test an interceptor alone.
    public init(_ function: @escaping @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse) {
        rest = .function(function)
    }

    /// The chain, and the index of the first interceptor that follows.
    var chain: (pipeline: Pipeline, index: Int)? {
        if case .chain(let pipeline, let index) = rest { (pipeline, index) } else { nil }
    }

    /// The position, among the interceptors that add a credential, of the one that received this value.
    var adderPosition: Int? {
        chain.flatMap { chain in chain.pipeline.adders.firstIndex { $0.index == chain.index - 1 } }
    }

    /// The identity of the transport, if servers respond differently to it than to others.
    var transportIdentity: String? { chain?.pipeline.transportIdentity }

    /// Passes the request on.
    public func callAsFunction(_ request: HTTPRequest, _ context: RequestContext) async throws -> HTTPResponse {
        // A single wait, because the compiler repeats what callers do after the response for each wait in here.
        let (link, next) = following()
        return try await link.intercept(request, context: context, next: next)
    }

    /// Returns the link that receives the request, and the value that it gets.
    private func following() -> (link: any Interceptor, next: Next) {
        guard case .chain(let pipeline, let index) = rest else { return (UnboundLink(), self) }
        return (pipeline.links[index], Next(pipeline, index: pipeline.positions[index]))
    }

    /// Passes the request to a function, or to an interceptor that may not end with the call, and may throw anything.
    fileprivate func passToUnbound(_ request: HTTPRequest, _ context: RequestContext) async throws -> HTTPResponse {
        switch rest {
        case .function(let function):
            return try await function(request, context)
        case .chain(let pipeline, let index):
            if let inner = context.contextForSeparateTask { return try await inAbandonableTask(request, inner) }
            let interceptor = pipeline.interceptors[index]
            do {
                let next = Next(pipeline, index: index + 1)
                return try await interceptor.intercept(request, context: context, next: next)
            } catch {
                throw context.call.failure(error, of: "\(type(of: interceptor))")
            }
        }
    }

    /// Passes the request on in a task that can be abandoned.
    @inline(never)
    fileprivate func inAbandonableTask(_ request: HTTPRequest, _ inner: RequestContext) async throws -> HTTPResponse {
        try await AbandonableTask.run(in: inner, { try await self(request, inner) }, drop: { $0.body.discard() })
    }
}

/// The link after the last interceptor, which passes the request to the transport of the chain of `next`.
struct ChainEnd: Interceptor {
    /// Inlined into its witness, so that waiting calls do not hold a frame of it.
    @inline(__always)
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        guard let (pipeline, index) = next.chain else { return try await next(request, context) }
        if !pipeline.isCallBound(at: index), let inner = context.contextForSeparateTask {
            return try await next.inAbandonableTask(request, inner)
        }
        return try await pipeline.transmit(request, context: context)
    }
}

/// The link in place of a function, or of an interceptor that is not `CallBound` and may outlast its call.
struct UnboundLink: Interceptor {
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await next.passToUnbound(request, context)
    }
}
