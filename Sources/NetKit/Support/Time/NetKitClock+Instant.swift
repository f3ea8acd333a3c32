extension NetKitClock {
    /// A point in time of one clock, counted in nanoseconds since that clock's origin.
    ///
    /// Arithmetic saturates: adding the longest possible duration gives `.distantFuture`, never a trap.
    public struct Instant: InstantProtocol, Hashable, Sendable {
        /// Nanoseconds since the clock's origin.
        public let nanoseconds: Int64

        /// Makes an instant from nanoseconds since the clock's origin.
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
