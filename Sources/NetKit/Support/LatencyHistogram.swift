/// A histogram of the durations of exchanges, in eight steps for each doubling, from 16 µs to 2 minutes.
///
/// It discards old durations in two generations, so that a percentile covers the latest 1,000 to 2,000 exchanges.
struct LatencyHistogram: Sendable {
    private static var steps: Int { 8 }
    private static var lowestPower: Int { 14 }
    private static var powers: Int { 23 }
    private static var generation: Int { 1000 }

    private var older: [UInt16] = []
    private var newer = Array(repeating: UInt16(0), count: Self.steps * Self.powers)
    private var olderCount = 0
    private var newerCount = 0

    /// The number of exchanges.
    var count: Int { olderCount + newerCount }

    mutating func add(_ duration: Duration) {
        if newerCount >= Self.generation {
            older = newer
            olderCount = newerCount
            for index in newer.indices { newer[index] = 0 }
            newerCount = 0
        }
        newer[Self.index(of: duration)] += 1
        newerCount += 1
    }

    /// Returns the duration that a share of the exchanges did not exceed, at most an eighth too long; `nil` without
    /// any, and for NaN.
    func percentile(_ share: Double) -> Duration? {
        guard count > 0, !share.isNaN else { return nil }
        let rank = max(1, Int((min(max(share, 0), 1) * Double(count)).rounded(.up)))
        var seen = 0
        for index in newer.indices {
            seen += Int(newer[index]) + (older.isEmpty ? 0 : Int(older[index]))
            if seen >= rank { return Self.upperBound(of: index) }
        }
        return Self.upperBound(of: newer.count - 1)
    }

    private static func index(of duration: Duration) -> Int {
        let nanoseconds = UInt64(clamping: max(1, duration.clampedNanoseconds))
        let power = 63 - nanoseconds.leadingZeroBitCount
        guard power >= lowestPower else { return 0 }
        guard power < lowestPower + powers else { return steps * powers - 1 }
        let step = Int((nanoseconds >> UInt64(power - 3)) & 7)
        return (power - lowestPower) * steps + step
    }

    private static func upperBound(of index: Int) -> Duration {
        let (power, step) = (lowestPower + index / steps, index % steps)
        return .nanoseconds(Int64(steps + step + 1) << Int64(power - 3))
    }
}
