import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the decisions about permits of a shared bucket, without a store.
struct SharedPermitsTests {
    private static let second = SharedPermits.Rules(permits: 100, per: .seconds(1), burst: 100)

    private func instant(_ milliseconds: Int64) -> NetKitClock.Instant {
        NetKitClock.Instant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func theSharedBucketIsSmallerByThePermitsThatProcessesCanHold() {
        #expect(Self.second.share == 10)
        #expect(Self.second.maxPermits == 90)
        let slow = SharedPermits.Rules(permits: 1, per: .seconds(10), burst: 1)
        #expect((slow.share, slow.maxPermits) == (0, 1))
        // A burst that is too small for ten operations in a second is raised.
        #expect(SharedPermits.Rules.minBurst(permits: 100, per: .seconds(1)) == 25)
        #expect(SharedPermits.Rules(permits: 100, per: .seconds(1), burst: 1).maxPermits == 15)
    }

    @Test func aBlockIsForTheWaitingCallsAndAFewMore() {
        var permits = SharedPermits(Self.second)
        #expect(permits.take(now: instant(0)) == false)
        #expect(permits.step(waiting: 3, now: instant(0)) == .take(7))
        permits.add(RateGrant(count: 7), asked: 7, sent: instant(0), now: instant(2), chance: 0.5)
        let taken = (0..<10).count { _ in permits.take(now: instant(50)) }
        #expect(taken == 7)
    }

    @Test func permitsThatAreNotUsedExpire() {
        var permits = SharedPermits(Self.second)
        permits.add(RateGrant(count: 5), asked: 5, sent: instant(0), now: instant(2), chance: 0.5)
        #expect(permits.take(now: instant(100)) == true)
        #expect(permits.take(now: instant(101)) == false)
        // They do not come back with the next block.
        permits.add(RateGrant(count: 1), asked: 1, sent: instant(150), now: instant(151), chance: 0.5)
        let taken = (0..<10).count { _ in permits.take(now: instant(151)) }
        #expect(taken == 1)
    }

    @Test func permitsOfASlowStoreAreForThoseThatWait() {
        var permits = SharedPermits(Self.second)
        permits.add(RateGrant(count: 2), asked: 2, sent: instant(0), now: instant(700), chance: 0.5)
        #expect(permits.take(now: instant(700)) == true)
        #expect(permits.take(now: instant(701)) == false)
    }

    /// At a steady pace, there are about ten operations in a second, and few permits are wasted.
    @Test(arguments: [20, 100, 1_000, 20_000])
    func thereAreTenOperationsASecond(callsPerSecond: Int) {
        var permits = SharedPermits(SharedPermits.Rules(permits: 100_000, per: .seconds(1), burst: 100_000))
        var (operations, granted, refused) = (0, 0, 0)
        let step = 1_000_000_000 / Int64(callsPerSecond)
        var now = instant(0)
        for number in 0..<Int64(callsPerSecond * 5) {
            now = max(now, NetKitClock.Instant(nanoseconds: number * step))
            while !permits.take(now: now) {
                switch permits.step(waiting: 1, now: now) {
                case .take(let count):
                    operations += 1
                    granted += count
                    permits.add(RateGrant(count: count), asked: count, sent: now, now: now, chance: 0.5)
                case .wait(let end):
                    refused += 1
                    now = end
                }
            }
        }
        #expect(operations <= 60)
        #expect(refused <= 20)
        if callsPerSecond >= 1_000 { #expect(granted <= callsPerSecond * 5 * 2) }
    }

    @Test func aProcessThatGotTooLittleWaitsAndTakesNoMoreThanItNeeds() {
        var permits = SharedPermits(Self.second)
        let grant = RateGrant(count: 2, wait: .milliseconds(10), replicas: 4)
        permits.add(grant, asked: 20, sent: instant(0), now: instant(0), chance: 0.5)
        #expect(permits.wait(now: instant(0)) == .milliseconds(100))
        // One permit in four is for this process.
        #expect(permits.wait(behind: 10, now: instant(0)) == .milliseconds(500))
        #expect(permits.step(waiting: 18, now: instant(0)) == .wait(instant(100)))
        #expect(permits.step(waiting: 18, now: instant(100)) == .take(18))
    }

    @Test func aStoreThatIsAwayLeavesAFairShare() {
        var permits = SharedPermits(Self.second)
        permits.add(RateGrant(count: 1, replicas: 4), asked: 1, sent: instant(0), now: instant(0), chance: 0.5)
        #expect(permits.loseStore(now: instant(0)) == true)
        #expect(permits.loseStore(now: instant(0)) == false)
        let taken = (0..<2_000).count { permits.take(now: instant(Int64($0))) }
        #expect(taken == 50)
        #expect(permits.takeProbe(now: instant(900)) == false)
        #expect(permits.takeProbe(now: instant(1_000)) == true)
        #expect(permits.takeProbe(now: instant(1_001)) == false)
        permits.regainStore(now: instant(2_000))
        #expect(!permits.isStoreLost)
        #expect(permits.step(waiting: 1, now: instant(2_000)) == .take(5))
    }

    /// However many processes there are, each sends one request in a period.
    @Test func aShareIsAtLeastOneInAPeriod() {
        var permits = SharedPermits(SharedPermits.Rules(permits: 3, per: .seconds(1), burst: 3))
        permits.add(RateGrant(count: 1, replicas: 50), asked: 1, sent: instant(0), now: instant(0), chance: 0.5)
        _ = permits.loseStore(now: instant(0))
        let taken = (0..<10_000).count { permits.take(now: instant(Int64($0))) }
        #expect(taken == 10)
    }

    @Test func nonsenseOfAStoreDoesNotTrap() {
        for wait in [Duration.seconds(-1), .seconds(Int64.max), Duration(attoseconds: .max), .zero] {
            for (count, replicas) in [(-5, 0), (Int.max, Int.max), (0, -7)] {
                var permits = SharedPermits(Self.second)
                for _ in 0..<3 {
                    let grant = RateGrant(count: count, wait: wait, replicas: replicas)
                    permits.add(grant, asked: 9, sent: instant(0), now: instant(1), chance: 0.9)
                }
                _ = permits.take(now: instant(1))
                _ = permits.wait(behind: .max, now: instant(1))
                _ = permits.step(waiting: .max, now: instant(1))
                _ = permits.loseStore(now: instant(1))
                _ = permits.wait(behind: .max, now: instant(1))
                _ = permits.step(waiting: 1, now: .distantFuture)
            }
        }
    }
}
