import Foundation
import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresStatementTests {
    private let server: PostgresServer
    private let database: Postgres

    init() async throws {
        server = try await PostgresServer.shared.value
        var configuration = Postgres.Configuration()
        configuration.migrations = .none
        database = try await Postgres(server.url("postgres"), configuration: configuration)
    }

    @Test func readsWhatItWrites() async throws {
        let (id, other) = (UUID(), UUID())
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        let statement = Statement(
            """
            SELECT $1 AS text, $2 AS number, $3 AS bytes, $4 AS id, $5 AS wait, $6 AS time, $7 AS texts, $8 AS ids,
              $9 AS numbers, $10::uuid AS nothing, $11 AS json, $12 AS flag, $13 AS none
            """,
            .text("Grüße"),
            .int8(-5),
            .bytea(Data([0, 1, 255])),
            .uuid(id),
            .interval(.milliseconds(1500)),
            .timestamptz(date),
            .texts(["a", "ü"]),
            .uuids([id, other]),
            .int4s([1, -2]),
            nil,
            .jsonb(Data(#"{"a": 1}"#.utf8)),
            .bool(true),
            .texts([])
        )
        let row = try await database.run(statement).one()
        #expect(try row.value("text", as: String.self) == "Grüße")
        #expect(try row.value("number", as: Int64.self) == -5)
        #expect(try row.value("bytes", as: Data.self) == Data([0, 1, 255]))
        #expect(try row.value("id", as: UUID.self) == id)
        #expect(try row.value("wait", as: Duration.self) == .milliseconds(1500))
        #expect(try row.value("time", as: Date.self) == date)
        #expect(try row.value("texts", as: [String].self) == ["a", "ü"])
        #expect(try row.value("ids", as: [UUID].self) == [id, other])
        #expect(try row.value("numbers", as: [Int].self) == [1, -2])
        #expect(try row.optional("nothing", as: UUID.self) == nil)
        #expect(try row.value("json", as: String.self) == #"{"a": 1}"#)
        #expect(try row.value("flag", as: Bool.self))
        #expect(try row.value("none", as: [String].self) == [])
        #expect(throws: NetKitError.self) { try row.value("nothing", as: UUID.self) }
        #expect(throws: NetKitError.self) { try row.value("text", as: Int.self) }
        #expect(throws: NetKitError.self) { try row.value("missing", as: Int.self) }
        await database.close()
    }

    @Test func runsAThousandAtOnce() async throws {
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<1000 {
                group.addTask { [database] in
                    let rows = try await database.run(Statement("SELECT $1 AS number", .int8(Int64(number))))
                    return try rows.one().value("number")
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 499_500)
        await database.close()
    }

    @Test func tellsWhatTheServerRefuses() async throws {
        let error = await #expect(throws: NetKitError.self) {
            _ = try await database.run(Statement("SELECT * FROM nowhere"))
        }
        #expect(error?.sqlState == "42P01")
        #expect(error?.outcome == .answered)
        #expect(try await database.run(Statement("SELECT 1 AS one")).one().value("one", as: Int.self) == 1)
        await database.close()
    }

    @Test func endsTheTransactionOfAScriptThatFails() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await database.runScript("BEGIN; SELECT 1 / 0; COMMIT;")
        }
        #expect(error?.sqlState == "22012")
        // Each of the two connections takes some of them.
        let tasks = (0..<50).map { _ in
            startImmediately { [database] in try await database.run(Statement("SELECT 1 AS one")).count }
        }
        for task in tasks { #expect(try await task.value == 1) }
        await database.close()
    }

    /// A passing fault of the server says nothing about the request.
    @Test(
        arguments: [
            ("58030", .storeUnavailable), ("XX000", .storeUnavailable), ("53100", .storeUnavailable),
            ("55P03", .storeUnavailable), ("22023", .invalidRequest),
        ] as [(String, NetKitError.Code)]
    )
    func theStateDecidesAboutTheCode(state: String, code: NetKitError.Code) async throws {
        let raising = Statement("DO $$ BEGIN RAISE EXCEPTION 'fault' USING ERRCODE = '\(state)'; END $$")
        let error = await #expect(throws: NetKitError.self) { try await database.run(raising) }
        #expect(error?.code == code)
        #expect(error?.sqlState == state)
        await database.close()
    }
}
