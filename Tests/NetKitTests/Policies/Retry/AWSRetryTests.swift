import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the public retry cases of the AWS SDKs: facts from smithy-lang/smithy-kotlin (Apache-2.0),
/// `StandardRetryIntegrationTestResources.kt` and `NewStandardRetryIntegrationTestResources.kt` @ 6373a5f.
///
/// Left out, each for a reason: the five long-polling cases (an HTTP client cannot know that an operation waits for
/// messages; three of them repeat the others here), and the three of the adaptive mode (a limit on the rate of sending,
/// which is not a retry). Two cases are changed: if a server asks for more than back-off plus five seconds, NetKit
/// waits as long as it asks, up to `maxServerDelay`; and its wait is in seconds, so 1,500 ms are 2 s.
struct AWSRetryTests {
    struct Step: Sendable, CustomTestStringConvertible {
        enum End: Equatable, Sendable {
            case retry(Double)
            case success
            case stop(RetryStop)
        }

        let status: Int
        var retryAfter: String?
        let end: End
        let quota: Int

        init(_ status: Int, _ end: End, _ quota: Int, retryAfter: String? = nil) {
            (self.status, self.end, self.quota, self.retryAfter) = (status, end, quota, retryAfter)
        }

        var testDescription: String { "\(status)" }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var attempts = 3
        var quota = 500
        var cost = 14
        var first = Duration.milliseconds(50)
        var cap = Duration.seconds(20)
        let steps: [Step]

        var testDescription: String { name }
    }

    static let older: [Case] = [
        Case(
            name: "retry eventually succeeds",
            cost: 5,
            first: .seconds(1),
            steps: [Step(500, .retry(1), 495), Step(500, .retry(2), 490), Step(200, .success, 495)]
        ),
        Case(
            name: "fail due to max attempts reached",
            cost: 5,
            first: .seconds(1),
            steps: [Step(502, .retry(1), 495), Step(502, .retry(2), 490), Step(502, .stop(.attemptsUsedUp), 490)]
        ),
        Case(
            name: "quota reached after a single retry",
            quota: 5,
            cost: 5,
            first: .seconds(1),
            steps: [Step(500, .retry(1), 0), Step(502, .stop(.budgetUsedUp), 0)]
        ),
        Case(
            name: "no retries at all if the quota is 0",
            quota: 0,
            cost: 5,
            first: .seconds(1),
            steps: [Step(500, .stop(.budgetUsedUp), 0)]
        ),
        Case(
            name: "exponential back-off",
            attempts: 5,
            cost: 5,
            first: .seconds(1),
            steps: [
                Step(500, .retry(1), 495), Step(500, .retry(2), 490), Step(500, .retry(4), 485),
                Step(500, .retry(8), 480), Step(500, .stop(.attemptsUsedUp), 480),
            ]
        ),
        Case(
            name: "longest back-off",
            attempts: 5,
            cost: 5,
            first: .seconds(1),
            cap: .seconds(3),
            steps: [
                Step(500, .retry(1), 495), Step(500, .retry(2), 490), Step(500, .retry(3), 485),
                Step(500, .retry(3), 480), Step(500, .stop(.attemptsUsedUp), 480),
            ]
        ),
    ]

