import Synchronization

/// One refresh among the events of the call that needed it first: its beginning, and its end once.
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
