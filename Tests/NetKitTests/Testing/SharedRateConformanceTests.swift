import NetKit
import NetKitTesting
import Testing

/// Tests of every case over the store in memory, and of the cases with stores that have a fault.
@Suite(.timeLimit(.minutes(5)))
struct SharedRateConformanceTests {
    typealias Conformance = SharedRateConformance

    @Test(arguments: Conformance.cases)
    func inMemory(_ conformanceCase: Conformance.Case) async {
        let clock = TestClock(skipsSleeps: true).clock
        let conformance = Conformance(clock: clock) {
            let rate = InMemorySharedRate(clock: clock)
            return { rate.replica() }
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    @Test(arguments: [7, 13, 63])
    func aFullBucketInMemoryGivesAllOfItsPermits(permits: Int) async throws {
        let rate = InMemorySharedRate(clock: TestClock().clock).replica()
        let interval = Duration.nanoseconds(60_000_000_000 / permits)
        let grant = try await rate.take(permits, from: SharedRateBucket(key: "a", interval: interval, burst: permits))
        #expect(grant.count == permits)
    }

    /// The time until the bucket is full could be more than a duration can count.
    @Test(arguments: [Int.min, -1, 0, 1, .max], [Duration.zero, .seconds(Int64.max), Duration(attoseconds: .max)])
    func aBucketInMemoryMayHaveAnySize(burst: Int, interval: Duration) async throws {
        let rate = InMemorySharedRate(clock: TestClock().clock).replica()
        let grant = try await rate.take(1, from: SharedRateBucket(key: "a", interval: interval, burst: burst))
        #expect(grant.count == (burst > 0 ? 1 : 0))
    }

    /// A fault breaks some cases, and no other ones.
    @Test(arguments: SharedRateFault.all)
    func detectsAFault(_ fault: SharedRateFault) async {
        let broken = await FaultTrial(fault.brokenCases).brokenCases(of: Conformance.cases) {
            await fault.conformance.run($0)
        }
        #expect(broken == fault.brokenCases, "a store that \(fault)")
    }

    @Test func everyCaseDetectsAFault() {
        let names = Conformance.cases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(SharedRateFault.all.reduce(into: Set<String>()) { $0.formUnion($1.brokenCases) } == Set(names))
    }
}
