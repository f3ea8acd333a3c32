public import Foundation

/// The clock that NetKit uses for times, sleeps and alarms.
///
/// It is one concrete type, so that it can be stored and passed without generics. `.system` is the real clock;
/// `TestClock` in `NetKitTesting` provides one that stands still until a test moves it.
public struct NetKitClock: Clock, Sendable {
    /// The real clock: monotonic, with alarms of millisecond precision.
    public static let system = NetKitClock()

    /// A custom source; behind a pointer, because every user of a clock copies it.
    private let own: Box<any ClockSource>?

    private var source: (any ClockSource)? { own?.value }

    /// Creates a clock with a custom source.
    public init(_ source: any ClockSource) { own = Box(source) }

    private init() { own = nil }

    /// Whether this is the real clock.
    var isSystem: Bool { own == nil }

    /// The current instant.
    public var now: Instant {
        guard let source else { return SystemTimers.shared.now }
        return source.now
    }

    /// The current date, for comparison with the dates of other machines.
    public var date: Date {
        guard let source else { return Date() }
        return source.date
    }

    /// The smallest difference of times that the clock can measure.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until an instant, or throws `CancellationError` as soon as the task is cancelled.
    @inline(never)
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        // Not inlined, because the compiler would copy what callers do afterwards for each of the two waits.
        guard let source else { return try await SystemTimers.shared.sleep(until: deadline) }
        try await source.sleep(until: deadline)
    }

    /// Calls an action once at an instant, unless the alarm is cancelled first.
    ///
    /// On the system's clock, the action runs on a thread that no other alarm waits for.
    public func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        guard let source else { return SystemTimers.shared.schedule(at: deadline, action) }
        return source.schedule(at: deadline, action)
    }

    /// Calls an action once at an instant, as `schedule(at:_:)` does, on the queue that all alarms of the process
    /// share.
    ///
    /// That saves a hop to another thread. The action may only resume a continuation or hand something over. It must
    /// not reach code of users, for example by cancelling a task or ending a body.
    package func scheduleWakeUp(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        guard let source else { return SystemTimers.shared.scheduleWakeUp(at: deadline, action) }
        return source.schedule(at: deadline, action)
    }

    /// Waits for an alarm or the result of a promise, or throws `CancellationError` as soon as the task is cancelled.
    ///
    /// It is for work that repeats in the background: on a clock that skips sleeps, a loop of sleeps would never pause.
    package func waitForAlarm(at deadline: Instant, or promise: Promise<Void> = Promise()) async throws {
        let alarm = scheduleWakeUp(at: deadline) { promise.resolve(.success(())) }
        defer { alarm.cancel() }
        try await promise.cancellableValue()
    }

    /// Runs an action that can reach code of users on another thread.
    ///
    /// On a custom clock it runs at once, so that the events of a test have one order.
    func runAside(_ action: @escaping @Sendable () -> Void) {
        if isSystem { ActionThreads.shared.run(action) } else { action() }
    }
}

/// A custom source of time for a clock.
public protocol ClockSource: Sendable {
    /// The current instant, which never goes backwards.
    var now: NetKitClock.Instant { get }

    /// The current date.
    var date: Date { get }

    /// Suspends until an instant, or throws `CancellationError` as soon as the task is cancelled.
    func sleep(until deadline: NetKitClock.Instant) async throws

    /// Calls an action once at an instant, unless the alarm is cancelled first.
    func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm
}

extension NetKitClock {
    /// A point in time of one clock, counted in nanoseconds since that clock's origin.
    ///
    /// Arithmetic saturates: adding the longest possible duration gives `.distantFuture`, never a trap.
    public struct Instant: InstantProtocol, Hashable, Sendable {
        /// Nanoseconds since the clock's origin.
        public let nanoseconds: Int64

        /// Creates an instant from nanoseconds since the clock's origin.
        public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

        /// An instant that is never reached.
        public static let distantFuture = Instant(nanoseconds: .max)

        /// Returns the instant that is a duration later, at most `.distantFuture`.
        public func advanced(by duration: Duration) -> Instant {
            Instant(nanoseconds: nanoseconds.addingSaturated(duration.clampedNanoseconds))
        }

        /// Returns the time from this instant to another; negative if the other is earlier.
        public func duration(to other: Instant) -> Duration {
            .nanoseconds(other.nanoseconds.subtractingSaturated(nanoseconds))
        }

        /// Returns whether one instant is before another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.nanoseconds < right.nanoseconds
        }
    }
}
