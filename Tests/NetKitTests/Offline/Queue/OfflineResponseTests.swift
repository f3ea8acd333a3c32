import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of which responses say that the server has accepted an entry.
@Suite(.timeLimit(.minutes(5)))
struct OfflineResponseTests {
    /// A stored response is fresh at first, and may cover a failure later.
    @Test(arguments: [Duration.seconds(1), .seconds(120)])
    func aStoredResponseIsNotADelivery(age: Duration) async throws {
        let time = TestClock()
        let transport = MockTransport()
        transport.stub(
            .get,
            "/prices",
            .text("1").header("Cache-Control", "max-age=60, stale-if-error=3600"),
            .status(503)
        )
        let client = HTTPClient.testing(transport, CacheInterceptor(MemoryCacheStore()), time: time)
        let request = HTTPRequest(.get, "/prices")
        let options = CallOptions(delivery: .buffered(upTo: 10))
        #expect(try await client.send(request, options: options).status == 200)
        time.advance(by: age)
        #expect(try await client.send(request, options: options).status == 200)
        let queue = try await OfflineQueue.testing(nil)
        try await queue.enqueue(QueuedRequest(request))
        await queue.attach(client)
        await queue.processQueue()
        #expect(transport.requests.last?.headers["Idempotency-Key"] != nil)
        #expect(await queue.pendingCount == 1)
        await queue.close()
    }

    /// An earlier attempt is still carried out, and a request under another key would be carried out as well.
    @Test(arguments: [ConflictResolutionStrategy.clientWins, .serverWins])
    func anEntryThatIsStillCarriedOutKeepsItsKey(strategy: ConflictResolutionStrategy) async throws {
        let time = TestClock()
        let sender = ScriptedSender { sent in
            guard sent.replay?.attempt == 1 else { return HTTPResponse(status: 201) }
            return HTTPResponse(status: 409, headers: ["Retry-After": "5"])
        }
        let queue = try await OfflineQueue.testing(nil, time) { $0.conflictStrategy = strategy }
        let events = queue.events
        let receipt = try await queue.enqueue(.post("/orders"))
        await queue.attach(sender)
        await queue.processQueue()
        let entry = try #require(await queue.entries.first)
        #expect(entry.state == .waiting)
        #expect(entry.notBefore == time.date.addingTimeInterval(5))
        time.advance(by: .seconds(5))
        await queue.processQueue()
        await queue.close()
        #expect(await events.first(.delivered)?.id == receipt.id)
        #expect(sender.sent.entries.map(\.key) == [receipt.idempotencyKey, receipt.idempotencyKey])
    }

    /// The response to the first attempt is lost. The third one is not sent, and says nothing about the first.
    @Test(arguments: [ConflictResolutionStrategy.clientWins, .serverWins], [false, true])
    func anEntryWithoutAResponseMayStillBeCarriedOut(
        strategy: ConflictResolutionStrategy,
        isConflict: Bool
    ) async throws {
        let time = TestClock()
        let sender = ScriptedSender { _, number in
            switch number {
            case 1: throw NetKitError(.connectionLost, "The response was lost.", outcome: .unknown)
            case 3: throw NetKitError(.offline, "There is no network.")
            default: return HTTPResponse(status: isConflict || number < 7 ? 409 : 201)
            }
        }
        let queue = try await OfflineQueue.testing(nil, time) { $0.conflictStrategy = strategy }
        let events = queue.events
        let receipt = try await queue.enqueue(.post("/orders"))
        await queue.attach(sender)
        for _ in 0..<7 {
            await queue.processQueue()
            time.advance(by: .seconds(60))
        }
        let kind = isConflict ? OfflineEvent.Kind.conflict : .delivered
        #expect(await events.first(kind)?.id == receipt.id)
        let keys = sender.sent.entries.prefix(isConflict ? 8 : 7).map(\.key)
        #expect(keys.allSatisfy { $0 == receipt.idempotencyKey })
        #expect(keys.count == (isConflict ? 8 : 7))
        await queue.close()
    }

