import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of what calls that share an exchange keep separate: their time, their identity, and their place in a refresh.
@Suite(.timeLimit(.minutes(5)))
struct CoalesceBordersTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let sharing = CoalesceInterceptor()

    private func get(
        _ client: HTTPClient,
        _ path: RequestPath = "/x",
        timeout: Duration? = nil,
        principal: Principal? = nil
    ) -> Task<String, any Error> {
        var options = CallOptions(timeout: timeout, principal: principal)
        options.delivery = .buffered(upTo: 100)
        return Task { [options] in
            let response = try await client.send(HTTPRequest(.get, path), options: options)
            return try await response.body.text(upTo: 100)
        }
    }

    /// The first hop is shared, and the second one, which carries a credential without an identity, is not.
    @Test func anErrorIsAboutTheLatestExchange() async throws {
        let auth = AuthInterceptor(origins: ["https://files.example.com"]) { "token" }
        let client = HTTPClient.testing(transport, sharing, auth, time: time)
        transport.stub(.get, "/x", .status(302).header("Location", "https://files.example.com/y"))
        transport.stub(.get, "/y", .stalled)
        let call = get(client, timeout: .seconds(2))
        await transport.waitForRequests(2)
        time.advance(by: .seconds(2))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.outcome == .unknown)
        #expect(error?.message.contains("files.example.com") == true)
    }

    /// Two hops are shared, each in an exchange of its own, and the third one is not.
    @Test func theExchangesOfACallAreNumberedOneAfterTheOther() async throws {
        let auth = AuthInterceptor(origins: ["https://files.example.com"]) { "token" }
        let client = HTTPClient.testing(transport, sharing, auth, time: time)
        transport.stub(.get, "/x", .status(302).header("Location", "/y"))
        transport.stub(.get, "/y", .status(302).header("Location", "https://files.example.com/z"))
        transport.stub(.get, "/z", .text("z"))
        let events = client.events
        #expect(try await get(client).value == "z")
        await client.shutdown()
        var numbers: [Int?] = []
        for await event in events where event.kind == .attemptStarted || event.kind == .callEnded {
            numbers.append(event.attempt)
        }
        #expect(numbers == [1, 2, 3, 3])
    }

    // MARK: - Time

    /// The last call that joins decides; without a deadline there is none.
    @Test(arguments: [([3], 3_000), ([3, 8], 8_000), ([8, 3], 8_000), ([3, nil], nil)] as [([Int?], Int64?)])
    func theExchangeHasTheLatestDeadlineOfItsCalls(timeouts: [Int?], milliseconds: Int64?) async throws {
        let gate = Promise<Void>()
        let seen = Notebook<Duration?>()
        let asking = StagedInterceptor(.auth) { request, context, next in
            try await gate.value()
            seen.add(context.timeLeft)
            return try await next(request, context)
        }
        let client = HTTPClient.testing(transport, sharing, asking, time: time)
        transport.stub(.get, "/x", .text("body"))
        var calls: [Task<String, any Error>] = []
        for timeout in timeouts {
            calls.append(get(client, timeout: timeout.map { .seconds($0) }))
            try await waitUntil { sharing.callCount == calls.count }
        }
        gate.resolve(.success(()))
        for call in calls { #expect(try await call.value == "body") }
        #expect(seen.entries == [milliseconds.map { .milliseconds($0) }])
    }

    @Test func aRetryThatWouldComeTooLateIsNotWaitedFor() async throws {
        let client = HTTPClient.testing(transport, sharing, RetryInterceptor(.standard), time: time)
        transport.stub(.get, "/x", .status(503).header("Retry-After", "30"))
        var options = CallOptions(timeout: .seconds(10))
        options.delivery = .buffered(upTo: 100)
        let response = try await client.send(HTTPRequest(.get, "/x"), options: options)
        #expect(response.status == 503)
        #expect(time.sleeperCount == 0)
    }

    @Test func theBreakerSeesThatAServerDidNotRespondInTime() async throws {
        let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 3))
        let client = HTTPClient.testing(transport, sharing, breaker, time: time)
        transport.stub(.get, "**", .stalled)
        for number in 0..<3 {
            let call = get(client, "/\(number)", timeout: .seconds(2))
            await transport.waitForRequests(number + 1)
            time.advance(by: .seconds(2))
            _ = await outcome(of: call)
            try await waitUntil { sharing.exchangeCount == 0 }
        }
        try await waitUntil { !breaker.troubled.isEmpty }
    }

    // MARK: - Identity

    @Test func anotherLoginSharesNothingEvenUnderOnePrincipal() async throws {
        let tokens = TokenStore(initial: AccessToken("alice-token"), identity: "alice")
        let client = HTTPClient.testing(transport, sharing, AuthInterceptor(tokens, origins: .any), time: time)
        transport.stub(.get, "/x", .stalled)
        let first = get(client, principal: Principal("tenant-7"))
        await transport.waitForRequests(1)
        await tokens.set(AccessToken("bob-token"), identity: "bob")
        let second = get(client, principal: Principal("tenant-7"))
        await transport.waitForRequests(2)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer alice-token", "Bearer bob-token"])
        first.cancel()
        second.cancel()
    }

    /// Their login has happened, so they cannot end at it.
    @Test func readsThatAQueueMayKeepShareAnExchange() async throws {
        let queue = try await OfflineQueue.testing(nil, time)
        let auth = AuthInterceptor(TokenStore(initial: "a", identity: "ada"), origins: .any)
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), sharing, auth, time: time)
        await queue.attach(client)
        transport.stub(.get, "/x", .stalled)
        var options = CallOptions.deferrable("a")
        options.delivery = .buffered(upTo: 100)
        let calls = (0..<2).map { [options] _ in
            Task { try await client.send(HTTPRequest(.get, "/x"), options: options) }
        }
        try await waitUntil { sharing.callCount == 2 || transport.requests.count == 2 }
        #expect(sharing.callCount == 2)
        for call in calls { call.cancel() }
        await queue.close()
    }

    @Test func twoClientsWithOneInterceptorShareNothing() async throws {
        let other = MockTransport()
        let clients = [
            HTTPClient.testing(transport, sharing, time: time), HTTPClient.testing(other, sharing, time: time),
        ]
        for each in [transport, other] { each.stub(.get, "/x", .stalled) }
        let calls = clients.map { get($0) }
        await transport.waitForRequests(1)
        await other.waitForRequests(1)
        for call in calls { call.cancel() }
    }

    // MARK: - Refreshes and writes

    @Test func aReadOfARefreshIsNotShared() async throws {
        let client = HTTPClient.testing(transport, sharing, time: time)
        transport.stub(.get, "/me", .stalled)
        let first = get(client, "/me")
        await transport.waitForRequests(1)
        let inside = Call.$refreshingSources.withValue([ObjectIdentifier(transport)]) { get(client, "/me") }
        await transport.waitForRequests(2)
        #expect(sharing.callCount == 1)
        let third = get(client, "/me")
        try await waitUntil { sharing.callCount == 2 }
        inside.cancel()
        first.cancel()
        third.cancel()
    }

    /// The write is inside code that ignores its cancellation, so it never ends for the interceptor.
    @Test(arguments: [false, true])
    func aReadAfterAWriteJoinsNoEarlierExchange(isAbandoned: Bool) async throws {
        let (hanging, begun) = (Promise<Void>(), Notebook<String>())
        defer { hanging.resolve(.success(())) }
        let blocking = StagedInterceptor(.auth) { request, context, next in
            if request.method == .put {
                begun.add("write")
                try await hanging.value()
            }
            return try await next(request, context)
        }
        let client = HTTPClient.testing(transport, sharing, blocking, time: time)
        transport.stub(.get, "/x", .stalled)
        let early = isAbandoned ? nil : get(client)
        if !isAbandoned { await transport.waitForRequests(1) }
        let write = Task { try await client.send(HTTPRequest(.put, "/x"), options: CallOptions(timeout: .seconds(1))) }
        try await waitUntil { begun.count == 1 }
        let during = isAbandoned ? get(client) : nil
        if isAbandoned { await transport.waitForRequests(1) }
        // Past the deadline, and past the time after which code that ignores it is abandoned.
        let isOver = Flag()
        let watch = Task {
            defer { isOver.set() }
            return await outcome(of: write)
        }
        try await waitUntil {
            time.advance(by: .milliseconds(500))
            return isOver.isSet
        }
        #expect(await watch.value == "timeout")
        let late = get(client)
        await transport.waitForRequests(2)
        for call in [early, during, late] { call?.cancel() }
    }
}
