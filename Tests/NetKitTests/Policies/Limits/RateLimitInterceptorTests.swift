import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RateLimitInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()

    init() {
        transport.stub(nil, "**", .status(200))
    }

    private func client(_ limit: RateLimitInterceptor) -> HTTPClient {
        .testing(transport, limit, time: time)
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

    @Test func callsAreSentInTheOrderOfTheirArrival() async throws {
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

    private func get(_ client: HTTPClient, _ path: RequestPath, _ priority: TaskPriority) -> Task<String, any Error> {
        Task {
            _ = try await client.send(HTTPRequest(.get, path), options: CallOptions(priority: priority))
            return "sent"
        }
    }

    private func sentPaths() -> [String] { transport.requests.map { $0.url.lastPathComponent } }

    @Test func anUrgentCallPassesThoseInTheBackground() async throws {
        let limit = RateLimitInterceptor(permits: 20, per: .seconds(1), burst: 1)
        let client = client(limit)
        _ = try await get(client).value
        let others = (0..<40).map { _ in get(client, "/background", .background) }
        try await waitUntil { limit.waitingCount == 40 }
        let urgent = get(client, "/urgent", .high)
        try await waitUntil { limit.waitingCount == 41 }
        time.advance(by: .milliseconds(50))
        await transport.waitForRequests(2)
        #expect(sentPaths() == ["x", "urgent"])
        for count in 3...42 {
            time.advance(by: .milliseconds(50))
            await transport.waitForRequests(count)
        }
        for task in others + [urgent] { #expect(try await task.value == "sent") }
    }

    /// Urgent calls arrive at the rate of the limit, and a background call still rises while it waits.
    @Test func aCallInTheBackgroundHasItsTurnThoughUrgentOnesKeepComing() async throws {
        let limit = RateLimitInterceptor(permits: 10, per: .seconds(1), burst: 1)
        let client = client(limit)
        _ = try await get(client).value
        var tasks = [get(client, "/background", .background)]
        try await waitUntil { limit.waitingCount == 1 }
        for count in 2...43 {
            tasks.append(get(client, "/urgent", .high))
            try await waitUntil { limit.waitingCount == 2 }
            time.advance(by: .milliseconds(100))
            await transport.waitForRequests(count)
        }
        // After four seconds, it is level with new ones.
        #expect(sentPaths().firstIndex(of: "background").map { (40...42).contains($0) } == true)
        time.advance(by: .milliseconds(100))
        for task in tasks { #expect(try await task.value == "sent") }
    }

    @Test func aCallThatIsOvertakenWaitsNoLongerThanItsBound() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1), maxWait: .seconds(3))
        let client = client(limit)
        _ = try await get(client).value
        let overtaken = get(client, "/background", .background)
        try await waitUntil { limit.waitingCount == 1 }
        var urgent: [Task<String, any Error>] = []
        for count in 2...4 {
            urgent.append(get(client, "/urgent", .high))
            try await waitUntil { limit.waitingCount == count }
        }
        for count in 2...4 {
            time.advance(by: .seconds(1))
            await transport.waitForRequests(count)
        }
        let error = await #expect(throws: NetKitError.self) { try await overtaken.value }
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter == .seconds(1))
        for task in urgent { #expect(try await task.value == "sent") }
        #expect(limit.waitingCount == 0)
        #expect(time.alarmCount == 0)
    }

    /// The store of a limit that other processes have used up for a while.
    private struct UsedUpStore: SharedRate {
        func take(_ count: Int, from bucket: SharedRateBucket) async throws -> RateGrant {
            RateGrant(count: 0, wait: .seconds(6))
        }
    }

    @Test func aCallThatHasWaitedInVainIsToldNoDeadlineThatItDoesNotHave() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1), maxWait: .seconds(10), shared: UsedUpStore())
        let call = get(client(limit))
        await time.waitForSleepers(1)
        time.advance(by: .seconds(7))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .rateLimited)
        #expect(error?.message.contains("but the call has waited already, and waits for another ") == true)
        #expect(limit.waitingCount == 0)
    }

    @Test func onlyThoseAheadOfACallCountForHowLongItWouldWait() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(1), maxWait: .seconds(3))
        let client = client(limit)
        _ = try await get(client).value
        var tasks: [Task<String, any Error>] = []
        for count in 1...3 {
            tasks.append(get(client, "/background", .background))
            try await waitUntil { limit.waitingCount == count }
        }
        #expect(await outcome(of: get(client, "/background", .background)) == "rateLimited")
        let urgent = get(client, "/urgent", .high)
        try await waitUntil { limit.waitingCount == 4 }
        time.advance(by: .seconds(1))
        #expect(try await urgent.value == "sent")
        client.cancelAll()
        for task in tasks { #expect(await outcome(of: task) == "cancelled") }
    }

    /// Neither the bound of the wait nor the sleep until the next permit stays on the clock.
    @Test func aLineThatAllCallsHaveLeftWaitsForNothing() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(3600), maxWait: .seconds(7200))
        let client = client(limit)
        _ = try await get(client).value
        let waiting = get(client)
        try await waitUntil { limit.waitingCount == 1 && time.timeToNext != nil }
        waiting.cancel()
        #expect(await outcome(of: waiting) == "cancelled")
        try await waitUntil { time.timeToNext == nil }
    }

    @Test func aCallThatWouldWaitTooLongFailsAtOnceWithTheTime() async throws {
        let limit = RateLimitInterceptor(permits: 1, per: .seconds(4), maxWait: .seconds(5))
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
        let client = client(RateLimitInterceptor(permits: 1, per: .seconds(1), maxWait: .zero))
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

    @Test func aCallThatLeavesTheLineTakesNoPermit() async throws {
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

    @Test func anAbandonedLineHarmsNoLaterCall() async throws {
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
            let limit = RateLimitInterceptor(permits: 1, per: .seconds(1), maxWait: .zero, scope: scope)
            let client = client(limit)
            var sent = 0
            for host in ["one", "two"] {
                let request = HTTPRequest(.get, RequestPath(stringLiteral: "https://\(host).example.com/"))
                if (try? await client.send(request)) != nil { sent += 1 }
            }
            #expect(sent == expected)
        }
    }

    @Test func invalidSettingsAreReported() {
        let limit = RateLimitInterceptor(permits: 0, per: .zero, burst: -1, maxWait: .seconds(-1))
        #expect(limit.permits == 1)
        #expect(limit.period == .milliseconds(1))
        #expect(limit.burst == 1)
        #expect(limit.maxWait == .zero)
        #expect(limit.warnings(in: ClientInspection()).count == 4)
        let slow = RateLimitInterceptor(permits: 1, per: .seconds(1), maxWait: .seconds(60))
        #expect(slow.warnings(in: ClientInspection()) == [])
        #expect(slow.warnings(in: ClientInspection(timeouts: Timeouts(total: .seconds(5)))).count == 1)
        #expect(slow.summary == "rate limit: 1 per 1 s per server, bursts of 1, waits up to 60 s")
    }

    /// A server whose bucket was evicted gets no burst when it comes back.
    @Test func aServerThatWasForgottenGoesOnAtItsRate() async throws {
        let limit = RateLimitInterceptor(permits: 2, per: .seconds(1), scope: .perHost(upTo: 1))
        let client = client(limit)
        func call(_ host: String) -> Task<HTTPResponse, any Error> {
            Task { try await client.send(HTTPRequest(.get, "https://\(host).example.com/x")) }
        }
        for _ in 0..<2 { _ = try await call("a").value }
        let (other, again) = (call("b"), call("a"))
        try await waitUntil { limit.waitingCount > 0 || transport.requests.count > 2 }
        #expect(transport.requests.count == 2)
        for _ in 0..<4 { time.advance(by: .seconds(1)) }
        _ = try await (other.value, again.value)
        // After a while, every bucket begins again.
        time.advance(by: .seconds(10))
        for _ in 0..<2 { _ = try await call("c").value }
        #expect(transport.requests.count == 6)
    }

    /// The bucket that is forgotten last is full again sooner than the one before it.
    @Test func theLatestEndOfAllForgottenBucketsCounts() async throws {
        let limit = RateLimitInterceptor(permits: 2, per: .seconds(1), maxWait: .zero, scope: .perHost(upTo: 2))
        let client = client(limit)
        func call(_ host: String) -> Task<HTTPResponse, any Error> {
            Task { try await client.send(HTTPRequest(.get, "https://\(host).example.com/x")) }
        }
        for host in ["a", "a", "b"] { _ = try await call(host).value }
        for host in ["c", "a"] { #expect(await outcome(of: call(host)) == "rateLimited") }
    }
}
