/// A bucket of permits that fills at a steady rate: pure arithmetic on one instant.
///
/// It keeps the instant at which it will be full again; each permit that is taken moves that instant by one interval.
struct RateBucket: Sendable {
    /// The time between two permits.
    private let interval: Int64
    /// The time that may be used in advance: that of the burst after the first permit.
    private let tolerance: Int64
    private var full: Int64

    /// Creates a bucket that holds as many permits as `burst`, and is full at an instant.
    init(permits: Int, per period: Duration, burst: Int, full: Int64 = .min) {
        self.init(interval: period.clampedNanoseconds / Int64(max(1, permits)), burst: burst)
        self.full = full
    }

    /// Creates a bucket whose first permit is available at an instant, and which fills from then on.
    init(interval: Int64, burst: Int, emptyAt start: NetKitClock.Instant) {
        self.init(interval: interval, burst: burst)
        full = start.nanoseconds.addingSaturated(tolerance)
    }

    private init(interval: Int64, burst: Int) {
        self.interval = max(1, interval)
        tolerance = self.interval.multipliedSaturated(by: Int64(max(1, burst) - 1))
        full = .min
    }

    /// Returns the time until a permit is available after those of the waiting calls; zero if one is available now.
    func wait(behind waiting: Int = 0, now: NetKitClock.Instant) -> Duration {
        let ahead = interval.multipliedSaturated(by: Int64(max(0, waiting)))
        let start = max(full, now.nanoseconds).addingSaturated(ahead)
        return .nanoseconds(max(0, start.subtractingSaturated(tolerance).subtractingSaturated(now.nanoseconds)))
    }

    /// Returns the instant at which it would be full again if a number of further permits were taken.
    func full(after waiting: Int) -> Int64 {
        full.addingSaturated(interval.multipliedSaturated(by: Int64(max(0, waiting))))
    }

    /// Takes a permit if one is available.
    mutating func take(now: NetKitClock.Instant) -> Bool {
        let start = max(full, now.nanoseconds)
        guard start.subtractingSaturated(tolerance) <= now.nanoseconds else { return false }
        full = start.addingSaturated(interval)
        return true
    }
}