    static let newer: [Case] = [
        Case(
            name: "2026: retry eventually succeeds",
            steps: [Step(500, .retry(0.05), 486), Step(500, .retry(0.1), 472), Step(200, .success, 486)]
        ),
        Case(
            name: "2026: fail due to max attempts reached",
            steps: [Step(502, .retry(0.05), 486), Step(502, .retry(0.1), 472), Step(502, .stop(.attemptsUsedUp), 472)]
        ),
        Case(
            name: "2026: quota reached after a single retry",
            quota: 14,
            steps: [Step(500, .retry(0.05), 0), Step(500, .stop(.budgetUsedUp), 0)]
        ),
        Case(name: "2026: no retries at all if the quota is 0", quota: 0, steps: [Step(500, .stop(.budgetUsedUp), 0)]),
        Case(
            name: "2026: exponential back-off",
            attempts: 5,
            steps: [
                Step(500, .retry(0.05), 486), Step(500, .retry(0.1), 472), Step(500, .retry(0.2), 458),
                Step(500, .retry(0.4), 444), Step(500, .stop(.attemptsUsedUp), 444),
            ]
        ),
        Case(
            name: "2026: longest back-off",
            attempts: 5,
            cap: .milliseconds(200),
            steps: [
                Step(500, .retry(0.05), 486), Step(500, .retry(0.1), 472), Step(500, .retry(0.2), 458),
                Step(500, .retry(0.2), 444), Step(500, .stop(.attemptsUsedUp), 444),
            ]
        ),
        Case(
            name: "2026: stops after the quota is exhausted",
            attempts: 5,
            quota: 20,
            steps: [Step(500, .retry(0.05), 6), Step(502, .stop(.budgetUsedUp), 6)]
        ),
        Case(name: "2026: throttling", steps: [Step(429, .retry(1), 495), Step(200, .success, 500)]),
        Case(
            name: "2026: the server's delay is honored",
            steps: [Step(500, .retry(2), 486, retryAfter: "2"), Step(200, .success, 500)]
        ),
        Case(
            name: "2026: the least is the back-off",
            steps: [Step(500, .retry(0.05), 486, retryAfter: "0"), Step(200, .success, 500)]
        ),
        Case(
            name: "2026: more than back-off and five seconds",
            steps: [Step(500, .retry(10), 486, retryAfter: "10"), Step(200, .success, 500)]
        ),
        Case(
            name: "2026: an invalid delay falls back to the back-off",
            steps: [Step(500, .retry(0.05), 486, retryAfter: "invalid"), Step(200, .success, 500)]
        ),
        Case(
            name: "2026: the quota recovers by successes, over two calls",
            attempts: 5,
            quota: 30,
            steps: [
                Step(500, .retry(0.05), 16), Step(502, .retry(0.1), 2), Step(200, .success, 16),
                Step(500, .retry(0.05), 2), Step(200, .success, 16),
            ]
        ),
    ]

    /// Runs each step through the real interceptor and looks at the quota after it.
    @Test(arguments: older + newer)
    func endsAsInTheOtherSDKs(example: Case) async throws {
        let budget = RetryBudget(maxTokens: example.quota, transientCost: example.cost)
        let policy = RetryPolicy(
            maxAttempts: example.attempts,
            backoffStrategy: .exponential(base: example.first, cap: example.cap),
            throttlingBackoffStrategy: .exponential(base: .seconds(1), cap: example.cap),
            jitter: .none
        )
        let url = try #require(URL(string: "https://service.example/"))
        let position = Locked(0)
        let quotas = Notebook<Int>()
        let simulation = Simulation(seed: 1)
        let host = SimulatedHost(
            latency: .zero ... .zero,
            .respond { _, _ in
                let step = position.withLock { position in
                    defer { position += 1 }
                    return example.steps[position]
                }
                // The quota that the step before has left, read when this step is decided.
                quotas.add(budget.available(for: url))
                var headers = HTTPHeaders()
                headers["Retry-After"] = step.retryAfter
                return HTTPResponse(status: HTTPStatus(step.status), headers: headers)
            }
        )
        simulation.host("service.example", host)
        let client = HTTPClient(
            transport: simulation.transport,
            interceptors: [RetryInterceptor(policy, budget: budget)],
            configuration: simulation.configuration
        )
        let logs = try await simulation.run {
            var logs: [AttemptLog?] = []
            while position.withLock({ $0 }) < example.steps.count {
                logs.append(try await client.send(HTTPRequest(.get, url)).attemptLog)
            }
            return logs
        }
        quotas.add(budget.available(for: url))
        #expect(Array(quotas.entries.dropFirst()) == example.steps.map(\.quota))
        let ends = logs.compactMap { $0 }.flatMap { log -> [Step.End] in
            var ends = log.attempts.compactMap { $0.delay.map { Step.End.retry($0.inSeconds) } }
            if let stop = log.stop { ends.append(stop == .answered ? .success : .stop(stop)) }
            return ends
        }
        #expect(ends == example.steps.map(\.end))
    }

    @Test func twoCallsAtOnceShareAQuota() async throws {
        let budget = RetryBudget()
        let simulation = Simulation(seed: 3)
        let responses = Locked(["/a": [500, 500], "/b": [500]])
        simulation.host(
            "service.example",
            SimulatedHost(
                .respond { request, _ in
                    let status = responses.withLock { $0[request.url.path()]?.popLast() } ?? 200
                    return HTTPResponse(status: HTTPStatus(status))
                }
            )
        )
        let client = HTTPClient(
            baseURL: URL(string: "https://service.example"),
            transport: simulation.transport,
            interceptors: [RetryInterceptor(RetryPolicy(maxAttempts: 5), budget: budget)],
            configuration: simulation.configuration
        )
        try await simulation.run {
            await simulation.callers(2) { number in
                _ = try? await client.send(HTTPRequest(.get, number == 0 ? "/a" : "/b"))
            }
        }
        let url = try #require(URL(string: "https://service.example"))
        #expect(budget.available(for: url) == 486)
    }
}
