import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the calls that may get the response of a shared exchange, and of their results if there is none.
@Suite(.timeLimit(.minutes(5)))
struct CacheSharingBoundsTests {
    private let it = SharingClient()

    // MARK: Ownership

    @Test(
        arguments: [
            ["Cache-Control": "no-store"], ["Cache-Control": "no-cache"],
            ["Cache-Control": "max-age=0", "ETag": "\"a\""],
            ["Cache-Control": "max-age=60", "Vary": "*"], [:],
        ] as [HTTPHeaders]
    )
    func aResponseThatMustNotBeReusedIsNotShared(headers: HTTPHeaders) async throws {
        it.respond { number, _ in .text("\(number)", headers) }
        let calls = (0..<4).map { _ in it.get() }
        try await it.waitForCalls(waiting: 3)
        it.release()
        #expect(try await Set(calls.values().map(\.text)) == ["1", "2", "3", "4"])
        // From now on, no call waits for such a response.
        it.hold()
        let later = (0..<4).map { _ in it.get() }
        await it.transport.waitForRequests(8)
        it.release()
        #expect(try await Set(later.values().map(\.text)).count == 4)
        it.expectNothingLeft()
    }

    @Test func callsWaitAgainOnceAResponseMayBeShared() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": number == 1 ? "no-store" : "max-age=60"]) }
        it.release()
        _ = try await it.get().value
        _ = try await it.get().value
        it.time.advance(by: .seconds(100))
        it.hold()
        let calls = (0..<4).map { _ in it.get() }
        try await it.waitForCalls(waiting: 3)
        it.release()
        #expect(try await calls.values().allSatisfy { $0.text == "3" })
    }

    /// Just then, the server must not get the requests of all of them.
    @Test(arguments: [408, 425, 429, 503] as [HTTPStatus])
    func callsShareTheExchangeAfterATemporaryRefusal(status: HTTPStatus) async throws {
        let simulation = Simulation(seed: 1)
        let transport = MockTransport()
        let response = MockResponse.text("ok").header("Cache-Control", "max-age=60").delayed(by: .seconds(1))
        transport.stub(.get, "/x", .status(status), response)
        var configuration = simulation.configuration
        configuration.timeouts = .none
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [CacheInterceptor(MemoryCacheStore())],
            configuration: configuration
        )
        try await simulation.run {
            let refusal = try await client.send(HTTPRequest(.get, "/x"))
            #expect(refusal.status == status)
            await simulation.callers(4) { _ in _ = try? await client.send(HTTPRequest(.get, "/x")) }
        }
        #expect(transport.requests.count == 2)
    }

    /// An exchange ends while another call looks, which then looks once more.
    @Test func aCallThatLooksOnceMoreIsAMissLikeOthers() async throws {
        let (reads, gate) = (Notebook<Int>(), Promise<Void>())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeReading else { return }
            reads.add(1)
            if reads.count == 2 { try await gate.value() }
        }
        let it = SharingClient(store)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "no-store"]) }
        let first = it.get()
        try await it.waitForExchanges(1)
        let second = it.get()
        try await waitUntil { reads.count == 2 }
        it.release()
        _ = try await first.value
        gate.resolve(.success(()))
        #expect(try await second.value.text == "2")
        #expect(reads.count == 3)
        #expect(await it.cache.statistics.misses == 2)
    }

    @Test func principalsAreKeptApart() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let calls = ["a", "a", "b"].map { it.get(principal: Principal($0)) }
        await it.transport.waitForRequests(2)
        try await it.waitForCalls(waiting: 1)
        it.release()
        let texts = try await calls.values().map(\.text)
        #expect(texts[0] == texts[1])
        #expect(texts[0] != texts[2])
        #expect(it.sent == 2)
    }

    @Test func languagesAreKeptApart() async throws {
        it.respond { _, request in
            .text(request.headers["Accept-Language"] ?? "", ["Cache-Control": "max-age=60", "Vary": "Accept-Language"])
        }
        let languages = ["de", "de", "en", "en", "fr"]
        let calls = languages.map { it.get(["Accept-Language": $0]) }
        try await it.waitForCalls(waiting: 4)
        it.release()
        #expect(try await calls.values().map(\.text) == languages)
        // The selecting fields are known now, and no call waits for another language.
        it.time.advance(by: .seconds(100))
        it.hold()
        let before = it.sent
        let later = languages.map { it.get(["Accept-Language": $0]) }
        await it.transport.waitForRequests(before + 3)
        try await it.waitForCalls(waiting: 2)
        it.release()
        #expect(try await later.values().map(\.text) == languages)
        #expect(it.sent == before + 3)
    }

    @Test(arguments: [false, true])
    func aReadAfterAWriteDoesNotGetAResponseFromBefore(storeHasGenerations: Bool) async throws {
        let it = storeHasGenerations ? it : SharingClient(NumberingStore())
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let before = it.get()
        try await it.waitForExchanges(1)
        _ = try await it.client.send(HTTPRequest(.put, "/x"))
        let after = it.get()
        await it.transport.waitForRequests(3)
        it.release()
        #expect(try await before.value.text == "1")
        #expect(try await after.value.text == "3")
    }

    @Test(arguments: [CachePolicy.networkFirst, .reload, .noCache])
    func aCallThatWantsTheServersWordAsksItself(policy: CachePolicy) async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let first = it.get()
        try await it.waitForExchanges(1)
        let other = it.get(policy: policy)
        await it.transport.waitForRequests(2)
        it.release()
        #expect(try await first.value.text == "1")
        #expect(try await other.value.text == "2")
    }

    // MARK: Failures

    @Test func anUnreachableServerIsAskedOnce() async throws {
        it.respond { _, _ in throw URLError(.networkConnectionLost) }
        let calls = (0..<8).map { _ in it.get() }
        try await it.waitForCalls(waiting: 7)
        it.release()
        for call in calls {
            #expect(await #expect(throws: NetKitError.self) { try await call.value }?.code == .connectionLost)
        }
        #expect(it.sent == 1)
        it.expectNothingLeft()
    }

    /// The one that makes the exchange needs a permit sooner than the one that waits for it.
    @Test func aRateLimitRefusesOnlyTheCallThatHasNoTimeToWait() async throws {
        let (count, gate) = (Shared(0), Promise<Void>())
        let limit = StagedInterceptor(.limit) { request, context, next in
            guard count.increment() == 1 else { return try await next(request, context) }
            try await gate.value()
            let info = ThrottleInfo(origin: nil, retryAfter: .seconds(9))
            throw NetKitError(.rateLimited, "The next permit is free after the deadline.", cause: info)
        }
        let it = SharingClient(others: [limit])
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        it.release()
        let hurried = it.get(timeout: .seconds(5))
        try await waitUntil { count.withLock { $0 } == 1 }
        let patient = it.get(timeout: .seconds(10))
        try await it.waitForCalls(waiting: 1)
        gate.resolve(.success(()))
        #expect(await #expect(throws: NetKitError.self) { try await hurried.value }?.code == .rateLimited)
        #expect(try await patient.value.text == "1")
    }

    @Test(arguments: [false, true])
    func aStaleResponseIsUsedForAllIfTheServerFails(isReachable: Bool) async throws {
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60, stale-if-error=600"]
        it.respond { number, _ in
            if number == 1 { return .text("old", headers) }
            if isReachable { return HTTPResponse(status: .serviceUnavailable) }
            throw URLError(.networkConnectionLost)
        }
        it.release()
        _ = try await it.get().value
        it.time.advance(by: .seconds(100))
        it.hold()
        let calls = (0..<8).map { _ in it.get() }
        try await it.waitForCalls(waiting: 7)
        it.release()
        #expect(try await calls.values().allSatisfy { $0.text == "old" })
        #expect(it.sent == 2)
    }

    /// The exchange is inside code that does not end, although its call has ended.
    @Test func noCallWaitsForAnExchangeWhoseCallHasEnded() async throws {
        let stubborn = Stubborn()
        let isFirst = Shared(true)
        let standing = StagedInterceptor(.auth) { request, context, next in
            let waits = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if waits { await stubborn.wait() }
            return try await next(request, context)
        }
        let connectivity = ConnectivityInterceptor(ManualNetworkMonitor(), .failFast)
        let it = SharingClient(others: [standing, connectivity])
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        it.release()
        let first = it.get(timeout: .seconds(1))
        await stubborn.begun()
        let second = it.get()
        try await it.waitForCalls(waiting: 1)
        it.time.advance(by: .seconds(1))
        #expect(try await second.value.text == "1")
        it.time.advance(by: .milliseconds(500))
        #expect(await outcome(of: first) == "timeout")
        stubborn.release()
    }

    /// The exchange has the retries of the call that makes it.
    @Test func aCallWithARetryPolicyOfItsOwnSharesNoExchange() async throws {
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        let client = it.client
        let calls = (0..<2).map { _ in
            Task {
                let options = CallOptions(retry: .none, delivery: .buffered(upTo: 100))
                return try await client.send(HTTPRequest(.get, "/x"), options: options).headers["Cache-Status"]
            }
        }
        await it.transport.waitForRequests(2)
        it.release()
        var statuses: [String] = []
        for call in calls { statuses.append(try await call.value ?? "") }
        #expect(statuses.allSatisfy { $0.contains("fwd=uri-miss") })
        // The store keeps the response of the exchange that began last, whichever ends first.
        #expect(statuses.contains { $0.contains("stored") })
        // It still uses stored responses.
        let options = CallOptions(retry: .none, delivery: .buffered(upTo: 100))
        let later = try await client.send(HTTPRequest(.get, "/x"), options: options)
        #expect(later.headers["Cache-Status"]?.contains("hit") == true)
        #expect(it.sent == 2)
    }

    @Test func aBodyThatBreaksOffIsFetchedByEach() async throws {
        it.respond { number, _ in
            guard number == 1 else { return .text("whole", ["Cache-Control": "max-age=60"]) }
            let pipe = BodyPipe()
            pipe.offer(Data("wh".utf8))
            pipe.fail(URLError(.networkConnectionLost))
            return HTTPResponse(
                status: .ok,
                headers: ["Cache-Control": "max-age=60"],
                body: ResponseBody(length: 5, source: pipe)
            )
        }
        let first = it.get(isStreamed: true)
        try await it.waitForExchanges(1)
        let others = (0..<3).map { _ in it.get() }
        try await it.waitForCalls(waiting: 3)
        it.release()
        #expect(await #expect(throws: NetKitError.self) { try await first.value }?.code == .connectionLost)
        #expect(try await others.values().allSatisfy { $0.text == "whole" })
        it.expectNothingLeft()
    }

    /// Two calls that wait for each other would never end.
    @Test func aRequestMadeInsideAnExchangeWaitsForNoOtherCall() async throws {
        let inner = Shared<HTTPClient?>(nil)
        let depth = Shared(0)
        let it = SharingClient(
            others: [
                StagedInterceptor(.auth) { request, context, next in
                    let isFirst = depth.withLock { depth in
                        depth += 1
                        return depth == 1
                    }
                    if isFirst { _ = try await inner.withLock { $0 }?.send(HTTPRequest(.get, "/x")) }
                    return try await next(request, context)
                }
            ]
        )
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=60"]) }
        inner.withLock { $0 = it.client }
        it.release()
        #expect(try await it.get().value.text == "2")
    }
}

/// A store whose tokens have no generations, as a user's store may.
private struct NumberingStore: CacheStore {
    private let base = MemoryCacheStore()

    var secret: CacheHashKey { base.secret }
    var statistics: CacheStoreStatistics { get async { base.statistics } }

    func read(_ key: CacheKey) async throws -> CacheRecord? { base.read(key) }
    func token(for key: CacheKey) async throws -> CacheWriteToken {
        CacheWriteToken(number: base.token(for: key).number)
    }
    func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken?
    ) async throws -> (any CacheWriter)? { base.write(key, head, length: length, token: token) }
    func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken?) async throws -> Bool {
        base.write(key, head, body: body, token: token)
    }
    func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken?) async throws {
        base.update(key, head, token: token)
    }
    func remove(_ key: CacheKey, token: CacheWriteToken?) async throws { base.remove(key, token: token) }
    func invalidate(_ resource: CacheResource) async throws { base.invalidate(resource) }
    func removeAll() async throws { base.removeAll() }
}
