import NetKit
import Testing

struct RetryWarningsTests {
    private func warnings(
        _ policy: RetryPolicy,
        budget: RetryBudget? = RetryBudget(),
        timeouts: Timeouts = .standard
    ) -> [String] {
        let interceptor = RetryInterceptor(policy, budget: budget)
        return interceptor.warnings(in: ClientInspection(interceptors: [interceptor], timeouts: timeouts))
    }

    @Test(arguments: [
        RetryPolicy.standard, .none, RetryPolicy(maxRetries: 5),
        RetryPolicy(
            maxAttempts: 10,
            backoffStrategy: .linear(interval: .seconds(1)),
            jitter: .additive(upTo: .seconds(1))
        ),
    ])
    func validSettingsAreNotReported(policy: RetryPolicy) {
        #expect(warnings(policy) == [])
    }

    static let rows: [(RetryPolicy, String)] = [
        (RetryPolicy(maxAttempts: 0), "maxAttempts is 0, which is out of range; 1 is used instead."),
        (
            RetryPolicy(backoffStrategy: .exponential(base: .seconds(-1))),
            "The back-off's base is -1 s; it counts as none."
        ),
        (
            RetryPolicy(backoffStrategy: .exponential(multiplier: .nan)),
            "The back-off's multiplier is nan, which is out of range; 1 is used instead."
        ),
        (
            RetryPolicy(backoffStrategy: .exponential(multiplier: .infinity)),
            "The back-off's multiplier is inf; every wait but the first is the cap."
        ),
        (
            RetryPolicy(backoffStrategy: .linear(interval: .seconds(1), cap: .seconds(-2))),
            "The back-off's cap is -2 s; it counts as none."
        ),
        (RetryPolicy(throttlingBackoffStrategy: .fixed(interval: .seconds(-1))), "The back-off's interval is -1 s"),
        (RetryPolicy(jitter: .proportional(.infinity)), "The jitter's proportion is inf; it counts as 1.0."),
        (RetryPolicy(jitter: .additive(upTo: .seconds(-1))), "The jitter's bound is -1 s; it counts as none."),
        (RetryPolicy(maxServerDelay: .seconds(-1)), "maxServerDelay is -1 s"),
        (RetryPolicy(maxElapsed: .seconds(-1)), "maxElapsed is -1 s"),
        (RetryPolicy(retryableErrorCodes: [.tls, .connect]), "retryableErrorCodes lists tls, which is never retried."),
        (RetryPolicy(retryableStatusCodes: [200, 503]), "retryableStatusCodes lists 200, which is no failure."),
        (RetryPolicy(backoffStrategy: .fixed(interval: .seconds(7200))), "A retry may wait for 2 h"),
        (RetryPolicy(maxServerDelay: .seconds(86_400)), "A retry may wait for 24 h"),
        (
            RetryPolicy(backoffStrategy: .fixed(interval: .seconds(1)), jitter: .additive(upTo: .seconds(86_400))),
            "A retry may wait for 24 h"
        ),
    ]

    @Test(arguments: rows)
    func invalidSettingsAreReported(policy: RetryPolicy, warning: String) {
        let warnings = warnings(policy)
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix(warning) == true)
    }

    @Test func aLongWaitThatSomethingLimitsIsNotNamed() {
        var policy = RetryPolicy(backoffStrategy: .fixed(interval: .seconds(7200)))
        #expect(warnings(policy, timeouts: Timeouts(total: .seconds(60))) == [])
        policy.maxElapsed = .seconds(60)
        #expect(warnings(policy) == [])
    }

    /// With `maxAttempts: .max`, its computation would overflow.
    @Test func aCustomStrategyIsNotAskedAboutTheLastAttempt() {
        let asked = Notebook<Int>()
        let strategy = BackoffStrategy.custom { attempt in
            asked.add(attempt)
            return .seconds(1)
        }
        #expect(warnings(RetryPolicy(maxAttempts: .max, backoffStrategy: strategy)) == [])
        #expect(asked.entries == [])
    }

    @Test func aBudgetThatAllowsNothingIsNamed() {
        let expected = ["The retry budget holds 10 tokens, and a retry costs up to 14."]
        #expect(warnings(.standard, budget: RetryBudget(maxTokens: 10)) == expected)
        #expect(warnings(.none, budget: RetryBudget(maxTokens: 10)) == [])
        #expect(warnings(.standard, budget: nil) == [])
    }

    @Test func absurdValuesOfABudgetAreNamed() {
        let budget = RetryBudget(maxTokens: -1, transientCost: -2, throttlingCost: -3, maxHosts: 0)
        let named = warnings(.standard, budget: budget).joined(separator: "\n")
        for value in ["maxTokens is -1", "transientCost is -2", "throttlingCost is -3", "maxHosts is 0"] {
            #expect(named.contains(value))
        }
    }

    @Test func twoAreNamed() {
        let client = HTTPClient(transport: MockTransport(), interceptors: .standard + [RetryInterceptor(.none)])
        #expect(client.warnings.count == 1)
        #expect(client.warnings.first?.hasPrefix("RetryInterceptor is in the list 2 times; keep only one.") == true)
    }
}
