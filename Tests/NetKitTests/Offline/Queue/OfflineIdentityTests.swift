import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that an entry is sent as the identity that created it, or waits.
@Suite(.timeLimit(.minutes(5)))
struct OfflineIdentityTests {
    private let time = TestClock()

    /// Responds with the statuses in turn, and then always with the last one.
    private func server(_ responses: MockResponse...) -> MockTransport {
        let transport = MockTransport()
        switch responses.count {
        case 1: transport.stub(nil, "**", responses[0])
        case 2: transport.stub(nil, "**", responses[0], responses[1])
        default: transport.stub(nil, "**", .status(204))
        }
        return transport
    }

    private func client(_ transport: MockTransport, _ interceptors: any Interceptor...) -> HTTPClient {
        .testing(transport, InterceptorList(interceptors), time: time)
    }

    private func queue(
        _ client: HTTPClient?,
        monitor: ManualNetworkMonitor? = nil,
        store: any OfflineStore = InMemoryOfflineStore(),
        _ change: (inout OfflineQueue.Configuration) -> Void = { _ in }
    ) async throws -> OfflineQueue {
        var configuration = OfflineQueue.Configuration()
        configuration.clock = time.clock
        configuration.timeout = nil
        change(&configuration)
        return try await OfflineQueue(store: store, sender: client, monitor: monitor, configuration: configuration)
    }

    private func sent(_ transport: MockTransport) -> [String] {
        transport.requests.map { request in
            "/\(request.url.lastPathComponent) \(request.headers["Authorization"] ?? "none")"
        }
    }

    @Test func anEntryOfAIsNotSentAsB() async throws {
        let monitor = ManualNetworkMonitor(isConnected: false)
        let transport = server()
        let store = TokenStore(initial: "a", identity: "ada")
        let queue = try await queue(client(transport, AuthInterceptor(store)), monitor: monitor)
        let events = queue.events
        let receipt = try await queue.enqueue(.post("/a"))
        #expect(receipt.identity == "ada")
        #expect(!receipt.isIdentityLostOnRestart)
        await store.set(AccessToken("b"), identity: "bob")
        monitor.set(isConnected: true)
        let event = try #require(await events.first(.waitingForIdentity))
        #expect(event.id == receipt.id)
        try await queue.enqueue(.post("/b"))
        _ = await events.first(.delivered)
        await queue.processQueue()
        #expect(sent(transport) == ["/b Bearer b"])
        let entry = try #require(await queue.entries.first)
        #expect(entry.identity == "ada")
        #expect(entry.waitsForIdentity)
        #expect(entry.state == .waiting)
        #expect(entry.retryCount == 0)
        #expect(entry.notBefore == nil)
        #expect(await queue.pausedLanes.isEmpty)
        #expect(await queue.waitingForIdentityCount == 1)
        let sample = await queue.metricSamples().first { $0.name == "netkit_queue_identity_entries" }
        #expect(sample?.value == 1)
        #expect(await queue.pendingCount == 1)
        await store.set(AccessToken("a2"), identity: "ada")
        await queue.processQueue()
        #expect(sent(transport) == ["/b Bearer b", "/a Bearer a2"])
        #expect(await queue.waitingForIdentityCount == 0)
        await queue.close()
    }

    @Test func itIsSentByItselfWhenTheIdentityIsBack() async throws {
        let transport = server()
        let store = TokenStore(initial: "b", identity: "bob")
        let queue = try await queue(client(transport, AuthInterceptor(store)))
        let events = queue.events
        var request = QueuedRequest.post("/a")
        request.identity = "ada"
        try await queue.enqueue(request)
        _ = await events.first(.waitingForIdentity)
        await store.set(AccessToken("a"), identity: "ada")
        await time.waitForAlarms(1)
        time.advance(by: .seconds(6))
        _ = await events.first(.delivered)
        #expect(sent(transport) == ["/a Bearer a"])
        await queue.close()
    }

    @Test func anotherIdentityIsNotHeldUpByAPostponedEntry() async throws {
        let transport = server(.status(503), .status(204))
        let store = TokenStore(initial: "a", identity: "ada")
        let queue = try await queue(client(transport, AuthInterceptor(store)))
        let events = queue.events
        try await queue.enqueue(.post("/a"))
        _ = await events.first(.postponed)
        await store.set(AccessToken("b"), identity: "bob")
        try await queue.enqueue(.post("/b"))
        _ = await events.first(.delivered)
        #expect(sent(transport) == ["/a Bearer a", "/b Bearer b"])
        await queue.close()
    }

