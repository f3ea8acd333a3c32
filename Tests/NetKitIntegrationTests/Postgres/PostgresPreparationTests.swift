import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of statements that need a schema which could not be checked when the database was opened.
@Suite(.needs(.postgres), .needsTheMachine(for: .seconds(60)))
struct PostgresPreparationTests {
    @Test func aStatementWaitsForTheSchemaNoLongerThanItMay() async throws {
        let server = try await PostgresServer.shared.value
        let proxy = try BreakableProxy(to: server.port.number)
        proxy.set(.refuse)
        var configuration = Postgres.Configuration()
        configuration.startsWithoutServer = true
        configuration.connectTimeout = .seconds(300)
        let url = "postgres://postgres@127.0.0.1:\(proxy.port)/\(try await server.makeDatabase())"
        let database = try await Postgres(url, configuration: configuration)
        proxy.set(.hold)
        let count = proxy.acceptedCount
        try await waitUntil { proxy.acceptedCount > count }
        let statement = Statement("SELECT 1 AS one")
        let error = await #expect(throws: NetKitError.self) {
            _ = try await database.run(statement, within: .milliseconds(100))
        }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .notSent)
        let cancelled = Task { try await database.run(statement) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        // The preparation goes on for the others.
        proxy.set(.pass)
        let rows = try await database.run(statement, within: .seconds(30))
        #expect(try rows.one().value("one", as: Int.self) == 1)
        #expect(try await database.schemaStatus().version == Schema.latestVersion)
        await database.close()
    }

    /// The check of the schema may have an unknown outcome, the statement that waits for it has not.
    @Test func aStatementIsNotSentIfTheServerHangsInTheCheckOfTheSchema() async throws {
        let server = try await PostgresServer.shared.value
        let name = try await server.makeDatabase()
        try await server.sql(
            """
            CREATE FUNCTION public.to_regclass(name text) RETURNS regclass LANGUAGE sql VOLATILE AS
              'SELECT pg_sleep(60); SELECT NULL::regclass';
            ALTER DATABASE \(name) SET search_path = public, pg_catalog;
            """,
            in: name
        )
        let proxy = try BreakableProxy(to: server.port.number)
        proxy.set(.refuse)
        var configuration = Postgres.Configuration()
        configuration.startsWithoutServer = true
        configuration.statementTimeout = .milliseconds(300)
        let database = try await Postgres(server.url(name, port: proxy.port), configuration: configuration)
        proxy.set(.pass)
        try await waitUntil { database.health.isConnected }
        let error = await #expect(throws: NetKitError.self) {
            _ = try await database.run(Statement("SELECT 1 AS one"), within: .seconds(30))
        }
        #expect(error?.code == .timeout)
        #expect(error?.outcome == .notSent)
        let table = OutboxTable(database, queue: "orders", shards: 1)
        let refusal = await #expect(throws: NetKitError.self) {
            _ = try await table.run(Statement("SELECT 1 AS one"), within: .seconds(30))
        }
        #expect(refusal?.code == .storeUnavailable)
        await database.close(within: .zero)
    }
}
