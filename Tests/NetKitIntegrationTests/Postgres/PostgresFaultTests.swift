import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of statements whose time, caller, connection or server ends.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresFaultTests {
    private let server: PostgresServer

    init() async throws {
        server = try await PostgresServer.shared.value
    }

    private func open(
        _ url: String,
        clock: NetKitClock = .system,
        patience: Duration = .seconds(5),
        timeout: Duration? = nil
    ) async throws -> Postgres {
        var configuration = Postgres.Configuration()
        configuration.migrations = .none
        if let timeout { (configuration.connectTimeout, configuration.statementTimeout) = (timeout, timeout) }
        return try await Postgres(url, configuration: configuration, clock: clock, patience: patience)
    }

    private func one(_ database: Postgres, within limit: Duration? = nil) async throws -> Int {
        try await database.run(Statement("SELECT 1 AS one"), within: limit).one().value("one")
    }

    /// Waits until as many statements with a text as expected sleep in the server, where a cancellation hits them.
    private func waitForStatements(_ text: String, _ count: Int) async throws {
        let sql =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%\(text)%' AND pid <> pg_backend_pid()"
        while try await server.sql(sql) != String(count) { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// Waits for a statement to begin, even if it has ended since.
    private func waitUntilBegun(_ text: String) async throws {
        let sql = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%\(text)%' AND pid <> pg_backend_pid()"
        while try await server.sql(sql) != "1" { try await Task.sleep(for: .milliseconds(10)) }
    }

    @Test func endsAtItsTimeLimit() async throws {
        let time = TestClock()
        let database = try await open(server.url("postgres"), clock: time.clock)
        let limit = Duration.milliseconds(200)
        let task = Task { try await database.run(Statement("SELECT pg_sleep(60), 'limit'"), within: limit) }
        try await waitForStatements("''limit''", 1)
        time.advance(by: limit)
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .timeout)
        #expect(error?.outcome == .unknown)
        try await waitForStatements("''limit''", 0)
        #expect(try await one(database) == 1)
        await database.close()
    }

    @Test func endsWithItsCaller() async throws {
        let database = try await open(server.url("postgres"))
        let task = Task { try await database.run(Statement("SELECT pg_sleep(60), 'caller'")) }
        try await waitForStatements("''caller''", 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await waitForStatements("''caller''", 0)
        #expect(try await one(database) == 1)
        await database.close()
    }

    @Test func isUnknownIfItsConnectionIsTerminated() async throws {
        let database = try await open(server.url("postgres"))
        let task = Task { try await database.run(Statement("SELECT pg_sleep(60), 'terminated'")) }
        try await waitForStatements("''terminated''", 1)
        try await server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%''terminated''%' AND pid <> pg_backend_pid()"
        )
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .unknown)
        #expect(try await one(database) == 1)
        await database.close()
    }

    /// libpq itself only says that the connection has ended.
    @Test func saysWhyTheServerHasEndedAnIdleConnection() async throws {
        let name = try await server.makeDatabase()
        let database = try await open(server.url(name))
        let events = database.events
        try await server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)' AND pid <> pg_backend_pid()"
        )
        let loss = await events.first { $0.kind == .connectionLost }
        #expect(loss?.error?.sqlState == "57P01")
        await database.close()
    }

    /// A new connection finds the primary, if there are several servers.
    @Test func leavesAServerThatHasBecomeReadOnly() async throws {
        let database = try await open(server.url(server.makeDatabase()))
        _ = try await database.run(Statement("SET default_transaction_read_only = on"), on: .control)
        let creation = Statement("CREATE TABLE public.a ()")
        let error = await #expect(throws: NetKitError.self) { try await database.run(creation, on: .control) }
        #expect(error?.sqlState == "25006")
        #expect(error?.outcome == .answered)
        _ = try await database.run(creation, on: .control)
        await database.close()
    }

    /// Otherwise, each later statement would get the result of the one before it.
    @Test func leavesAConnectionOnWhichAStatementHasNoResult() async throws {
        let odd = try ScriptedPostgres { connection, statement in
            connection == 1 && statement == 3 ? ScriptedPostgres.Response.end : ScriptedPostgres.Response.row
        }
        let database = try await open(odd.url)
        let statement = Statement("SELECT 1 AS one")
        let error = await #expect(throws: NetKitError.self) { try await database.run(statement, on: .control) }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .unknown)
        let rows = try await database.run(statement, on: .control)
        #expect(try rows.one().value("one", as: Int.self) == 1)
        await database.close()
    }

    @Test func waitsForAServerThatComesBack() async throws {
        let own = try await PostgresServer()
        let database = try await open(own.url("postgres"))
        #expect(try await one(database) == 1)
        let events = database.events
        await own.stop()
        for await event in events where event.kind == .unreachable { break }
        let error = await #expect(throws: NetKitError.self) { try await one(database, within: .milliseconds(300)) }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .notSent)
        #expect(!database.health.isConnected)
        async let later = one(database, within: .seconds(60))
        try await own.start()
        #expect(try await later == 1)
        await database.close()
    }

    @Test func runsAgainOnlyWhatMayRunTwice() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        let database = try await open(server.url("postgres", port: proxy.port))
        #expect(try await one(database) == 1)
        proxy.set(.cutAtResponse)
        let error = await #expect(throws: NetKitError.self) { try await one(database) }
        #expect(error?.outcome == .unknown)
        proxy.set(.cut(at: "two", next: .pass))
        let repeated = try await database.run(Statement("SELECT 2 AS two", isRepeatable: true))
        #expect(try repeated.one().value("two", as: Int.self) == 2)
        #expect(proxy.cutCount == 1)
        await database.close()
    }

    @Test func replacesAConnectionThatIsHalfOpen() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        let url = server.url("postgres", port: proxy.port)
        let database = try await open(url, patience: .milliseconds(300))
        #expect(try await one(database) == 1)
        let events = database.events
        proxy.set(.hold)
        // Long enough for the statement to be sent on a busy machine.
        let error = await #expect(throws: NetKitError.self) { try await one(database, within: .seconds(4)) }
        #expect(error?.outcome == .unknown)
        async let later = one(database, within: .seconds(60))
        for await event in events where event.kind == .connectionLost { break }
        proxy.set(.pass)
        #expect(try await later == 1)
        await database.close()
    }

    /// The first statement on it is the loop's own, which no caller limits.
    @Test func replacesAControlConnectionOnWhichNothingArrives() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        let url = server.url("postgres", port: proxy.port)
        let database = try await open(url, patience: .milliseconds(300))
        let events = database.events
        proxy.set(.hold)
        let key = database.listen(to: "work") { _ in }
        let heartbeat = Statement("SELECT 1 AS one", isRepeatable: true)
        await #expect(throws: NetKitError.self) {
            _ = try await database.run(heartbeat, on: .control, within: .milliseconds(200))
        }
        for await event in events where event.kind == .connectionLost { break }
        proxy.set(.pass)
        let rows = try await database.run(heartbeat, on: .control, within: .seconds(60))
        #expect(try rows.one().value("one", as: Int.self) == 1)
        database.stopListening(key)
        await database.close()
    }

    /// Once its cancellation is over, a connection runs no later statement twice because of it.
    @Test func failsIfAnotherCancelsItLongAfterACancellation() async throws {
        let database = try await open(server.url("postgres"))
        let first = Task { try await database.run(Statement("SELECT pg_sleep(60), 'earlier'")) }
        try await waitForStatements("''earlier''", 1)
        let process = try await server.sql(
            "SELECT pid FROM pg_stat_activity WHERE query LIKE '%''earlier''%' AND pid <> pg_backend_pid()"
        )
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let own = Statement("SELECT pg_backend_pid()::text AS process")
        while true {
            // Each of the two connections takes one.
            async let one = database.run(own).one().value("process", as: String.self)
            async let other = database.run(own).one().value("process", as: String.self)
            if try await [one, other].contains(process) { break }
        }
        let tasks = (0..<2).map { _ in Task { try await database.run(Statement("SELECT pg_sleep(60), 'later'")) } }
        try await waitForStatements("''later''", 2)
        try await server.sql("SELECT pg_cancel_backend(\(process))")
        let outcome = await withTaskGroup(of: NetKitError.Outcome?.self) { group in
            for task in tasks {
                group.addTask {
                    guard case .failure(let error) = await task.result else { return nil }
                    return (error as? NetKitError)?.outcome
                }
            }
            defer { for task in tasks { task.cancel() } }
            return await group.next() ?? nil
        }
        #expect(outcome == .answered)
        await database.close()
    }

    @Test func goesOnAfterACut() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        let database = try await open(server.url("postgres", port: proxy.port))
        for _ in 0..<10 {
            proxy.cut()
            // It is not known whether the end has been seen already.
            do { #expect(try await one(database) == 1) } catch let error as NetKitError {
                #expect(error.outcome == .unknown)
            }
        }
        #expect(try await one(database) == 1)
        await database.close()
    }

    @Test func closesWithinItsTime() async throws {
        let database = try await open(server.url("postgres"))
        let task = Task { try await database.run(Statement("SELECT pg_sleep(60), 'closed'")) }
        try await waitForStatements("''closed''", 1)
        await database.close(within: .milliseconds(100))
        let error = await #expect(throws: NetKitError.self) { try await task.value }
        #expect(error?.code == .closed)
        #expect(error?.outcome == .unknown)
        await #expect(throws: NetKitError.self) { try await one(database) }
        await database.close()
    }

    @Test func runsOthersWhileOneIsCancelled() async throws {
        let time = TestClock()
        let database = try await open(server.url("postgres"), clock: time.clock)
        let limit = Duration.seconds(1)
        for _ in 0..<4 {
            let cancelled = startImmediately {
                try await database.run(Statement("SELECT pg_sleep(60), 'beside'"), within: limit)
            }
            try await waitForStatements("''beside''", 1)
            let others = (0..<10).map { _ in startImmediately { try await one(database) } }
            time.advance(by: limit)
            let error = await #expect(throws: NetKitError.self) { try await cancelled.value }
            #expect(error?.code == .timeout)
            for other in others { #expect(try await other.value == 1) }
            try await waitForStatements("''beside''", 0)
        }
        await database.close()
    }

    /// The second begins while the request to cancel the first has not ended, and its time for a response never does.
    @Test func cancelsTwoStatementsOfOneConnection() async throws {
        let (time, proxy) = (TestClock(), try BreakableProxy(to: server.port.number))
        let name = try await server.makeDatabase()
        try await server.sql("CREATE TABLE ended (label text)", in: name)
        let database = try await open(server.url(name, port: proxy.port), clock: time.clock)
        func insert(_ label: String) -> Task<Rows, any Error> {
            let statement = Statement("INSERT INTO public.ended SELECT '\(label)' FROM pg_sleep(60)")
            return startImmediately { try await database.run(statement, on: .control) }
        }
        // The connection takes a second statement once it is known to lead to no pooler.
        _ = try await database.run(Statement("SELECT 1 AS one"), on: .control)
        let first = insert("first")
        try await waitForStatements("''first''", 1)
        let second = insert("second")
        // It was sent before this.
        #expect(try await one(database) == 1)
        proxy.set(.holdEnd)
        for task in [second, first] { task.cancel() }
        for task in [second, first] { await #expect(throws: CancellationError.self) { try await task.value } }
        // The server signals a process and its group, so the second may have been cancelled as well by now.
        try await waitUntilBegun("''second''")
        proxy.set(.pass)
        try await waitForStatements("''second''", 0)
        #expect(try await server.sql("SELECT count(*) FROM ended", in: name) == "0")
        await database.close()
    }

    #if os(Linux)
        /// The server ignores a cancellation that comes before the statement, and would run it to its end.
        ///
        /// The end of any statement's time limit cancels it as well, so none of the limits ends in this test.
        @Test func cancelsAStatementThatBeginsAfterItsCancellation() async throws {
            let (time, name, never) = (TestClock(), try await server.makeDatabase(), Duration.seconds(1_000_000))
            try await server.sql("CREATE TABLE ended (label text)", in: name)
            let database = try await open(server.url(name), clock: time.clock, patience: never, timeout: never)
            let own = Statement("SELECT pg_backend_pid()::text AS process")
            let text = try await database.run(own, on: .control).one().value("process", as: String.self)
            let process = try #require(pid_t(text))
            PostgresServer.signal(process, SIGSTOP)
            defer { PostgresServer.signal(process, SIGCONT) }
            let late = Statement("INSERT INTO public.ended SELECT 'late' FROM pg_sleep(60)")
            let task = startImmediately { try await database.run(late, on: .control) }
            // It was sent before this.
            #expect(try await one(database) == 1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await waitUntil { Self.hasPendingInterrupt(process) }
            PostgresServer.signal(process, SIGCONT)
            try await waitForStatements("''late''", 1)
            let running = "SELECT count(*) FROM pg_stat_activity WHERE pid = \(process) AND state = 'active'"
            while try await server.sql(running) != "0" { time.advance(by: PostgresLoop.cancelInterval) }
            #expect(try await server.sql("SELECT count(*) FROM ended", in: name) == "0")
            await database.close()
        }

        /// Returns whether a process that is stopped has got SIGINT.
        private static func hasPendingInterrupt(_ process: pid_t) -> Bool {
            let status = try? String(contentsOf: URL(fileURLWithPath: "/proc/\(process)/status"), encoding: .utf8)
            return status?.contains("ShdPnd:\t0000000000000002") == true
        }
    #endif
}
