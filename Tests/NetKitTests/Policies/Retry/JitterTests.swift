import NetKitTesting
import Testing

@testable import NetKit

struct JitterTests {
    static let rows: [(Jitter, low: Duration, middle: Duration)] = [
        (.none, .seconds(8), .seconds(8)),
        (.full, .zero, .seconds(4)),
        (.equal, .seconds(4), .seconds(6)),
        (.proportional(0.25), .seconds(6), .seconds(8)),
        (.proportional(7), .zero, .seconds(8)),
        (.proportional(-1), .seconds(8), .seconds(8)),
        (.proportional(.nan), .seconds(8), .seconds(8)),
        (.additive(upTo: .seconds(1)), .seconds(8), .milliseconds(8500)),
        (.additive(upTo: .seconds(-1)), .seconds(8), .seconds(8)),
    ]

    @Test(arguments: rows)
    func spreadsAWaitAsDocumented(jitter: Jitter, low: Duration, middle: Duration) {
        #expect(jitter.applied(to: .seconds(8), random: 0) == low)
        #expect(jitter.applied(to: .seconds(8), random: 0.5) == middle)
    }

    @Test(arguments: [
        (Jitter.proportional(0.07), "jitter of 7%"), (.proportional(7), "jitter of 100%"),
        (.additive(upTo: .seconds(1)), "jitter of up to 1 s more"),
        (.additive(upTo: .seconds(-1)), "jitter of up to 0 µs more"),
    ])
    func isDescribedAsItIsUsed(jitter: Jitter, description: String) {
        #expect(jitter.description == description)
    }

    @Test func fullJitterIsUniform() {
        let random = RandomSource.seeded(11)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            let wait = Jitter.full.applied(to: .seconds(10), random: random.unitInterval())
            counts[Int(wait.components.seconds)] += 1
        }
        // Each tenth gets 1000 on average; five standard deviations are 150.
        #expect(counts.allSatisfy { (850...1150).contains($0) })
    }

    @Test func jitterNeverLeadsPastTheCap() {
        let strategy = BackoffStrategy.exponential(base: .seconds(20))
        let wait = strategy.delay(forAttempt: 1, previous: nil, jitter: .additive(upTo: .seconds(9)), random: 0.9)
        #expect(wait == .seconds(20))
    }
}
