import NetKit

/// One connection of a loop, with the state of its creation; only the loop's thread uses it.
struct PostgresSlot {
    /// The targets that a target of the settings has become, or the reason why there are none.
    typealias Lookup = Result<[ConnectionSettings.Target], PostgresFailure>

    enum Phase {
        /// No connection, and none is made before an instant.
        case closed(until: NetKitClock.Instant)
        case resolving
        case connecting
        case open
    }

    let role: ConnectionRole
    var phase = Phase.closed(until: NetKitClock.Instant(nanoseconds: .min))
    var connection: PostgresConnection?
    /// The number of the latest attempt to connect.
    var attempt = 0
    var failureCount = 0
    /// The lookups of the latest attempt that were begun, in the order of the settings; `nil` without a response.
    var lookups: [Lookup?] = []
    /// The targets that are still to be tried.
    var targets: ArraySlice<ConnectionSettings.Target> = []
    /// The deadline of the connection's current step.
    ///
    /// That is connecting, responding to a cancellation, or running a statement whose time no caller limits.
    var deadline = NetKitClock.Instant.distantFuture
    /// The statement that the server is being asked to cancel.
    var cancelled: UInt64?
    var openedAt = NetKitClock.Instant(nanoseconds: 0)
    var lastUse = NetKitClock.Instant(nanoseconds: 0)

    init(_ role: ConnectionRole) {
        self.role = role
    }

    /// The time after which the loss of a connection counts as the first one.
    private static let stableTime = Duration.seconds(5)

    var isCancelling: Bool { cancelled != nil }
    var isOpen: Bool { if case .open = phase { true } else { false } }

    /// Counts the loss of the connection; the more losses, the longer the next connection waits.
    mutating func noteLoss(at now: NetKitClock.Instant, isShutdown: Bool) {
        let isStable = openedAt.advanced(by: Self.stableTime) <= now
        let earlier = isStable ? 0 : failureCount
        // A server that shuts down takes no connection at once.
        failureCount = isStable && !isShutdown ? 0 : earlier + 1
    }

    /// Returns the wait before the next attempt: a random part of a time that doubles from 100 ms to 5 s.
    static func backOff(failureCount: Int, random: Double) -> Duration {
        let longest = Duration.milliseconds(100) * (1 << min(max(0, failureCount - 1), 6))
        return min(longest, .seconds(5)) * random
    }
}
