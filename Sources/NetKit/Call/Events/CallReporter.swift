import Foundation
import Synchronization

/// The sender of a call's events; a call has none if there was no listener when it began.
package struct CallReporter: Sendable {
    /// The recipient of events; `nil` if only the facts are needed.
    let hub: EventHub?
    let facts: CallFacts

    /// The reporter of a token refresh that the current task begins.
    @TaskLocal static var ofRefresh: CallReporter?

    /// Returns a reporter for an exchange with another request: after a redirect, or if an interceptor changed the URL.
    func about(_ request: HTTPRequest) -> CallReporter {
        guard request.url != facts.requestURL || request.method != facts.method else { return self }
        let isSamePlace = request.url.path() == facts.requestURL.path()
        return CallReporter(
            hub: hub,
            facts: CallFacts(
                id: facts.id,
                request: request,
                template: isSamePlace ? facts.template : nil,
                redaction: facts.redaction,
                latestListener: facts.latestListener
            )
        )
    }

    @inline(never)
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

    /// Reports the phases of an exchange up to its response, each at its own time.
    func reportParts(of timings: ExchangeTimings?, attempt: Int, since start: NetKitClock.Instant) {
        for (kind, duration) in timings?.parts ?? [] {
            report(kind, at: start.advanced(by: duration)) {
                $0.attempt = attempt
                $0.duration = duration
            }
        }
    }

    /// Reports the end of an exchange.
    func reportEnd(
        ofAttempt attempt: Int,
        since start: NetKitClock.Instant,
        at now: NetKitClock.Instant,
        timings: ExchangeTimings?,
        status: HTTPStatus?,
        count: Int64? = nil,
        error: (any Error)?
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

/// The start and end events of one refresh, for the call that needed it first.
///
/// The end is reported once.
final class RefreshReport: Sendable {
    private let reporter: CallReporter
    private let clock: NetKitClock
    private let start: NetKitClock.Instant
    private let isOver = Atomic<Bool>(false)

    init(_ reporter: CallReporter, _ clock: NetKitClock) {
        self.reporter = reporter
        self.clock = clock
        start = clock.now
        reporter.report(.refreshStarted, at: start)
    }

    func end(_ error: (any Error)?) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        let now = clock.now
        reporter.report(.refreshEnded, at: now) { event in
            event.duration = start.duration(to: now)
            event.error = error
        }
    }
}
