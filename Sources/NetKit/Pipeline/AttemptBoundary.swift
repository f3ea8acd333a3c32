/// An interceptor that numbers each exchange and sets its time limit.
///
/// It is the first one of the stage `.attempt`. The wait for a permit comes before it and does not count, and the other
/// interceptors of the stage belong to the exchange. A `CallBound` transport enforces the limit itself; any other code
/// runs in a task that is abandoned when the limit passes.
struct AttemptBoundary: InspectableInterceptor, CallBound {
    let stage = Stage.attempt
    let summary = "numbers the exchange and enforces the attempt limit"

    @inline(__always)
    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        // Inlined into the witness of the protocol, so that waiting calls do not hold another frame for it.
        try await next(request, try begun(request, context))
    }

    /// Begins an exchange, and returns its context.
    ///
    /// An attempt that lost a race may receive its permit at the same time, and then nothing is sent.
    @inline(never)
    private func begun(_ request: HTTPRequest, _ context: RequestContext) throws -> RequestContext {
        let call = context.call
        try call.checkStopped()
        let now = call.clock.now
        let end = call.timeouts.attempt.map { now.advanced(by: $0) }
        let sendsBody = request.body != nil
        let attempt = call.beginAttempt(at: now, deadline: end, url: request.url, sendsBody: sendsBody)
        return RequestContext(context, attempt: attempt)
    }
}