    @Test func aRefusedCredentialHoldsUpNoOtherIdentity() async throws {
        let transport = server(.status(401), .status(204))
        let store = TokenStore(initial: "a", identity: "ada")
        let queue = try await queue(client(transport, AuthInterceptor(store)))
        let events = queue.events
        try await queue.enqueue(.post("/a"))
        _ = await events.first(.lanePaused)
        await store.set(AccessToken("b"), identity: "bob")
        try await queue.enqueue(.post("/b"))
        _ = await events.first(.delivered)
        #expect(sent(transport) == ["/a Bearer a", "/b Bearer b"])
        #expect(await queue.pausedLanes.isEmpty)
        #expect(await queue.waitingForIdentityCount == 1)
        await queue.close()
    }

    @Test(arguments: [true, false])
    func aLoginWithoutANameHoldsInTheProcessOnly(isCleared: Bool) async throws {
        let transport = server()
        let folder = try TemporaryFolder()
        let store = TokenStore(initial: "a")
        let monitor = ManualNetworkMonitor(isConnected: false)
        let client = client(transport, AuthInterceptor(store))
        let kept = JSONOfflineStore(directory: folder.file("queue"))
        let first = try await queue(client, monitor: monitor, store: kept)
        let events = first.events
        let receipt = try await first.enqueue(.post("/a"))
        #expect(receipt.identity == nil)
        #expect(receipt.isIdentityLostOnRestart)
        if isCleared { await store.clear() }
        await store.set(AccessToken("b"))
        monitor.set(isConnected: true)
        let event = try #require(await events.first(.waitingForIdentity))
        #expect(event.reason?.contains("`identity:`") == true)
        await first.processQueue()
        #expect(transport.requests.isEmpty)
        var reports = first.reports.makeAsyncIterator()
        let report = try #require(await reports.next())
        #expect(report.waitingForIdentityCount == 1)
        #expect(report.identityNote?.contains("`identity:`") == true)
        await first.close()

        let later = TokenStore(initial: "later")
        let again = JSONOfflineStore(directory: folder.file("queue"))
        let second = try await queue(self.client(transport, AuthInterceptor(later)), store: again)
        await second.processQueue()
        #expect(sent(transport) == ["/a Bearer later"])
        await second.close()
    }

    @Test func aLastingNameIsRequiredAfterARestart() async throws {
        let transport = server()
        let folder = try TemporaryFolder()
        let ada = TokenStore(initial: "a", identity: "ada")
        let monitor = ManualNetworkMonitor(isConnected: false)
        let kept = JSONOfflineStore(directory: folder.file("queue"))
        let first = try await queue(client(transport, AuthInterceptor(ada)), monitor: monitor, store: kept)
        try await first.enqueue(.post("/a"))
        await first.close()
        let store = TokenStore(initial: "b", identity: "bob")
        let again = JSONOfflineStore(directory: folder.file("queue"))
        let second = try await queue(client(transport, AuthInterceptor(store)), store: again)
        await second.processQueue()
        #expect(transport.requests.isEmpty)
        #expect(await second.pending.map(\.identity) == ["ada"])
        await store.set(AccessToken("a2"), identity: "ada")
        await second.processQueue()
        #expect(sent(transport) == ["/a Bearer a2"])
        await second.close()
    }

    @Test func entriesThatWaitForTheFirstLoginAreSentWithIt() async throws {
        let transport = server()
        let monitor = ManualNetworkMonitor(isConnected: false)
        let store = TokenStore(initial: nil)
        let queue = try await queue(client(transport, AuthInterceptor(store)), monitor: monitor)
        try await queue.enqueue(.post("/a"))
        await store.set(AccessToken("a"), identity: "ada")
        monitor.set(isConnected: true)
        await queue.processQueue()
        #expect(sent(transport) == ["/a Bearer a"])
        await queue.close()
    }

