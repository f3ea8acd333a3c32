import Dispatch

#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
#endif

/// The alarms of the real clock: one heap for the process and one pending wake-up.
///
/// A task that sleeps costs about two microseconds and its timer stays behind when it is cancelled. Every call has a
/// limit in time and hardly any is reached, so alarms are entries of a heap that are dropped lazily instead.
final class SystemTimers: Sendable {
    static let shared = SystemTimers()

    private let queue = DispatchQueue(label: "netkit.timers", qos: .userInitiated)
    private let state = Locked(TimerHeap())

    var now: NetKitClock.Instant {
        #if canImport(Glibc) || canImport(Musl)
            // The clock that Dispatch asks too, with less around it.
            NetKitClock.Instant(nanoseconds: nk_nanoseconds())
        #else
            NetKitClock.Instant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
        #endif
    }

    /// How many alarms are kept, cancelled ones that were not swept yet included.
    var storedCount: Int { state.withLock { $0.count } }

    func schedule(
        at deadline: NetKitClock.Instant,
        _ action: @escaping @Sendable () -> Void
    ) -> ClockAlarm {
        let alarm = ClockAlarm(action) { [self] in state.withLock { $0.noteCancelled() } }
        guard deadline < .distantFuture else { return alarm }
        let isEarliest = state.withLock { $0.insert(alarm, at: deadline) }
        if isEarliest { wake(at: deadline) }
        return alarm
    }

    func sleep(until deadline: NetKitClock.Instant) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard sleeper.start(continuation) else { return }
                sleeper.set(alarm: schedule(at: deadline) { sleeper.end(.success(())) })
            }
        } onCancel: {
            sleeper.end(.failure(CancellationError()))
        }
    }

    private func wake(at deadline: NetKitClock.Instant) {
        let time = DispatchTime(uptimeNanoseconds: UInt64(clamping: deadline.nanoseconds))
        queue.asyncAfter(deadline: time) { [self] in fireDue(wakeUp: deadline) }
    }

    private func fireDue(wakeUp: NetKitClock.Instant) {
        let (due, next) = state.withLock { $0.removeDue(now: now, wakeUp: wakeUp) }
        for alarm in due { alarm.fire() }
        if let next { wake(at: next) }
    }
}
