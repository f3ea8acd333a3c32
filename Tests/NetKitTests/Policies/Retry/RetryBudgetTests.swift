import Foundation
import NetKitTesting
import Testing

@testable import NetKit

struct RetryBudgetTests {
    private func url(_ host: String = "api.example.com") throws -> URL {
        try #require(URL(string: "https://\(host)/x"))
    }

    @Test func aTransientFailureCostsMoreThanThrottling() throws {
        let budget = RetryBudget()
        #expect(budget.take(isThrottled: false, for: try url()) == 14)
        #expect(budget.available(for: try url()) == 486)
        #expect(budget.take(isThrottled: true, for: try url()) == 5)
        #expect(budget.available(for: try url()) == 481)
    }

    @Test func aSuccessReturnsTheTokensOfItsRetryOrOneToken() throws {
        let budget = RetryBudget()
        let cost = try #require(budget.take(isThrottled: false, for: try url()))
        budget.noteSuccess(holding: 0, for: try url())
        #expect(budget.available(for: try url()) == 487)
        budget.noteSuccess(holding: cost, for: try url())
        #expect(budget.available(for: try url()) == 500)
        budget.noteSuccess(holding: cost, for: try url())
        #expect(budget.available(for: try url()) == 500)
    }

    @Test func aBucketWithTooFewTokensRefusesAndKeepsThem() throws {
        let budget = RetryBudget(maxTokens: 20)
        #expect(budget.take(isThrottled: false, for: try url()) == 14)
        #expect(budget.take(isThrottled: false, for: try url()) == nil)
        #expect(budget.available(for: try url()) == 6)
        #expect(budget.take(isThrottled: true, for: try url()) == 5)
    }

    @Test func eachHostHasABucketOfItsOwn() throws {
        let budget = RetryBudget(maxTokens: 14)
        for host in ["a.example", "b.example", "a.example:8443"] {
            #expect(budget.take(isThrottled: false, for: try url(host)) == 14)
            #expect(budget.take(isThrottled: false, for: try url(host)) == nil)
        }
        #expect(budget.take(isThrottled: false, for: try url("A.EXAMPLE:443")) == nil)
    }

    @Test func ofManyHostsTheLeastRecentlyUsedIsForgotten() throws {
        let budget = RetryBudget(maxTokens: 14, maxHosts: 2)
        for host in ["a", "b", "c"] { #expect(budget.take(isThrottled: false, for: try url(host)) == 14) }
        #expect(try ["a", "b", "c"].map { budget.available(for: try url($0)) } == [14, 0, 0])
    }

    @Test func absurdValuesAreHeld() throws {
        let none = RetryBudget(maxTokens: -1)
        #expect(none.maxTokens == 0)
        #expect(none.take(isThrottled: false, for: try url()) == nil)
        let free = RetryBudget(maxTokens: 1, transientCost: -5, throttlingCost: .max, maxHosts: -3)
        #expect(free.take(isThrottled: false, for: try url()) == 0)
        #expect(free.take(isThrottled: true, for: try url()) == nil)
        #expect(free.available(for: try url()) == 1)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func aBucketStaysBetweenEmptyAndFull(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        let maxTokens = Int.random(in: 0...600, using: &random)
        var tokens = RetryTokens(maxTokens: maxTokens)
        var expected = maxTokens
        for _ in 0..<5000 {
            let amount = Bool.random(using: &random) ? Int.random(in: 0...20, using: &random) : .max
            if Bool.random(using: &random) {
                let isTaken = tokens.take(amount)
                #expect(isTaken == (amount <= expected))
                if isTaken { expected -= amount }
            } else {
                tokens.giveBack(amount)
                expected = amount > maxTokens - expected ? maxTokens : expected + amount
            }
            #expect(tokens.available == expected)
            #expect((0...maxTokens).contains(tokens.available))
        }
        let isNegativeTaken = tokens.take(-1)
        #expect(!isNegativeTaken)
    }
}
