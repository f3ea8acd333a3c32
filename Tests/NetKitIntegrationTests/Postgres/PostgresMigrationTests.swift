import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresMigrationTests {
    private let server: PostgresServer
    private let name: String

    init() async throws {
        server = try await PostgresServer.shared.value
        name = try await server.makeDatabase()
    }

    private func open(
        _ migrations: Postgres.Migrations = .migrate,
        schema: String = "netkit",
        user: String = "postgres"
    ) async throws -> Postgres {
        var configuration = Postgres.Configuration()
        (configuration.migrations, configuration.schema) = (migrations, schema)
        return try await Postgres(server.url(name, user: user), configuration: configuration)
    }

    @Test func migratesFromEightProcessesAtOnce() async throws {
        let versions = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let database = try await open()
                    defer { Task { await database.close() } }
                    return try await database.schemaStatus().version
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(versions == [Int](repeating: Schema.latestVersion, count: 8))
        let version = "SELECT value FROM netkit.meta WHERE key = 'version'"
        #expect(try await server.sql(version, in: name) == String(Schema.latestVersion))
    }

    /// Processes of the earlier version go on with their own functions.
    @Test func addsToAnEarlierVersion() async throws {
        try await server.sql(try #require(try Schema("netkit").migration(from: 0)), in: name)
        let error = await #expect(throws: NetKitError.self) { _ = try await open(.check) }
        let needed = try #require(error?.cause as? Postgres.MigrationNeeded)
        #expect(needed.status.version == 1)
        // The SQL of the first version would fail, and the program would never come to the second one.
        #expect(error?.message.contains("`netkit database print --from 1`") == true)
        try await server.sql(needed.sql, in: name)
        await (try open(.check)).close()
        #expect(try await server.sql("SELECT netkit.invalidate_2('r', 'c', 0) IS NOT NULL", in: name) == "t")
        try await server.sql("SELECT netkit.invalidate_1('r', 'c')", in: name)
        // A change by one of them counts for the others.
        #expect(try await server.sql("SELECT netkit.invalidate_2('r', 'c', 1) IS NOT NULL", in: name) == "f")
        #expect(try await server.sql("SELECT value FROM netkit.meta WHERE key = 'minimum'", in: name) == "1")
    }

    @Test func checksAndPrints() async throws {
        let error = await #expect(throws: NetKitError.self) { _ = try await open(.check) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("netkit database print") == true)
        let needed = try #require(error?.cause as? Postgres.MigrationNeeded)
        #expect(needed.status.version == 0)
        try await server.sql(needed.sql, in: name)
        let database = try await open(.check)
        #expect(try await !database.schemaStatus().isBehind)
        await database.close()
    }

    /// Statements that come together wait for one check, and all are told that the schema does not fit.
    @Test func checksBeforeTheFirstStatementIfTheServerWasAway() async throws {
        let server = try await PostgresServer()
        await server.stop()
        var configuration = Postgres.Configuration()
        (configuration.startsWithoutServer, configuration.migrations) = (true, .check)
        let database = try await Postgres(server.url("postgres"), configuration: configuration)
        try await server.start()
        while !database.health.isConnected { try await Task.sleep(for: .milliseconds(20)) }
        let codes = await withTaskGroup(of: NetKitError.Code?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let statement = Statement("SELECT 1 AS one", isRepeatable: true)
                    do { _ = try await database.run(statement) } catch { return (error as? NetKitError)?.code }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == [NetKitError.Code?](repeating: .invalidConfiguration, count: 20))
        try await database.migrate()
        #expect(try await database.run(Statement("SELECT 1 AS one", isRepeatable: true)).count == 1)
        await database.close()
    }

    /// Every server of the test is new enough, so it is compared with a version that does not exist yet.
    @Test func refusesAServerThatIsTooOld() async throws {
        let database = try await open(.none)
        let migration = try #require(try Schema("netkit").migration(from: 0))
        let error = await #expect(throws: NetKitError.self) {
            try await database.runScript(migration.replacing("130000", with: "990000"))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("and has to be 13 or later") == true)
        await database.close()
    }

    /// The other process migrates after the transaction has begun, in a session that looked for the table before.
    @Test func aRepeatedMigrationNoticesThatOfAnotherProcess() async throws {
        let migration = try #require(try Schema("netkit").migration(from: 0))
        let psql = try #require(PostgresServer.tool("psql")).path
        let place = "-h '\(server.host)' -p \(server.port.number) -U postgres -d \(name)"
        let script = """
            \\set ON_ERROR_STOP 0
            \\set VERBOSITY verbose
            BEGIN;
            \(migration.replacing("130000", with: "990000"))
            ROLLBACK;
            BEGIN;
            \\! '\(psql)' -X -q \(place) -c 'CREATE SCHEMA netkit; CREATE TABLE netkit.meta (key text)'
            \(migration)
            COMMIT;

            """
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(script.utf8), to: "migrations.sql")
        let output = try await server.sql("\\i \(file.path())", in: name)
        #expect(output.contains("NK002"))
        #expect(output.contains(Schema.otherVersion))
        #expect(!output.contains("42P07"))
    }

    @Test func worksBesideANewerVersionUntilItIsTooNew() async throws {
        await (try open()).close()
        try await server.sql("UPDATE netkit.meta SET value = '7' WHERE key = 'version'", in: name)
        let database = try await open()
        #expect(try await database.schemaStatus().version == 7)
        await database.close()
        try await server.sql("UPDATE netkit.meta SET value = '7' WHERE key = 'minimum'", in: name)
        let error = await #expect(throws: NetKitError.self) { _ = try await open() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("update NetKit") == true)
    }

    @Test func usesAnotherName() async throws {
        let database = try await open(schema: "order")
        let rows = try await database.run(Statement("SELECT base FROM netkit.open_1('orders', 16)"))
        #expect(try rows.one().value("base", as: Int.self) == 0)
        #expect(try await server.sql("SELECT count(*) FROM \"order\".shard", in: name) == "16")
        #expect(try await server.sql("SELECT to_regnamespace('netkit') IS NULL", in: name) == "t")
        await database.close()
    }

    @Test(arguments: ["", "Netkit", "a b", "a\"b", "1a", "pg_x", String(repeating: "a", count: 41)])
    func refusesAName(schema: String) async throws {
        let error = await #expect(throws: NetKitError.self) { _ = try await open(schema: schema) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func letsARestrictedRoleWork() async throws {
        let role = "role_" + name
        try await server.sql("CREATE ROLE \(role) LOGIN", in: name)
        let refused = await #expect(throws: NetKitError.self) { _ = try await open(user: role) }
        #expect(refused?.sqlState == "42501")
        await (try open()).close()
        try await server.sql(try Postgres.grantSQL(to: role), in: name)
        let database = try await open(user: role)
        let rows = try await database.run(Statement("SELECT base FROM netkit.open_1('orders')"))
        #expect(try rows.one().value("base", as: Int.self) == 0)
        let id = try await database.run(Statement("SELECT netkit.enqueue('orders', '{}') AS id")).one().value(
            "id",
            as: UUID.self
        )
        let beat = Statement(
            "SELECT * FROM netkit.beat_1('orders', $1, $2)",
            .uuid(UUID()),
            .interval(.seconds(15))
        )
        let shards = try await database.run(beat, on: .control).one().value("shards", as: [Int].self)
        #expect(shards.count == 256)
        let lines = try await database.run(
            Statement(
                "SELECT * FROM netkit.lines_1('orders', $1, NULL, 10) WHERE id IS NOT NULL",
                .int4s(shards.map { Int32($0) })
            )
        )
        #expect(try lines.one().value("id", as: UUID.self) == id)
        let error = await #expect(throws: NetKitError.self) {
            _ = try await database.run(Statement("DROP TABLE netkit.entry"))
        }
        #expect(error?.code == .invalidConfiguration)
        await database.close()
    }

    @Test func twoTransactionsInOppositeOrderNeverDeadlock() async throws {
        let database = try await open()
        _ = try await database.run(Statement("SELECT base FROM netkit.open_1('orders')"))
        func transaction(_ subjects: [String]) -> String {
            "BEGIN;"
                + subjects.map {
                    "SELECT netkit.enqueue('orders', '{}', subject => '\($0)', rule => 'replace'); SELECT pg_sleep(0.1);"
                }.joined() + "COMMIT;"
        }
        async let first = server.sql(transaction(["a", "b"]), in: name)
        async let second = server.sql(transaction(["b", "a"]), in: name)
        _ = try await (first, second)
        let lines = try await database.run(
            Statement(
                """
                SELECT * FROM netkit.lines_1('orders', ARRAY(SELECT id FROM netkit.shard), NULL, 10)
                WHERE id IS NOT NULL ORDER BY position
                """
            )
        )
        #expect(try lines.map { try $0.value("superseded", as: Bool.self) }.filter { !$0 }.count == 2)
        #expect(lines.count == 4)
        await database.close()
    }
}