    /// Has the queue capture a call whose response is lost.
    private func captureCall(in queue: OfflineQueue) async {
        let transport = MockTransport { _, _ in throw NetKitError(.connectionLost, "lost", outcome: .unknown) }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        let request = HTTPRequest(.post, "/orders", headers: ["Idempotency-Key": "k"], body: .text("1"))
        var options = CallOptions()
        options.tags[Deferrable.self] = Deferrable()
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
    }

    /// The server still carries out the call when the entry is sent, by its own queue or by that of another process.
    @Test(arguments: [ConflictResolutionStrategy.clientWins, .serverWins], [false, true])
    func aCapturedCallMayStillBeCarriedOut(strategy: ConflictResolutionStrategy, isSentElsewhere: Bool) async throws {
        let (time, sender) = (TestClock(), ScriptedSender(statuses: 409, 201))
        let shared = InMemorySharedOfflineStore(clock: time.clock)
        func newQueue() async throws -> OfflineQueue {
            try await OfflineQueue.testing(nil, time, store: shared.replica()) { $0.conflictStrategy = strategy }
        }
        let first = try await newQueue()
        await captureCall(in: first)
        if isSentElsewhere { await first.close() }
        let queue = isSentElsewhere ? try await newQueue() : first
        await queue.attach(sender)
        await queue.processQueue()
        #expect(await queue.entries.map(\.state) == [.waiting])
        time.advance(by: .seconds(1))
        await queue.processQueue()
        #expect(await queue.entries.isEmpty)
        #expect(sender.sent.entries.map(\.key) == ["k", "k"])
        await queue.close()
    }

    /// The first queue has lost the response to its attempt.
    @Test(arguments: [false, true])
    func anEntryThatAnotherQueueHasTriedMayStillBeCarriedOut(isShared: Bool) async throws {
        let time = TestClock()
        let (memory, shared) = (InMemoryOfflineStore(), InMemorySharedOfflineStore(clock: time.clock))
        func store() -> any OfflineStore { isShared ? shared.replica() : memory }
        let lost = ScriptedSender { _ in throw NetKitError(.connectionLost, "lost", outcome: .unknown) }
        let first = try await OfflineQueue.testing(lost, time, store: store())
        let key = try await first.enqueue(.post("/1")).idempotencyKey
        await first.processQueue()
        #expect(await first.entries.map(\.retryCount) == [1])
        await first.close()
        let sender = ScriptedSender(statuses: 409, 201)
        let second = try await OfflineQueue.testing(sender, time, store: store()) { $0.conflictStrategy = .clientWins }
        for count in 1...2 {
            time.advance(by: .seconds(1))
            await second.processQueue()
            #expect(sender.sent.entries.map(\.key) == [String?](repeating: key, count: count))
        }
        #expect(await second.entries.isEmpty)
        await second.close()
    }

    /// Only the first entry of a lane can have been sent before the queue was opened.
    @Test func theFirstEntryOfALaneMayStillBeCarriedOutAfterARestart() async throws {
        let (time, store) = (TestClock(), InMemoryOfflineStore())
        for path in ["/1", "/2"] { try await store.append(.post(path)) }
        let sender = ScriptedSender(statuses: 409, 201, 409)
        let queue = try await OfflineQueue.testing(sender, time, store: store)
        await queue.processQueue()
        #expect(await queue.entries.map(\.state) == [.waiting, .waiting])
        time.advance(by: .seconds(1))
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/1", "/2"])
        #expect(await queue.entries.map(\.state) == [.conflict])
        await queue.close()
    }

    /// The response to the first attempt is lost, and the second one finds a conflict.
    @Test func aRequestUnderANewKeyIsNotStillCarriedOut() async throws {
        let time = TestClock()
        let sender = ScriptedSender { _, number in
            if number == 1 { throw NetKitError(.connectionLost, "The response was lost.", outcome: .unknown) }
            return HTTPResponse(status: number == 2 ? 412 : 409)
        }
        let queue = try await OfflineQueue.testing(nil, time) {
            $0.conflictStrategy = .clientWins
            $0.maxConflicts = 2
        }
        try await queue.enqueue(.post("/orders"))
        await queue.attach(sender)
        await queue.processQueue()
        time.advance(by: .seconds(1))
        await queue.processQueue()
        #expect(await queue.entries.map(\.state) == [.conflict])
        #expect(Set(sender.sent.entries.map(\.key)).count == 2)
        await queue.close()
    }

