import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of logins that change while an entry is being sent or its lane is paused.
@Suite(.timeLimit(.minutes(5)))
struct OfflineLoginTests {
    private let time = TestClock()
    private let store = TokenStore(initial: "a", identity: "ada")
    private let transport = MockTransport()
    private let attempts = Notebook<String>()

    init() {
        transport.stub(nil, "**", .status(204))
    }

    /// Returns a client whose session ends in the first attempts; ada logs in again before an attempt's error arrives.
    private func client(endingSessions count: Int) -> HTTPClient {
        let login = Intercepting { [store, attempts] request, context, next in
            attempts.add(request.url.lastPathComponent)
            guard attempts.count <= count else { return try await next(request, context) }
            await store.clear()
            do {
                return try await next(request, context)
            } catch {
                await store.set(AccessToken("b"), identity: "ada")
                throw error
            }
        }
        return HTTPClient.testing(transport, AuthInterceptor(store), login, time: time)
    }

    private func enqueue(_ path: String, in queue: OfflineQueue) async throws {
        var request = QueuedRequest.post(path, lane: "a")
        request.identity = "ada"
        try await queue.enqueue(request)
    }

    @Test func anEntryWhoseUserLogsInAgainKeepsItsPlace() async throws {
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        for path in ["/1", "/2", "/3"] { try await enqueue(path, in: queue) }
        await queue.attach(client(endingSessions: 1))
        _ = await events.first(.delivered)
        try #require(transport.requests.first?.url.lastPathComponent == "1")
        await events.wait(2, .delivered)
        #expect(attempts.entries == ["1", "1", "2", "3"])
        #expect(transport.requests.map(\.url.lastPathComponent) == ["1", "2", "3"])
        await queue.close()
    }

    @Test func anEntryThatIsRefusedEachTimeWaitsInTheEnd() async throws {
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        try await enqueue("/1", in: queue)
        await queue.attach(client(endingSessions: .max))
        let event = await events.first(.waitingForIdentity)
        #expect(event?.lane == "a")
        #expect(attempts.count == 4)
        #expect(transport.requests.isEmpty)
        await queue.close()
    }

    /// The session ends in each attempt of the first entry, which therefore waits, and no longer after that.
    @Test func noEntryOvertakesOneOfItsLoginThatIsRefusedEachTime() async throws {
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        for path in ["/1", "/2"] { try await enqueue(path, in: queue) }
        await queue.attach(client(endingSessions: 4))
        _ = await events.first(.waitingForIdentity)
        let next = await events.first { [.waitingForIdentity, .delivered].contains($0.kind) }
        #expect(next?.kind == .waitingForIdentity)
        await queue.processQueue()
        #expect(transport.requests.map(\.url.lastPathComponent) == ["1", "2"])
        await queue.close()
    }

    /// An interceptor may compare the tag with one that it has made.
    @Test func theTagOfAnAttemptHasNothingOfTheLogin() async throws {
        let tags = Notebook<QueuedReplay?>()
        let reading = Intercepting { request, context, next in
            tags.add(context.tags[QueuedReplay.self])
            return try await next(request, context)
        }
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        await queue.attach(HTTPClient.testing(transport, AuthInterceptor(store), reading, time: time))
        let receipt = try await queue.enqueue(.post("/1"))
        _ = await events.first(.delivered)
        #expect(tags.entries == [QueuedReplay(id: receipt.id, attempt: 1)])
        await queue.close()
    }

    /// The entry that waited for the identity was removed before.
    @Test func anEntryWhoseIdentityIsBackIsNotReportedAsWaiting() async throws {
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        await store.set(AccessToken("b"), identity: "bob")
        await queue.attach(HTTPClient.testing(transport, AuthInterceptor(store), time: time))
        try await enqueue("/1", in: queue)
        _ = await events.first(.waitingForIdentity)
        try await queue.clear(for: "ada")
        await store.set(AccessToken("a"), identity: "ada")
        try await enqueue("/2", in: queue)
        let event = await events.first { [.waitingForIdentity, .delivered].contains($0.kind) }
        #expect(event?.kind == .delivered)
        await queue.close()
    }

