/// The rest of the chain, which can be called several times, captured, or created in a test.
///
/// ```swift
/// let next = Next { request, context in HTTPResponse(status: .ok) }
/// let response = try await MyInterceptor().intercept(request, context: .test(), next: next)
/// ```
public struct Next: Sendable {
    /// One reference to constants, so that no interceptor is copied on the way of a request.
    private let link: Link

    init(_ link: Link) { self.link = link }

    /// Creates the rest of a chain from a function, to test an interceptor alone.
    public init(_ function: @escaping @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse) {
        link = Link(FunctionLink(function: function))
    }

    /// The chain, and the index of the first interceptor that follows.
    var chain: (pipeline: Pipeline, index: Int)? { link.place }

    /// The position, among the interceptors that add a credential, of the one that received this value.
    var adderPosition: Int? {
        chain.flatMap { chain in chain.pipeline.adders.firstIndex { $0.index == chain.index - 1 } }
    }

    /// The identity of the transport, if servers respond differently to it than to others.
    var transportIdentity: String? { chain?.pipeline.transportIdentity }

    /// Passes the request on.
    public func callAsFunction(_ request: HTTPRequest, _ context: RequestContext) async throws -> HTTPResponse {
        // A single wait, because the compiler repeats what callers do after the response for each wait in here.
        try await link.receiver.intercept(request, context: context, next: Next(link.following))
    }
}
