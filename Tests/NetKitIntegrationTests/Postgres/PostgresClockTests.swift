import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of replicas whose time of day is wrong: only the database's clock and durations decide.
@Suite(.needs(.postgres))
struct PostgresClockTests {
    private let testDatabase: TestDatabase
    private let judge = OutboxJudge()

    init() async throws { testDatabase = try await TestDatabase() }

    private func replica(_ label: String, skew: Double, _ sender: (any RequestSending)? = nil) async throws
        -> OutboxReplica
    {
        var settings = OutboxReplica.Settings()
        settings.clock = NetKitClock(SkewedClock(skew: skew))
        return try await OutboxReplica(testDatabase.url, sender ?? judge.sender(label), settings)
    }

    /// As if the clock of the database had gone back by an hour since a process ended.
    @Test(.needsTheMachine) func aLeaseIsNotLongerThanOneThatBeginsNow() async throws {
        let replica = try await replica("first", skew: 0)
        try await waitUntil { replica.store.owned.count == 256 }
        let dead = UUID()
        try await testDatabase.sql(
            """
            INSERT INTO netkit.replica VALUES ('\(dead)', 'orders', 'dead', clock_timestamp() + interval '1 hour');
            UPDATE netkit.shard SET owner = '\(dead)', fence = fence + 1 WHERE id % 2 = 0
            """
        )
        replica.store.lease?.wake()
        try await waitUntil { replica.store.owned.count == 128 }
        let rest = try await testDatabase.sql(
            "SELECT expires_at - clock_timestamp() <= interval '15 seconds' FROM netkit.replica WHERE id = '\(dead)'"
        )
        #expect(rest == "t")
        await replica.close()
    }

    private func seconds(_ column: String) async throws -> Double? {
        let text = "SELECT extract(epoch FROM \(column) - clock_timestamp()) FROM netkit.entry"
        return Double(try await testDatabase.sql(text))
    }

    @Test(.mostlySleeps, arguments: [3600.0, -3600.0]) func expiresWhenItsTimeIsOver(skew: Double) async throws {
        let wrong = try await replica("wrong", skew: skew)
        let right = try await replica("right", skew: 0)
        for replica in [wrong, right] { try await waitUntil { replica.store.owned.count == 128 } }
        await right.queue.pause(lane: "a")
        let events = [wrong.queue.events, right.queue.events]
        var request = QueuedRequest.numbered(1, lane: "a")
        request.expiresAt = wrong.queue.configuration.clock.date.addingTimeInterval(6)
        try await wrong.queue.enqueue(request)
        let rest = try await seconds("expires_at")
        #expect(rest.map { (0...6).contains($0) } == true, "\(rest ?? .nan)")
        let kind = await withTaskGroup(of: OfflineEvent.Kind?.self) { group in
            for stream in events {
                group.addTask {
                    for await event in stream where [.expired, .delivered].contains(event.kind) { return event.kind }
                    return nil
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        #expect(kind == .expired)
        // In a transaction of the caller as well.
        request = .numbered(2, lane: "a")
        request.expiresAt = wrong.queue.configuration.clock.date.addingTimeInterval(1000)
        let insertion = try wrong.store.insertion(of: request)
        var statement = Statement(insertion.sql)
        statement.parameters = insertion.parameters.map { $0.bytes.map { .bytea($0) } ?? .text($0.text) }
        _ = try await wrong.database.run(statement)
        let left = try await testDatabase.sql(
            "SELECT extract(epoch FROM expires_at - clock_timestamp()) FROM netkit.entry WHERE state = 'w'"
        )
        #expect(Double(left).map { (900...1000).contains($0) } == true, "\(left)")
        await wrong.close()
        await right.close()
    }

    @Test(.needsTheMachine, arguments: [3600.0, -3600.0])
    func waitsAndPausesAsLongAsItShould(skew: Double) async throws {
        let wrong = try await replica("wrong", skew: skew, RefusingSender())
        try await wrong.queue.enqueue(.numbered(1, lane: "a"))
        while try await seconds("not_before") == nil { try await Task.sleep(for: .milliseconds(5)) }
        let wait = try #require(try await seconds("not_before"))
        #expect((20...31).contains(wait), "\(wait)")
        try await wrong.store.pause("b", for: .seconds(60))
        let rest = try await testDatabase.sql(
            "SELECT extract(epoch FROM paused_until - clock_timestamp()) BETWEEN 50 AND 60 FROM netkit.lane"
        )
        #expect(rest == "t")
        let right = try await replica("right", skew: 0)
        for replica in [wrong, right] { try await waitUntil { replica.store.owned.count == 128 } }
        let listing = [
            try await wrong.store.lines(of: nil, depth: 10), try await right.store.lines(of: nil, depth: 10),
        ]
        let line = try #require(listing.flatMap(\.lines).first)
        #expect(line.wait.map { $0 <= .seconds(31) && $0 > .seconds(15) } == true)
        #expect(listing.compactMap { $0.pauses["b"] ?? nil }.allSatisfy { $0 <= .seconds(60) && $0 > .seconds(40) })
        #expect(listing.flatMap(\.pauses.keys) == ["b"])
        await wrong.close()
        await right.close()
    }

    /// A server that asks for 30 seconds of patience, with a date.
    private struct RefusingSender: RequestSending {
        func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
            let now = Date()
            let (date, later) = (HTTPDate.format(now), HTTPDate.format(now.addingTimeInterval(30)))
            return HTTPResponse(status: 503, headers: ["Date": date, "Retry-After": later])
        }
    }

    @Test(.needsTheMachine, arguments: [3600.0, -3600.0]) func keepsAValueAsLongAsItShould(skew: Double) async throws {
        let clock = NetKitClock(SkewedClock(skew: skew))
        let database = try await Postgres(testDatabase.url, clock: clock)
        let cache = CacheService(store: try await database.cache(), clock: clock)
        try await cache.set(key: "a", value: 1, ttl: .seconds(600))
        #expect(try await cache.get(key: "a", as: Int.self) == 1)
        let rest = try await testDatabase.sql(
            "SELECT extract(epoch FROM drop_after - clock_timestamp()) BETWEEN 500 AND 600 FROM netkit.cache"
        )
        #expect(rest == "t")
        await database.close()
    }

    @Test(.needsTheMachine) func leasesATokenAndALimitByTheClockOfTheDatabase() async throws {
        var databases: [Postgres] = []
        for skew in [3600.0, -3600.0, 0] {
            databases.append(try await Postgres(testDatabase.url, clock: NetKitClock(SkewedClock(skew: skew))))
        }
        let vaults = databases.map { $0.token("crm") }
        guard case .granted = try await vaults[0].lease(0, by: UUID(), for: .seconds(60)) else {
            throw PeerError("the right is not free")
        }
        for vault in vaults[1...] {
            guard case .held(let rest) = try await vault.lease(0, by: UUID(), for: .seconds(60)) else {
                throw PeerError("two have the right")
            }
            #expect(rest > .seconds(50) && rest <= .seconds(60))
        }
        let bucket = SharedRateBucket(key: "", interval: .seconds(60), burst: 10)
        #expect(try await databases[0].rate("crm").take(10, from: bucket).count == 10)
        for database in databases {
            let grant = try await database.rate("crm").take(1, from: bucket)
            #expect(grant.count == 0)
            #expect(grant.wait > .seconds(50) && grant.wait <= .seconds(60))
        }
        for database in databases { await database.close() }
    }
}
