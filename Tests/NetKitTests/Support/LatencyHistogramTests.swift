import NetKitTesting
import Testing

@testable import NetKit

struct LatencyHistogramTests {
    private var histogram = LatencyHistogram()

    @Test func hasNoPercentilesWithoutDurations() {
        #expect(histogram.percentile(0.5) == nil)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func percentilesAreAtMostAnEighthTooLong(seed: UInt64) throws {
        var random = RandomSource.seeded(seed)
        var histogram = LatencyHistogram()
        let durations = (0..<1000).map { _ in Int64.random(in: 20_000...5_000_000_000, using: &random) }.sorted()
        for duration in durations { histogram.add(.nanoseconds(duration)) }
        for share in [0.01, 0.5, 0.9, 0.95, 0.99, 1] {
            let exact = durations[max(0, Int((share * 1000).rounded(.up)) - 1)]
            let found = try #require(histogram.percentile(share)).clampedNanoseconds
            #expect(found >= exact && Double(found) <= Double(exact) * 1.126)
        }
    }

    @Test mutating func forgetsOldDurations() {
        for _ in 0..<2000 { histogram.add(.seconds(1)) }
        for _ in 0..<2000 { histogram.add(.milliseconds(1)) }
        #expect(histogram.count <= 2000)
        #expect((histogram.percentile(1) ?? .zero) < .milliseconds(2))
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(1), .seconds(1_000_000), .seconds(Int64.max)])
    func extremesDoNotTrap(duration: Duration) {
        var histogram = LatencyHistogram()
        histogram.add(duration)
        for share in [-1, 0, 0.5, 1, 2, Double.infinity] { #expect(histogram.percentile(share) != nil) }
        #expect(histogram.percentile(.nan) == nil)
    }
}
