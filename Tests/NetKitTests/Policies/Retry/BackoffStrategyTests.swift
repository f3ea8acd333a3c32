import NetKitTesting
import Testing

@testable import NetKit

struct BackoffStrategyTests {
    static let rows: [(BackoffStrategy, [Duration])] = [
        (.exponential(base: .milliseconds(500)), [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]),
        (.exponential(base: .seconds(1), multiplier: 3), [.seconds(1), .seconds(3), .seconds(9), .seconds(20)]),
        (
            .exponential(base: .milliseconds(50), cap: .milliseconds(120)),
            [.milliseconds(50), .milliseconds(100), .milliseconds(120)]
        ),
        (.exponential(base: .seconds(60), cap: .seconds(20)), [.seconds(20), .seconds(20)]),
        (.exponential(base: .seconds(1), multiplier: .infinity), [.seconds(1), .seconds(20), .seconds(20)]),
        (.exponential(base: .seconds(1), multiplier: .nan), [.seconds(1), .seconds(1)]),
        (.exponential(base: .seconds(1), multiplier: -2), [.seconds(1), .seconds(1)]),
        (.exponential(base: .zero), [.zero, .zero]),
        (.exponential(base: .zero, multiplier: .infinity), [.zero, .zero]),
        (.exponential(base: .seconds(-1)), [.zero, .zero]),
        (.exponential(base: .seconds(1), cap: .seconds(-1)), [.zero, .zero]),
        (.linear(interval: .seconds(2)), [.seconds(2), .seconds(4), .seconds(6)]),
        (.linear(interval: .seconds(2), increment: .zero), [.seconds(2), .seconds(2)]),
        (
            .linear(interval: .seconds(2), increment: .seconds(9), cap: .seconds(12)),
            [.seconds(2), .seconds(11), .seconds(12)]
        ),
        (.linear(interval: .seconds(-2), increment: .seconds(-3)), [.zero, .zero]),
        (.fixed(interval: .seconds(3)), [.seconds(3), .seconds(3)]),
        (.fixed(interval: .seconds(-3)), [.zero]),
        (.decorrelated(base: .seconds(1)), [.seconds(3), .seconds(9), .seconds(20)]),
        (.custom { .seconds($0 * $0) }, [.seconds(1), .seconds(4), .seconds(9)]),
        (.custom { _ in .seconds(-1) }, [.zero]),
    ]

    @Test(arguments: rows)
    func waitsGrowAsDocumented(strategy: BackoffStrategy, waits: [Duration]) {
        #expect((1...waits.count).map { strategy.delay(forAttempt: $0) } == waits)
    }

    @Test(arguments: [Int.min, -1, 0])
    func numbersBelowTheFirstCountAsTheFirst(attempt: Int) {
        for (strategy, waits) in Self.rows { #expect(strategy.delay(forAttempt: attempt) == waits[0]) }
    }

    @Test(arguments: [64, 1025, 10_000, .max])
    func aLateAttemptWaitsForTheCap(attempt: Int) {
        for strategy in [BackoffStrategy.exponential(), .linear(interval: .seconds(1)), .decorrelated()] {
            #expect(strategy.delay(forAttempt: attempt) == .seconds(20))
        }
    }

    @Test func nothingOverflows() {
        let longest = Duration.nanoseconds(Int64.max)
        let forever = Duration.seconds(Int64.max)
        #expect(BackoffStrategy.exponential(base: forever, cap: forever).delay(forAttempt: .max) == longest)
        #expect(BackoffStrategy.linear(interval: forever, cap: forever).delay(forAttempt: .max) == longest)
        #expect(BackoffStrategy.fixed(interval: forever).delay(forAttempt: 1) == longest)
        #expect(BackoffStrategy.custom { _ in forever }.delay(forAttempt: 1) == longest)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func everyWaitLiesBetweenZeroAndTheCap(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        let jitters: [Jitter] = [.none, .full, .equal, .proportional(1), .additive(upTo: .seconds(100))]
        for _ in 0..<500 {
            let base = Duration.nanoseconds(Int64.random(in: .min ... .max, using: &random))
            let cap = Duration.nanoseconds(Int64.random(in: 0 ... .max, using: &random))
            let strategy: BackoffStrategy =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: .exponential(base: base, multiplier: random.unitInterval() * 10, cap: cap)
                case 1: .linear(interval: base, increment: base, cap: cap)
                default: .decorrelated(base: base, cap: cap)
                }
            let jitter = jitters[Int.random(in: 0..<jitters.count, using: &random)]
            var previous: Duration?
            for attempt in 1...20 {
                let wait = strategy.delay(
                    forAttempt: attempt,
                    previous: previous,
                    jitter: jitter,
                    random: random.unitInterval()
                )
                #expect(wait >= .zero && wait <= cap)
                previous = wait
            }
        }
    }

    @Test func exponentialWaitsNeverShrink() {
        for multiplier in [1, 1.5, 2, 10] {
            let strategy = BackoffStrategy.exponential(base: .milliseconds(3), multiplier: multiplier)
            let waits = (1...200).map { strategy.delay(forAttempt: $0) }
            #expect(waits == waits.sorted())
        }
    }

    @Test func decorrelatedWaitsLieBetweenTheBaseAndThreeTimesTheLast() {
        let strategy = BackoffStrategy.decorrelated(base: .seconds(1), cap: .seconds(20))
        let wait = { (previous: Duration?, random: Double) in
            strategy.delay(forAttempt: 5, previous: previous, jitter: .full, random: random)
        }
        #expect(wait(nil, 0) == .seconds(1))
        #expect(wait(nil, 0.5) == .seconds(2))
        #expect(wait(.seconds(4), 0) == .seconds(1))
        #expect(wait(.seconds(4), 0.5) == .milliseconds(6500))
        #expect(wait(.seconds(19), 0.9) == .seconds(20))
    }
}
