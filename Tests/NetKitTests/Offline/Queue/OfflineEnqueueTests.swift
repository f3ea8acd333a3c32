import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the requests that the queue accepts, refuses and coalesces.
@Suite(.timeLimit(.minutes(5)))
struct OfflineEnqueueTests {
    @Test func aRequestThatCannotBeStoredIsRefused() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let stream = AsyncStream<Data> { $0.finish() }
        let refused: [(QueuedRequest, NetKitError.Code)] = [
            (QueuedRequest(HTTPRequest(.post, "/x", body: .stream(stream))), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "/x?access_token=abc")), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "https://user:pass@example.com/x")), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "/users/\("..")/x")), .invalidURL),
            (QueuedRequest(HTTPRequest("BAD METHOD", "/x")), .invalidRequest),
            (QueuedRequest(HTTPRequest(.get, "/x", headers: ["A": "b\r\nc"])), .invalidRequest),
            (QueuedRequest(HTTPRequest(.post, "/x", body: .json(Double.nan))), .encoding),
        ]
        for (request, code) in refused {
            #expect(await thrownCode { try await queue.enqueue(request) } == code, "\(request)")
        }
        #expect(await queue.pendingCount == 0)
    }

    /// The server would refuse each attempt, and the change would be lost as a conflict.
    @Test(arguments: ["v1", "W/v1", "", "\"v1", "v1\"", "\"", "W/\"", "\"v\"1\"", "\"v1\", \"v2\""])
    func aVersionThatIsNotOneInQuotesIsRefused(etag: String) async throws {
        let queue = try await OfflineQueue.testing(nil)
        let request = QueuedRequest(HTTPRequest(.put, "/notes/7", body: .text("1")), baseETag: etag)
        #expect(await thrownCode { try await queue.enqueue(request) } == .invalidRequest)
        #expect(await queue.pendingCount == 0)
    }

    /// Some servers send an `ETag` without quotes, and compare it as text.
    @Test func aConditionOfTheRequestItselfIsKept() async throws {
        let queue = try await OfflineQueue.testing(nil)
        for etag in ["\"v1\"", "W/\"v1\"", "*", "\"\""] {
            try await queue.enqueue(QueuedRequest(HTTPRequest(.put, "/notes/7"), baseETag: etag))
        }
        let request = HTTPRequest(.put, "/notes/7", headers: ["If-Match": "v1"])
        try await queue.enqueue(QueuedRequest(request, baseETag: "v1"))
        #expect(await queue.pending.last?.sentHeaders["If-Match"] == "v1")
        #expect(await queue.pendingCount == 5)
    }

    @Test func credentialsAreNotKept() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let headers: HTTPHeaders = ["Authorization": "Bearer x", "Cookie": "a=1", "X-Own": "1"]
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/x", headers: headers)))
        #expect(await queue.pending.first?.headers == ["X-Own": "1"])
    }

    @Test func aURLWithASecretOfTheClientIsRefused() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redaction.queryItems.insert("ticket")
        let client = HTTPClient(baseURL: exampleBase, transport: MockTransport(), configuration: configuration)
        let queue = try await OfflineQueue.testing(nil)
        await queue.attach(client)
        let request = QueuedRequest(HTTPRequest(.get, "/x?ticket=1"))
        #expect(await thrownCode { try await queue.enqueue(request) } == .invalidRequest)
        #expect(await queue.pendingCount == 0)
        await queue.close()
    }

    /// The entry was added before the queue had a sender.
    @Test func anEventMasksWhatIsSecretForTheSender() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redaction.queryItems.insert("ticket")
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(204))
        let client = HTTPClient(baseURL: exampleBase, transport: transport, configuration: configuration)
        let queue = try await OfflineQueue.testing(nil)
        let events = queue.events
        try await queue.enqueue(QueuedRequest(HTTPRequest(.get, "/x?ticket=1")))
        await queue.attach(client)
        #expect(await events.first(.started)?.endpoint == "/x?ticket=***")
        #expect(await events.first(.delivered)?.endpoint == "/x?ticket=***")
        await queue.close()
    }

    @Test func entriesAboutTheSameThingAreCoalesced() async throws {
        let queue = try await OfflineQueue.testing(nil)
        func add(_ body: String, _ rule: CoalescingRule) async throws -> OfflineReceipt {
            let request = HTTPRequest(.put, "/note", body: .text(body))
            return try await queue.enqueue(QueuedRequest(request, coalescingKey: "note", coalescing: rule))
        }
        func bodies() async -> [String] {
            await queue.pending.map { String(decoding: $0.body?.bytes ?? Data(), as: UTF8.self) }
        }
        let first = try await add("1", .replace)
        let second = try await add("2", .replace)
        #expect(second.replaced == [first.id])
        #expect(await bodies() == ["2"])
        let kept = try await add("3", .keep)
        #expect(kept.isCoalesced)
        #expect(kept.id == second.id)
        #expect(kept.idempotencyKey == second.idempotencyKey)
        _ = try await add("4", .append)
        #expect(await bodies() == ["2", "4"])
        let last = try await add("5", .replace)
        #expect(last.replaced.count == 2)
        #expect(await bodies() == ["5"])
    }

    @Test func aFullQueueSaysSo() async throws {
        let queue = try await OfflineQueue.testing(nil) { $0.maxEntries = 2 }
        try await queue.enqueue(.post("/1"))
        try await queue.enqueue(.post("/2"))
        #expect(await thrownCode { try await queue.enqueue(.post("/3")) } == .queueFull)
        let bytes = try await OfflineQueue.testing(nil) { $0.maxBytes = 100 }
        #expect(
            await thrownCode {
                try await bytes.enqueue(.post("/3", String(repeating: "x", count: 100)))
            } == .queueFull
        )
    }

    @Test func theBoundOfBytesIsForEverythingThatIsKept() async throws {
        let queue = try await OfflineQueue.testing(nil) { $0.maxBytes = 100 }
        let long = String(repeating: "x", count: 100)
        let requests = [
            QueuedRequest(HTTPRequest(.put, "/1"), baseData: Data(long.utf8)),
            QueuedRequest(HTTPRequest(.put, "/2", headers: ["X-Note": long])),
            QueuedRequest(HTTPRequest(.put, RequestPath(raw: "/\(long)"))),
        ]
        for request in requests { #expect(await thrownCode { try await queue.enqueue(request) } == .queueFull) }
        try await queue.enqueue(.post("/3"))
        #expect(await queue.pendingCount == 1)
        await queue.close()
    }

    /// The server could not recognize a repetition by it.
    @Test func anEmptyKeyIsReplacedByANewOne() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let requests = [
            QueuedRequest(HTTPRequest(.post, "/1", headers: ["Idempotency-Key": ""])),
            QueuedRequest(HTTPRequest(.post, "/2"), idempotencyKey: ""),
        ]
        var keys: Set<String> = []
        for request in requests { keys.insert(try await queue.enqueue(request).idempotencyKey) }
        #expect(keys.count == 2 && !keys.contains(""))
        let sent = await queue.pending.compactMap { $0.request.headers["Idempotency-Key"] }
        #expect(Set(sent) == keys)
        await queue.close()
    }

    @Test func aSlowListenerKeepsTheLatestEvents() async throws {
        let queue = try await OfflineQueue.testing(nil) { $0.maxBufferedEvents = 2 }
        let events = queue.events
        for number in 1...3 { try await queue.enqueue(.post("/\(number)")) }
        await queue.close()
        var seen: [String?] = []
        for await event in events { seen.append(event.endpoint) }
        #expect(seen == ["/2", "/3"])
    }

    @Test func theOldestMayMakeRoomAndAnEventSaysSo() async throws {
        let queue = try await OfflineQueue.testing(nil) { configuration in
            configuration.maxEntries = 2
            configuration.overflow = .dropOldest
        }
        let events = queue.events
        let first = try await queue.enqueue(.post("/1"))
        try await queue.enqueue(.post("/2"))
        try await queue.enqueue(.post("/3"))
        #expect(await events.first(.dropped)?.id == first.id)
        #expect(await queue.pending.map(\.endpoint) == ["/2", "/3"])
    }

    // MARK: Ends

    /// Returns a store, or a replica of a shared one that keeps its lease.
    private func store(_ isShared: Bool, _ time: TestClock) -> any OfflineStore {
        guard isShared else { return InMemoryOfflineStore() }
        return InMemorySharedOfflineStore(lease: .seconds(86_400), clock: time.clock).replica()
    }

    /// An entry that always fails would hold up its lane for good.
    ///
    /// A queue over a shared store lists the entries again before each of these attempts.
    @Test(arguments: [false, true])
    func anEntryThatFailsForLongIsGivenUp(isShared: Bool) async throws {
        let time = TestClock()
        let sender = ScriptedSender { $0.path == "/poison" ? HTTPResponse(status: 500) : HTTPResponse(status: 204) }
        let queue = try await OfflineQueue.testing(sender, time, store: store(isShared, time)) { configuration in
            configuration.maxAttempts = 5
            configuration.minRetryTime = .seconds(3600)
            configuration.policy.backoffStrategy = .fixed(interval: .seconds(600))
        }
        let poison = try await queue.enqueue(.post("/poison"))
        try await queue.enqueue(.post("/next"))
        for _ in 0..<12 {
            await queue.processQueue()
            time.advance(by: .seconds(601))
        }
        await queue.processQueue()
        // Attempts at 0, 601, … 3606 s: the first after an hour ends it.
        #expect(sender.paths == Array(repeating: "/poison", count: 7) + ["/next"])
        let letter = try #require(await queue.deadLetters.first)
        #expect(letter.id == poison.id)
        #expect(letter.reason == .attemptsUsedUp)
        // It begins again as a new one does.
        try await queue.retry(poison.id)
        await queue.processQueue()
        #expect(sender.paths.count == 9)
        #expect(await queue.deadLetterCount == 0)
        await queue.close()
    }

    @Test(arguments: [false, true])
    func theTimeForWhichAnEntryHasFailedBeginsAgainIfAPersonDecidesAboutIt(isShared: Bool) async throws {
        let time = TestClock()
        let sender = ScriptedSender(statuses: 500, 409, 500)
        let queue = try await OfflineQueue.testing(sender, time, store: store(isShared, time)) { configuration in
            configuration.maxAttempts = 2
            configuration.minRetryTime = .seconds(3600)
            configuration.policy.backoffStrategy = .fixed(interval: .seconds(1800))
        }
        let receipt = try await queue.enqueue(.post("/1", "mine"))
        await queue.processQueue()
        time.advance(by: .seconds(1801))
        await queue.processQueue()
        #expect(await queue.unresolvedConflicts.map(\.requestID) == [receipt.id])
        time.advance(by: .seconds(1800))
        try await queue.resolve(receipt.id, with: .send(Data("merged".utf8)))
        for _ in 0..<2 {
            await queue.processQueue()
            time.advance(by: .seconds(1801))
        }
        // It has failed for half an hour since the decision, and for an hour and a half since its first attempt.
        #expect(sender.paths.count == 4)
        #expect(await queue.deadLetterCount == 0)
        await queue.processQueue()
        await queue.processQueue()
        #expect(sender.paths.count == 5)
        await queue.close()
    }

    @Test(arguments: [false, true])
    func theTimeForWhichAnEntryHasFailedBeginsAgainIfAPersonRetriesIt(isShared: Bool) async throws {
        let time = TestClock()
        let sender = ScriptedSender { _ in HTTPResponse(status: 500) }
        let queue = try await OfflineQueue.testing(sender, time, store: store(isShared, time)) { configuration in
            configuration.maxAttempts = 2
            configuration.minRetryTime = .seconds(3600)
            configuration.policy.backoffStrategy = .fixed(interval: .seconds(7200))
        }
        let receipt = try await queue.enqueue(.post("/1"))
        await queue.processQueue()
        time.advance(by: .seconds(7000))
        try await queue.retry(receipt.id)
        await queue.processQueue()
        #expect(sender.paths.count == 2)
        #expect(await queue.deadLetterCount == 0)
        await queue.close()
    }

    /// A person may want it to be sent, even if that takes longer than it had.
    @Test(arguments: [false, true])
    func anEntryThatAPersonRetriesNoLongerExpires(isShared: Bool) async throws {
        let time = TestClock()
        let sender = ScriptedSender(statuses: 422, 204)
        let queue = try await OfflineQueue.testing(sender, time, store: store(isShared, time))
        var request = QueuedRequest.post("/1")
        request.expiresAt = time.date.addingTimeInterval(60)
        try await queue.enqueue(request)
        await queue.processQueue()
        #expect(await queue.deadLetterCount == 1)
        await queue.pause(lane: "default")
        try await queue.retry(request.id)
        time.advance(by: .seconds(61))
        await queue.resume(lane: "default")
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/1"])
        #expect(await queue.deadLetterCount == 0)
        await queue.close()
    }

    /// Attempts that cost nothing have made the waits longer.
    @Test func theWaitsOfAnEntryBeginAgainIfAPersonRetriesIt() async throws {
        let time = TestClock()
        let sender = ScriptedSender { _ in throw NetKitError(.circuitOpen, "The circuit is open.") }
        let queue = try await OfflineQueue.testing(sender, time)
        let id = try await queue.enqueue(.post("/1")).id
        func nextAttempt() async -> Date? {
            await queue.processQueue()
            return await queue.entries.first?.notBefore
        }
        #expect(await nextAttempt() == time.date.addingTimeInterval(1))
        time.advance(by: .seconds(1))
        #expect(await nextAttempt() == time.date.addingTimeInterval(2))
        try await queue.retry(id)
        #expect(await nextAttempt() == time.date.addingTimeInterval(1))
        #expect(sender.paths.count == 3)
        await queue.close()
    }

    /// That says nothing about the entry, and an attempt at once could be cancelled as well.
    @Test func anAttemptThatItsSenderCancelsIsMadeAgainAfterFiveSeconds() async throws {
        let time = TestClock()
        let sender = ScriptedSender { _ in throw CancellationError() }
        let queue = try await OfflineQueue.testing(sender, time)
        try await queue.enqueue(.post("/1"))
        await queue.processQueue()
        #expect(await queue.entries.map(\.notBefore) == [time.date.addingTimeInterval(5)])
        #expect(await queue.entries.map(\.retryCount) == [0])
        #expect(sender.paths == ["/1"])
        await queue.close()
    }

    /// An open circuit refuses the second attempt, which costs nothing.
    @Test func theTimeOfFailingIncludesAttemptsThatDoNotCount() async throws {
        let time = TestClock()
        let sender = ScriptedSender { _, number in
            if number == 2 { throw NetKitError(.circuitOpen, "The circuit is open.") }
            return HTTPResponse(status: 500)
        }
        let queue = try await OfflineQueue.testing(sender, time) { configuration in
            configuration.maxAttempts = 2
            configuration.minRetryTime = .seconds(3600)
            configuration.policy.backoffStrategy = .fixed(interval: .seconds(1800))
        }
        try await queue.enqueue(.post("/poison"))
        await queue.processQueue()
        for _ in 0..<2 {
            time.advance(by: .seconds(1800))
            await queue.processQueue()
        }
        #expect(sender.paths.count == 3)
        #expect(await queue.deadLetters.first?.reason == .attemptsUsedUp)
        await queue.close()
    }

    /// A key that is missing for a while is no reason to give up the entries.
    @Test func entriesThatCannotBeReadWaitForTheirKey() async throws {
        let folder = try TemporaryFolder()
        let isThere = Locked(true)
        struct NoKey: Error {}
        let seal = RecordSeal(
            seal: { Data($0.reversed()) },
            open: { data in
                guard isThere.withLock({ $0 }) else { throw NoKey() }
                return Data(data.reversed())
            }
        )
        let (sender, time) = (ScriptedSender(), TestClock())
        let store = JSONOfflineStore(directory: folder.file("queue"), seal: seal)
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        for number in 0..<8 { try await queue.enqueue(.post("/\(number)", lane: "\(number)")) }
        isThere.withLock { $0 = false }
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths.isEmpty)
        #expect(await queue.deadLetterCount == 0)
        #expect(await queue.pendingCount == 8)
        #expect(await queue.storeProblem?.code == .decoding)
        isThere.withLock { $0 = true }
        for _ in 0..<12 {
            time.advance(by: .seconds(700))
            await queue.processQueue()
        }
        #expect(Set(sender.paths) == Set((0..<8).map { "/\($0)" }))
        #expect(await queue.storeProblem == nil)
        await queue.close()
    }

    /// A store whose listing is known before an entry is added, and given after that.
    private final class SlowListing: StoreWrapper {
        let inner: any OfflineStore = InMemoryOfflineStore()
        let onListed = Locked<(@Sendable () async -> Void)?>(nil)
        var isShared: Bool { true }

        func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
            let listing = try await inner.lines(of: shards, depth: depth)
            let body = onListed.withLock { body in
                defer { body = nil }
                return body
            }
            await body?()
            return listing
        }
    }

    @Test func anEntryAddedWhileTheStoreListsIsSent() async throws {
        let (sender, store) = (ScriptedSender(), SlowListing())
        let queue = try await OfflineQueue.testing(nil, store: store)
        try await queue.enqueue(.post("/first"))
        store.onListed.withLock { $0 = { _ = try? await queue.enqueue(.post("/second")) } }
        await queue.processQueue()
        #expect(await queue.pendingCount == 2)
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == ["/first", "/second"])
        await queue.close()
    }
}
