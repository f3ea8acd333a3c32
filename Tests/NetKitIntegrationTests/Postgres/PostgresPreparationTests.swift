import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of statements that need a schema which could not be checked when the database was opened.
@Suite(.needs(.postgres), .needsTheMachine(for: .seconds(60)))
struct PostgresPreparationTests {
    private let testDatabase: TestDatabase
    /// It refuses connections at first.
    private let proxy: BreakableProxy
    private let statement = Statement("SELECT 1 AS one")

    init() async throws {
        testDatabase = try await TestDatabase()
        proxy = try BreakableProxy(to: testDatabase.server.port.number)
        proxy.set(.refuse)
    }

    /// Returns a database whose connection the proxy holds up while it is being made.
    private func heldDatabase() async throws -> Postgres {
        var configuration = Postgres.Configuration()
        configuration.startsWithoutServer = true
        configuration.connectTimeout = .seconds(300)
        let url = "postgres://postgres@127.0.0.1:\(proxy.port)/\(testDatabase.name)"
        let database = try await Postgres(url, configuration: configuration)
        proxy.set(.hold)
        let count = proxy.acceptedCount
        try await waitUntil { proxy.acceptedCount > count }
        return database
    }

    @Test func aStatementWaitsForTheSchemaNoLongerThanItMay() async throws {
        let database = try await heldDatabase()
        let error = await #expect(throws: NetKitError.self) {
            _ = try await database.run(statement, within: .milliseconds(100))
        }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .notSent)
        await database.close(within: .zero)
    }

    @Test func aStatementThatWaitsForTheSchemaCanBeCancelled() async throws {
        let database = try await heldDatabase()
        let cancelled = Task { [statement] in try await database.run(statement) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await database.close(within: .zero)
    }

    @Test func thePreparationGoesOnAfterTheEndOfStatementsThatWaitForIt() async throws {
        let database = try await heldDatabase()
        _ = try? await database.run(statement, within: .milliseconds(100))
        let cancelled = Task { [statement] in try await database.run(statement) }
        cancelled.cancel()
        _ = await cancelled.result
        proxy.set(.pass)
        let rows = try await database.run(statement, within: .seconds(30))
        #expect(try rows.one().value("one", as: Int.self) == 1)
        #expect(try await database.schemaStatus().version == Schema.latestVersion)
        await database.close()
    }

    /// It does not know which entries were to be removed meanwhile.
    @Test func aCacheThatIsOpenedWithoutTheServerIsEmptiedAndUsedLater() async throws {
        let other = try await Postgres(testDatabase.url)
        let values = CacheService(store: try await other.cache())
        try await values.set(key: "a", value: 1)
        var configuration = Postgres.Configuration()
        configuration.startsWithoutServer = true
        let database = try await Postgres(testDatabase.url(port: proxy.port), configuration: configuration)
        let late = CacheService(store: try await database.cache())
        let refusal = await #expect(throws: NetKitError.self) { try await late.remove(key: "b") }
        #expect(refusal?.code == .storeUnavailable)
        #expect(try await values.get(key: "a", as: Int.self) == 1)
        proxy.set(.pass)
        while (try? await late.remove(key: "b")) == nil { try await Task.sleep(for: .milliseconds(5)) }
        let error = await #expect(throws: NetKitError.self) { try await values.get(key: "a", as: Int.self) }
        #expect(error?.code == .cacheMiss)
        try await late.set(key: "a", value: 2)
        #expect(try await values.get(key: "a", as: Int.self) == 2)
        for database in [database, other] { await database.close() }
    }

    /// The check of the schema may have an unknown outcome, the statement that waits for it has not.
    @Test func aStatementIsNotSentIfTheServerHangsInTheCheckOfTheSchema() async throws {
        try await testDatabase.sql(
            """
            CREATE FUNCTION public.to_regclass(name text) RETURNS regclass LANGUAGE sql VOLATILE AS
              'SELECT pg_sleep(60); SELECT NULL::regclass';
            ALTER DATABASE \(testDatabase.name) SET search_path = public, pg_catalog;
            """
        )
        var configuration = Postgres.Configuration()
        configuration.startsWithoutServer = true
        configuration.statementTimeout = .milliseconds(300)
        let database = try await Postgres(testDatabase.url(port: proxy.port), configuration: configuration)
        proxy.set(.pass)
        try await waitUntil { database.health.isConnected }
        let error = await #expect(throws: NetKitError.self) {
            _ = try await database.run(statement, within: .seconds(30))
        }
        #expect(error?.code == .timeout)
        #expect(error?.outcome == .notSent)
        let table = OutboxTable(database, queue: "orders", shards: 1)
        let refusal = await #expect(throws: NetKitError.self) {
            _ = try await table.run(statement, within: .seconds(30))
        }
        #expect(refusal?.code == .storeUnavailable)
        await database.close(within: .zero)
    }
}
