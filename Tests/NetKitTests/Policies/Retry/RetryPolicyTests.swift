import NetKit
import Testing

struct RetryPolicyTests {
    @Test func theDefaultsAreThese() {
        let policy = RetryPolicy.standard
        #expect(policy.maxAttempts == 3)
        #expect(policy.retryableStatusCodes == [408, 425, 429, 500, 502, 503, 504])
        #expect(policy.jitter == .full)
        #expect(policy.maxServerDelay == .seconds(60))
        #expect(policy.maxElapsed == nil)
        #expect(policy.description == "up to 3 attempts, exponential from 500 ms up to 20 s, full jitter")
        #expect(RetryPolicy.none.maxAttempts == 1)
        #expect(RetryPolicy.none.description == "one attempt")
    }

    @Test func theFirstWaitIsTheBaseAndTheNextTwiceAsLong() {
        let policy = RetryPolicy(maxRetries: 2, baseDelay: .milliseconds(500))
        #expect((1...3).map { policy.delay(forAttempt: $0) } == [.milliseconds(500), .seconds(1), .seconds(2)])
        #expect(policy.maxAttempts == 3)
    }

    @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 2), (.max, .max)])
    func absurdNumbersOfRetriesAreHeld(retries: Int, attempts: Int) {
        #expect(RetryPolicy(maxRetries: retries).maxAttempts == attempts)
    }
}
