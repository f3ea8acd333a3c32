import Foundation

/// A running span, which is exported at its end.
final class SpanRecorder: Sendable {
    private let span: Span
    private let context: RequestContext
    private let started: NetKitClock.Instant
    private let exporter: any SpanExporter

    init(
        _ kind: Span.Kind,
        _ trace: TraceContext,
        parent: String?,
        _ request: HTTPRequest,
        _ context: RequestContext,
        _ exporter: any SpanExporter
    ) {
        self.context = context
        self.exporter = exporter
        started = context.clock.now
        let (date, method, redaction) = (context.clock.date, request.method.telemetryName, context.call.redaction)
        let template = context.call.reporter?.about(request).facts.template
        var span = Span(
            name: template.map { "\(method) \($0)" } ?? method,
            kind: kind,
            context: trace,
            parentID: parent,
            start: date,
            end: date
        )
        span.attributes = ["http.request.method": .text(method), "url.full": .text(redaction.redacted(request.url))]
        if method == "_OTHER" {
            span.attributes["http.request.method_original"] = .text(request.method.rawValue, maxLength: 40)
        }
        if let template { span.attributes["url.template"] = .text(template) }
        if let origin = Origin(request.url) {
            span.attributes["url.scheme"] = .text(origin.scheme)
            span.attributes["server.address"] = .text(origin.host)
            span.attributes["server.port"] = .integer(origin.port)
        }
        self.span = span
        exporter.begin(span)
    }

    /// Runs the step of the span, which ends with the response's body.
    func follow(_ step: () async throws -> HTTPResponse) async throws -> HTTPResponse {
        do {
            let response = try await step()
            finish(atEndOf: response)
            return response
        } catch {
            finish(after: error)
            throw error
        }
    }

    @inline(never)
    private func finish(atEndOf response: HTTPResponse) {
        let (status, timings) = (response.status, response.timings)
        response.onEnd { self.finish(status, timings, $0) }
    }

    @inline(never)
    private func finish(after error: any Error) {
        // A call ends as its caller sees it.
        let call = context.call
        let seen = span.kind == .client ? call.observed(error, outcome: .unknown) : call.outward(error)
        let known = seen as? NetKitError
        finish(known?.ownStatus, known?.timings, nil, seen)
    }

    @inline(never)
    private func finish(
        _ status: HTTPStatus?,
        _ timings: ExchangeTimings?,
        _ body: BodyEnd?,
        _ error: (any Error)? = nil
    ) {
        var span = span
        let elapsed = started.duration(to: context.clock.now)
        span.end = span.start.addingTimeInterval(elapsed.inSeconds)
        if let status { span.attributes["http.response.status_code"] = .integer(status.code) }
        if let body { span.attributes["http.response.body.size"] = .integer(body.byteCount) }
        span.errorType = errorType(status, error ?? body?.error)
        if let errorType = span.errorType { span.attributes["error.type"] = .text(errorType) }
        if span.kind == .client { describe(timings, in: &span) } else { describeCall(in: &span) }
        exporter.export(span)
    }

    private func errorType(_ status: HTTPStatus?, _ error: (any Error)?) -> String? {
        if let error {
            return (context.call.observed(error, outcome: .unknown) as? NetKitError)?.code.description ?? "cancelled"
        }
        return status.flatMap { $0.code >= 400 ? String($0.code) : nil }
    }

    private func describe(_ timings: ExchangeTimings?, in span: inout Span) {
        let number = context.attempt.number
        if number > 1 { span.attributes["http.request.resend_count"] = .integer(number - 1) }
        guard let timings else { return }
        if let address = timings.remoteAddress { span.attributes["network.peer.address"] = .text(address) }
        if let version = timings.protocolVersion?.split(separator: "/").last {
            span.attributes["network.protocol.version"] = .text(String(version))
        }
        span.events += timings.parts.map { kind, duration in
            Span.Event(name: kind.description, date: span.start.addingTimeInterval(duration.inSeconds))
        }
    }

    /// Adds the attempts, and the reason why there was no further one.
    private func describeCall(in span: inout Span) {
        guard let (start, log) = context.call.startedAttemptLog else { return }
        // The first attempt begins after the span if the call waited or was redirected before.
        let earlier = started.duration(to: start)
        for attempt in log.attempts {
            let moment = earlier + attempt.startedAfter + attempt.duration
            span.events.append(
                Span.Event(name: attempt.description, date: span.start.addingTimeInterval(moment.inSeconds))
            )
        }
        if let stop = log.stop { span.attributes["netkit.retry.stop"] = .text(stop.description) }
    }
}
