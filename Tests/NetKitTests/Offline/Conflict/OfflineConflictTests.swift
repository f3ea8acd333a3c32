import Foundation
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.timeLimit(.minutes(5)))
struct OfflineConflictTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func conflict(localAge: Double, serverAge: Double?) -> SyncConflict {
        SyncConflict(
            localData: Data("mine".utf8),
            serverData: Data("theirs".utf8),
            timestamp: Self.now.addingTimeInterval(-localAge),
            endpoint: "/note",
            serverETag: "\"s\"",
            serverTimestamp: serverAge.map { Self.now.addingTimeInterval(-$0) }
        )
    }

    private let sendMine = ConflictResolution.send(Data("mine".utf8), ifMatch: "\"s\"")

    @Test func isReadAgainFromAPropertyList() throws {
        var conflict = conflict(localAge: 10, serverAge: 5)
        conflict.serverData = Data([0xFF])
        let list = try PropertyListEncoder().encode(conflict)
        #expect(try PropertyListDecoder().decode(SyncConflict.self, from: list) == conflict)
    }

    @Test func theStrategiesDecide() {
        let conflict = conflict(localAge: 10, serverAge: 5)
        #expect(ConflictResolutionStrategy.serverWins.decide(conflict) == .drop)
        #expect(ConflictResolutionStrategy.clientWins.decide(conflict) == sendMine)
        #expect(ConflictResolutionStrategy.manual.decide(conflict) == .leaveUnresolved)
    }

    @Test(arguments: [
        (5.0, 10.0, true), (10.0, 5.0, false), (10.0, 10.0, false), (10.0, 10.5, false), (10.0, 11.0, true),
    ])
    func theNewerWinsAndATieIsTheServers(localAge: Double, serverAge: Double, isSent: Bool) {
        let resolution = ConflictResolutionStrategy.newerWins.decide(conflict(localAge: localAge, serverAge: serverAge))
        #expect(resolution == (isSent ? sendMine : .drop))
    }

    @Test func withoutATimeTheNewerIsForAPerson() {
        #expect(ConflictResolutionStrategy.newerWins.decide(conflict(localAge: 1, serverAge: nil)) == .leaveUnresolved)
    }

    /// It has milliseconds, unlike `Last-Modified`.
    @Test(arguments: [(0.01, true), (0, false), (-0.01, false)])
    func aFieldIsComparedToTheMillisecond(seconds: Double, isSent: Bool) {
        let strategy = ConflictResolutionStrategy.newerWins(field: "changed")
        let resolution = strategy.decide(conflict(localAge: 10, serverAge: 10 + seconds))
        #expect(resolution == (isSent ? sendMine : .drop))
    }

    @Test(arguments: [
        ("{\"changed\":\"2027-01-15T08:00:00Z\"}", 1_800_000_000.0), ("{\"changed\":1800000000}", 1_800_000_000),
        ("{\"changed\":1800000000500}", 1_800_000_000.5),
        ("{\"changed\":\"2027-01-15T08:00:00.250Z\"}", 1_800_000_000.25),
        ("{\"changed\":\"2027-01-14T24:00:00Z\"}", 1_799_971_200),
        ("{\"changed\":\"2027-01-14T24:00:00.000Z\"}", 1_799_971_200),
    ])
    func aFieldOfTheServersMaySayTheTime(body: String, seconds: Double) throws {
        let response = NetKitError.Response(status: 409, headers: [:], body: Data(body.utf8))
        let time = try #require(ServerVersionTime(receivedAt: Self.now, field: "changed").read(response))
        #expect(abs(time.timeIntervalSince1970 - seconds) < 0.001)
    }

    /// Foundation would read `true` as the number one, which is a time in 1970.
    @Test(arguments: ["true", "false", "null", "\"soon\"", "[1800000000]"])
    func aFieldThatIsNoTimeLeavesTheConflictToAPerson(value: String) {
        let response = NetKitError.Response(status: 409, headers: [:], body: Data("{\"changed\":\(value)}".utf8))
        var conflict = conflict(localAge: 1, serverAge: nil)
        conflict.serverTimestamp = ServerVersionTime(receivedAt: Self.now, field: "changed").read(response)
        #expect(ConflictResolutionStrategy.newerWins(field: "changed").decide(conflict) == .leaveUnresolved)
    }

    @Test func aWrongClockIsCountedOut() throws {
        // The server is an hour ahead, and its version is ten seconds old.
        let headers: HTTPHeaders = [
            "Date": "Fri, 15 Jan 2027 09:00:00 GMT", "Last-Modified": "Fri, 15 Jan 2027 08:59:50 GMT",
        ]
        let response = NetKitError.Response(status: 412, headers: headers, body: Data())
        let time = try #require(ServerVersionTime(receivedAt: Self.now, field: nil).read(response))
        #expect(time == Self.now.addingTimeInterval(-10))
    }

    /// Less than two seconds is the time in transit and the rest of the server's second.
    @Test(arguments: [("08:00:01", -10.0), ("08:00:02", -12)])
    func onlyALargeDifferenceIsThatOfAClock(date: String, seconds: Double) throws {
        let headers: HTTPHeaders = [
            "Date": "Fri, 15 Jan 2027 \(date) GMT", "Last-Modified": "Fri, 15 Jan 2027 07:59:50 GMT",
        ]
        let response = NetKitError.Response(status: 412, headers: headers, body: Data())
        let time = try #require(ServerVersionTime(receivedAt: Self.now, field: nil).read(response))
        #expect(time == Self.now.addingTimeInterval(seconds))
    }

    // MARK: In the queue

    private func put() -> QueuedRequest {
        QueuedRequest(
            HTTPRequest(.put, "/note", body: .text("mine")),
            baseETag: "\"b\"",
            baseData: Data("base".utf8)
        )
    }

    /// A server that refuses every write that is not based on its version.
    private func server() -> ScriptedSender {
        ScriptedSender { sent in
            guard sent.request.headers["If-Match"] == "\"s\"" else {
                let body = ResponseBody(Data("theirs".utf8))
                return HTTPResponse(status: 412, headers: ["ETag": "\"s\""], body: body)
            }
            return HTTPResponse(status: 204)
        }
    }

    @Test func theClientWinsOverTheServersVersion() async throws {
        let sender = server()
        let queue = try await OfflineQueue.testing(sender) { $0.conflictStrategy = .clientWins }
        let events = queue.events
        try await queue.enqueue(put())
        let event = try #require(await events.first(.conflict))
        #expect(event.conflict?.serverData == Data("theirs".utf8))
        #expect(event.conflict?.localData == Data("mine".utf8))
        #expect(event.conflict?.baseData == Data("base".utf8))
        _ = await events.first(.delivered)
        #expect(sender.sent.entries.map { $0.request.headers["If-Match"] } == ["\"b\"", "\"s\""])
        #expect(Set(sender.sent.entries.map(\.key)).count == 2)
    }

    /// The field is what the server compared with its version.
    @Test func aBaseVersionInAFieldIsThatOfTheConflict() async throws {
        let queue = try await OfflineQueue.testing(server()) { $0.conflictStrategy = .clientWins }
        let events = queue.events
        var request = put()
        request.headers["If-Match"] = "\"f\""
        try await queue.enqueue(request)
        let event = try #require(await events.first(.conflict))
        #expect(event.conflict?.baseETag == "\"f\"")
        _ = await events.first(.delivered)
    }

    /// A resolver would overwrite the server's version with a part of it.
    @Test func aVersionThatIsCutOffIsNotTheServers() async throws {
        let sender = server()
        let queue = try await OfflineQueue.testing(sender) {
            $0.conflictResolver = Merging()
            $0.maxResponseBytes = 4
        }
        let events = queue.events
        try await queue.enqueue(put())
        let event = try #require(await events.first(.conflict))
        #expect(event.conflict?.serverData == nil)
        #expect(event.response?.body == Data("thei".utf8))
        #expect(event.response?.isTruncated == true)
        _ = await events.first(.delivered)
        #expect(sender.sent.entries.last?.request.body?.bytes == Data("base+mine".utf8))
        await queue.close()
    }

    @Test func theServerWinsAndAnEventSaysSo() async throws {
        let queue = try await OfflineQueue.testing(server()) { $0.conflictStrategy = .serverWins }
        let events = queue.events
        try await queue.enqueue(put())
        _ = await events.first(.removed)
        #expect(await queue.entries.isEmpty)
    }

    private struct Merging: ConflictResolver {
        func resolve(_ conflict: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution
        {
            let parts = [conflict.baseData, conflict.localData, conflict.serverData].compactMap { $0 }
            return .send(Data(parts.joined(separator: Data("+".utf8))), ifMatch: conflict.serverETag)
        }
    }

    @Test func aResolverMayMerge() async throws {
        let sender = server()
        let queue = try await OfflineQueue.testing(sender) { $0.conflictResolver = Merging() }
        let events = queue.events
        try await queue.enqueue(put())
        _ = await events.first(.delivered)
        #expect(sender.sent.entries.last?.request.body?.bytes == Data("base+mine+theirs".utf8))
    }

    /// The fields of the request describe the version that it had.
    @Test func aMergedVersionKeepsItsTypeButNeitherItsLengthNorItsCondition() async throws {
        let sender = server()
        let queue = try await OfflineQueue.testing(sender) { $0.conflictResolver = Merging() }
        let headers: HTTPHeaders = ["If-Match": "\"b\"", "Content-Length": "4"]
        let body = HTTPBody.text("mine", contentType: "text/x")
        try await queue.enqueue(QueuedRequest(HTTPRequest(.put, "/note", headers: headers, body: body)))
        await queue.processQueue()
        let sent = sender.sent.entries.map(\.request)
        #expect(sent.map { $0.headers["If-Match"] } == ["\"b\"", "\"s\""])
        #expect(sent.last?.body?.bytes == Data("mine+theirs".utf8))
        #expect(sent.map { $0.body?.contentType } == ["text/x", "text/x"])
        #expect(!sent.contains { $0.headers.contains("Content-Length") })
        await queue.close()
    }

    /// The server may have stored a refusal under each of them.
    @Test func theLatestEarlierKeysAreKept() async throws {
        let sender = ScriptedSender { _, number in HTTPResponse(status: number <= 18 ? 412 : 503) }
        let queue = try await OfflineQueue.testing(sender) {
            $0.conflictStrategy = .clientWins
            $0.maxConflicts = 100
        }
        let id = try await queue.enqueue(put()).id
        await queue.processQueue()
        let keys = sender.sent.entries.compactMap(\.key)
        #expect(keys.count == 19)
        let request = try #require(await queue.storedRequest(id))
        #expect(request.previousIdempotencyKeys == Array(keys.dropLast().suffix(16)))
        #expect(request.idempotencyKey == keys.last)
        await queue.close()
    }

    @Test func afterThreeConflictsAnEntryIsLeftForAPerson() async throws {
        let sender = ScriptedSender(statuses: 409, 409, 409, 204)
        let queue = try await OfflineQueue.testing(sender) { $0.conflictStrategy = .clientWins }
        let events = queue.events
        let receipt = try await queue.enqueue(put())
        await events.wait(3, .conflict)
        await queue.processQueue()
        #expect(sender.paths.count == 3)
        let conflict = try #require(await queue.unresolvedConflicts.first)
        #expect(conflict.requestID == receipt.id)
        #expect(await queue.pendingCount == 0)
        try await queue.resolve(receipt.id, with: .send(Data("by hand".utf8)))
        await queue.processQueue()
        #expect(sender.sent.entries.last?.request.body?.bytes == Data("by hand".utf8))
        #expect(await queue.entries.isEmpty)
    }

    /// The strategy decides again about the conflicts that follow.
    @Test(arguments: [false, true])
    func theCountOfConflictsBeginsAgainIfAPersonDecides(isRetried: Bool) async throws {
        let sender = ScriptedSender(statuses: 412, 412, 412, 204)
        let queue = try await OfflineQueue.testing(sender) {
            $0.conflictStrategy = .clientWins
            $0.maxConflicts = 2
        }
        let id = try await queue.enqueue(put()).id
        await queue.processQueue()
        #expect(await queue.entries.map(\.state) == [.conflict])
        if isRetried { try await queue.retry(id) } else { try await queue.resolve(id, with: sendMine) }
        await queue.processQueue()
        #expect(sender.paths.count == 4)
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    @Test(arguments: [false, true])
    func aVersionThatAPersonSendsNoLongerExpires(isReopened: Bool) async throws {
        let (time, folder, sender) = (TestClock(), try TemporaryFolder(), ScriptedSender(statuses: 412, 204))
        func opened() async throws -> OfflineQueue {
            try await OfflineQueue.testing(sender, time, store: JSONOfflineStore(directory: folder.file("queue")))
        }
        var queue = try await opened()
        var request = put()
        request.expiresAt = time.date.addingTimeInterval(10)
        try await queue.enqueue(request)
        await queue.processQueue()
        await queue.pause(lane: "default")
        time.advance(by: .seconds(20))
        try await queue.resolve(request.id, with: sendMine)
        if isReopened {
            await queue.close()
            queue = try await opened()
        }
        await queue.resume(lane: "default")
        await queue.processQueue()
        #expect(sender.paths.count == 2)
        #expect(await queue.deadLetterCount == 0)
        await queue.close()
    }

    @Test func aPersonMayDropOrThinkAboutIt() async throws {
        let queue = try await OfflineQueue.testing(server())
        let events = queue.events
        let receipt = try await queue.enqueue(put())
        _ = await events.first(.conflict)
        await queue.processQueue()
        try await queue.resolve(receipt.id, with: .leaveUnresolved)
        #expect(await queue.unresolvedConflicts.count == 1)
        try await queue.resolve(receipt.id, with: .drop)
        #expect(await queue.entries.isEmpty)
        #expect(await thrownCode { try await queue.resolve(receipt.id, with: .drop) } == .invalidRequest)
    }

    @Test func aResolverThatFailsLeavesItForAPerson() async throws {
        struct Failing: ConflictResolver {
            func resolve(_: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution {
                throw NetKitError(.custom, "no idea")
            }
        }
        let queue = try await OfflineQueue.testing(server()) { $0.conflictResolver = Failing() }
        let events = queue.events
        try await queue.enqueue(put())
        let event = await events.first(.conflict)
        #expect(event?.resolution == .leaveUnresolved)
        #expect((event?.error as? NetKitError)?.message == "no idea")
        // The conflict shows it too.
        await queue.processQueue()
        let id = try #require(await queue.unresolvedConflicts.first?.requestID)
        let detail = try await queue.store.load([id])[id]?.get().detail
        #expect(detail?.message.contains("no idea") == true)
    }

    /// A resolver that waits for something, and ends with its task.
    private struct Waiting: ConflictResolver {
        let began: Promise<Void>

        func resolve(_: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution {
            began.resolve(.success(()))
            try await Promise<Void>().cancellableValue()
            return .leaveUnresolved
        }
    }

    @Test func aResolverThatClosingCutsOffHasDecidedNothing() async throws {
        let (time, began, store) = (TestClock(), Promise<Void>(), InMemoryOfflineStore())
        let queue = try await OfflineQueue.testing(server(), time, store: store) {
            $0.conflictResolver = Waiting(began: began)
        }
        try await queue.enqueue(put())
        try await began.value()
        async let isDrained = queue.close(within: .seconds(5))
        await time.waitForAlarms(1)
        time.advance(by: .seconds(5))
        #expect(await isDrained == false)
        #expect(try await store.entries().map(\.state) == [.waiting])
    }

    @Test func aConflictSurvivesOpeningAgain() async throws {
        let folder = try TemporaryFolder()
        let first = try await OfflineQueue(directory: folder.file("queue"), sender: server())
        let events = first.events
        try await first.enqueue(put())
        _ = await events.first(.conflict)
        await first.close()
        let second = try await OfflineQueue(directory: folder.file("queue"))
        let conflict = try #require(await second.unresolvedConflicts.first)
        #expect(conflict.serverData == Data("theirs".utf8))
        #expect(conflict.serverETag == "\"s\"")
        await second.close()
    }

    /// A server that stores its responses by key repeats the refusal for the same key.
    @Test func aChangedRequestHasANewKey() async throws {
        let refused = Locked<Set<String>>([])
        let sender = ScriptedSender { sent in
            let key = sent.key ?? ""
            if sent.request.headers["If-Match"] == "\"2\"", refused.withLock({ !$0.contains(key) }) {
                return HTTPResponse(status: 204)
            }
            refused.withLock { _ = $0.insert(key) }
            return HTTPResponse(status: 412, headers: ["ETag": "\"2\""])
        }
        let folder = try TemporaryFolder()
        let store = JSONOfflineStore(directory: folder.file("queue"))
        let queue = try await OfflineQueue.testing(sender, store: store) { $0.conflictStrategy = .clientWins }
        let events = queue.events
        let body = HTTPBody.text("mine")
        let receipt = try await queue.enqueue(
            QueuedRequest(HTTPRequest(.put, "/notes/7", body: body), idempotencyKey: "first", baseETag: "\"1\"")
        )
        await queue.processQueue()
        #expect(await events.first(.delivered)?.id == receipt.id)
        let keys = sender.sent.entries.compactMap(\.key)
        #expect(keys.count == 2)
        #expect(keys.first == "first")
        #expect(Set(keys).count == 2)
        await queue.close()
    }
}