    @Test func anAnonymousRequestAndOneOfUnknownIdentityAreSentUnderAny() async throws {
        let transport = server()
        let monitor = ManualNetworkMonitor(isConnected: false)
        let store = TokenStore(initial: "a", identity: "ada")
        let queue = try await queue(client(transport, AuthInterceptor(store)), monitor: monitor)
        var request = QueuedRequest.post("/open")
        request.requiresAuth = false
        #expect(try await queue.enqueue(request).identity == nil)
        await store.clear()
        await queue.attach(client(transport, AuthInterceptor { "unknown" }))
        let receipt = try await queue.enqueue(.post("/unknown"))
        #expect(receipt.identity == nil && !receipt.isIdentityLostOnRestart)
        await store.set(AccessToken("b"), identity: "bob")
        await queue.attach(client(transport, AuthInterceptor(store)))
        monitor.set(isConnected: true)
        await queue.processQueue()
        #expect(sent(transport) == ["/open none", "/unknown Bearer b"])
        await queue.close()
    }

    @Test(arguments: [CoalescingRule.keep, .replace])
    func coalescingNeverMixesIdentities(rule: CoalescingRule) async throws {
        let queue = try await queue(nil)
        func enqueue(_ path: String, _ identity: String?) async throws -> OfflineReceipt {
            let request = HTTPRequest(.put, RequestPath(raw: path))
            return try await queue.enqueue(
                QueuedRequest(request, coalescingKey: "key", coalescing: rule, identity: identity)
            )
        }
        let ada = try await enqueue("/1", "ada")
        let bob = try await enqueue("/2", "bob")
        let none = try await enqueue("/3", nil)
        #expect([bob, none].allSatisfy { !$0.isCoalesced && $0.replaced.isEmpty })
        let again = try await enqueue("/4", "ada")
        #expect(rule == .keep ? again.id == ada.id && again.isCoalesced : again.replaced == [ada.id])
        #expect(await queue.pendingCount == 3)
        await queue.close()
    }

    @Test func aFullQueueDropsNothingOfAnotherIdentity() async throws {
        let queue = try await queue(nil) { configuration in
            configuration.maxEntries = 2
            configuration.overflow = .dropOldest
        }
        func enqueue(_ path: String, _ identity: String) async throws -> OfflineReceipt {
            var request = QueuedRequest.post(path)
            request.identity = identity
            return try await queue.enqueue(request)
        }
        let ada = try await enqueue("/1", "ada")
        _ = try await enqueue("/2", "bob")
        let last = try await enqueue("/3", "bob")
        #expect(await queue.entries.map(\.id) == [ada.id, last.id])
        #expect(await thrownCode { try await enqueue("/4", "eve") } == .queueFull)
        await queue.close()
    }

    @Test func entriesAreListedAndClearedByIdentity() async throws {
        let queue = try await queue(nil)
        for (path, identity) in [("/1", "ada"), ("/2", "bob"), ("/3", "ada"), ("/4", nil)] {
            var request = QueuedRequest.post(path)
            request.identity = identity
            try await queue.enqueue(request)
        }
        #expect(await queue.entries(for: "ada").map(\.position) == [1, 3])
        #expect(try await queue.clear(for: "ada") == 2)
        #expect(await queue.entries(for: "ada").isEmpty)
        #expect(await queue.entries.map(\.identity) == ["bob", nil])
        await queue.close()
    }

    @Test func aCapturedRequestBelongsToTheCallThatFailed() async throws {
        let store = TokenStore(initial: "a", identity: "ada")
        let queue = try await queue(nil)
        let failing = MockTransport { request, _ in
            await store.set(AccessToken("b"), identity: "bob")
            throw NetKitError(.connect, "refused")
        }
        let client = client(failing, OfflineInterceptor(queue), AuthInterceptor(store))
        let options = CallOptions.deferrable("orders")
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(await queue.entries.map(\.identity) == ["ada"])
        await queue.attach(client)
        await queue.processQueue()
        #expect(await queue.waitingForIdentityCount == 1)
        // B's call has nothing to overtake.
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(failing.requests.prefix(2).map { $0.headers["Authorization"] } == ["Bearer a", "Bearer b"])
        #expect(await queue.entries.map(\.identity) == ["ada", "bob"])
        await queue.close()
    }