    struct Redirect: Sendable {
        let status: HTTPStatus
        let location: String
        var method = HTTPMethod.post
        var isDelivered = false
    }

    /// The page at the end of such a redirect is often that of a login or of a captive portal.
    @Test(arguments: [
        Redirect(status: 301, location: "https://www.example.com/orders"),
        Redirect(status: 302, location: "https://login.example.com/?next=1"),
        Redirect(status: 303, location: "https://login.example.com/"),
        Redirect(status: 302, location: "https://login.example.com/", method: .put),
        // These lead to another origin only after the POST has become a GET.
        Redirect(status: 302, location: "/login"),
        Redirect(status: 301, location: "/session"),
        Redirect(status: 302, location: "/account"),
        // The same request is sent there.
        Redirect(status: 301, location: "https://www.example.com/orders", method: .put, isDelivered: true),
        Redirect(status: 301, location: "https://www.example.com/orders", method: .patch, isDelivered: true),
        Redirect(status: 301, location: "https://www.example.com/orders", method: .delete, isDelivered: true),
        Redirect(status: 307, location: "https://eu.example.com/orders", isDelivered: true),
        Redirect(status: 303, location: "/orders/7", isDelivered: true),
        // A GET of the order's own page, which is elsewhere.
        Redirect(status: 303, location: "/moved", isDelivered: true),
        Redirect(status: 302, location: "https://files.example.com/7", method: .get, isDelivered: true),
    ])
    func aResponseOfAnotherOriginIsNotADelivery(redirect: Redirect) async throws {
        let transport = MockTransport()
        transport.stub(nil, "**", .text("Log in"))
        transport.stub(.get, "/moved", .redirect(to: "https://files.example.com/7"))
        transport.stub(.get, "/login", .redirect(to: "https://login.example.com/?next=1"))
        transport.stub(.get, "/session", .redirect(to: "https://login.example.com/", status: 307))
        transport.stub(.get, "/account", .redirect(to: "/login", status: 303))
        let first = MockResponse.redirect(to: redirect.location, status: redirect.status)
        transport.stub(redirect.method, "/orders", first, .text("accepted"))
        let queue = try await OfflineQueue.testing(nil)
        try await queue.enqueue(QueuedRequest(HTTPRequest(redirect.method, "/orders")))
        await queue.attach(HTTPClient.testing(transport))
        await queue.processQueue()
        #expect(transport.requests.count > 1)
        #expect(await queue.pendingCount == 0)
        let letters = await queue.deadLetters
        let expected: [DeadLetterReason] = redirect.isDelivered ? [] : [.redirected]
        #expect(letters.map(\.reason) == expected)
        #expect(letters.allSatisfy { $0.response?.body == Data("Log in".utf8) })
        #expect(letters.allSatisfy { !$0.message.contains("next") })
        await queue.close()
    }

    /// A person must not take the beginning of a response for all of it.
    @Test(arguments: [409, 422] as [HTTPStatus], [false, true])
    func aKeptResponseThatIsCutOffSaysSo(status: HTTPStatus, isThrown: Bool) async throws {
        let folder = try TemporaryFolder()
        func queue(_ sender: ScriptedSender?) async throws -> OfflineQueue {
            let store = JSONOfflineStore(directory: folder.file("queue"))
            return try await OfflineQueue.testing(sender, store: store) { $0.maxResponseBytes = 4 }
        }
        let body = Data("theirs".utf8)
        let sender = ScriptedSender { _ in
            guard isThrown else { return HTTPResponse(status: status, body: ResponseBody(body)) }
            // An error keeps more of a response than the queue does.
            let response = NetKitError.Response(status: status, headers: [:], body: body)
            throw NetKitError(.server, "refused", outcome: .answered, response: response)
        }
        let first = try await queue(sender)
        let id = try await first.enqueue(.post("/1")).id
        await first.processQueue()
        await first.close()
        let second = try await queue(nil)
        let response = try await second.store.load([id])[id]?.get().detail?.response
        #expect(response?.body == Data("thei".utf8))
        #expect(response?.isTruncated == true)
        await second.close()
    }
}
