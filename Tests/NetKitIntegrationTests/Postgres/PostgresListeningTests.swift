import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresListeningTests {
    private let server: PostgresServer
    private let name: String

    init() async throws {
        server = try await PostgresServer.shared.value
        name = try await server.makeDatabase()
    }

    private func notices(_ database: Postgres) -> AsyncStream<PostgresNotice> {
        let (stream, continuation) = AsyncStream.makeStream(of: PostgresNotice.self)
        _ = database.listen(to: "work") { continuation.yield($0) }
        return stream
    }

    @Test func hearsOfOthersAndListensAgain() async throws {
        let database = try await Postgres(server.url(name))
        var notices = notices(database).makeAsyncIterator()
        guard case .missed? = await notices.next() else { throw PeerError("no first notice") }
        #expect(database.health.isListening)
        try await server.sql("NOTIFY netkit_work, 'orders 7'", in: name)
        guard case .message("orders 7")? = await notices.next() else { throw PeerError("no notification") }
        try await server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()"
        )
        guard case .missed? = await notices.next() else { throw PeerError("no notice of the loss") }
        try await server.sql("NOTIFY netkit_work, 'again'", in: name)
        guard case .message("again")? = await notices.next() else { throw PeerError("no notification") }
        await database.close()
    }

    @Test func isDeafIfTheServerRefusesAChannel() async throws {
        let database = try await Postgres(server.url(name))
        let (stream, continuation) = AsyncStream.makeStream(of: PostgresNotice.self)
        // The name ends in the middle, without its second quotation mark.
        _ = database.listen(to: "work\0") { continuation.yield($0) }
        var notices = stream.makeAsyncIterator()
        guard case .missed? = await notices.next() else { throw PeerError("no first notice") }
        #expect(!database.health.isListening)
        await database.close()
    }

    /// Makes notifications wait until the table `public.gate` is empty.
    private func makeGate() async throws {
        try await server.sql(
            """
            CREATE TABLE public.gate AS SELECT 1 AS number;
            CREATE FUNCTION public.pg_notify(channel text, payload text) RETURNS void LANGUAGE plpgsql AS
              'BEGIN
                 WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.01); END LOOP;
                 PERFORM pg_catalog.pg_notify(channel, payload);
               END';
            ALTER DATABASE \(name) SET search_path = public, pg_catalog;
            """,
            in: name
        )
    }

    private func waitForTest() async throws {
        let active = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = '\(name)' AND state = 'active' AND query LIKE '%pg_notify%' AND pid <> pg_backend_pid()
            """
        while try await server.sql(active) != "1" { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func aTestOfNoticesOutlivesItsConnection() async throws {
        try await makeGate()
        let database = try await Postgres(server.url(name), clock: .system, patience: .seconds(60))
        var notices = notices(database).makeAsyncIterator()
        try await waitForTest()
        try await server.sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = '\(name)' AND query LIKE '%pg_notify%' AND pid <> pg_backend_pid()
            """
        )
        try await waitForTest()
        try await server.sql("DELETE FROM public.gate", in: name)
        guard case .missed? = await notices.next() else { throw PeerError("no first notice") }
        #expect(database.health.isListening)
        await database.close()
    }

    /// The connection of a test that takes too long is given up.
    @Test func aSlowTestOfNoticesEndsNoStatement() async throws {
        try await makeGate()
        let database = try await Postgres(server.url(name))
        _ = database.listen(to: "work") { _ in }
        try await waitForTest()
        // Both connections are busy, so that the next statement could go to either.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await database.run(Statement("SELECT pg_sleep(0.02)")) }
            }
            try await group.waitForAll()
        }
        try await server.sql("DELETE FROM public.gate", in: name)
        await database.close()
    }

    @Test(.needs(.pgbouncer)) func noticesThatItIsDeafBehindAPooler() async throws {
        let pooler = try await PgBouncer(before: server)
        let database = try await Postgres(pooler.url(name))
        let events = database.events
        var notices = notices(database).makeAsyncIterator()
        guard case .missed? = await notices.next() else { throw PeerError("no first notice") }
        #expect(database.health.isPooled)
        #expect(!database.health.isListening)
        await database.close()
        var kinds: [Postgres.Event.Kind] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds.contains(.polling))
        // Nothing is left over in a connection of the pooler.
        let listening = "SELECT count(*) FROM pg_stat_activity WHERE datname = '\(name)' AND query LIKE 'LISTEN%'"
        #expect(try await server.sql(listening) == "0")
    }

    @Test(.needs(.pgbouncer)) func runsStatementsBehindAPooler() async throws {
        let pooler = try await PgBouncer(before: server, poolSize: 2)
        let database = try await Postgres(pooler.url(name))
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await database.run(Statement("SELECT $1 AS number", .int8(Int64(number)))).one().value("number")
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 19_900)
        let error = await #expect(throws: NetKitError.self) {
            _ = try await database.run(Statement("SELECT pg_sleep(60)"), within: .milliseconds(100))
        }
        #expect(error?.code == .timeout)
        #expect(try await database.schemaStatus().version == Schema.latestVersion)
        await database.close()
    }
}