    @Test func anEntryOfARepositoryBelongsToTheCallThatFailed() async throws {
        struct Note: Codable, Sendable, Identifiable {
            let id: Int
        }
        let queue = try await queue(nil)
        let store = TokenStore(initial: "a", identity: "ada")
        let transport = MockTransport { _, _ in
            await store.set(AccessToken("b"), identity: "bob")
            throw NetKitError(.connect, "refused")
        }
        let client = client(transport, AuthInterceptor(store), OfflineInterceptor(queue))
        await queue.pause(lane: "notes")
        await queue.attach(client)
        let notes = RemoteRepository<Note>(client: client, cache: CacheService(), lane: "notes")
        try await notes.save(Note(id: 1))
        #expect(await queue.entries.map(\.identity) == ["ada"])
        await queue.close()
    }

    @Test func aLoginWhileAnEntryIsSentHasItWaitOrTriedAgain() async throws {
        let store = TokenStore(initial: "a", identity: "ada", clock: TestClock().clock) { _ in "a2" }
        let transport = MockTransport { request, _ in
            guard request.headers["Authorization"] == "Bearer a" else { return HTTPResponse(status: 204) }
            await store.set(AccessToken("b"), identity: "bob")
            return HTTPResponse(status: 401)
        }
        let queue = try await queue(client(transport, AuthInterceptor(store)))
        let events = queue.events
        var request = QueuedRequest.post("/a")
        request.maxAttempts = 1
        try await queue.enqueue(request)
        let event = try #require(await events.first(.postponed))
        #expect(event.retryCount == 0)
        _ = await events.first(.waitingForIdentity)
        #expect(sent(transport) == ["/a Bearer a"])
        #expect(await queue.deadLetterCount == 0)
        #expect(await queue.pausedLanes.isEmpty)
        await store.set(AccessToken("a3"), identity: "ada")
        try await queue.retry(try #require(event.id))
        await queue.processQueue()
        #expect(sent(transport) == ["/a Bearer a", "/a Bearer a3"])
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        await queue.close()
    }

    @Test(arguments: [HTTPStatus(422), HTTPStatus(409)])
    func aRepeatedEntryKeepsItsIdentity(status: HTTPStatus) async throws {
        let store = TokenStore(initial: "a", identity: "ada")
        let transport = server(.status(status), .status(204))
        let queue = try await queue(client(transport, AuthInterceptor(store)))
        let id = try await queue.enqueue(.post("/a")).id
        #expect(try await holdsSoon { await queue.pendingCount == 0 })
        await store.set(AccessToken("b"), identity: "bob")
        if status == 409 {
            try await queue.resolve(id, with: .send(Data("new".utf8)))
        } else {
            try await queue.retry(id)
        }
        await queue.processQueue()
        #expect(sent(transport) == ["/a Bearer a"])
        #expect(await queue.entries.map(\.waitsForIdentity) == [true])
        await store.set(AccessToken("a2"), identity: "ada")
        await queue.processQueue()
        #expect(sent(transport) == ["/a Bearer a", "/a Bearer a2"])
        await queue.close()
    }

    @Test func aSenderThatCannotTellIsAskedAgainNowAndThen() async throws {
        let isBack = Flag()
        let sender = ScriptedSender { _ in
            guard isBack.isSet else { throw IdentityChange.error(outcome: .notSent) }
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(sender, time)
        let events = queue.events
        var request = QueuedRequest.post("/a")
        request.identity = "ada"
        try await queue.enqueue(request)
        _ = await events.first(.waitingForIdentity)
        try await queue.enqueue(.post("/b"))
        #expect(await queue.entries.first?.retryCount == 0)
        isBack.set()
        await queue.processQueue()
        #expect(await queue.pendingCount == 0)
        await queue.close()
    }

    @Test func explainNamesTheParameterOnce() async throws {
        let queue = try await queue(nil)
        func warnings(_ interceptors: any Interceptor...) -> [String] {
            let list = InterceptorList([OfflineInterceptor(queue)] + interceptors)
            return HTTPClient(baseURL: exampleBase, transport: MockTransport(), interceptors: list).warnings
                .filter { $0.contains("offline queue") }
        }
        let unnamed = warnings(AuthInterceptor(TokenStore(initial: "a")), AuthInterceptor.apiKey("key"))
        #expect(unnamed.count == 1)
        #expect(unnamed.first?.contains("`identity:`") == true)
        #expect(warnings(AuthInterceptor(TokenStore(initial: "a", identity: "ada"))).isEmpty)
        #expect(warnings().isEmpty)
        await queue.close()
    }
}
