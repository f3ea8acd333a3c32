import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of databases, roles and limits as administrators set them up.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresAdministrationTests {
    private let server: PostgresServer
    private let name: String

    init() async throws {
        server = try await PostgresServer.shared.value
        name = try await server.makeDatabase()
    }

    @discardableResult
    private func sql(_ text: String, as user: String = "postgres") async throws -> String {
        try await server.sql(text, in: name, as: user)
    }

    private func refusal(of text: String, as user: String = "postgres") async throws -> String {
        let error = await #expect(throws: PeerError.self) { try await sql(text, as: user) }
        return error.map { "\($0)" } ?? ""
    }

    private func openQueue(_ queue: String = "orders") async throws -> Postgres {
        let database = try await Postgres(server.url(name))
        _ = try await database.outbox(queue).table.shards()
        return database
    }

    // MARK: - Databases

    private static let lockingCalls = [
        "open_1('orders')", "beat_1('orders', gen_random_uuid(), '15 s')", "take_1('crm', '1 s', 10, 1)",
        "keep_1('k', 'r', NULL, 1, '', '', NULL)", "invalidate_1('r', 'c')",
        "invalidate_2('r', 'c', 1)",
        "add_1('orders', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
    ]

    @Test(arguments: ["repeatable read", "serializable"])
    func refusesTransactionsThatDoNotSeeWhatTheyHaveWaitedFor(level: String) async throws {
        await (try openQueue()).close()
        try await sql("ALTER DATABASE \(name) SET default_transaction_isolation = '\(level)'")
        for call in Self.lockingCalls {
            let text = try await refusal(of: "SELECT * FROM netkit.\(call)")
            #expect(text.contains("is \(level), and has to be read committed"), "\(call)")
        }
        let database = try await Postgres(server.url(name))
        let error = await #expect(throws: NetKitError.self) { _ = try await database.outbox("orders").table.shards() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("ALTER ROLE") == true)
        // It runs in the transactions of others.
        #expect(try await sql("SELECT netkit.enqueue('orders', '{}') IS NOT NULL") == "t")
        await database.close()
    }

    @Test func speaksUTF8WhateverTheDatabaseSays() async throws {
        try await sql("ALTER DATABASE \(name) SET client_encoding = 'LATIN1'")
        let database = try await openQueue()
        let statement = Statement(
            "SELECT current_setting('client_encoding') AS encoding, netkit.shard_1('orders', $1) AS shard",
            .text("Müller")
        )
        let row = try await database.run(statement).one()
        #expect(try row.value("encoding", as: String.self) == "UTF8")
        let lane = "convert_from('\\x4dc3bc6c6c6572', 'UTF8')"
        let shard = try await sql("SELECT netkit.shard_1('orders', \(lane))")
        #expect(try String(row.value("shard", as: Int.self)) == shard)
        await database.close()
    }

    @Test func refusesADatabaseOfAnotherEncoding() async throws {
        let latin = name + "_latin"
        try await sql("CREATE DATABASE \(latin) TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'")
        let error = await #expect(throws: NetKitError.self) { _ = try await Postgres(server.url(latin)) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("the encoding of the database is LATIN1, and has to be UTF8") == true)
    }

    @Test func refusesASchemaThatSomebodyElseCouldChange() async throws {
        let role = "other_" + name
        try await sql("CREATE ROLE \(role); CREATE SCHEMA netkit AUTHORIZATION \(role)")
        let error = await #expect(throws: NetKitError.self) { _ = try await Postgres(server.url(name)) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("ALTER SCHEMA netkit OWNER TO") == true)
        try await sql("ALTER SCHEMA netkit OWNER TO postgres")
        await (try await Postgres(server.url(name))).close()
    }

    // MARK: - Roles

    @Test func grantsToTheRoleThatIsNamed() throws {
        let sql = try Postgres.grantSQL(to: "netkit_app", schema: "crm")
        #expect(sql.contains("GRANT USAGE ON SCHEMA \"crm\" TO \"netkit_app\";"))
        #expect(sql.contains("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA \"crm\" TO \"netkit_app\";"))
        #expect(!sql.contains("crm_app"))
    }

    /// Administrators take this right away for functions that are still to be created.
    @Test func grantsTheCallsOfFunctionsThatNotEveryRoleMayCall() async throws {
        try await sql("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
        await (try await Postgres(server.url(name))).close()
        let role = "service_" + name
        try await sql("CREATE ROLE \(role) LOGIN; " + Postgres.grantSQL(to: role))
        let database = try await Postgres(server.url(name, user: role))
        #expect(try await database.outbox("orders").table.shards().count == 256)
        await database.close()
    }

    /// The rights are those of the guide "Operating NetKit on PostgreSQL".
    @Test func aRoleThatOnlyAddsNeedsFewRights() async throws {
        try await sql("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC")
        await (try openQueue()).close()
        let role = "producer_" + name
        try await sql(
            """
            CREATE ROLE \(role) LOGIN;
            GRANT USAGE ON SCHEMA netkit TO \(role);
            GRANT SELECT ON netkit.queue TO \(role);
            GRANT SELECT (id, base), INSERT ON netkit.entry TO \(role);
            GRANT EXECUTE ON FUNCTION netkit.enqueue, netkit.shard_1 TO \(role);
            """
        )
        let call =
            "SELECT netkit.enqueue('orders', '{\"url\": \"/a\", \"method\": \"POST\"}', wake => true) IS NOT NULL"
        #expect(try await sql(call, as: role) == "t")
        #expect(try await refusal(of: "SELECT request FROM netkit.entry", as: role).contains("permission denied"))
    }

    // MARK: - Rows

    @Test(arguments: [
        ("'orders', '\"x\"'", "the request is not an object"),
        ("'orders', NULL", "the request is not an object"),
        ("'orders', jsonb_build_object('a', repeat('x', 2097152))", "a request without its body has at most 2 MiB"),
        ("'orders', '{}', body => convert_to(repeat('x', 8388609), 'UTF8')", "a body has at most 8 MiB"),
        ("'orders', '{}', lane => NULL", "the lane is null"),
        ("'orders', '{}', lane => repeat('x', 1001)", "the lane, the subject and the identity have at most 1000 bytes"),
        ("'orders', '{}', identity => repeat('x', 1001)", "the identity have at most 1000 bytes"),
        ("'orders', '{}', rule => NULL", "the rule is not append, replace or keep"),
        ("'orders', '{}', rule => 'drop'", "the rule is not append, replace or keep"),
        ("'orders', '{}', max_attempts => 0", "the number of attempts is less than 1"),
        ("'orders', '{}', expires_at => '-infinity'", "the request has expired"),
        ("'other', '{}'", "there is no queue other"),
        ("NULL, '{}'", "there is no queue <NULL>"),
    ])
    func refusesWhatNoProcessCouldSend(arguments: String, reason: String) async throws {
        await (try openQueue()).close()
        let text = try await refusal(of: "SELECT netkit.enqueue(\(arguments))")
        #expect(text.contains("netkit: ") && text.contains(reason), "\(text.prefix(300))")
        // Not even in the server's log.
        #expect(!text.contains("Failing row"))
    }

    @Test func aLowerLimitIsNotHeldUpByTheOneBefore() async throws {
        await (try openQueue()).close()
        #expect(try await sql("SELECT granted FROM netkit.take_1('crm', '86.4 s', 1000, 1000)") == "1000")
        #expect(try await sql("SELECT granted, wait <= '1 s' FROM netkit.take_1('crm', '1 s', 10, 1)") == "0|t")
        #expect(try await sql("SELECT granted FROM netkit.take_1('api', '1 h', 5, 5)") == "5")
        #expect(try await sql("SELECT wait <= '1 us' FROM netkit.take_1('api', '1 us', 1, 2)") == "t")
    }

    @Test func aQueueCanBeDroppedAndMadeAgain() async throws {
        let judge = OutboxJudge()
        let first = try await OutboxReplica(server.url(name), judge.sender())
        await first.queue.pause(lane: "a")
        try await first.queue.enqueue(.numbered(1, lane: "a"))
        let drop = "SELECT netkit.drop_queue('orders')"
        #expect(try await refusal(of: drop).contains("a process has the queue orders open"))
        await first.close()
        #expect(try await sql(drop) == "1")
        for table in ["entry", "lane", "shard", "replica", "queue"] {
            #expect(try await sql("SELECT count(*) FROM netkit.\(table)") == "0")
        }
        let second = try await OutboxReplica(server.url(name), judge.sender())
        try await second.queue.enqueue(.numbered(2, lane: "a"))
        try await judge.wait(for: 1)
        #expect(judge.targets == ["/a/2"])
        await second.close()
    }

    /// Without its row, a queue has shards that a later one must not take for its own.
    @Test func aQueueThatWasRemovedByHandHarmsNoOther() async throws {
        await (try openQueue("first")).close()
        try await sql("DELETE FROM netkit.queue")
        await (try openQueue("second")).close()
        let count = "SELECT cardinality(shards) FROM netkit.beat_1('second', gen_random_uuid(), '15 s')"
        #expect(try await sql(count) == "256")
    }
}
