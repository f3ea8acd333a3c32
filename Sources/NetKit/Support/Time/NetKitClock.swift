public import Foundation

/// The clock that everything in NetKit tells the time by, sleeps on and sets its alarms on.
///
/// It is one concrete type, so that it can be stored and passed without generics. `.system` is the real one;
/// `TestClock` in `NetKitTesting` makes one that stands still until a test moves it.
public struct NetKitClock: Clock, Sendable {
    /// The real clock: monotonic, with alarms of millisecond precision.
    public static let system = NetKitClock()

    /// A source that is not the system's; behind a pointer, because everything that tells the time copies its clock.
    private final class Own: Sendable {
        let source: any ClockSource

        init(_ source: any ClockSource) { self.source = source }
    }

    private let own: Own?

    private var source: (any ClockSource)? { own?.source }

    /// Creates a clock that asks a source of your own.
    public init(_ source: any ClockSource) {
        own = Own(source)
    }

    private init() {
        own = nil
    }

    /// Whether this is the real clock.
    var isSystem: Bool { own == nil }

    /// The current instant.
    public var now: Instant {
        guard let source else { return SystemTimers.shared.now }
        return source.now
    }

    /// The current time of day, for what other machines send as a date.
    public var date: Date {
        guard let source else { return Date() }
        return source.date
    }

    /// The smallest step of time this clock can tell apart.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends until an instant, or throws `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        guard let source else { return try await SystemTimers.shared.sleep(until: deadline) }
        try await source.sleep(until: deadline)
    }

    /// Calls an action once at an instant, unless the alarm is cancelled first.
    ///
    /// The action of an alarm of the system's clock runs on a thread that no other alarm waits for.
    public func schedule(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        guard let source else { return SystemTimers.shared.schedule(at: deadline, action) }
        return source.schedule(at: deadline, action)
    }

    /// Calls an action once at an instant, as `schedule(at:_:)` does, where all alarms of the process wait for it.
    ///
    /// That saves a hop to another thread. The action only resumes a continuation or hands something over, and nothing of it
    /// can reach code of users: neither a task that it cancels nor a body that it ends.
    func scheduleWakeUp(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        guard let source else { return SystemTimers.shared.scheduleWakeUp(at: deadline, action) }
        return source.schedule(at: deadline, action)
    }

    /// Waits for an alarm, or throws `CancellationError` as soon as the task is cancelled.
    ///
    /// For what repeats itself beside something else: a clock that skips sleeps would run away with a loop of sleeps.
    func waitForAlarm(at deadline: Instant) async throws {
        let turn = Promise<Void>()
        let alarm = scheduleWakeUp(at: deadline) { turn.end(.success(())) }
        defer { alarm.cancel() }
        try await turn.cancellableValue()
    }

    /// Runs an action that can reach code of users on another thread; at once on a clock that is not the system's, so that
    /// what happens in a test has one order.
    func runAside(_ action: @escaping @Sendable () -> Void) {
        if isSystem { ActionThreads.shared.run(action) } else { action() }
    }
}

/// A clock of your own.
public protocol ClockSource: Sendable {
    /// The current instant, which never goes backwards.
    var now: NetKitClock.Instant { get }

    /// The current time of day.
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
        public init(nanoseconds: Int64) {
            self.nanoseconds = nanoseconds
        }

        /// An instant that is never reached.
        public static let distantFuture = Instant(nanoseconds: .max)

        /// The instant that lies a duration later, at most `.distantFuture`.
        public func advanced(by duration: Duration) -> Instant {
            Instant(nanoseconds: nanoseconds.addingSaturated(duration.clampedNanoseconds))
        }

        /// Returns the time from this instant to another; negative if the other is earlier.
        public func duration(to other: Instant) -> Duration {
            .nanoseconds(other.nanoseconds.subtractingSaturated(nanoseconds))
        }

        /// Whether one instant lies before another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.nanoseconds < right.nanoseconds
        }
    }
}
