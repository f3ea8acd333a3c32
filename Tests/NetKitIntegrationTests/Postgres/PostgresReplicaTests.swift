import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of several queues with connections of their own, as in several processes, over one outbox.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresReplicaTests {
    private let testDatabase: TestDatabase
    private let judge = OutboxJudge()

    init() async throws { testDatabase = try await TestDatabase() }

    private func replica(
        _ label: String,
        url: String? = nil,
        lease: Duration = .seconds(15),
        delay: Duration = .zero,
        refresh: Duration = .seconds(60),
        time: TestClock? = nil
    ) async throws -> OutboxReplica {
        var settings = OutboxReplica.Settings()
        (settings.lease, settings.refresh) = (lease, refresh)
        if let time {
            settings.clock = time.clock
            (settings.statementTimeout, settings.patience) = (lease, lease)
        }
        return try await OutboxReplica(url ?? testDatabase.url, judge.sender(label, delay: delay), settings)
    }

    @Test func sharesTheLanesAndHandsThemOver() async throws {
        let first = try await replica("first", delay: .milliseconds(2))
        #expect(first.store.owned.count == 256)
        let lanes = (0..<40).map { "lane\($0)" }
        // The refresh interval is long, so everything depends on notices.
        let second = try await replica("second", delay: .milliseconds(2))
        let third = try await replica("third", delay: .milliseconds(2))
        for replica in [first, second, third] {
            try await waitUntil { (80...86).contains(replica.store.owned.count) }
        }
        for number in 0..<10 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, lane) in lanes.enumerated() {
                    let queue = [first, second, third][(number + index) % 3].queue
                    group.addTask { try await queue.enqueue(.numbered(number, lane: lane)) }
                }
                try await group.waitForAll()
            }
            if number == 5 { await second.close() }
            if number == 5 { break }
        }
        try await judge.wait(for: 240)
        let senders = Set(judge.sent.map(\.replica))
        #expect(senders == ["first", "second", "third"])
        try await waitUntil { first.store.owned.count == 128 }
        try await waitUntil { third.store.owned.count == 128 }
        await first.close()
        await third.close()
        #expect(judge.complaints == [])
        #expect(judge.sent.count == 240)
        for lane in lanes { #expect(judge.order[lane] == (0..<6).map { "/\(lane)/\($0)" }) }
    }

    @Test func takesOverAtOnceWhenAnotherCloses() async throws {
        // Without a notice, it would happen at one of the heartbeats, which are further apart than the test may last.
        let lease = Duration.seconds(3000)
        let second = try await replica("second", lease: lease)
        let first = try await replica("first", lease: lease)
        try await waitUntil { first.store.owned.count == 128 }
        try await waitUntil { second.store.owned.count == 128 }
        await first.close()
        try await waitUntil { second.store.owned.count == 256 }
        await second.close()
    }

    @Test func wakesTheOwnerOfAShard() async throws {
        let first = try await replica("first")
        let second = try await replica("second")
        try await waitUntil { first.store.owned.count == 128 }
        try await waitUntil { second.store.owned.count == 128 }
        for number in 0..<50 { try await first.queue.enqueue(.numbered(number, lane: "lane\(number)")) }
        try await judge.wait(for: 50)
        #expect(Set(judge.sent.map(\.replica)) == ["first", "second"])
        await first.close()
        await second.close()
    }

    @Test func stopsWithItsLeaseIfItsConnectionIsFrozen() async throws {
        let proxy = try BreakableProxy(to: testDatabase.server.port.number)
        let (time, lease) = (TestClock(), Duration.seconds(3000))
        let url = testDatabase.url(port: proxy.port)
        let frozen = try await replica("frozen", url: url, lease: lease, time: time)
        let other = try await replica("other", lease: lease)
        try await time.advance(inStepsOf: .milliseconds(10)) { frozen.store.owned.count == 128 }
        try await waitUntil { other.store.owned.count == 128 }
        let lanes = (0..<60).map { "lane\($0)" }
        proxy.set(.hold)
        for lane in lanes { try await other.queue.enqueue(.numbered(1, lane: lane)) }
        time.advance(by: lease * 9 / 10)
        #expect(frozen.store.owned == [])
        let valid = "SELECT count(*) FROM netkit.replica WHERE expires_at > clock_timestamp()"
        #expect(try await testDatabase.sql(valid) == "2")
        try await testDatabase.sql(
            "UPDATE netkit.replica SET expires_at = clock_timestamp() - interval '1 second' WHERE id = '\(frozen.store.table.replica)'"
        )
        other.store.lease?.wake()
        try await judge.wait(for: lanes.count)
        #expect(other.store.owned.count == 256)
        #expect(Set(judge.sent.map(\.replica)) == ["other"])
        proxy.set(.pass)
        try await time.advance(inStepsOf: .seconds(2)) {
            other.store.lease?.wake()
            return frozen.store.owned.count == 128
        }
        for lane in lanes { try await frozen.queue.enqueue(.numbered(2, lane: lane)) }
        try await time.advance(inStepsOf: .milliseconds(10)) { judge.sent.count >= 2 * lanes.count }
        await frozen.close()
        await other.close()
        #expect(judge.complaints == [])
        for lane in lanes { #expect(judge.order[lane] == ["/\(lane)/1", "/\(lane)/2"]) }
    }

    @Test func writesNothingAboutEntriesOfOthers() async throws {
        let first = try await replica("first")
        let second = try await replica("second")
        try await waitUntil { second.store.owned.count == 128 }
        let id = try #require(await lane(of: second, first))
        #expect(try await !first.store.begin(id))
        let entry = try #require(try await second.store.browse(OfflineFilter(ids: [id]), after: nil, limit: 1).first)
        #expect(try await !first.store.release(id, OfflineUpdate(entry)))
        #expect(try await first.store.remove([id]).asked == [id])
        await first.close()
        await second.close()
    }

    /// Adds an entry that waits in a lane of one replica.
    private func lane(of replica: OutboxReplica, _ other: OutboxReplica) async throws -> UUID? {
        for number in 0..<100 {
            var request = QueuedRequest.numbered(number, lane: "lane\(number)")
            request.identity = "nobody has it"
            try await replica.store.pause(request.lane, for: nil)
            let addition = OfflineAddition(request: request, byteCount: 10, identity: request.identity)
            guard case .added(let entry, _, _) = try await other.store.append(addition, within: OfflineBounds()) else {
                continue
            }
            if replica.store.owns(entry.shard) { return entry.id }
        }
        return nil
    }

    @Test func throwsWhileTheDatabaseIsAway() async throws {
        let own = try await PostgresServer()
        let name = try await own.makeDatabase()
        let replica = try await replica("first", url: own.url(name), lease: .seconds(3), refresh: .milliseconds(200))
        try await replica.queue.enqueue(.numbered(1, lane: "a"))
        try await judge.wait(for: 1)
        // An entry whose delivery is not recorded yet would be sent again afterwards.
        await replica.queue.processQueue()
        let events = replica.database.events
        await own.stop()
        for await event in events where event.kind == .unreachable { break }
        let request = QueuedRequest.numbered(2, lane: "a")
        let error = await #expect(throws: NetKitError.self) { try await replica.queue.enqueue(request) }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .notSent)
        try await waitUntil { replica.store.owned.count == 0 }
        #expect(await replica.queue.storeProblem != nil)
        try await own.start()
        try await repeating { try await replica.queue.enqueue(request) }
        try await judge.wait(for: 2)
        #expect(judge.targets == ["/a/1", "/a/2"])
        await replica.close()
        await own.stop()
    }

    @Test func addsOnceIfTheConnectionBreaksBehindTheCommit() async throws {
        let proxy = try BreakableProxy(to: testDatabase.server.port.number)
        let replica = try await replica("first", url: testDatabase.url(port: proxy.port))
        // It stays in the database, where it can be counted.
        await replica.queue.pause(lane: "a")
        let count = "SELECT count(*) FROM netkit.entry"
        let request = QueuedRequest.numbered(1, lane: "a")
        proxy.set(.cut(at: "outcome", next: .pass))
        let id = try await replica.queue.enqueue(request).id
        #expect(proxy.cutCount == 1)
        #expect(id == request.id)
        #expect(try await testDatabase.sql(count) == "1")
        #expect(try await testDatabase.sql("SELECT id FROM netkit.entry") == id.uuidString.lowercased())
        await replica.queue.resume(lane: "a")
        try await judge.wait(for: 1)
        await replica.close()
    }

    @Test func losesNothingWhenTheServerCrashes() async throws {
        let own = try await PostgresServer()
        let name = try await own.makeDatabase()
        let replica = try await replica("first", url: own.url(name), lease: .seconds(4), refresh: .milliseconds(200))
        let (lanes, count) = (["a", "b", "c", "d"], 60)
        let half = Promise<Void>()
        let filling = lanes.map { lane in
            startImmediately {
                for number in 0..<count {
                    if lane == "a", number == count / 2 { half.resolve(.success(())) }
                    var request = QueuedRequest.numbered(number, lane: lane)
                    request.idempotencyKey = "\(lane)-\(number)"
                    let entry = request
                    try await repeating { try await replica.queue.enqueue(entry) }
                }
            }
        }
        try await half.value()
        await own.stop()
        try await own.start()
        for task in filling { try await task.value }
        try await judge.wait { sent in Set(sent.map(\.target)).count == lanes.count * count }
        await replica.close()
        await own.stop()
        #expect(judge.complaints == [])
        for lane in lanes { #expect(judge.order[lane] == (0..<count).map { "/\(lane)/\($0)" }) }
    }

    private func repeating(_ body: () async throws -> OfflineReceipt) async throws {
        for _ in 0..<20 {
            do {
                _ = try await body()
                return
            } catch let error as NetKitError where [.storeUnavailable, .timeout].contains(error.code) {}
        }
        _ = try await body()
    }

    @Test func opensWhileTheDatabaseIsAway() async throws {
        let own = try await PostgresServer()
        let name = try await own.makeDatabase()
        let database = try await Postgres(own.url(name))
        await own.stop()
        let queue = try await OfflineQueue(store: database.outbox("orders", lease: .seconds(2)), sender: judge.sender())
        #expect(await queue.storeProblem?.code == .storeUnavailable)
        try await own.start()
        try await repeating { try await queue.enqueue(.numbered(1, lane: "a")) }
        try await judge.wait(for: 1)
        await queue.close()
        await database.close()
        await own.stop()
    }
}
