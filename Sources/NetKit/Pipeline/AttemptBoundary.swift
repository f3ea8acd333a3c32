/// The beginning of an exchange, which numbers it and sets the end of its time.
///
/// It is the first interceptor of the stage `.attempt`, so that the wait for a permit does not count, and so that the
/// interceptors of this stage run for each exchange. A `CallBound` transport enforces the limit itself; any other code
/// runs in a task that is abandoned when the limit passes.
struct AttemptBoundary: InspectableInterceptor, CallBound {
    let stage = Stage.attempt
    let summary = "numbers the exchange and enforces the attempt limit"

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await next(request, begun(context))
    }

    /// Returns the context of the exchange that begins.
    @inline(never)
    private func begun(_ context: RequestContext) -> RequestContext {
        let call = context.call
        let now = call.clock.now
        // The deadline of a shared call may still be extended, and its members end it.
        var end = call.isShared ? nil : call.deadline
        if let limit = call.timeouts.attempt {
            let own = now.advanced(by: limit)
            // If the call ends first, its own alarm ends everything; a second one would change nothing.
            end = end.map { min($0, own) } ?? own
        }
        return RequestContext(context, attempt: call.beginAttempt(at: now, deadline: end))
    }
}
