import Dispatch

#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
#endif

/// The alarms of the real clock: one heap for the process and one pending wake-up.
///
/// A task that sleeps costs about two microseconds, and its timer remains when the task is cancelled. Every call has a
/// time limit, and hardly any limit is reached, so alarms are entries of a heap that are dropped lazily instead.
///
/// All alarms fire on one serial queue. Only wake-ups run there; actions that can reach code of users run on
/// `ActionThreads`.
final class SystemTimers: Sendable {
    static let shared = SystemTimers()

    private let queue = DispatchQueue(label: "netkit.timers", qos: .userInitiated)
    private let state = Locked(TimerHeap())

    var now: NetKitClock.Instant {
        #if canImport(Glibc) || canImport(Musl)
            // The clock that Dispatch uses too, with less overhead.
            NetKitClock.Instant(nanoseconds: nk_nanoseconds())
        #else
            NetKitClock.Instant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
        #endif
    }

    /// The number of alarms, including cancelled ones that were not removed yet.
    var storedCount: Int { state.withLock { $0.count } }

    /// Sets an alarm whose action may be slow.
    func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        set(ClockAlarm(action, isWakeUp: false, onCancel: noteCancelled), at: deadline)
    }

    /// Sets an alarm whose action is quick, and runs on the queue that all alarms share.
    func scheduleWakeUp(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        set(ClockAlarm(action, isWakeUp: true, onCancel: noteCancelled), at: deadline)
    }

    private func noteCancelled() {
        state.withLock { $0.noteCancelled() }
    }

    private func set(_ alarm: ClockAlarm, at deadline: NetKitClock.Instant) -> ClockAlarm {
        guard deadline < .distantFuture else { return alarm }
        let isEarliest = state.withLock { $0.insert(alarm, at: deadline) }
        if isEarliest { wake(at: deadline) }
        return alarm
    }

    func sleep(until deadline: NetKitClock.Instant) async throws {
        try Task.checkCancellation()
        let sleep = Promise<Void>()
        let alarm = scheduleWakeUp(at: deadline) { sleep.resolve(.success(())) }
        defer { alarm.cancel() }
        try await sleep.cancellableValue()
    }

    private func wake(at deadline: NetKitClock.Instant) {
        let time = DispatchTime(uptimeNanoseconds: UInt64(clamping: deadline.nanoseconds))
        queue.asyncAfter(deadline: time) { [self] in fireDue(wakeUp: deadline) }
    }

    private func fireDue(wakeUp: NetKitClock.Instant) {
        let (due, next) = state.withLock { $0.removeDue(now: now, wakeUp: wakeUp) }
        // Done first, so that no action below can delay it.
        if let next { wake(at: next) }
        for alarm in due {
            if alarm.isWakeUp { alarm.fire() } else { ActionThreads.shared.run { alarm.fire() } }
        }
    }
}
