import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKit
@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresConnectTests {
    private let server: PostgresServer

    init() async throws {
        server = try await PostgresServer.shared.value
    }

    private static var configuration: Postgres.Configuration {
        var configuration = Postgres.Configuration()
        configuration.migrations = .none
        configuration.connectTimeout = .seconds(60)
        return configuration
    }

    private func failure(_ url: String, _ configuration: Postgres.Configuration = configuration) async -> NetKitError? {
        await #expect(throws: NetKitError.self) { _ = try await Postgres(url, configuration: configuration) }
    }

    @Test func namesTheLibraryThatIsMissing() {
        let missing = #expect(throws: NetKitError.self) { try PostgresLibrary.load(path: "libnowhere.so.5") }
        #expect(missing?.code == .unsupported)
        #expect(missing?.message.contains("libpq5") == true)
        let other = #expect(throws: NetKitError.self) { try PostgresLibrary.load(path: "libc.so.6") }
        #expect(other?.message.contains("it has no function PQlibVersion") == true)
    }

    @Test func saysThatThePasswordIsWrong() async throws {
        let address = "127.0.0.1:\(server.port.number)/postgres"
        let wrong = await failure("postgres://secured:hunter2@\(address)")
        #expect(wrong?.code == .invalidConfiguration)
        #expect(wrong?.message.contains("(SQLSTATE 28P01). Check the user and the password.") == true)
        #expect(wrong?.description.contains("hunter2") == false)
        let none = await failure("postgres://secured@\(address)?passfile=/nowhere")
        #expect(none?.code == .invalidConfiguration)
        let database = try await Postgres("postgres://secured:secret@\(address)", configuration: Self.configuration)
        await database.close()
    }

    @Test func saysThatTheDatabaseIsMissing() async {
        let error = await failure(server.url("nowhere"))
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("\"nowhere\" does not exist") == true)
    }

    @Test func saysThatNothingListens() async throws {
        let port = try ReservedPort()
        let error = await failure("postgres://a@127.0.0.1:\(port.number)/a")
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .notSent)
    }

    @Test func saysThatEncryptionIsMissing() async {
        var configuration = Self.configuration
        configuration.encryption = .verified
        let error = await failure(server.url("postgres", overTCP: true) + "&sslrootcert=/nowhere", configuration)
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func waitsNoLongerThanItMay() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        proxy.set(.hold)
        var configuration = Self.configuration
        configuration.connectTimeout = .milliseconds(200)
        let url = "postgres://postgres@127.0.0.1:\(proxy.port)/postgres"
        let error = await failure(url, configuration)
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains("timeout") == true)
    }

    @Test func triesEachServerForTheWholeTime() async throws {
        let (time, proxy) = (TestClock(), try BreakableProxy(to: server.port.number))
        proxy.set(.hold)
        let held = Array(repeating: "127.0.0.1:\(proxy.port)", count: 3).joined(separator: ",")
        let url = "postgres://postgres@\(held),127.0.0.1:\(server.port.number)/postgres"
        let clock = time.clock
        let opening = startImmediately {
            try await Postgres(url, configuration: Self.configuration, clock: clock)
        }
        for count in 1...3 {
            try await waitUntil { proxy.acceptedCount == count }
            time.advance(by: Self.configuration.connectTimeout)
        }
        let database = try await opening.value
        #expect(database.health.isConnected)
        await database.close()
    }

    @Test func leavesOutNamesWhoseLookupsTakeTooLong() async throws {
        // Nothing ever looks up the two names.
        let (time, names) = (TestClock(), NameResolver(spawn: { _ in true }))
        let url = "postgres://postgres@one.test,two.test,127.0.0.1:\(server.port.number)/postgres"
        let clock = time.clock
        let opening = startImmediately {
            try await Postgres(url, configuration: Self.configuration, clock: clock, names: names)
        }
        try await waitUntil { names.lookupCount > 0 }
        time.advance(by: Self.configuration.connectTimeout)
        let database = try await opening.value
        #expect(database.health.isConnected)
        #expect(names.lookupCount == 2)
        await database.close()
    }

    @Test func triesAServerAfterManyNamesWhoseLookupsHang() async throws {
        let (time, names, isOver) = (TestClock(), NameResolver(spawn: { _ in true }), Flag())
        let hanging = (1...9).map { "\($0).test" }.joined(separator: ",")
        let url = "postgres://postgres@\(hanging),127.0.0.1:\(server.port.number)/postgres"
        let clock = time.clock
        let opening = startImmediately {
            defer { isOver.set() }
            return try await Postgres(url, configuration: Self.configuration, clock: clock, names: names)
        }
        try await waitUntil { names.lookupCount == 8 }
        time.advance(by: Self.configuration.connectTimeout)
        try await waitUntil { names.lookupCount == 9 || isOver.isSet }
        time.advance(by: Self.configuration.connectTimeout)
        let database = try await opening.value
        // The clock stands still: the next connection waits for none of the names.
        let rows = try await database.run(Statement("SELECT 1 AS one"))
        #expect(try rows.one().value("one", as: Int.self) == 1)
        await database.close()
    }

    @Test func drawsTheWaitBeforeTheNextAttempt() async throws {
        let (time, port, isOver) = (TestClock(), try ReservedPort(), Flag())
        let draws = Locked(0)
        let random = RandomSource {
            draws.withLock { $0 += 1 }
            return 1 << 63
        }
        let (url, clock) = ("postgres://a@127.0.0.1:\(port.number)/a", time.clock)
        let opening = startImmediately {
            defer { isOver.set() }
            return try await Postgres(url, configuration: Self.configuration, clock: clock, random: random)
        }
        // The first attempt may fail before anything waits for it.
        try await waitUntil {
            time.advance(by: .milliseconds(100))
            return isOver.isSet
        }
        await #expect(throws: NetKitError.self) { try await opening.value }
        #expect(draws.withLock { $0 } > 0)
    }

    /// A pooler lets its clients in while it cannot reach its server.
    @Test func failsIfAConnectionEndsAtItsFirstStatement() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        proxy.set(.cut(at: "process", next: .pass))
        let error = await failure("postgres://postgres@127.0.0.1:\(proxy.port)/postgres")
        #expect(error?.code == .storeUnavailable)
        #expect(error?.outcome == .notSent)
        #expect(proxy.cutCount == 1)
    }

    @Test func waitsNoLongerThanItMayForTheFirstResponse() async throws {
        let (time, asked, isOver) = (TestClock(), Promise<Void>(), Flag())
        // The response to the introduction of the connection arrives, and that to the next statement does not.
        let silent = try ScriptedPostgres { _, statement in
            if statement == 1 { return ScriptedPostgres.Response.row }
            asked.resolve(.success(()))
            return ScriptedPostgres.Response.later
        }
        let clock = time.clock
        let opening = startImmediately {
            defer { isOver.set() }
            return try await Postgres(silent.url, configuration: Self.configuration, clock: clock)
        }
        try await asked.value()
        // The limit may begin a moment after the server has the statement.
        try await waitUntil {
            time.advance(by: Self.configuration.connectTimeout)
            return isOver.isSet
        }
        let error = await #expect(throws: NetKitError.self) { try await opening.value }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains("did not respond in time") == true)
    }

    @Test(arguments: [
        "postgres//u:hunter2@h/d", "postgres://u:hunter2%zz@h/d", "postgres://u:hunter2@[h/d", "hunter2",
        "postgres://u:pa/ss?hunter2@h/d", "postgres://u:hunter2/x@h:5432/d", "postgres://u:hunter2?x=1@h/d",
        "postgres://u:1/ss?hunter2@h/d", "host=h password=se hunter2=1", "host=h password=se hunter2",
    ])
    func showsNothingOfAURLThatItCannotRead(url: String) async {
        let error = await failure(url)
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.message.contains("postgres://user:password@host") == true)
    }

    @Test func namesAParameterThatItDoesNotKnow() async {
        let error = await failure("postgres://u:hunter2@h/d?schema=public")
        #expect(error?.message.contains("\"schema\"") == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func hidesAPortThatMayBeAPartOfAPassword() async {
        let error = await failure("host=h password=se port=hunter")
        #expect(error?.message.contains("port") == true)
        #expect(error?.description.contains("hunter") == false)
    }

    @Test(.inAProcessOfItsOwn) func readsWhatEveryProgramReads() async throws {
        let folder = try TemporaryFolder()
        let service = "[here]\nhost=127.0.0.1\nport=\(server.port.number)\nuser=secured\ndbname=postgres\n"
        _ = try folder.write(Data(service.utf8), to: "service.conf")
        _ = try folder.write(Data("127.0.0.1:*:*:secured:secret\n".utf8), to: "pgpass")
        let pass = folder.file("pgpass").path()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pass)
        let result = await #expect(processExitsWith: .success) {
            [
                services = folder.file("service.conf").path() as String, pass = pass as String,
                host = server.host as String, port = String(server.port.number) as String
            ] in
            setenv("PGPASSFILE", pass, 1)
            setenv("PGSERVICEFILE", services, 1)
            setenv("PGSERVICE", "here", 1)
            try await Self.expectUser("secured", nil)
            unsetenv("PGSERVICE")
            try await Self.expectUser("secured", "postgres:///?service=here")
            setenv("PGHOST", host, 1)
            setenv("PGPORT", port, 1)
            setenv("PGUSER", "postgres", 1)
            try await Self.expectUser("postgres", nil)
            setenv("DATABASE_URL", "postgres://secured@127.0.0.1/postgres", 1)
            try await Self.expectUser("secured", nil)
        }
        #expect(result != nil)
    }

    private static func expectUser(_ name: String, _ url: String?) async throws {
        let database = try await Postgres(url, configuration: configuration)
        let rows = try await database.run(Statement("SELECT current_user::text AS name"))
        guard try rows.one().value("name", as: String.self) == name else { exit(1) }
        await database.close()
    }
}
