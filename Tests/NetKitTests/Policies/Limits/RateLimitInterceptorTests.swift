import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RateLimitInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()

    init() {
        transport.stub(nil, "**", .status(200))
    }

    private func client(_ limit: RateLimitInterceptor, timeouts: Timeouts = .none) -> HTTPClient {
        .testing(transport, limit, time: time, timeouts: timeouts)
    }

    private func get(_ client: HTTPClient, options: CallOptions = CallOptions()) -> Task<HTTPResponse, any Error> {
        Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
    }

    @Test func aBurstGoesThroughAndTheRestWaitsItsTurn() async throws {
        let limit = RateLimitInterceptor(permits: 2, per: .seconds(1))
        let client = client(limit)
        let tasks = (0..<5).map { _ in get(client) }
        try await waitUntil { limit.waitingCount == 3 }
        await transport.waitForRequests(2)
        #expect(transport.requests.count == 2)
        for count in 3...5 {
            time.advance(by: .milliseconds(500))
            await transport.waitForRequests(count)
            #expect(transport.requests.count == count)
        }
        for task in tasks { _ = try await task.value }
        #expect(limit.waitingCount == 0)
    }

    @Test func calledOneAfterTheOtherTheyGoInTheOrderOfTheirArrival() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1))
        let client = client(limit)
        _ = try await get(client).value
        var tasks: [Task<HTTPResponse, any Error>] = []
        for number in 1...4 {
            tasks.append(Task { try await client.send(HTTPRequest(.get, "/\(number)")) })
            try await waitUntil { limit.waitingCount == number }
        }
        for count in 2...5 {
            time.advance(by: .seconds(1))
            await transport.waitForRequests(count)
        }
        #expect(transport.requests.map { $0.url.lastPathComponent } == ["x", "1", "2", "3", "4"])
        for task in tasks { _ = try await task.value }
    }

    @Test func whoWouldWaitTooLongFailsAtOnceAndIsToldHowLong() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(4), waitingUpTo: .seconds(5))
        let client = client(limit)
        _ = try await get(client).value
        let second = get(client)
        try await waitUntil { limit.waitingCount == 1 }
        let error = await #expect(throws: NetKitError.self) { try await get(client).value }
        #expect(error?.code == .rateLimited)
        #expect(error?.outcome == .notSent)
        #expect(error?.retryAfter == .seconds(8))
        time.advance(by: .seconds(4))
        _ = try await second.value
        #expect(transport.requests.count == 2)
    }

    @Test func withoutAWaitItFailsAtOnce() async throws {
        let client = client(RateLimitInterceptor(permits: 1, per: .seconds(1), waitingUpTo: .zero))
        _ = try await get(client).value
        #expect(await outcome(of: get(client)) == "rateLimited")
        time.advance(by: .seconds(1))
        _ = try await get(client).value
    }

    @Test func aWaitBeyondTheDeadlineIsNotBegun() async throws {
        let client = client(RateLimitInterceptor(permits: 1, per: .seconds(10)))
        _ = try await get(client).value
        let error = await #expect(throws: NetKitError.self) {
            try await get(client, options: CallOptions(timeout: .seconds(3))).value
        }
        #expect(error?.code == .rateLimited)
        #expect(error?.message.contains("deadline") == true)
    }

    @Test func whoeverLeavesTheLineTakesNoPermitAlong() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1))
        let client = client(limit)
        _ = try await get(client).value
        let first = get(client)
        try await waitUntil { limit.waitingCount == 1 }
        let second = get(client)
        try await waitUntil { limit.waitingCount == 2 }
        first.cancel()
        #expect(await outcome(of: first) == "cancelled")
        #expect(limit.waitingCount == 1)
        time.advance(by: .seconds(1))
        _ = try await second.value
    }

    @Test func aLineThatEveryoneHasLeftHarmsNobody() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1))
        let client = client(limit)
        _ = try await get(client).value
        let first = get(client)
        try await waitUntil { limit.waitingCount == 1 }
        first.cancel()
        #expect(await outcome(of: first) == "cancelled")
        time.advance(by: .seconds(1))
        _ = try await get(client).value
        let next = get(client)
        try await waitUntil { limit.waitingCount == 1 }
        time.advance(by: .seconds(1))
        _ = try await next.value
    }

    @Test func eachServerHasItsOwnLimitUnlessThereIsOneForAll() async throws {
        for (scope, expected) in [(LimitScope.perHost(), 2), (.total, 1)] {
            let limit = RateLimitInterceptor(permits: 1, per: .seconds(1), waitingUpTo: .zero, scope: scope)
            let client = client(limit)
            var sent = 0
            for host in ["one", "two"] {
                let request = HTTPRequest(.get, RequestPath(stringLiteral: "https://\(host).example.com/"))
                if (try? await client.send(request)) != nil { sent += 1 }
            }
            #expect(sent == expected)
        }
    }

    @Test func nonsenseIsNamed() {
        let limit = RateLimitInterceptor(permits: 0, per: .zero, burst: -1, waitingUpTo: .seconds(-1))
        #expect(limit.permits == 1)
        #expect(limit.period == .milliseconds(1))
        #expect(limit.burst == 1)
        #expect(limit.longestWait == .zero)
        #expect(limit.warnings(in: PipelineFacts()).count == 4)
        let slow = RateLimitInterceptor(permits: 1, per: .seconds(1), waitingUpTo: .seconds(60))
        #expect(slow.warnings(in: PipelineFacts()) == [])
        #expect(slow.warnings(in: PipelineFacts(timeouts: Timeouts(total: .seconds(5)))).count == 1)
        #expect(slow.summary == "rate limit: 1 per 1 s a server, bursts of 1, waits up to 60 s")
    }
}
