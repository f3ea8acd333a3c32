import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct ConcurrencyLimitInterceptorTests {
    private let time = TestClock()
    private let transport = MockTransport()

    init() {
        transport.stub(nil, "**", .stalled)
    }

    private func client(_ limit: ConcurrencyLimitInterceptor) -> HTTPClient {
        .testing(transport, limit, time: time)
    }

    private func get(
        _ client: HTTPClient,
        _ path: RequestPath = "/x",
        options: CallOptions = CallOptions()
    ) -> Task<HTTPResponse, any Error> {
        Task { try await client.send(HTTPRequest(.get, path), options: options) }
    }

    @Test func callsBeyondTheLimitWait() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 2, maxTotal: 8)
        let client = client(limit)
        let tasks = (0..<5).map { _ in get(client) }
        await transport.waitForRequests(2)
        try await waitUntil { limit.waitingCount == 3 }
        #expect(transport.requests.count == 2)
        transport.release()
        for task in tasks { _ = try await task.value }
        #expect(limit.runningCount == 0)
        #expect(limit.waitingCount == 0)
    }

    @Test func thoseThatWaitGoByPriorityThenArrival() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = client(limit)
        let first = get(client)
        await transport.waitForRequests(1)
        var tasks: [Task<HTTPResponse, any Error>] = []
        let calls: [(RequestPath, TaskPriority)] = [
            ("/low", .low), ("/medium", .medium), ("/high", .high), ("/medium-too", .medium),
        ]
        for (path, priority) in calls {
            tasks.append(get(client, path, options: CallOptions(priority: priority)))
            try await waitUntil { limit.waitingCount == tasks.count }
        }
        transport.release()
        for task in tasks + [first] { _ = try await task.value }
        let order = transport.requests.map { $0.url.lastPathComponent }
        #expect(order == ["x", "high", "medium", "medium-too", "low"])
    }

    @Test func aCallRisesWhileItWaits() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1, headStart: .seconds(1))
        let client = client(limit)
        let first = get(client)
        await transport.waitForRequests(1)
        let old = get(client, "/old", options: CallOptions(priority: .low))
        try await waitUntil { limit.waitingCount == 1 }
        time.advance(by: .seconds(3))
        let urgent = get(client, "/urgent", options: CallOptions(priority: .high))
        try await waitUntil { limit.waitingCount == 2 }
        transport.release()
        for task in [first, old, urgent] { _ = try await task.value }
        #expect(transport.requests.map { $0.url.lastPathComponent } == ["x", "old", "urgent"])
    }

    @Test func aPermitIsHeldUntilTheBodyHasEnded() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = client(limit)
        transport.stub(.get, "/stream", .stream([Data("a".utf8), Data("b".utf8)]))
        let response = try await client.send(HTTPRequest(.get, "/stream"))
        #expect(limit.runningCount == 1)
        let second = get(client, "/stream")
        try await waitUntil { limit.waitingCount == 1 }
        _ = try await response.body.collect(upTo: 10)
        let other = try await second.value
        #expect(limit.runningCount == 1)
        other.body.discard()
        #expect(limit.runningCount == 0)
    }

    @Test func anUnreadBodyReturnsItsPermit() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = client(limit)
        transport.stub(.get, "/stream", .stream([Data("a".utf8)]))
        for _ in 0..<3 { _ = try await client.send(HTTPRequest(.get, "/stream")) }
        #expect(limit.runningCount == 0)
    }

    @Test func aCallThatIsCancelledLeavesTheLineAtOnce() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = client(limit)
        let first = get(client)
        await transport.waitForRequests(1)
        let (second, third) = (get(client), get(client))
        try await waitUntil { limit.waitingCount == 2 }
        second.cancel()
        #expect(await outcome(of: second) == "cancelled")
        #expect(limit.waitingCount == 1)
        transport.release()
        _ = try await first.value
        _ = try await third.value
        #expect(limit.runningCount == 0)
        #expect(transport.requests.count == 2)
    }

    @Test func aCallThatFailsGivesItsPermitBack() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = client(limit)
        transport.stub(.get, "/bad", .failure(URLError(.networkConnectionLost)))
        for _ in 0..<3 { #expect(await outcome(of: get(client, "/bad")) == "connectionLost") }
        #expect(limit.runningCount == 0)
    }

    @Test func theLineIsBounded() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1, maxWaiting: 1)
        let client = client(limit)
        let first = get(client)
        await transport.waitForRequests(1)
        let second = get(client)
        try await waitUntil { limit.waitingCount == 1 }
        let error = await #expect(throws: NetKitError.self) { try await get(client).value }
        #expect(error?.code == .queueFull)
        #expect(error?.outcome == .notSent)
        transport.release()
        for task in [first, second] { _ = try await task.value }
    }

    @Test func aWaitHasABound() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1, maxWait: .seconds(3))
        let client = client(limit)
        let first = get(client)
        await transport.waitForRequests(1)
        let second = get(client)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(3))
        let error = await #expect(throws: NetKitError.self) { try await second.value }
        #expect(error?.code == .timeout)
        #expect(error?.timeoutPhase == .queue)
        #expect(error?.outcome == .notSent)
        transport.release()
        _ = try await first.value
        #expect(limit.runningCount == 0)
        #expect(time.alarmCount == 0)
    }

    @Test func aDeadlineEndsTheWait() async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let client = client(limit)
        let first = get(client)
        await transport.waitForRequests(1)
        let second = get(client, options: CallOptions(timeout: .seconds(2)))
        try await waitUntil { limit.waitingCount == 1 }
        time.advance(by: .seconds(2))
        let error = await #expect(throws: NetKitError.self) { try await second.value }
        #expect(error?.timeoutPhase == .deadline)
        #expect(error?.outcome == .notSent)
        #expect(limit.waitingCount == 0)
        transport.release()
        _ = try await first.value
    }

    /// A transport that is never abandoned: a request that it processes holds a permit.
    private struct Counted: Transport, CallBound {
        let respond: @Sendable (HTTPRequest) async throws -> HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            try await respond(request)
        }
    }

    /// Real tasks on real threads: 300 calls to 3 servers, a third of which are cancelled at random moments.
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func neverMoreThanTheBoundAndNoneLost(seed: UInt64) async throws {
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 3, maxTotal: 5)
        let random = RandomSource.seeded(seed)
        let inside = Shared((now: 0, most: 0, perHost: [String: Int](), mostPerHost: 0))
        let transport = Counted { request in
            let host = request.url.host(percentEncoded: true) ?? ""
            inside.withLock { inside in
                inside.now += 1
                inside.most = max(inside.most, inside.now)
                inside.perHost[host, default: 0] += 1
                inside.mostPerHost = max(inside.mostPerHost, inside.perHost[host] ?? 0)
            }
            defer {
                inside.withLock { inside in
                    inside.now -= 1
                    inside.perHost[host, default: 0] -= 1
                }
            }
            for _ in 0..<(random.next() % 20) { await Task.yield() }
            if random.next() % 5 == 0 { throw NetKitError(.connectionLost, "gone", outcome: .unknown) }
            return HTTPResponse(status: .ok)
        }
        let client = HTTPClient.testing(transport, limit)
        var ended = 0
        await withTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    let request = HTTPRequest(.get, "https://host-\(number % 3).example.com/")
                    let priority = [TaskPriority.high, .medium, .low, .background][number % 4]
                    let call = Task { try await client.send(request, options: CallOptions(priority: priority)) }
                    if random.next() % 3 == 0 {
                        for _ in 0..<(random.next() % 30) { await Task.yield() }
                        call.cancel()
                    }
                    _ = await call.result
                }
            }
            for await _ in group { ended += 1 }
        }
        #expect(ended == 300)
        #expect(inside.withLock { $0.most } <= 5)
        #expect(inside.withLock { $0.mostPerHost } <= 3)
        #expect(limit.runningCount == 0)
        #expect(limit.waitingCount == 0)
    }

    @Test func invalidSettingsAreReported() {
        let limit = ConcurrencyLimitInterceptor(
            maxPerHost: 0,
            maxTotal: -1,
            maxWaiting: -1,
            maxWait: .zero,
            headStart: .seconds(-1)
        )
        #expect(limit.maxPerHost == 1)
        #expect(limit.maxTotal == 1)
        #expect(limit.maxWaiting == 0)
        #expect(limit.warnings(in: ClientInspection()).count == 5)
        let narrow = ConcurrencyLimitInterceptor(maxPerHost: 20, maxTotal: 10)
        let warning = narrow.warnings(in: ClientInspection()).first
        #expect(warning?.contains("maxPerHost (20) is above maxTotal (10)") == true)
        #expect(ConcurrencyLimitInterceptor().warnings(in: ClientInspection()) == [])
        #expect(narrow.summary == "concurrency limit: 20 per server, 10 in total, 1024 wait up to 30 s")
    }
}
