import NetKit
import Testing

struct InstantTests {
    private typealias Instant = NetKitClock.Instant

    @Test(
        arguments: [
            (0, .seconds(1), 1_000_000_000), (5, .nanoseconds(-7), -2), (0, .seconds(Int64.max), .max),
            (0, .seconds(Int64.min), .min), (.max, .nanoseconds(1), .max), (.min, .nanoseconds(-1), .min),
            (.max, .seconds(-1), .max - 1_000_000_000),
        ] as [(Int64, Duration, Int64)]
    )
    func movesAndStopsAtItsBounds(_ start: Int64, _ step: Duration, _ end: Int64) {
        #expect(Instant(nanoseconds: start).advanced(by: step) == Instant(nanoseconds: end))
    }

    @Test(
        arguments: [
            (0, 1, .nanoseconds(1)), (1, 0, .nanoseconds(-1)), (.min, .max, .nanoseconds(Int64.max)),
            (.max, .min, .nanoseconds(Int64.min)), (.max, .max, .zero),
        ] as [(Int64, Int64, Duration)]
    )
    func measuresTheWayToAnother(_ start: Int64, _ end: Int64, _ duration: Duration) {
        #expect(Instant(nanoseconds: start).duration(to: Instant(nanoseconds: end)) == duration)
    }

    @Test func isOrderedByTime() {
        #expect(Instant(nanoseconds: -1) < Instant(nanoseconds: 0))
        #expect(Instant(nanoseconds: .max - 1) < .distantFuture)
        #expect(Instant.distantFuture <= .distantFuture)
        #expect(!(Instant.distantFuture < .distantFuture))
    }

    @Test func theLongestDurationLeadsToTheDistantFuture() {
        #expect(NetKitClock.system.now.advanced(by: .nanoseconds(Int64.max)) == .distantFuture)
    }
}
