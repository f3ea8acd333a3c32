import Foundation

/// What every event of a call refers to; made only where somebody listens.
///
/// It leaves out body and header fields: events may wait for a slow listener, and must not keep those alive.
final class CallFacts: Sendable {
    let id: CallID
    let request: RequestLine
    /// The path as it was written, with `{}` for each value.
    let template: String?
    let redaction: Redaction

    /// Method and URL.
    struct RequestLine: Sendable {
        let method: HTTPMethod
        let url: URL
    }

    init(id: CallID, request: HTTPRequest, template: String?, redaction: Redaction) {
        self.id = id
        self.request = RequestLine(method: request.method, url: request.url)
        self.template = template
        self.redaction = redaction
    }

    var url: String { redaction.redacted(request.url) }

    var origin: Origin? { Origin(request.url) }
}

/// What a call reports through; it has none where nobody listened when it began.
package struct CallReporter: Sendable {
    /// Nil where only its facts are wanted.
    let hub: EventHub?
    let facts: CallFacts

    /// Whom a refresh reports to that this task begins.
    @TaskLocal static var ofRefresh: CallReporter?

    /// The same for an exchange with another request: behind a redirect, or where an interceptor changed the URL.
    func about(_ request: HTTPRequest) -> CallReporter {
        guard request.url != facts.request.url || request.method != facts.request.method else { return self }
        let isSamePlace = request.url.path() == facts.request.url.path()
        return CallReporter(
            hub: hub,
            facts: CallFacts(
                id: facts.id,
                request: request,
                template: isSamePlace ? facts.template : nil,
                redaction: facts.redaction
            )
        )
    }

    func report(
        _ kind: ClientEvent.Kind,
        at instant: NetKitClock.Instant,
        _ fill: (inout ClientEvent) -> Void = { _ in }
    ) {
        guard let hub else { return }
        var event = ClientEvent(kind, at: instant, facts: facts)
        fill(&event)
        hub.report(event)
    }

    /// An answer has come: what the transport knows of the way there, each part at its own time.
    func reportParts(of timings: ExchangeTimings?, attempt: Int, since start: NetKitClock.Instant) {
        for (kind, duration) in timings?.parts ?? [] {
            report(kind, at: start.advanced(by: duration)) {
                $0.attempt = attempt
                $0.duration = duration
            }
        }
    }

    /// An exchange is over.
    func reportEnd(
        ofAttempt attempt: Int,
        since start: NetKitClock.Instant,
        at now: NetKitClock.Instant,
        timings: ExchangeTimings?,
        status: HTTPStatus? = nil,
        count: Int64? = nil,
        error: (any Error)? = nil
    ) {
        report(.attemptEnded, at: now) {
            $0.attempt = attempt
            $0.duration = start.duration(to: now)
            $0.timings = timings
            $0.status = status
            $0.count = count
            $0.error = error
        }
    }
}

/// An interceptor that wants to know what the call's path was written like, also where nobody listens.
protocol FactsReading {}
