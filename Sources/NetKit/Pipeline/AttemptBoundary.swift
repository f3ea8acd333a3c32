import Foundation

/// The beginning of an exchange, which numbers it and sets the end of its time.
///
/// It is the first interceptor of the stage `.attempt`, so that the wait for a permit does not count, and so that the
/// interceptors of this stage run for each exchange. NetKit's transports keep the limit themselves; any other code runs in a
/// task that is left behind when it passes.
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

extension Pipeline {
    /// Performs one exchange at the end of the chain: checks the request, hands it to the transport, and translates errors.
    func transmit(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        var request = request
        // An interceptor may have set another target or body; one that is prepared already stays as it is.
        try request.resolve(against: nil)
        try request.prepare(json: context.call.json)
        try RequestValidation.validate(request)
        try Task.checkCancellation()
        try context.call.checkStopped()
        try verifyIdentity(of: request, in: context.call)
        let start = context.clock.now
        let reporter = context.call.reporter?.about(request)
        reporter?.report(.attemptStarted, at: start) { $0.attempt = context.attempt.number }
        do {
            var response = try await exchange(request, context)
            if let limit = context.delivery.maxBufferedBytes {
                // The attempt's limit counts until the end of a body that the transport streams all the same.
                response = try await context.readingToEnd(of: response.body) { [response] in
                    try await response.buffered(upTo: limit)
                }
                context.attempt.noteOver()
            }
            response = response.completed(
                url: request.url,
                sentFields: readsSentFields ? request.headers : nil,
                total: start.duration(to: context.clock.now)
            )
            if let reporter { Self.report(response, of: context, since: start, to: reporter) }
            return response
        } catch {
            let attempt = context.attempt
            let outward = ErrorBoundary.outward(error, outcome: attempt.outcome)
            if (outward as? NetKitError)?.outcome == .notSent { attempt.noteNotSent() }
            if !(outward is CancellationError), !context.call.isStopped { attempt.noteOver() }
            if let reporter { Self.report(outward, of: context, since: start, to: reporter) }
            throw outward
        }
    }

    /// Hands a request to the transport, between the questions to the address guard.
    private func exchange(_ request: HTTPRequest, _ context: RequestContext) async throws -> HTTPResponse {
        let (attempt, addressGuard) = (context.attempt, context.call.addressGuard)
        let host = addressGuard == nil ? nil : request.url.host(percentEncoded: true)
        if let addressGuard, let host {
            // The resolution of a name takes as long as its server takes.
            try await context.endingWithCall { try await addressGuard.judge(host: host) }
        }
        attempt.noteHandedOver()
        let response = try await transport.send(request, context: context)
        attempt.noteAnswered()
        // For transports that report their connection, but do not ask the guard before they send.
        if let addressGuard, !judgesAddresses, let address = response.timings.remoteAddress {
            do {
                try addressGuard.judge(connectedAddress: address, for: host)
            } catch {
                response.body.discard()
                throw error.with(outcome: .answered)
            }
        }
        return response
    }

    private static func report(
        _ response: HTTPResponse,
        of context: RequestContext,
        since start: NetKitClock.Instant,
        to reporter: CallReporter
    ) {
        let (clock, number, timings, status) = (
            context.clock, context.attempt.number, response.timings, response.status
        )
        reporter.reportParts(of: timings, attempt: number, since: start)
        response.onEnd { end in
            reporter.reportEnd(
                ofAttempt: number,
                since: start,
                at: clock.now,
                timings: timings,
                status: status,
                count: end.byteCount,
                error: end.error
            )
        }
    }

    private static func report(
        _ error: any Error,
        of context: RequestContext,
        since start: NetKitClock.Instant,
        to reporter: CallReporter
    ) {
        let (number, timings) = (context.attempt.number, (error as? NetKitError)?.timings)
        reporter.reportParts(of: timings, attempt: number, since: start)
        reporter.reportEnd(ofAttempt: number, since: start, at: context.clock.now, timings: timings, error: error)
    }
}
