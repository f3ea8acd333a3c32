package import Foundation
package import NetKit

/// A clock whose time of day is wrong.
package struct SkewedClock: ClockSource {
    private let base: NetKitClock
    private let skew: Double

    package init(base: NetKitClock = .system, skew: Double) {
        (self.base, self.skew) = (base, skew)
    }

    package var now: NetKitClock.Instant { base.now }
    package var date: Date { base.date.addingTimeInterval(skew) }

    package func sleep(until deadline: NetKitClock.Instant) async throws { try await base.sleep(until: deadline) }

    package func schedule(at deadline: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) -> ClockAlarm {
        base.schedule(at: deadline, action)
    }
}
