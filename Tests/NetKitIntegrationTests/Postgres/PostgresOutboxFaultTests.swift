import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of an outbox over a connection that breaks after a commit, is half open, slow or loses bytes.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresOutboxFaultTests {
    private let server: PostgresServer
    private let name: String
    private let judge = OutboxJudge()
    private let proxy: BreakableProxy

    init() async throws {
        server = try await PostgresServer.shared.value
        name = try await server.makeDatabase()
        proxy = try BreakableProxy(to: server.port.number)
    }

    private var url: String { server.url(name, port: proxy.port) }

    private var settings: OutboxReplica.Settings {
        var settings = OutboxReplica.Settings()
        // Without a connection, a lease must not end on a slow machine: the entry would rightly be sent again.
        settings.lease = .seconds(300)
        // A statement that runs again over a new connection must not run out of time either.
        settings.statementTimeout = .seconds(60)
        settings.refresh = .milliseconds(100)
        settings.patience = .milliseconds(300)
        return settings
    }

    private func sql(_ text: String) async throws -> String { try await server.sql(text, in: name) }

    private func wait(for text: String, _ value: String) async throws {
        while try await sql(text) != value { try await Task.sleep(for: .milliseconds(5)) }
    }

    private static let count = "SELECT count(*) FROM netkit.entry"

    // Texts that only the response to the statement has that adds, removes or settles an entry.
    private static let added = "outcome"
    private static let removed = "DELETE 1"
    private static let settled = "is_mine"

    @Test func saysThatItIsUnknownIfTheConnectionIsNotMadeAgain() async throws {
        var settings = settings
        // Long enough for the statements that open the outbox on a busy machine.
        settings.statementTimeout = .seconds(5)
        let replica = try await OutboxReplica(url, judge.sender(), settings)
        await replica.queue.pause(lane: "a")
        proxy.set(.cut(at: Self.added, next: .refuse))
        let error = await #expect(throws: NetKitError.self) {
            try await replica.queue.enqueue(.numbered(1, lane: "a"))
        }
        #expect(error?.outcome == .unknown)
        #expect(proxy.cutCount == 1)
        #expect(try await sql(Self.count) == "1")
        proxy.set(.pass)
        await replica.close()
    }

    @Test func removesWhatWasDeliveredOverABrokenConnection() async throws {
        let replica = try await OutboxReplica(url, judge.sender(), settings)
        for number in 1...2 {
            proxy.set(.cut(at: Self.removed, next: .pass))
            try await replica.queue.enqueue(.numbered(number, lane: "a"))
            try await waitUntil { proxy.cutCount == number }
            try await wait(for: Self.count, "0")
        }
        #expect(judge.targets == ["/a/1", "/a/2"])
        await replica.close()
    }

    /// The removal is repeated because its response was lost, and the identifier belongs to a new request by then.
    @Test func sendsANewEntryWithTheIdentifierOfADeliveredOne() async throws {
        let replica = try await OutboxReplica(url, judge.sender(), settings)
        await replica.queue.pause(lane: "a")
        let id = try await replica.queue.enqueue(.numbered(1, lane: "a")).id
        proxy.set(.cut(at: Self.removed, next: .refuse))
        await replica.queue.resume(lane: "a")
        try await waitUntil { proxy.cutCount == 1 }
        let request = #"{"method": "POST", "url": "/a/2"}"#
        _ = try await sql("SELECT netkit.enqueue('orders', '\(request)', lane => 'a', id => '\(id)')")
        proxy.set(.pass)
        try await judge.wait { $0.contains { $0.target == "/a/2" } }
        try await wait(for: Self.count, "0")
        #expect(judge.targets == ["/a/1", "/a/2"])
        await replica.close()
    }

    /// The server still adds the entry when its connection is lost, and the addition that is repeated waits for it.
    @Test(arguments: [CoalescingRule.replace, .keep]) func anAdditionIsNotReplacedByItsRepetition(
        rule: CoalescingRule
    ) async throws {
        let replica = try await OutboxReplica(url, judge.sender(), settings)
        await replica.queue.pause(lane: "a")
        _ = try await sql(
            """
            CREATE TABLE public.gate AS SELECT 1 AS number;
            CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END';
            CREATE TRIGGER wait BEFORE INSERT ON netkit.entry FOR EACH ROW EXECUTE FUNCTION public.wait();
            """
        )
        let events = replica.queue.events
        let adding = Task {
            var request = QueuedRequest.numbered(1, lane: "a", key: "key")
            request.coalescing = rule
            return try await replica.queue.enqueue(request)
        }
        // The connections are cut one after the other, so it may also run a second time on one that is cut next.
        let active = """
            SELECT least(count(*), 2) FROM pg_stat_activity
            WHERE datname = '\(name)' AND state = 'active' AND query LIKE '%netkit.add_1%' AND pid <> pg_backend_pid()
            """
        try await wait(for: active, "1")
        proxy.cut()
        try await wait(for: active, "2")
        _ = try await sql("DELETE FROM public.gate")
        let receipt = try await adding.value
        #expect(receipt.replaced == [] && !receipt.isCoalesced)
        await replica.queue.resume(lane: "a")
        var kinds: [OfflineEvent.Kind] = []
        for await event in events where ![.storeFailed, .lanePaused, .laneResumed].contains(event.kind) {
            kinds.append(event.kind)
            if event.kind == .delivered { break }
        }
        #expect(kinds == [.enqueued, .started, .delivered])
        await replica.close()
    }

    @Test(arguments: [503, 422]) func settlesOnceOverABrokenConnection(status: HTTPStatus) async throws {
        let sent = Locked(0)
        let sender = judge.sender { _ in
            let count = sent.withLock { count in
                count += 1
                return count
            }
            return count == 1 ? status : 204
        }
        let replica = try await OutboxReplica(url, sender, settings)
        let events = replica.queue.events
        proxy.set(.cut(at: Self.settled, next: .pass))
        // The addition is reported before the sending, which begins after the response to the addition.
        await replica.queue.pause(lane: "a")
        try await replica.queue.enqueue(.numbered(1, lane: "a"))
        await replica.queue.resume(lane: "a")
        var (kinds, counts): ([OfflineEvent.Kind], [Int]) = ([], [])
        for await event in events {
            if [.storeFailed, .lanePaused, .laneResumed].contains(event.kind) { continue }
            (kinds, counts) = (kinds + [event.kind], counts + [event.retryCount])
            if [.deadLettered, .delivered].contains(event.kind) { break }
        }
        let isDead = status == 422
        let end: [OfflineEvent.Kind] = isDead ? [.deadLettered] : [.postponed, .started, .delivered]
        #expect(kinds == [.enqueued, .started] + end)
        #expect(counts == (isDead ? [0, 0, 0] : [0, 0, 1, 1, 1]))
        #expect(proxy.cutCount == 1)
        await replica.close()
    }

    @Test func storesADecisionOnceOverABrokenConnection() async throws {
        let sent = Locked(0)
        let sender = judge.sender { _ in
            let count = sent.withLock { count in
                count += 1
                return count
            }
            return count == 1 ? 409 : 204
        }
        let replica = try await OutboxReplica(url, sender, settings)
        let id = try await replica.queue.enqueue(.numbered(1, lane: "a")).id
        try await wait(for: "SELECT count(*) FROM netkit.entry WHERE state = 'c'", "1")
        // The conflict was put aside before the response to this.
        await replica.queue.pause(lane: "a")
        var update = OfflineUpdate(try #require(await replica.queue.entries.first))
        update.state = .waiting
        update.request = try await replica.queue.storedRequest(id)
        update.request?.idempotencyKey = "merged"
        proxy.set(.cut(at: Self.settled, next: .pass))
        #expect(try await replica.store.release(id, update))
        #expect(proxy.cutCount == 1)
        await replica.queue.resume(lane: "a")
        try await wait(for: Self.count, "0")
        #expect(judge.sent.map(\.key).last == "merged")
        #expect(judge.sent.count == 2)
        await replica.close()
    }

    /// Only the clock of the frozen one moves, so the database has not ended its lease when it ends its attempts.
    @Test func cancelsItsAttemptsBeforeAnotherTakesOver() async throws {
        let time = TestClock()
        var settings = settings
        (settings.clock, settings.lease) = (time.clock, .seconds(3000))
        (settings.statementTimeout, settings.patience) = (settings.lease, settings.lease)
        let frozen = try await OutboxReplica(url, judge.sender("frozen", delay: .seconds(600)), settings)
        let lanes = (0..<8).map { "lane\($0)" }
        for lane in lanes { try await frozen.queue.enqueue(.numbered(1, lane: lane)) }
        try await time.advance(inStepsOf: .milliseconds(10)) { judge.active.count == 8 }
        proxy.set(.hold)
        time.advance(by: settings.lease * 9 / 10)
        try await waitUntil { judge.active.isEmpty }
        #expect(try await sql("SELECT count(*) FROM netkit.replica WHERE expires_at > clock_timestamp()") == "1")
        _ = try await sql("UPDATE netkit.replica SET expires_at = clock_timestamp() - interval '1 second'")
        let other = try await OutboxReplica(server.url(name), judge.sender("other"))
        try await judge.wait { $0.filter { $0.replica == "other" }.count == 8 }
        // Each of the frozen one had ended before the other began.
        #expect(judge.complaints == [])
        #expect(Set(judge.sent.prefix(8).map(\.replica)) == ["frozen"])
        try await wait(for: Self.count, "0")
        proxy.set(.pass)
        try await time.advance(inStepsOf: .seconds(2)) {
            other.store.lease?.wake()
            return frozen.store.owned.count == 128
        }
        await frozen.close()
        await other.close()
        #expect(judge.sent.count == 16)
    }

    @Test func keepsItsLeaseOverASlowConnection() async throws {
        let time = TestClock()
        var settings = settings
        settings.clock = time.clock
        (settings.statementTimeout, settings.patience) = (settings.lease * 10, settings.lease * 10)
        let replica = try await OutboxReplica(url, judge.sender(), settings)
        proxy.set(.delay(.milliseconds(50)))
        // Longer than the lease lasts without a heartbeat.
        for number in 0..<4 {
            try await replica.queue.enqueue(.numbered(number, lane: "a"))
            time.advance(by: settings.lease / 3)
            replica.store.lease?.wake()
            try await waitUntil { replica.store.lease?.timeSinceHeartbeat == .zero }
            #expect(replica.store.owned.count == 256)
        }
        try await time.advance(inStepsOf: .milliseconds(10)) { judge.order["a"]?.count == 4 }
        #expect(judge.order["a"] == (0..<4).map { "/a/\($0)" })
        proxy.set(.pass)
        await replica.close()
    }

    private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"

    @Test(arguments: isLong ? Array(1...20) : [1] as [UInt64]) func losesNothingOverALineOfFaults(seed: UInt64)
        async throws
    {
        var settings = settings
        (settings.lease, settings.statementTimeout) = (.seconds(3), .seconds(1))
        let faulty = try await OutboxReplica(url, judge.sender("faulty", delay: .milliseconds(2)), settings)
        let other = try await OutboxReplica(server.url(name), judge.sender("other", delay: .milliseconds(2)), settings)
        let faults = Task { [proxy] in
            let random = RandomSource.seeded(seed)
            let modes: [BreakableProxy.Mode] = [.cutAtResponse, .hold, .delay(.milliseconds(20)), .drop]
            for _ in 0..<10 {
                proxy.set(modes[Int(random.next() % 4)])
                try await Task.sleep(for: .milliseconds(20 + Int(random.next() % 60)))
                if random.next() % 4 == 0 { proxy.cut() }
                proxy.set(.pass)
                try await Task.sleep(for: .milliseconds(50 + Int(random.next() % 200)))
            }
        }
        let (lanes, depth) = ((0..<10).map { "lane\($0)" }, 8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, lane) in lanes.enumerated() {
                let queue = index % 2 == 0 ? faulty.queue : other.queue
                group.addTask {
                    for number in 0..<depth {
                        // Entries with a key are begun in the database.
                        let key = number % 2 == 0 ? "key" : nil
                        var request = QueuedRequest.numbered(number, lane: lane, key: key)
                        request.coalescing = .append
                        let entry = request
                        try await repeating { try await queue.enqueue(entry) }
                        try await Task.sleep(for: .milliseconds(150))
                    }
                }
            }
            try await group.waitForAll()
        }
        try await faults.value
        try await judge.wait { sent in Set(sent.map(\.target)).count == lanes.count * depth }
        try await wait(for: Self.count, "0")
        await faulty.close()
        await other.close()
        #expect(judge.complaints == [])
        for lane in lanes { #expect(judge.order[lane] == (0..<depth).map { "/\(lane)/\($0)" }) }
    }

    private func repeating(_ body: () async throws -> OfflineReceipt) async throws {
        while true {
            do {
                _ = try await body()
                return
            } catch let error as NetKitError where [.storeUnavailable, .timeout].contains(error.code) {}
        }
    }
}