    /// The server refused the old token, but nothing refused the refresh that the logout ended.
    @Test func aLogoutDuringARefreshPausesNoLane() async throws {
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let store = TokenStore(initial: "a", identity: "ada", clock: time.clock) { _ in
            _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test())
            return "a2"
        }
        let transport = MockTransport()
        transport.stub(nil, "**", .status(401), .status(204))
        let client = HTTPClient.testing(transport, AuthInterceptor(store), time: time)
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        try await enqueue("/1", in: queue)
        await queue.attach(client)
        await gate.waitForRequests(1)
        await store.clear()
        await store.set(AccessToken("b"), identity: "ada")
        let event = await events.first { [.postponed, .lanePaused, .deadLettered].contains($0.kind) }
        #expect(event?.kind == .postponed)
        #expect(event?.retryCount == 0)
        #expect(await queue.pausedLanes.isEmpty)
        time.advance(by: .seconds(60))
        await queue.processQueue()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer a", "Bearer b"])
        #expect(await queue.pendingCount == 0)
        gate.release()
        await queue.close()
    }

    /// The later entry was made after the logout, and its attempt waits for a token when the user logs in again.
    @Test func anEntryThatWaitsForALoginOvertakesNoneOfIt() async throws {
        let gate = MockTransport()
        let store = await tokensAfterLogout(gate)
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        await queue.attach(HTTPClient.testing(transport, AuthInterceptor(store), time: time))
        try await enqueue("/1", in: queue)
        _ = await events.first(.waitingForIdentity)
        try await queue.enqueue(.post("/2", lane: "a"))
        await gate.waitForRequests(1)
        await store.set(AccessToken("b"), identity: "ada")
        await events.wait(2, .delivered)
        #expect(transport.requests.map(\.url.lastPathComponent) == ["1", "2"])
        #expect(transport.requests.allSatisfy { $0.headers["Authorization"] == "Bearer b" })
        gate.release()
        await queue.close()
    }

    /// Returns the tokens of a user who has logged out; calls wait for a refresh that ends with `gate`.
    private func tokensAfterLogout(_ gate: MockTransport) async -> TokenStore {
        gate.stub(nil, "**", .stalled)
        let store = TokenStore(initial: "a", identity: "ada", clock: time.clock) { _ in
            _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test())
            return "a2"
        }
        await store.clear()
        return store
    }

    /// The later entry was made after the logout, perhaps before a restart, and its user logs in while the queue
    /// prepares its attempt.
    @Test(arguments: [(InterruptedStore.Call.load, true), (.begin, true), (.load, false)])
    func anEntryWhoseUserLogsInBeforeItsAttemptOvertakesNone(
        step: InterruptedStore.Call,
        hasIdentity: Bool
    ) async throws {
        let tokens = TokenStore(initial: nil)
        let interrupted = InterruptedStore()
        let queue = try await OfflineQueue.testing(nil, time, store: interrupted)
        let events = queue.events
        let client = HTTPClient.testing(transport, AuthInterceptor(tokens), time: time)
        if hasIdentity { await queue.attach(client) }
        try await enqueue("/1", in: queue)
        interrupted.before(step) { await tokens.set(AccessToken("b"), identity: "ada") }
        var later = QueuedRequest.post("/2", lane: "a")
        later.coalescingKey = "key"
        try await queue.enqueue(later)
        await queue.attach(client)
        await events.wait(2, .delivered)
        #expect(transport.requests.map(\.url.lastPathComponent) == ["1", "2"])
        await queue.close()
    }

    /// The later entry was made under a login without a name before a restart.
    @Test func anEntryWithoutAnIdentityOvertakesNoneOfTheLoginThatItWaitsFor() async throws {
        let gate = MockTransport()
        let store = await tokensAfterLogout(gate)
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        try await enqueue("/1", in: queue)
        try await queue.enqueue(.post("/2", lane: "a"))
        await queue.attach(HTTPClient.testing(transport, AuthInterceptor(store), time: time))
        await gate.waitForRequests(1)
        await store.set(AccessToken("b"), identity: "ada")
        _ = await events.first(.delivered)
        time.advance(by: .seconds(5))
        await queue.processQueue()
        #expect(transport.requests.map(\.url.lastPathComponent) == ["1", "2"])
        gate.release()
        await queue.close()
    }

    /// An entry that ada made before her logout waits in the lane.
    @Test(arguments: [("ada", NetKitError.Code?.some(.queued), ["1", "2"]), ("bob", nil, ["2"])])
    func aCallThatWaitsForALoginOvertakesNoEntryOfIt(
        user: String,
        code: NetKitError.Code?,
        paths: [String]
    ) async throws {
        let gate = MockTransport()
        let store = await tokensAfterLogout(gate)
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), AuthInterceptor(store), time: time)
        await queue.attach(client)
        try await enqueue("/1", in: queue)
        _ = await events.first(.waitingForIdentity)
        let options = CallOptions.deferrable("a")
        let call = Task { await thrownCode { try await client.send(HTTPRequest(.post, "/2"), options: options) } }
        await gate.waitForRequests(1)
        await store.set(AccessToken("b"), identity: user)
        #expect(await call.value == code)
        await queue.processQueue()
        #expect(transport.requests.map(\.url.lastPathComponent) == paths)
        #expect(transport.requests.allSatisfy { $0.headers["Authorization"] == "Bearer b" })
        gate.release()
        await queue.close()
    }

    @Test func aReadThatWaitsForALoginSharesNoExchangeThatGoesOn() async throws {
        let gate = MockTransport()
        let store = await tokensAfterLogout(gate)
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        let (offline, auth) = (OfflineInterceptor(queue), AuthInterceptor(store))
        let client = HTTPClient.testing(transport, offline, CoalesceInterceptor(), auth, time: time)
        await queue.attach(client)
        try await enqueue("/1", in: queue)
        _ = await events.first(.waitingForIdentity)
        var options = CallOptions.deferrable("a")
        options.delivery = .buffered(upTo: 1024)
        let call = Task { [options] in
            await thrownCode { try await client.send(HTTPRequest(.get, "/2"), options: options) }
        }
        await gate.waitForRequests(1)
        await store.set(AccessToken("b"), identity: "ada")
        #expect(await call.value == .queued)
        gate.release()
        await queue.close()
    }

    @Test func aCallThatFailsAfterItsLoginIsQueuedForThatLogin() async throws {
        let gate = MockTransport()
        let store = await tokensAfterLogout(gate)
        let queue = try await OfflineQueue.testing(nil, time)
        let failing = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let client = HTTPClient.testing(failing, OfflineInterceptor(queue), AuthInterceptor(store), time: time)
        let options = CallOptions.deferrable("a")
        let call = Task { await thrownCode { try await client.send(HTTPRequest(.post, "/1"), options: options) } }
        await gate.waitForRequests(1)
        await store.set(AccessToken("b"), identity: "ada")
        #expect(await call.value == .queued)
        #expect(await queue.entries.map(\.identity) == ["ada"])
        gate.release()
        await queue.close()
    }

    /// Another process pauses the lane while this one, whose credential was refused, cannot reach the store.
    @Test func aLoginDoesNotEndThePauseOfAPerson() async throws {
        let shared = InMemorySharedOfflineStore(clock: time.clock)
        let (replica, other) = (shared.replica(), shared.replica())
        let transport = MockTransport()
        transport.stub(nil, "**", .status(401))
        let client = HTTPClient.testing(transport, AuthInterceptor(store), time: time)
        var configuration = OfflineQueue.Configuration()
        configuration.clock = time.clock
        let queue = try await OfflineQueue(store: replica, sender: client, configuration: configuration)
        let events = queue.events
        try await queue.enqueue(.post("/a", lane: "a"))
        _ = await events.first(.lanePaused)
        await queue.processQueue()
        replica.cutOff()
        try await other.pause("a", for: nil)
        await store.set(AccessToken("b"), identity: "bob")
        await queue.processQueue()
        replica.cutOff(false)
        await queue.processQueue()
        #expect(await queue.pausedLanes == ["a"])
        #expect(try await replica.listing().pauses.keys.sorted() == ["a"])
        await queue.close()
    }

    /// The lane also has an entry that is sent under any identity.
    @Test func anotherLoginEndsThePauseOfARefusedCredentialByItself() async throws {
        let transport = MockTransport()
        transport.stub(nil, "**", .status(401), .status(204))
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        try await enqueue("/1", in: queue)
        var open = QueuedRequest.post("/2", lane: "a")
        open.requiresAuth = false
        try await queue.enqueue(open)
        await queue.attach(HTTPClient.testing(transport, AuthInterceptor(store), time: time))
        await queue.processQueue()
        #expect(await queue.pausedLanes == ["a"])
        await store.set(AccessToken("b"), identity: "bob")
        try #require(time.timeToNext.map { $0 <= .seconds(5) } ?? false)
        time.advance(by: .seconds(5))
        _ = await events.first(.delivered)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer a", nil])
        await queue.close()
    }

    /// The entry was made before a restart, or while nobody was logged in.
    @Test(arguments: [true, false])
    func theFirstLoginEndsThePauseOfALaneWithoutAToken(hasIdentity: Bool) async throws {
        let tokens = TokenStore(initial: nil)
        let client = HTTPClient.testing(transport, AuthInterceptor(tokens), time: time)
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        if hasIdentity { await queue.attach(client) }
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.attach(client)
        _ = await events.first(.lanePaused)
        await queue.processQueue()
        #expect(await queue.pausedLanes == ["a"])
        await tokens.set(AccessToken("b"), identity: "ada")
        await queue.processQueue()
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer b"])
        await queue.close()
    }

    /// The entry was made before the login.
    @Test func aLoginThatIsRefusedDoesNotEndItsOwnPause() async throws {
        let tokens = TokenStore(initial: nil)
        let transport = MockTransport()
        transport.stub(nil, "**", .status(401), .status(204))
        let monitor = ManualNetworkMonitor(isConnected: false)
        let queue = try await OfflineQueue.testing(nil, time, monitor: monitor)
        let events = queue.events
        await queue.attach(HTTPClient.testing(transport, AuthInterceptor(tokens), time: time))
        try await queue.enqueue(.post("/1", lane: "a"))
        await tokens.set(AccessToken("b"), identity: "ada")
        monitor.set(isConnected: true)
        _ = await events.first(.lanePaused)
        await queue.processQueue()
        #expect(await queue.pausedLanes == ["a"])
        #expect(transport.requests.count == 1)
        await queue.close()
    }

    /// The same name in another Unicode form is that of another login, and is kept with the entry.
    @Test(arguments: [("caf\u{E9}", true), ("cafe\u{301}", false)])
    func aNameThatACallStatesIsComparedExactly(name: String, isLasting: Bool) async throws {
        let queue = try await OfflineQueue.testing(nil, time)
        var request = QueuedRequest.post("/a")
        request.identity = name
        let login = CredentialIdentity("cafe\u{301}", isLasting: false)
        let identity = try #require(queue.requiredIdentity(of: request, madeUnder: .known(login)))
        #expect(identity.name.isExactly(name))
        #expect(identity.isLasting == isLasting)
        await queue.close()
    }

    /// Such a sender cannot say when it has the identity.
    @Test func anEntryThatItsSenderHasRefusedIsTriedAgainByItself() async throws {
        let sender = ScriptedSender { _, number in
            if number == 1 { throw IdentityChange.error(outcome: .notSent) }
            return HTTPResponse(status: 204)
        }
        let queue = try await OfflineQueue.testing(nil, time)
        let events = queue.events
        try await enqueue("/1", in: queue)
        await queue.attach(sender)
        _ = await events.first(.waitingForIdentity)
        await time.waitForAlarms(1)
        time.advance(by: .seconds(6))
        #expect(try await holdsSoon { await queue.pendingCount == 0 })
        #expect(sender.paths == ["/1", "/1"])
        await queue.close()
    }
}
