import Foundation

// The functions before and after the wait for the transport are not inlined, so that their temporaries are on the stack
// and not in the memory of every waiting call.
extension Pipeline {
    /// Performs one exchange at the end of the chain: checks the request, hands it to the transport, and translates
    /// errors.
    func transmit(_ given: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
        let request = try checked(given, in: context.call)
        let start = context.clock.now
        let reporter = context.call.reporter?.about(request)
        reporter?.report(.attemptStarted, at: start) { $0.attempt = context.attempt.number }
        do {
            if context.call.addressGuard != nil { try await Self.judgeHost(of: request, context) }
            context.attempt.noteHandedOver(bodyLength: request.body.map { $0.length } ?? 0)
            var response = try await transport.send(request, context: context)
            context.attempt.noteAnswered()
            if context.call.addressGuard != nil { try judgeConnection(of: response, to: request, context.call) }
            if let limit = context.delivery.maxBufferedBytes(of: response.status),
                response.body.buffered.map({ $0.count > limit }) ?? true
            {
                response = try await Self.buffered(response, upTo: limit, context)
            }
            complete(&response, request, context, since: start, reporter)
            return response
        } catch {
            throw Self.failed(transportError(error, context.call), request, context, since: start, reporter)
        }
    }

    /// Returns the request as it is sent, or throws if it cannot be.
    ///
    /// An interceptor may have set another target or body; one that is prepared already stays as it is.
    @inline(never)
    private func checked(_ request: HTTPRequest, in call: Call) throws -> HTTPRequest {
        var request = request
        try request.resolve(against: nil)
        try request.prepare(json: call.json)
        try RequestValidation.validate(request)
        try call.checkStopped()
        try verifyIdentity(of: request, in: call)
        return request
    }

    /// Checks the host of a request with the address guard, which may have to resolve the name first.
    @inline(never)
    private static func judgeHost(of request: HTTPRequest, _ context: RequestContext) async throws {
        guard let addressGuard = context.call.addressGuard, let host = request.url.host(percentEncoded: true) else {
            return
        }
        try await context.endingWithCall { try await addressGuard.judge(host: host) }
    }

    /// Checks the connection with the address guard, unless the transport does so before it sends.
    @inline(never)
    private func judgeConnection(of response: HTTPResponse, to request: HTTPRequest, _ call: Call) throws {
        guard !transportChecksAddresses, let addressGuard = call.addressGuard,
            let address = response.timings.remoteAddress
        else {
            return
        }
        do {
            try addressGuard.judge(connectedAddress: address, for: request.url.host(percentEncoded: true))
        } catch {
            response.body.discard()
            throw error.with(outcome: .answered)
        }
    }

    /// Collects a body that the transport streamed although it should be buffered.
    ///
    /// The attempt limit applies until its end.
    @inline(never)
    private static func buffered(
        _ response: HTTPResponse,
        upTo limit: Int,
        _ context: RequestContext
    ) async throws -> HTTPResponse {
        try await context.readingToEnd(of: response.body) { try await response.buffered(upTo: limit) }
    }

    @inline(never)
    private func complete(
        _ response: inout HTTPResponse,
        _ request: HTTPRequest,
        _ context: RequestContext,
        since start: NetKitClock.Instant,
        _ reporter: CallReporter?
    ) {
        response.complete(
            url: request.url,
            sentFields: readsSentFields ? request.headers : nil,
            total: start.duration(to: context.clock.now)
        )
        if response.body.buffered != nil {
            context.attempt.noteOver()
        } else {
            response.onEnd { [call = context.call, attempt = context.attempt] _ in
                // The error of a deadline names the step that it has ended.
                if !call.isStopped { attempt.noteOver() }
            }
        }
        if let reporter { Self.report(response, of: context, since: start, to: reporter) }
    }

    /// Returns the error of an exchange; a cancellation that nothing asked for is a failure of the transport.
    @inline(never)
    private func transportError(_ error: any Error, _ call: Call) -> any Error {
        guard !isTransportCallBound else { return error }
        return call.failure(error, of: "\(type(of: actualTransport))")
    }

    /// Translates the error of an exchange, and notes what it says about the request.
    @inline(never)
    private static func failed(
        _ error: any Error,
        _ request: HTTPRequest,
        _ context: RequestContext,
        since start: NetKitClock.Instant,
        _ reporter: CallReporter?
    ) -> any Error {
        let attempt = context.attempt
        let observed = context.call.observed(error, outcome: attempt.outcome)
        let outward = (observed as? NetKitError)?.attaching(responseURL: request.url) ?? observed
        if (outward as? NetKitError)?.outcome == .notSent { attempt.noteNotSent() }
        if outward is CancellationError, !Task.isCancelled { attempt.noteCancelled() }
        // The error of a deadline names the step that it has ended.
        if !context.call.isStopped { attempt.noteOver() }
        if let reporter { report(outward, of: context, since: start, to: reporter) }
        return outward
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
        let (number, known) = (context.attempt.number, error as? NetKitError)
        reporter.reportParts(of: known?.timings, attempt: number, since: start)
        reporter.reportEnd(
            ofAttempt: number,
            since: start,
            at: context.clock.now,
            timings: known?.timings,
            status: known?.ownStatus,
            error: error
        )
    }
}
