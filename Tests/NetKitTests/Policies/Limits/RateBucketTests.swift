import NetKitTesting
import Testing

@testable import NetKit

struct RateBucketTests {
    private func instants(_ bucket: RateBucket, count: Int) -> [Double] {
        var bucket = bucket
        var now = NetKitClock.Instant(nanoseconds: 0)
        return (0..<count).map { _ in
            now = now.advanced(by: bucket.wait(now: now))
            #expect(bucket.take(now: now) == true)
            return Double(now.nanoseconds) / 1e9
        }
    }

    @Test func aBurstThenASteadyRate() {
        let bucket = RateBucket(permits: 10, per: .seconds(1), burst: 3)
        #expect(instants(bucket, count: 6) == [0, 0, 0, 0.1, 0.2, 0.3])
    }

    @Test func aBurstOfOneIsEvenlySpaced() {
        #expect(instants(RateBucket(permits: 4, per: .seconds(1), burst: 1), count: 4) == [0, 0.25, 0.5, 0.75])
    }

    @Test func refusesWhatIsNotThere() {
        var bucket = RateBucket(permits: 1, per: .seconds(1), burst: 1)
        #expect(bucket.take(now: .seconds(0)) == true)
        #expect(bucket.take(now: .seconds(0.999)) == false)
        #expect(bucket.wait(now: .seconds(0.4)) == .milliseconds(600))
        #expect(bucket.wait(behind: 2, now: .seconds(0.4)) == .milliseconds(2600))
        #expect(bucket.take(now: .seconds(1)) == true)
    }

    @Test func fillsNoFurtherThanItHolds() {
        var bucket = RateBucket(permits: 10, per: .seconds(1), burst: 2)
        let taken = (0..<5).count { _ in bucket.take(now: .seconds(1_000_000)) }
        #expect(taken == 2)
    }

    @Test(arguments: [
        (Int.max, Duration.seconds(1), Int.max), (1, .seconds(Int64.max), 1), (1, .seconds(Int64.max), Int.max),
        (1_000_000_000, .milliseconds(1), 1),
    ])
    func extremesDoNotTrap(permits: Int, period: Duration, burst: Int) {
        var bucket = RateBucket(permits: permits, per: period, burst: burst)
        for now in [NetKitClock.Instant(nanoseconds: .min), .seconds(0), .distantFuture] {
            _ = bucket.take(now: now)
            _ = bucket.take(now: now)
            #expect(bucket.wait(behind: .max, now: now) >= .zero)
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func noStretchOfTimeSeesMoreThanTheBurstAndItsShare(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        let (permits, burst) = (Int.random(in: 1...50, using: &random), Int.random(in: 1...20, using: &random))
        var bucket = RateBucket(permits: permits, per: .seconds(1), burst: burst)
        var taken: [Int64] = []
        var now: Int64 = 0
        for _ in 0..<1500 {
            now += Int64.random(in: 0...60_000_000, using: &random)
            let instant = NetKitClock.Instant(nanoseconds: now)
            let wait = bucket.wait(now: instant)
            let isThere = bucket.take(now: instant)
            #expect(isThere == (wait == .zero))
            if isThere { taken.append(now) }
        }
        for first in stride(from: 0, to: taken.count, by: 7) {
            for last in stride(from: first, to: taken.count, by: 11) {
                let seconds = Double(taken[last] - taken[first]) / 1e9
                #expect(Double(last - first + 1) <= Double(burst) + seconds * Double(permits) * 1.000001)
            }
        }
    }
}
