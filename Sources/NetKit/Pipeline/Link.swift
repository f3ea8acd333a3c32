/// One link of a chain: the receiver of a request, and the link after it.
final class Link: Sendable {
    /// The receiver of the request.
    let receiver: any Interceptor
    /// The pipeline, and the index of the link in its chain; `nil` for a function.
    let place: (pipeline: Pipeline, index: Int)?
    private let successor: Link?

    init(_ receiver: any Interceptor, at place: (Pipeline, Int)? = nil, before successor: Link? = nil) {
        (self.receiver, self.place, self.successor) = (receiver, place, successor)
    }

    /// The link after this one; the last link, which passes nothing on, is followed by itself.
    var following: Link { successor ?? self }
}

/// The receiver in place of an interceptor that is not `CallBound` and may outlast its call.
struct UnboundLink: Interceptor {
    let interceptor: any Interceptor

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        if let inner = context.contextForSeparateTask {
            return try await abandonable(inner) { try await intercept(request, context: inner, next: next) }
        }
        do {
            return try await interceptor.intercept(request, context: context, next: next)
        } catch {
            throw context.call.failure(error, of: "\(type(of: interceptor))")
        }
    }
}

/// The receiver in place of a chain, in a test.
struct FunctionLink: Interceptor {
    let function: @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await function(request, context)
    }
}

/// The receiver after the last interceptor, which passes the request to the transport.
struct ChainEnd: Interceptor {
    let pipeline: Pipeline

    /// Inlined into its witness, so that waiting calls do not hold a frame of it.
    @inline(__always)
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        if !pipeline.isTransportCallBound, let inner = context.contextForSeparateTask {
            return try await abandonable(inner) { try await pipeline.transmit(request, context: inner) }
        }
        return try await pipeline.transmit(request, context: context)
    }
}

/// Sends a request in a task that can be abandoned.
@inline(never)
private func abandonable(
    _ inner: RequestContext,
    _ send: @escaping @Sendable () async throws -> HTTPResponse
) async throws -> HTTPResponse {
    try await AbandonableTask.run(in: inner, send, drop: { $0.body.discard() })
}
