import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of the end of a failed script's transaction, against a server that follows a script.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresRollbackTests {
    /// A cancellation that comes late can hit the rollback instead of the script.
    @Test func aConnectionWhoseTransactionCannotBeEndedIsLost() async throws {
        let server = try ScriptedPostgres { connection, _ in
            connection == 1 ? ScriptedPostgres.Response.row : ScriptedPostgres.Response.error
        }
        var configuration = Postgres.Configuration()
        configuration.migrations = .none
        let database = try await Postgres(server.url, configuration: configuration)
        let events = database.events
        let error = await #expect(throws: NetKitError.self) { try await database.runScript("BEGIN; COMMIT;") }
        #expect(error?.outcome == .answered)
        // It waits for the response to the rollback.
        await database.close()
        var kinds: [Postgres.Event.Kind] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds == [.connectionLost, .closed])
    }
}
