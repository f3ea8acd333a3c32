import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests that a listing of some shards skips entries that were deleted before, and no existing one.
@Suite(.needs(.postgres), .needsTheMachine, .serialized)
struct PostgresFloorTests {
    /// A server without the transactions of other tests, which would keep the floors down.
    private static let own = Task { try await PostgresServer() }

    private let server: PostgresServer
    private let name: String

    init() async throws {
        server = try await Self.own.value
        name = try await server.makeDatabase()
    }

    /// A connection whose statements can be parts of a transaction.
    private final class Session {
        let database: Postgres
        var isOpen = false

        init(_ database: Postgres) { self.database = database }

        func run(_ text: String) async throws {
            _ = try await database.run(Statement(text), on: .control)
        }
    }

    /// Transactions of any length, entries that are sent or set aside, and those that come back.
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func someShardsHaveWhatAListingOfAllHas(seed: UInt64) async throws {
        var random = RandomSource.seeded(seed)
        let database = try await Postgres(server.url(name))
        let store = database.outbox("orders", shards: 4)
        try await store.open(clock: .system) { _ in }
        let shards = store.owned
        #expect(shards.count == 4)
        var sessions: [Session] = []
        for _ in 0..<3 { sessions.append(Session(try await Postgres(server.url(name)))) }
        var floorCount = 0
        for _ in 0..<300 {
            let session = sessions[Int.random(in: 0..<3, using: &random)]
            let lane = "lane\(Int.random(in: 0..<6, using: &random))"
            let lines = try await store.lines(of: shards, depth: 3).lines
            let all = try await database.run(
                Statement(
                    "SELECT id FROM netkit.lines_1('orders', ARRAY(SELECT id FROM netkit.shard), NULL, 3) WHERE id IS NOT NULL"
                )
            )
            let ids = try Set(all.map { try $0.value("id", as: UUID.self) })
            #expect(Set(lines.map(\.entry.id)) == ids)
            if shards.contains(where: { store.floors.withLock { $0 }.floor(of: $0) > 0 }) { floorCount += 1 }
            switch Int.random(in: 0..<15, using: &random) {
            case 0..<2:
                if !session.isOpen { try await session.run("BEGIN") }
                session.isOpen = true
                try await session.run("SELECT netkit.enqueue('orders', '{}', lane => '\(lane)')")
            case 2..<5:
                if session.isOpen { try await session.run(Bool.random(using: &random) ? "COMMIT" : "ROLLBACK") }
                session.isOpen = false
            case 5..<7:
                let request = QueuedRequest.numbered(0, lane: lane)
                _ = try await store.append(OfflineAddition(request: request, byteCount: 9), within: OfflineBounds())
            case 7..<10:
                if let line = lines.randomElement(using: &random) { try await store.commit(line.entry.id, sentAs: nil) }
            case 10:
                guard let line = lines.randomElement(using: &random) else { break }
                var update = OfflineUpdate(line.entry)
                update.state = .deadLetter
                _ = try await store.release(line.entry.id, update)
            case 11:
                let aside = try await store.browse(OfflineFilter(states: [.deadLetter]), after: nil, limit: 10)
                if let entry = aside.randomElement(using: &random) { _ = try await store.revive([entry.id]) }
            default: _ = try await store.lines(of: nil, depth: 3)
            }
        }
        // There has to be something that was left out.
        #expect(floorCount > 100, "\(floorCount)")
        for session in sessions { await session.database.close() }
        await store.close(within: .seconds(1))
        await database.close()
    }

    /// The snapshot of a listing tells of a transaction only if a later one is over.
    @Test func waitsForTheTransactionWithTheHighestNumber() async throws {
        let database = try await Postgres(server.url(name))
        let store = database.outbox("orders", shards: 1)
        try await store.open(clock: .system) { _ in }
        let (first, last) = (
            Session(try await Postgres(server.url(name))), Session(try await Postgres(server.url(name)))
        )
        let call = "SELECT netkit.enqueue('orders', '{}', lane => 'a')"
        for session in [first, last] {
            try await session.run("BEGIN")
            try await session.run("SELECT pg_current_xact_id()")
        }
        try await last.run(call)
        try await first.run(call)
        try await first.run("COMMIT")
        for _ in 0..<3 { #expect(try await store.lines(of: nil, depth: 9).lines.count == 1) }
        try await last.run("COMMIT")
        #expect(try await store.lines(of: store.owned, depth: 9).lines.count == 2)
        for session in [first, last] { await session.database.close() }
        await store.close(within: .seconds(1))
        await database.close()
    }

    @Test func aDepthBelowZeroIsZero() async throws {
        let database = try await Postgres(server.url(name))
        let store = database.outbox("orders")
        let queue = try await OfflineQueue(store: store)
        try await queue.enqueue(.numbered(1, lane: "a"))
        #expect(try await store.lines(of: nil, depth: 1).lines.count == 1)
        #expect(try await store.lines(of: nil, depth: -1).lines.isEmpty)
        await queue.close()
        await database.close()
    }

    /// A transaction that began before everything else, and is committed after listings and removals.
    @Test func keepsTheOrderOfALaneBehindALongTransaction() async throws {
        let judge = OutboxJudge()
        var settings = OutboxReplica.Settings()
        settings.refresh = .milliseconds(20)
        let replica = try await OutboxReplica(server.url(name), judge.sender(), settings)
        let session = Session(try await Postgres(server.url(name)))
        func call(_ target: String) -> String {
            "SELECT netkit.enqueue('orders', '{\"method\":\"PUT\",\"url\":\"/a/\(target)\"}', lane => 'a')"
        }
        try await session.run("BEGIN")
        try await session.run(call("late"))
        for number in 1...3 {
            try await replica.queue.enqueue(.numbered(number, lane: "a"))
            try await judge.wait(for: number)
            for _ in 0..<4 { await replica.queue.processQueue() }
        }
        await replica.queue.pause(lane: "a")
        try await session.run("COMMIT")
        try await replica.queue.enqueue(.numbered(4, lane: "a"))
        await replica.queue.resume(lane: "a")
        try await judge.wait(for: 5)
        #expect(judge.targets == ["/a/1", "/a/2", "/a/3", "/a/late", "/a/4"])
        await session.database.close()
        await replica.close()
    }
}
