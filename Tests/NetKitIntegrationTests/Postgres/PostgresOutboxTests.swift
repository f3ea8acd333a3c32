import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresOutboxTests {
    private let testDatabase: TestDatabase
    private let database: Postgres
    private let judge = OutboxJudge()

    init() async throws {
        testDatabase = try await TestDatabase()
        database = try await Postgres(testDatabase.url)
    }

    private func queue(
        _ sender: (any RequestSending)? = nil,
        seal: RecordSeal? = nil,
        refresh: Duration = .seconds(5)
    ) async throws -> OfflineQueue {
        var configuration = OfflineQueue.Configuration()
        configuration.parallelLanes = 16
        configuration.refreshInterval = refresh
        configuration.policy = RetryPolicy(maxAttempts: .max, backoffStrategy: .fixed(interval: .milliseconds(20)))
        return try await OfflineQueue(
            store: database.outbox("orders", seal: seal),
            sender: sender ?? judge.sender(),
            configuration: configuration
        )
    }

    private func sql(_ text: String) async throws -> String { try await testDatabase.sql(text) }

    private func close(_ queues: OfflineQueue...) async {
        for queue in queues { await queue.close() }
        await database.close()
    }

    // MARK: - Delivery

    @Test func deliversInOrderWithoutUpdates() async throws {
        let queue = try await queue()
        let lanes = (0..<20).map { "lane\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in lanes {
                group.addTask {
                    for number in 0..<10 { try await queue.enqueue(.numbered(number, lane: lane)) }
                }
            }
            try await group.waitForAll()
        }
        try await judge.wait(for: 200)
        await close(queue)
        #expect(judge.complaints == [])
        for lane in lanes { #expect(judge.order[lane] == (0..<10).map { "/\(lane)/\($0)" }) }
        #expect(try await sql("SELECT count(*) FROM netkit.entry") == "0")
        // The statistics are written when a connection ends.
        let statistics = "SELECT n_tup_ins, n_tup_upd FROM pg_stat_user_tables WHERE relname = 'entry'"
        #expect(try await sql(statistics) == "200|0")
    }

    @Test func knowsShardsAsTheDatabaseDoes() async throws {
        let shards = try await database.outbox("orders").table.shards()
        for lane in ["", "default", "Zürich", "customer-7", String(repeating: "x", count: 900)] {
            let rows = try await database.run(Statement("SELECT netkit.shard_1('orders', $1) AS shard", .text(lane)))
            #expect(try rows.one().value("shard", as: Int.self) == shards.shard(of: lane), "\(lane)")
        }
        await close()
    }

    @Test func keepsBodiesUpToALimit() async throws {
        let queue = try await queue()
        var body = Data(repeating: 0xFF, count: PostgresOutbox.maxBodyBytes)
        body[17] = 0
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/large", body: .data(body))))
        try await judge.wait(for: 1)
        #expect(judge.sent.first?.body == body)
        body.append(1)
        let large = QueuedRequest(HTTPRequest(.post, "/larger", body: .data(body)))
        let error = await #expect(throws: NetKitError.self) { try await queue.enqueue(large) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("8 MiB") == true)
        let folder = try TemporaryFolder()
        let file = folder.file("body")
        try body.dropLast().write(to: file)
        var request = QueuedRequest(HTTPRequest(.post, "/file", body: .file(at: file)))
        request.takesFile = true
        try await queue.enqueue(request)
        try await judge.wait(for: 2)
        #expect(judge.sent.last?.body?.count == PostgresOutbox.maxBodyBytes)
        #expect(!FileManager.default.fileExists(atPath: file.path()))
        await close(queue)
    }

    @Test(arguments: [
        QueuedRequest(HTTPRequest(.post, "/1"), lane: "a\0b"),
        QueuedRequest(HTTPRequest(.post, "/1"), lane: String(repeating: "x", count: 1001)),
        QueuedRequest(HTTPRequest(.post, "/1"), coalescingKey: "a\0"),
    ])
    func refusesNamesThatCannotBeKept(request: QueuedRequest) async throws {
        let queue = try await queue()
        let error = await #expect(throws: NetKitError.self) { try await queue.enqueue(request) }
        #expect(error?.code == .invalidRequest)
        await close(queue)
    }

    /// Another lane must not be found in place of a name that PostgreSQL cannot have, and a queue repeats a pause that
    /// fails.
    @Test func findsNoEntriesOfALaneThatCannotBeKept() async throws {
        let store = database.outbox("orders")
        let queue = try await OfflineQueue(store: store)
        let id = try await queue.enqueue(.numbered(1, lane: "a b")).id
        for name in ["a\0b", (1...200).map { _ in UUID().uuidString }.joined()] {
            for filter in [OfflineFilter(lanes: [name]), OfflineFilter(identities: [name])] {
                #expect(try await queue.remove(where: filter) == 0)
            }
            try await store.pause(name, for: .seconds(60))
        }
        #expect(try await sql("SELECT count(*) FROM netkit.lane") == "0")
        #expect(await queue.entries.map(\.id) == [id])
        await close(queue)
    }

    /// PostgreSQL has no text with the character 0.
    @Test func keepsTextsWithAnyCharacter() async throws {
        let queue = try await queue(judge.sender { _ in 422 })
        var request = QueuedRequest.numbered(1, lane: "a")
        request.tags = ["note": "a\0b\u{FFFF}\\u0000"]
        request.baseData = Data([0, 0xFF, 1])
        try await queue.enqueue(request)
        try await judge.wait(for: 1)
        await queue.processQueue()
        let stored = try await queue.storedRequest(request.id)
        #expect(stored?.tags == request.tags)
        #expect(stored?.baseData == request.baseData)
        await close(queue)
    }

    @Test func recognizesARepeatedRequest() async throws {
        let store = database.outbox("orders")
        let queue = try await OfflineQueue(store: store)
        let request = QueuedRequest.numbered(1, lane: "a")
        let receipt = try await queue.enqueue(request)
        let again = try await queue.enqueue(request)
        #expect(again.id == receipt.id)
        #expect(again.idempotencyKey == receipt.idempotencyKey)
        #expect(await queue.pendingCount == 1)
        var other = QueuedRequest.numbered(2, lane: "a")
        other.id = request.id
        let error = await #expect(throws: NetKitError.self) { try await queue.enqueue(other) }
        #expect(error?.code == .invalidRequest)
        await close(queue)
    }

    @Test func sealsWhatIsSecretAndKeepsTheIdentity() async throws {
        let seal = RecordSeal(seal: { Data($0.map { $0 ^ 0x55 }) }, open: { Data($0.map { $0 ^ 0x55 }) })
        let queue = try await queue(judge.sender { _ in 422 }, seal: seal)
        var request = QueuedRequest(HTTPRequest(.post, "/secret-target", body: .text("secret body")), lane: "a")
        request.identity = "ada"
        try await queue.enqueue(request)
        try await judge.wait(for: 1)
        await queue.processQueue()
        let row = try await sql("SELECT request, body, detail, identity FROM netkit.entry")
        #expect(!row.contains("secret"))
        #expect(!row.contains(Data("secret body".utf8).map { String($0, radix: 16) }.joined()))
        #expect(row.hasSuffix("|ada"))
        let letter = await queue.deadLetters.first
        #expect(letter?.request.endpoint == "/secret-target")
        #expect(letter?.request.body?.bytes == Data("secret body".utf8))
        #expect(letter?.request.identity == "ada")
        #expect(letter?.reason == .refused)
        // Without the seal it cannot be read, which says nothing against it.
        let blind = try await database.outbox("orders").load([request.id])[request.id]
        guard case .failure(let error)? = blind else { throw PeerError("it can be read") }
        #expect(error.cause == nil)
        await close(queue)
    }

    /// A damaged entry may become a dead letter, with the damage as the cause. Another key may come back, and a newer
    /// process can read what this one cannot.
    @Test(arguments: [
        (#"{"sealed":"AAAA"}"#, true, false), (#"{"sealed":"AAAA"}"#, false, false), (#"{"sealed":"?"}"#, true, true),
        (#"{"sealed":null}"#, true, true), (#"{"base64":"AAAA"}"#, true, true), (#"{"sealed":7}"#, false, true),
        (#"{"v":9,"url":"/"}"#, true, false),
    ])
    func saysOfOneEntryThatItCannotBeOpened(json: String, hasSeal: Bool, isDamaged: Bool) async throws {
        struct OtherKey: Error {}
        let seal = RecordSeal(seal: { $0 }, open: { _ in throw OtherKey() })
        let store = database.outbox("orders", seal: hasSeal ? seal : nil)
        _ = try await store.table.shards()
        let plain = QueuedRequest.numbered(1, lane: "a")
        _ = try await database.outbox("orders").append(
            OfflineAddition(request: plain, byteCount: 1),
            within: OfflineBounds()
        )
        let added = try await sql("SELECT netkit.enqueue('orders', $json$\(json)$json$, lane => 'a')")
        let id = try #require(UUID(uuidString: added))
        for ids in [[id], [id, plain.id]] {
            let stored = try await store.load(ids)
            #expect(try stored[plain.id]?.get().request.endpoint == (ids.count > 1 ? "/a/1" : nil))
            guard case .failure(let error)? = stored[id] else { throw PeerError("it can be read") }
            #expect(error.code == .decoding)
            #expect((error.cause is StoredRequestDamage) == isDamaged)
        }
        await close()
    }

    // MARK: - Transactions of the caller

    @Test func followsTheTransactionOfTheCaller() async throws {
        let queue = try await queue(refresh: .seconds(60))
        func enqueue(_ target: String) -> String {
            "SELECT netkit.enqueue('orders', '{\"v\":1,\"method\":\"POST\",\"url\":\"\(target)\"}', lane => 'a', wake => true);"
        }
        _ = try await sql("BEGIN; \(enqueue("/a/1")) ROLLBACK; BEGIN; \(enqueue("/a/2")) COMMIT;")
        try await judge.wait(for: 1)
        _ = try await sql(enqueue("/a/3"))
        try await judge.wait(for: 2)
        await close(queue)
        #expect(judge.targets == ["/a/2", "/a/3"])
        #expect(judge.sent.allSatisfy { $0.key.flatMap { UUID(uuidString: $0) } != nil })
    }

    @Test func findsALateCommitWithALowerPosition() async throws {
        let queue = try await queue(refresh: .milliseconds(100))
        _ = try await sql("CREATE SEQUENCE go_on")
        let late = Task { [testDatabase] in
            let enqueue = "SELECT netkit.enqueue('orders', '{\"method\":\"PUT\",\"url\":\"/a/late\"}', lane => 'a');"
            let wait = """
                DO $$ BEGIN
                    FOR round IN 1..6000 LOOP
                        EXIT WHEN (SELECT is_called FROM go_on);
                        PERFORM pg_sleep(0.01);
                    END LOOP;
                END $$;
                """
            return try await testDatabase.sql("BEGIN; \(enqueue) \(wait) COMMIT;")
        }
        let position = "SELECT last_value FROM netkit.entry_position_seq WHERE is_called"
        while try await sql(position).isEmpty { try Task.checkCancellation() }
        try await queue.enqueue(.numbered(1, lane: "a"))
        try await judge.wait(for: 1)
        _ = try await sql("SELECT nextval('go_on')")
        _ = try await late.value
        try await judge.wait(for: 2)
        await close(queue)
        #expect(judge.targets == ["/a/1", "/a/late"])
    }

    @Test func insertsThroughAnotherDriver() async throws {
        let queue = try await queue(refresh: .seconds(60))
        var request = QueuedRequest(HTTPRequest(.post, "/a/1", body: .data(Data([0, 1, 0xFF]))), lane: "it's")
        request.headers["X-Field"] = "value"
        request.expiresAt = Date().addingTimeInterval(1000)
        request.priority = 7
        request.identity = "ada"
        let outbox = database.outbox("orders")
        let insertion = try outbox.insertion(of: request, wakes: true)
        var statement = Statement(insertion.sql)
        statement.parameters = insertion.parameters.map { $0.bytes.map { .bytea($0) } ?? .text($0.text) }
        #expect(insertion.parameters[3].bytes == Data([0, 1, 0xFF]))
        _ = try await database.run(statement)
        try await judge.wait(for: 1)
        #expect(judge.sent.first?.body == Data([0, 1, 0xFF]))
        #expect(judge.sent.first?.key != nil)
        let file = QueuedRequest(HTTPRequest(.post, "/a/2", body: .file(at: URL(fileURLWithPath: "/etc/hostname"))))
        #expect(throws: NetKitError.self) { try outbox.insertion(of: file) }
        await close(queue)
    }

    /// In the text of an interval, PostgreSQL 14 and earlier read no number above 32 bits.
    @Test func insertsALifetimeOfADay() async throws {
        let outbox = database.outbox("orders")
        _ = try await outbox.table.shards()
        var request = QueuedRequest.numbered(1, lane: "a")
        request.expiresAt = Date().addingTimeInterval(86_400)
        let insertion = try outbox.insertion(of: request)
        #expect(insertion.parameters[6].text.flatMap { Int64($0) } != nil)
        var statement = Statement(insertion.sql)
        statement.parameters = insertion.parameters.map { $0.bytes.map { .bytea($0) } ?? .text($0.text) }
        _ = try await database.run(statement)
        #expect(try await sql("SELECT expires_at - now() BETWEEN '23 h' AND '25 h' FROM netkit.entry") == "t")
        await database.close()
    }

    @Test func appliesRulesWhenRowsAreRead() async throws {
        func enqueue(_ number: Int, _ subject: String, _ rule: String) -> String {
            """
            SELECT netkit.enqueue('orders', '{"v":1,"method":"PUT","url":"/\(subject)/\(number)"}', lane => '\(subject)',
              subject => '\(subject)', rule => '\(rule)');
            """
        }
        _ = try await database.outbox("orders").table.shards()
        var script = ""
        for number in 1...100 { script += enqueue(number, "replaced", "replace") }
        for number in 1...100 { script += enqueue(number, "kept", "keep") }
        for number in 1...3 { script += enqueue(number, "all", "append") }
        _ = try await sql(script)
        let queue = try await queue()
        try await judge.wait(for: 5)
        await close(queue)
        #expect(judge.order["replaced"] == ["/replaced/100"])
        #expect(judge.order["kept"] == ["/kept/1"])
        #expect(judge.order["all"] == ["/all/1", "/all/2", "/all/3"])
        #expect(try await sql("SELECT count(*) FROM netkit.entry") == "0")
    }

    @Test func readsWhatAPersonWrote() async throws {
        _ = try await database.outbox("orders").table.shards()
        let rows: [(json: String, problem: String?)] = [
            (#"{"method":"POST","url":"/a/0"}"#, nil),
            (#"{"url":"/a/1"}"#, "method is missing"),
            (#"{"v":1,"method":"POST"}"#, "url is missing"),
            (#"[]"#, "cannot be read"),
            (#""text""#, "cannot be read"),
            (#"{"method":"POST","url":7}"#, "url"),
            (#"{"method":"POST","url":"/a/7","body":{"a":1}}"#, "body"),
            (#"{"method":"NO METHOD","url":"/a/8"}"#, ""),
            (#"{"method":"POST","url":"/a/9","headers":{"X-A":"1"},"body":"text"}"#, nil),
            (#"{"method":"POST","url":"/a/10","headers":[["X-A","1"]],"id":"nonsense","lane":"b"}"#, nil),
        ]
        for row in rows {
            let json = "$json$\(row.json)$json$"
            let insertion = "INSERT INTO netkit.entry (base, shard, lane, size, request)"
            // The function refuses values that are not objects, and a person may insert the row.
            _ = try await sql(
                row.json.hasPrefix("{")
                    ? "SELECT netkit.enqueue('orders', \(json), lane => 'a')"
                    : "\(insertion) VALUES (0, netkit.shard_1('orders', 'a'), 'a', 1, \(json))"
            )
        }
        // A client checks requests before they are sent.
        let url = URL(string: "https://example.com")
        let client = HTTPClient(
            baseURL: url,
            transport: MockTransport { _, _ in HTTPResponse(status: 204) }
        )
        var configuration = OfflineQueue.Configuration()
        configuration.refreshInterval = .milliseconds(50)
        let queue = try await OfflineQueue(
            store: database.outbox("orders"),
            sender: client,
            configuration: configuration
        )
        let events = queue.events
        var count = 0
        if await queue.pendingCount > 0 {
            for await _ in events {
                count = await queue.pendingCount
                if count == 0 { break }
            }
        }
        let letters = await queue.deadLetters
        #expect(letters.count == rows.filter { $0.problem != nil }.count)
        for (letter, row) in zip(letters, rows.filter { $0.problem != nil }) {
            let problem = row.problem ?? ""
            #expect(problem.isEmpty || letter.message.contains(problem), "\(letter.message) for \(row.json)")
        }
        await client.shutdown()
        await close(queue)
    }

    /// Dead letters are returned with their bodies, and not many large ones at once.
    @Test func removesFewLargeDeadLettersAtOnce() async throws {
        let store = database.outbox("orders")
        try await store.open(clock: .system) { _ in }
        for number in 0..<4 {
            let body = HTTPBody.data(Data(count: 5 << 20))
            let post = HTTPRequest(.post, RequestPath(raw: "/\(number)"), body: body)
            let request = QueuedRequest(post, lane: "\(number)")
            let addition = OfflineAddition(request: request, byteCount: 5 << 20)
            let appended = try await store.append(addition, within: OfflineBounds())
            guard case .added(let entry, _, _) = appended else { continue }
            var update = OfflineUpdate(entry)
            update.state = .deadLetter
            #expect(try await store.release(entry.id, update))
        }
        var removed: [[String]] = []
        for _ in 0..<3 {
            let letters = try await store.removeDeadLetters(olderThan: .zero, above: 1, limit: 100)
            removed.append(try letters.map { try $0.stored.get().request.endpoint })
        }
        #expect(removed == [["/0", "/1"], ["/2", "/3"], []])
        await store.close()
        await database.close()
    }
}
