import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The code on the page "The offline queue", compiled and run, and its figures.
@Suite(.needsTheMachine)
struct OfflineGuideTests {
    private struct Order: Codable, Sendable {
        var id: Int
    }

    private let base = URL(string: "https://api.example.com")
    private let order = Order(id: 7)

    @Test func theQueueIsMadeAsShown() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.file("queue")
        let transport = MockTransport()
        transport.stub(.post, "/orders", .status(204))
        let client = HTTPClient(baseURL: base, transport: transport)
        let monitor = ManualNetworkMonitor(isConnected: true)
        // GUIDE: begin
        let queue = try await OfflineQueue(directory: folder, sender: client, monitor: monitor)
        let receipt = try await queue.enqueue(QueuedRequest(.post("/orders", json: order), lane: "orders"))
        // GUIDE: end
        await queue.processQueue()
        #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == [receipt.idempotencyKey])
        // GUIDE: begin
        await queue.close(within: .seconds(10))
        // GUIDE: end
        await watch(queue)
    }

    /// Compiled only, because the machine might have no network.
    private func overThePlatformsMonitor(_ folder: URL, _ client: HTTPClient) async throws -> OfflineQueue {
        try await OfflineQueue(directory: folder, sender: client, monitor: .platformDefault)
    }

    private func watch(_ queue: OfflineQueue) async {
        // GUIDE: begin
        for await event in queue.events {
            print(event)
        }
        // GUIDE: end
    }

    @Test func manyEntriesAreTakenAtOnceAsShown() async throws {
        let queue = try await OfflineQueue(store: InMemoryOfflineStore())
        // GUIDE: begin
        try await queue.retry(where: OfflineFilter(states: [.deadLetter], statuses: [503]))
        try await queue.remove(where: OfflineFilter(lanes: ["reports"], olderThan: .seconds(30 * 86_400)))
        // GUIDE: end
        await queue.close()
    }

    private struct Note: Codable, Sendable, Equatable {
        var title: String
        var tags: Set<String>
    }

    // GUIDE: begin
    struct NoteMerger: ConflictResolver {
        func resolve(
            _ conflict: SyncConflict,
            strategy: ConflictResolutionStrategy
        ) async throws -> ConflictResolution {
            guard let local = conflict.localData, let server = conflict.serverData else { return .leaveUnresolved }
            var note = try JSONDecoder().decode(Note.self, from: local)
            note.tags.formUnion(try JSONDecoder().decode(Note.self, from: server).tags)
            return .send(try JSONEncoder().encode(note), ifMatch: conflict.serverETag)
        }
    }
    // GUIDE: end

    /// Returns a client whose server has another version of a note at first.
    private func client(of transport: MockTransport, with theirs: Note) -> HTTPClient {
        transport.stub(
            .put,
            "/notes/7",
            .json(theirs, status: .preconditionFailed).header("ETag", "\"v2\""),
            .status(204)
        )
        return HTTPClient(baseURL: base, transport: transport)
    }

    @Test func versionsAreMergedAsShown() async throws {
        let transport = MockTransport()
        let theirs = Note(title: "old", tags: ["theirs"])
        let client = client(of: transport, with: theirs)
        let note = Note(title: "mine", tags: ["mine"])
        // GUIDE: begin
        var configuration = OfflineQueue.Configuration()
        configuration.conflictResolver = NoteMerger()
        let queue = try await OfflineQueue(
            store: InMemoryOfflineStore(),
            sender: client,
            configuration: configuration
        )
        var edit = QueuedRequest(.put("/notes/7", json: note), lane: "notes")
        edit.baseETag = "\"v1\""
        try await queue.enqueue(edit)
        // GUIDE: end
        await queue.processQueue()
        let sent = transport.requests
        #expect(sent.map { $0.headers["If-Match"] } == ["\"v1\"", "\"v2\""])
        let last = try #require(sent.last?.body)
        #expect(try JSONDecoder().decode(Note.self, from: last) == Note(title: "mine", tags: ["mine", "theirs"]))
        await queue.close()
    }

    @Test func waitingConflictsAreDecidedAsShown() async throws {
        let transport = MockTransport()
        let (mine, theirs) = (Note(title: "mine", tags: []), Note(title: "theirs", tags: []))
        let client = client(of: transport, with: theirs)
        let queue = try await OfflineQueue(store: InMemoryOfflineStore(), sender: client)
        var edit = QueuedRequest(.put("/notes/7", json: mine), lane: "notes")
        edit.baseETag = "\"v1\""
        try await queue.enqueue(edit)
        await queue.processQueue()
        #expect(await queue.unresolvedConflicts.count == 1)
        // GUIDE: begin
        for conflict in await queue.unresolvedConflicts {
            guard let id = conflict.requestID else { continue }
            try await queue.resolve(id, with: .send(conflict.localData, ifMatch: conflict.serverETag))
        }
        // GUIDE: end
        await queue.processQueue()
        let sent = transport.requests
        #expect(sent.map { $0.headers["If-Match"] } == ["\"v1\"", "\"v2\""])
        let last = try #require(sent.last?.body)
        #expect(try JSONDecoder().decode(Note.self, from: last) == mine)
        await queue.close()
    }

    @Test func callsAreCapturedAsShown() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.file("queue")
        let monitor = ManualNetworkMonitor(isConnected: false)
        let transport = MockTransport()
        // GUIDE: begin
        let queue = try await OfflineQueue(directory: folder, monitor: monitor)
        let list = InterceptorList.standard + OfflineInterceptor(queue) + ConnectivityInterceptor(monitor, .failFast)
        let offline = HTTPClient(baseURL: base, transport: transport, interceptors: list)
        await queue.attach(offline)
        var options = CallOptions(idempotencyKey: .automatic)
        options.tags[Deferrable.self] = Deferrable(lane: "orders")
        do {
            try await offline.send(.post("/orders", json: order), options: options)
        } catch let error as NetKitError where error.code == .queued {
            print("kept as \(error.receipt?.id.uuidString ?? "")")
        }
        // GUIDE: end
        #expect(await queue.pendingCount == 1)
        #expect(transport.requests.isEmpty)
        await queue.close()
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Offline-Queue").shows(#filePath))
    }

    @Test func theFiguresAreTheDefaults() throws {
        let page = try GuidePage("Offline-Queue").text
        func row(_ names: String..., value: String) -> Bool {
            let settings = names.map { "``OfflineQueue/Configuration/\($0)``" }.joined(separator: ", ")
            return page.contains("| \(settings) | \(value) |")
        }
        let queue = OfflineQueue.Configuration()
        #expect([1, 2, 100].map { queue.policy.delay(forAttempt: $0) } == [.seconds(2), .seconds(4), .seconds(600)])
        #expect(queue.policy.jitter == .equal && queue.policy.maxAttempts == .max)
        #expect(row("policy", value: "2 s, doubling up to 10 minutes, equal jitter"))
        #expect(queue.maxAttempts == 25 && queue.minRetryTime == .seconds(86_400))
        #expect(row("maxAttempts", "minRetryTime", value: "25 and 24 hours"))
        #expect(queue.maxServerDelay == .seconds(86_400) && row("maxServerDelay", value: "24 hours"))
        #expect(queue.timeout == .seconds(120) && row("timeout", value: "120 s"))
        #expect(queue.unauthorizedPause == .seconds(900) && row("unauthorizedPause", value: "15 minutes"))
        #expect(queue.parallelLanes == 4 && row("parallelLanes", value: "4"))
        #expect(queue.maxEntries == 100_000 && queue.maxBytes == 1 << 30)
        #expect(row("maxEntries", "maxBytes", value: "100,000 and 1 GiB"))
        #expect(queue.overflow == .refuse && row("overflow", value: "`.refuse`"))
        #expect(queue.deadLetters.maxEntries == nil && queue.deadLetters.maxAge == nil)
        #expect(queue.maxResponseBytes == 64 << 10 && row("maxResponseBytes", value: "64 KiB"))
        #expect(queue.maxBufferedEvents == 1024 && row("maxBufferedEvents", value: "1,024"))
        #expect(queue.conflictStrategy == .manual && queue.maxConflicts == 3)
        #expect(row("conflictStrategy", "maxConflicts", value: "`.manual` and 3"))
        #expect(queue.refreshInterval == .seconds(5) && row("refreshInterval", value: "5 s"))
        let request = QueuedRequest(HTTPRequest(.post, "/orders"))
        #expect(request.lane == "default" && request.priority == 0 && request.coalescing == .replace)
    }
}
