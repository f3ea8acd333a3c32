import Dispatch
import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests of entries that are added while the server is away, and moved to it later.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresSpillTests {
    private let folder: TemporaryFolder
    private let judge = OutboxJudge()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ server: PostgresServer, _ sender: (any RequestSending)? = nil) async throws -> (
        Postgres, PostgresOutbox, OfflineQueue
    ) {
        let database = try await Postgres(server.url("postgres"))
        let store = database.outbox("orders", spill: folder.url)
        return (database, store, try await OfflineQueue(store: store, sender: sender))
    }

    @Test func movesInOrderWhenTheServerIsBack() async throws {
        let server = try await PostgresServer()
        let (database, store, queue) = try await open(server, judge.sender())
        try await queue.enqueue(.numbered(0, lane: "a"))
        try await judge.wait(for: 1)
        await server.stop()
        for number in 1...20 {
            for lane in ["a", "b", "c"] { try await queue.enqueue(.numbered(number, lane: lane)) }
        }
        #expect(await store.spilledEntries.count == 60)
        #expect(judge.sent.count == 1)
        let id = try #require(await store.spilledEntries.first { $0.entry.lane == "c" }?.id)
        #expect(try await queue.storedRequest(id)?.endpoint == "/c/1")
        try await queue.remove(id)
        try await server.start()
        for number in 21...25 { try await queue.enqueue(.numbered(number, lane: "a")) }
        try await judge.wait(for: 65)
        await queue.close()
        await database.close()
        #expect(judge.complaints == [])
        #expect(judge.order["a"] == (0...25).map { "/a/\($0)" })
        #expect(judge.order["b"] == (1...20).map { "/b/\($0)" })
        #expect(judge.order["c"] == (2...20).map { "/c/\($0)" })
    }

    @Test func keepsEntriesAcrossARestart() async throws {
        let server = try await PostgresServer()
        let (database, _, queue) = try await open(server)
        await server.stop()
        var request = QueuedRequest.numbered(0, lane: "a")
        request.priority = 7
        request.identity = "ada"
        request.expiresAt = Date().addingTimeInterval(1000)
        request.idempotencyKey = "key"
        try await queue.enqueue(request)
        for number in 1..<10 { try await queue.enqueue(.numbered(number, lane: "a")) }
        await queue.close()
        await database.close()
        try await server.start()
        let (second, store, other) = try await open(server)
        while await !store.spilledEntries.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let entries = await other.entries
        #expect(entries.count == 10)
        let first = try #require(entries.first)
        #expect((first.id, first.priority, first.identity) == (request.id, 7, "ada"))
        #expect(first.expiresAt != nil)
        #expect(try await other.storedRequest(request.id)?.idempotencyKey == "key")
        let targets = await other.pending.map(\.endpoint)
        #expect(targets == (0..<10).map { "/a/\($0)" })
        await other.close()
        await second.close()
    }

    /// The whole first start happens during the outage, before there is a schema.
    @Test func takesEntriesAndStartsWithoutTheServer() async throws {
        let server = try await PostgresServer()
        await server.stop()
        await #expect(throws: NetKitError.self) { _ = try await Postgres(server.url("postgres")) }
        var configuration = Postgres.Configuration()
        configuration.startsWithoutServer = true
        let database = try await Postgres(server.url("postgres"), configuration: configuration)
        let store = database.outbox("orders", spill: folder.url)
        let queue = try await OfflineQueue(store: store, sender: judge.sender())
        for number in 0..<5 { try await queue.enqueue(.numbered(number, lane: "a")) }
        #expect(await store.spilledEntries.count == 5)
        await #expect(throws: NetKitError.self) { _ = try await database.schemaStatus() }
        try await server.start()
        try await judge.wait(for: 5)
        #expect(try await database.schemaStatus().version == Schema.latestVersion)
        await queue.close()
        await database.close()
        #expect(judge.complaints == [])
        #expect(judge.order["a"] == (0..<5).map { "/a/\($0)" })
    }

    @Test func refusesTheFolderOfAnotherQueue() async throws {
        let server = try await PostgresServer.shared.value
        let database = try await Postgres(server.url(try await server.makeDatabase()))
        for _ in 0..<2 {
            let queue = try await OfflineQueue(store: database.outbox("orders", spill: folder.url))
            await queue.close()
        }
        let error = await #expect(throws: NetKitError.self) {
            _ = try await OfflineQueue(store: database.outbox("mails", spill: folder.url))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("\"orders\"") == true)
        await database.close()
    }

    /// The damage is found when the folder is opened, and the next listing fails.
    @Test func reportsDamageOfItsFolderAfterAListingThatFails() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let journal = JSONOfflineStore(directory: folder.url)
        for number in 1...3 {
            let addition = OfflineAddition(request: .numbered(number, lane: "a"), byteCount: 100)
            _ = try await journal.append(addition, within: OfflineBounds())
        }
        await journal.close(within: .seconds(1))
        let file = folder.file("journal-000000001.jsonl")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing("/a/2", with: "/a/0").utf8).write(to: file)
        let database = try await Postgres(server.url(name))
        let store = database.outbox("orders", spill: folder.url)
        try await store.open(clock: .system) { _ in }
        try await waitUntil { store.owned.count == 256 }
        try await server.sql("ALTER FUNCTION netkit.lines_1 RENAME TO hidden", in: name)
        await #expect(throws: NetKitError.self) { try await store.lines(of: nil, depth: 1) }
        try await server.sql("ALTER FUNCTION netkit.hidden RENAME TO lines_1", in: name)
        #expect(try await store.lines(of: nil, depth: 1).quarantined.count == 1)
        await store.close()
        await database.close()
    }

    @Test func canBeOpenedOnceItsFolderIsFree() async throws {
        let server = try await PostgresServer.shared.value
        let database = try await Postgres(server.url(try await server.makeDatabase()))
        let owner = JSONOfflineStore(directory: folder.url)
        try await owner.open(clock: .system) { _ in }
        let store = database.outbox("orders", spill: folder.url)
        let error = await #expect(throws: NetKitError.self) { _ = try await OfflineQueue(store: store) }
        #expect(error?.code == .queueLocked)
        await owner.close()
        let queue = try await OfflineQueue(store: store, sender: judge.sender())
        try await queue.enqueue(.numbered(1, lane: "a"))
        try await judge.wait(for: 1)
        await queue.close()
        await database.close()
    }

    @Test func recognizesAnEntryThatTheDatabaseHas() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        let plain = database.outbox("orders")
        var request = QueuedRequest.numbered(1, lane: "a")
        request.idempotencyKey = "key"
        let addition = OfflineAddition(request: request, byteCount: 100)
        _ = try await plain.append(addition, within: OfflineBounds())
        // As after an end between the commit and the removal from the folder, and as with another request of that name.
        var other = QueuedRequest.numbered(2, lane: "b")
        other.id = request.id
        let journal = JSONOfflineStore(directory: folder.url)
        _ = try await journal.append(addition, within: OfflineBounds())
        await journal.close(within: .seconds(1))
        let store = database.outbox("orders", spill: folder.url)
        let queue = try await OfflineQueue(store: store)
        while await !store.spilledEntries.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        // While the entry leaves the folder, it may be counted twice.
        while await queue.pendingCount != 1 { try await Task.sleep(for: .milliseconds(5)) }
        await queue.close()
        let second = JSONOfflineStore(directory: folder.url)
        _ = try await second.append(OfflineAddition(request: other, byteCount: 100), within: OfflineBounds())
        await second.close(within: .seconds(1))
        let third = database.outbox("orders", spill: folder.url)
        let last = try await OfflineQueue(store: third)
        while await third.spilledEntries.first?.problem == nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await third.spilledEntries.first?.problem?.code == .invalidRequest)
        #expect(await third.metricSamples().first { $0.name == "netkit_queue_spilled_entries" }?.value == 1)
        #expect(await last.pendingCount == 2)
        await last.close()
        await database.close()
    }

    /// The statement runs, and its response is lost.
    @Test func recognizesAnAdditionWithoutAResponse() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let proxy = try BreakableProxy(to: server.port.number)
        var configuration = Postgres.Configuration()
        configuration.statementTimeout = .seconds(4)
        let database = try await Postgres(server.url(name, port: proxy.port), configuration: configuration)
        let store = database.outbox("orders", spill: folder.url)
        let queue = try await OfflineQueue(store: store)
        try await queue.enqueue(.numbered(0, lane: "a"))
        proxy.set(.cut(at: "outcome", next: .refuse))
        for number in 1..<5 { try await queue.enqueue(.numbered(number, lane: "a")) }
        #expect(proxy.cutCount == 1)
        #expect(await !store.spilledEntries.isEmpty)
        proxy.set(.pass)
        while await !store.spilledEntries.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await queue.pending.map(\.endpoint) == (0..<5).map { "/a/\($0)" })
        await queue.close()
        await database.close()
    }

    /// The entry that is to be moved cannot be read, and the lease is too long to end meanwhile.
    @Test func aDiskThatHangsKeepsNoShards() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let proxy = try BreakableProxy(to: server.port.number)
        let (isHanging, began, goOn) = (Flag(), Promise<Void>(), DispatchSemaphore(value: 0))
        let seal = RecordSeal(
            seal: { $0 },
            open: { data in
                guard isHanging.isSet else { return data }
                began.resolve(.success(()))
                goOn.wait()
                goOn.signal()
                return data
            }
        )
        var configuration = Postgres.Configuration()
        configuration.statementTimeout = .seconds(4)
        let database = try await Postgres(server.url(name, port: proxy.port), configuration: configuration)
        let store = database.outbox("orders", spill: folder.url, seal: seal, lease: .seconds(600))
        try await store.open(clock: .system) { _ in }
        #expect(store.owned.count == 256)
        proxy.set(.cutAtResponse)
        let addition = OfflineAddition(request: .numbered(1, lane: "a"), byteCount: 100)
        _ = try await store.append(addition, within: OfflineBounds())
        isHanging.set()
        proxy.set(.pass)
        try await began.value()
        async let closed: Void = store.close(within: .seconds(60))
        let other = try await Postgres(server.url(name))
        let second = other.outbox("orders", lease: .seconds(600))
        try await second.open(clock: .system) { _ in }
        try await waitUntil { second.owned.count == 256 }
        goOn.signal()
        await closed
        await second.close(within: .seconds(5))
        await other.close()
        await database.close()
    }

    private func probe(_ arguments: [String]) throws -> (process: Process, output: Pipe, input: Pipe) {
        let (process, output, input) = (Process(), Pipe(), Pipe())
        let command: URL = try #require(BuiltCommand.replicaProbe)
        process.executableURL = command
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.runToBeKilled()
        return (process, output, input)
    }

    @Test(.enabled(if: BuiltCommand.replicaProbe != nil, "the program NetKitReplicaProbe is not beside the tests"))
    func losesNothingWhenAProcessIsKilled() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        // Entries that another process has left, 2 in a row before one that is alone in its batch.
        _ = try await database.outbox("orders").table.shards()
        let journal = JSONOfflineStore(directory: folder.url)
        let (lanes, depth) = (4, 100)
        for number in 0..<depth {
            for lane in 0..<lanes {
                let key = number % 3 == 2 ? "key\(number)" : nil
                let request = QueuedRequest.numbered(number, lane: "lane\(lane)", key: key)
                _ = try await journal.append(OfflineAddition(request: request, byteCount: 100), within: OfflineBounds())
            }
        }
        await journal.close(within: .seconds(5))
        func count() async throws -> Int {
            Int(try await server.sql("SELECT count(*) FROM netkit.entry", in: name)) ?? 0
        }
        var (known, kills) = (0, 0)
        while known < lanes * depth {
            let (process, _, _) = try probe(["spill", server.url(name), "orders", folder.path])
            while process.isRunning, try await count() == known { try await Task.sleep(for: .milliseconds(1)) }
            #expect(process.isRunning)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            kills += 1
            known = try await count()
        }
        let store = database.outbox("orders", spill: folder.url)
        let queue = try await OfflineQueue(store: store)
        while await !store.spilledEntries.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let pending = await queue.pending
        #expect(pending.count == lanes * depth)
        for lane in 0..<lanes {
            let targets = pending.filter { $0.lane == "lane\(lane)" }.map(\.endpoint)
            #expect(targets == (0..<depth).map { "/lane\(lane)/\($0)" }, "after \(kills) kills")
        }
        await queue.close()
        await database.close()
    }
}
