import NetKit
import NetKitTestSupport
import Testing

@testable import NetKitPostgres

/// Tests of the first statement on a connection, against a server that follows a script.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresIntroductionTests {
    /// The loop gives up a connection whose introduction fails, and may have read its end in the same step.
    @Test func aConnectionThatFailsTwiceAtOnceIsLostOnce() async throws {
        let server = try ScriptedPostgres { connection, statement in
            switch (connection, statement) {
            case (1, 3): nil
            case (2, 1): ScriptedPostgres.Response.later
            case (2, 2): ScriptedPostgres.Response.error + ScriptedPostgres.Response.fatalError
            default: ScriptedPostgres.Response.row
            }
        }
        var configuration = Postgres.Configuration()
        configuration.migrations = .none
        let database = try await Postgres(server.url, configuration: configuration)
        let events = database.events
        // It is sent again after the loss, and then right after the introduction.
        let rows = try await database.run(Statement("SELECT 1 AS one", isRepeatable: true), on: .control)
        #expect(try rows.one().value("one", as: Int.self) == 1)
        await database.close()
        var kinds: [Postgres.Event.Kind] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds == [.connectionLost, .connectionLost, .connected, .closed])
    }
}
