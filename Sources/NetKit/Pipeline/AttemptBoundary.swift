/// Begins an exchange: numbers it, and states when the attempt's time is up.
///
/// It stands first in `.attempt`, so that waiting for a permit does not count, and what runs for every try does. What follows
/// keeps the limit: NetKit's transports themselves, and whatever else runs in a task that is left behind.
struct AttemptBoundary: InspectableInterceptor, EndsWithCall {
    let stage = Stage.attempt
    let summary = "numbers the exchange and keeps the attempt limit"

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        let call = context.call
        var end = call.deadline
        if let limit = call.timeouts.attempt {
            let own = call.clock.now.advanced(by: limit)
            // If the call ends first, its own alarm ends everything; a second one would change nothing.
            end = end.map { min($0, own) } ?? own
        }
        return try await next(request, RequestContext(context, attempt: call.beginAttempt(deadline: end)))
    }
}
