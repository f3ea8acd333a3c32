import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresTokenVaultTests {
    private let server: PostgresServer

    init() async throws { server = try await PostgresServer.shared.value }

    @Test(arguments: TokenVaultConformance.cases)
    func keepsItsPromise(_ conformanceCase: TokenVaultConformance.Case) async throws {
        let url = server.url(try await server.makeDatabase())
        let database = try await Postgres(url)
        let conformance = TokenVaultConformance {
            let name = UUID().uuidString
            return { database.token(name) }
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.isKept, "\(result)")
        await database.close()
    }

    /// A server that issues each refresh token once, and counts the requests.
    private actor RotatingServer {
        private var current = 0
        private(set) var refreshes = 0

        func renew(_ token: AccessToken?) throws -> AccessToken {
            guard token?.refreshToken ?? "r0" == "r\(current)" else { throw TokenRevoked() }
            (current, refreshes) = (current + 1, refreshes + 1)
            return AccessToken("a\(current)", expiry: Date(timeIntervalSinceNow: 3600), refreshToken: "r\(current)")
        }
    }

    private struct TokenRevoked: Error {}

    /// Each process has its own connections. All its callers need the token at once.
    @Test func eightProcessesRefreshOnce() async throws {
        let name = try await server.makeDatabase()
        let rotating = RotatingServer()
        let (databases, stores) = try await open(8, name) { database in
            TokenStore(shared: database.token("crm")) { try await rotating.renew($0) }
        }
        for round in 1...3 {
            let values = try await withThrowingTaskGroup(of: String?.self) { group in
                for store in stores {
                    // After the first round, the server refuses the token that every process has.
                    let refused = store.readyToken
                    for _ in 0..<20 {
                        group.addTask {
                            guard let refused else { return try await store.token().value }
                            return try await store.replacement(for: refused)?.token.value
                        }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(values == ["a\(round)"])
            #expect(await rotating.refreshes == round)
        }
        for database in databases { await database.close() }
    }

    /// A process whose clock is an hour off saves the token, or reads it.
    @Test(arguments: [3600.0, -3600.0]) func aTokenLastsAsLongOnEveryMachine(skew: Double) async throws {
        let url = server.url(try await server.makeDatabase())
        let skewed = NetKitClock(SkewedClock(skew: skew))
        let wrong = try await Postgres(url, clock: skewed)
        let right = try await Postgres(url)
        try await compare(from: wrong, to: right)
        try await compare(from: right, to: wrong)
        for database in [wrong, right] { await database.close() }
    }

    private func compare(from writer: Postgres, to reader: Postgres) async throws {
        let token = AccessToken("a", expiresIn: .seconds(600), clock: writer.clock)
        let version = try #require(try await writer.token("crm").save(token, for: nil, over: nil))
        #expect(try await writer.token("crm").read().token == token)
        let lifetime = { (token: AccessToken?) in token?.lifetime(reader.clock) ?? .zero }
        let read = lifetime(try await reader.token("crm").read().token)
        #expect(read > .seconds(500) && read <= .seconds(600), "\(read)")
        let lease = try await reader.token("crm").lease(version, by: UUID(), for: .seconds(1))
        guard case .granted(let leased) = lease else {
            Issue.record("the right to refresh was free")
            return
        }
        let granted = lifetime(leased.token)
        #expect(granted > .seconds(500) && granted <= .seconds(600), "\(granted)")
    }

    private func open<Part>(
        _ count: Int,
        _ name: String,
        _ make: (Postgres) -> Part
    ) async throws -> ([Postgres], [Part]) {
        var databases: [Postgres] = []
        for _ in 0..<count { databases.append(try await Postgres(server.url(name))) }
        return (databases, databases.map(make))
    }

    @Test func aSealedTokenIsNotReadableAndAnotherSealSaysWhatToDo() async throws {
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        let flip = RecordSeal(seal: { Data($0.map { ~$0 }) }, open: { Data($0.map { ~$0 }) })
        let vault = database.token("crm", seal: flip)
        let secret = AccessToken("secret")
        let version = try #require(try await vault.save(secret, for: "tenant", over: nil))
        #expect(try await vault.read() == SharedToken(version: version, token: secret, identity: "tenant"))
        #expect(
            try await server.sql("SELECT position('secret' IN encode(sealed, 'escape')) FROM netkit.token", in: name)
                == "0"
        )
        let error = await #expect(throws: NetKitError.self) { try await database.token("crm").read() }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains("delete its row from netkit.token") == true)
        await database.close()
    }

    /// A process that knows the version of before must not get the right to use a token again that is used up.
    @Test func aVersionNeverReturnsAfterTheRowWasDeleted() async throws {
        let name = try await server.makeDatabase()
        let (databases, vaults) = try await open(2, name) { $0.token("crm") }
        var known: Int64 = 0
        for number in 0..<3 {
            known = try #require(try await vaults[0].save(AccessToken("\(number)"), for: nil, over: known))
        }
        try await server.sql("DELETE FROM netkit.token", in: name)
        let (first, second) = (UUID(), UUID())
        guard case .granted = try await vaults[0].lease(known, by: first, for: .seconds(60)) else {
            Issue.record("the right to refresh was free")
            return
        }
        _ = try #require(try await vaults[0].save(AccessToken("new"), for: nil, over: 0))
        guard case .newer(let found) = try await vaults[1].lease(known, by: second, for: .seconds(60)) else {
            Issue.record("the token was newer")
            return
        }
        #expect(found.token?.value == "new")
        for database in databases { await database.close() }
    }

    @Test func aWaitEndsWithTheSaveOfAnotherProcess() async throws {
        let name = try await server.makeDatabase()
        let (databases, vaults) = try await open(2, name) { $0.token("crm") }
        // The first wait begins to listen.
        try await vaults[0].waitForChange(of: 0, upTo: .milliseconds(1), clock: .system)
        let (changed, change) = AsyncStream.makeStream(of: Void.self)
        let wait = Task {
            while try await vaults[0].read().version == 0 {
                try await vaults[0].waitForChange(of: 0, upTo: .seconds(10), clock: .system)
            }
            change.yield()
        }
        #expect(try await vaults[1].save(AccessToken("a"), for: nil, over: 0) != nil)
        for await _ in changed { break }
        try await wait.value
        for database in databases { await database.close() }
    }
}

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresRateTests {
    private let server: PostgresServer

    init() async throws { server = try await PostgresServer.shared.value }

    @Test(arguments: SharedRateConformance.cases)
    func keepsItsPromise(_ conformanceCase: SharedRateConformance.Case) async throws {
        let url = server.url(try await server.makeDatabase())
        let database = try await Postgres(url)
        let conformance = SharedRateConformance {
            let name = UUID().uuidString
            return { database.rate(name) }
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.isKept, "\(result)")
        await database.close()
    }

    @Test func processesCountEachOther() async throws {
        let name = try await server.makeDatabase()
        let bucket = SharedRateBucket(key: "", interval: .seconds(60), burst: 10)
        var (databases, counts): ([Postgres], [Int]) = ([], [])
        for _ in 0..<3 {
            let database = try await Postgres(server.url(name))
            databases.append(database)
            counts.append(try await database.rate("crm").take(1, from: bucket).replicas)
        }
        #expect(counts == [1, 2, 3])
        #expect(try await databases[0].rate("other").take(10, from: bucket) == RateGrant(count: 10))
        #expect(try await databases[0].rate("crm").take(10, from: bucket).count == 7)
        for database in databases { await database.close() }
    }
}

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresCacheTests {
    private let server: PostgresServer

    init() async throws { server = try await PostgresServer.shared.value }

    @Test(arguments: CacheStoreConformance.cases)
    func keepsItsPromise(_ conformanceCase: CacheStoreConformance.Case) async throws {
        let url = server.url(try await server.makeDatabase())
        let database = try await Postgres(url)
        let conformance = CacheStoreConformance {
            try await database.cache()
        } reopen: { _ in
            try await database.cache()
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.isKept, "\(result)")
        await database.close()
    }

    /// Keeps a response in a store, which begins the removal of what has expired or is above the bound.
    private func keepResponse(in store: PostgresCacheStore) async throws {
        let transport = MockTransport()
        transport.stub(.get, "/item", .json("{}").header("Cache-Control", "max-age=600"))
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [CacheInterceptor(TieredCacheStore(store: store))]
        )
        _ = try await client.get("/item")
    }

    /// One statement for all of them could take longer than a statement may, and would be rolled back each time.
    @Test func removesExpiredEntriesInPortions() async throws {
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        try await server.sql(
            """
            CREATE TABLE public.portion (size bigint);
            CREATE FUNCTION public.note_portion() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN INSERT INTO public.portion SELECT count(*) FROM gone; RETURN NULL; END';
            CREATE TRIGGER note AFTER DELETE ON netkit.cache
              REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.note_portion();
            INSERT INTO netkit.cache (key, resource, number, body_id, head, size, drop_after)
              SELECT 'k' || n, 'r', 0, 0, '', 0, now() - interval '1 hour' FROM generate_series(1, 2500) n;
            """,
            in: name
        )
        let store = try await database.cache()
        try await keepResponse(in: store)
        try await store.waitForTrim()
        #expect(try await server.sql("SELECT max(size), sum(size) FROM public.portion", in: name) == "1000|2500")
        #expect(await store.statistics.entryCount > 0)
        await database.close()
    }

    @Test func findsExpiredEntriesByTheirIndex() async throws {
        let name = try await server.makeDatabase()
        // With a few entries, the planner prefers to read all of them.
        try await server.sql("ALTER DATABASE \(name) SET enable_seqscan = off", in: name)
        let database = try await Postgres(server.url(name))
        var explain = PostgresCacheStore.removalOfExpired
        explain.text = "EXPLAIN \(explain.text)"
        let plan = try await database.run(explain).map { try $0.value("QUERY PLAN", as: String.self) }
        let isByIndex = plan.contains { $0.contains("Index Cond:") && $0.contains("drop_after") }
        #expect(isByIndex, "\(plan.joined(separator: "\n"))")
        await database.close()
    }

    @Test func enforcesTheBoundIfAPortionOfExpiredEntriesFails() async throws {
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        try await server.sql(
            """
            CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN IF current_query() NOT LIKE ''%trim_cache_1%'' THEN RAISE ''too slow''; END IF; RETURN NULL; END';
            CREATE TRIGGER refuse BEFORE DELETE ON netkit.cache FOR EACH STATEMENT EXECUTE FUNCTION public.refuse();
            INSERT INTO netkit.cache (key, resource, number, body_id, head, size, drop_after)
              VALUES ('k', 'r', 0, 0, '', 0, now() - interval '1 hour');
            """,
            in: name
        )
        let store = try await database.cache(maxBytes: 0)
        try await keepResponse(in: store)
        try await store.waitForTrim()
        #expect(await store.statistics.evictions == 1)
        #expect(try await server.sql("SELECT count(*) FROM netkit.cache", in: name) == "0")
        await database.close()
    }

    /// The removal of what is above the bound may take longer than other statements may.
    @Test func aTrimHoldsUpNoStatement() async throws {
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        try await server.sql(
            """
            CREATE TABLE public.gate AS SELECT 1 AS number;
            CREATE OR REPLACE FUNCTION netkit.trim_cache_1(bound bigint) RETURNS integer LANGUAGE plpgsql AS
              'BEGIN WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN 7; END';
            """,
            in: name
        )
        let store = try await database.cache()
        try await keepResponse(in: store)
        let active = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = '\(name)' AND state = 'active' AND query LIKE '%trim_cache_1%' AND pid <> pg_backend_pid()
            """
        while try await server.sql(active) != "1" { try await Task.sleep(for: .milliseconds(5)) }
        // Both connections are busy, so that the next statement could go to either.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await database.run(Statement("SELECT pg_sleep(0.02)"), within: .seconds(5)) }
            }
            try await group.waitForAll()
        }
        try await server.sql("DELETE FROM public.gate", in: name)
        try await store.waitForTrim()
        #expect(await store.statistics.evictions == 7)
        await database.close()
    }

    /// Two processes with a memory of their own: the response of one serves the other, until either changes the URL.
    @Test func aResponseIsSharedAndAChangeReachesTheMemoryOfAll() async throws {
        let name = try await server.makeDatabase()
        let transport = MockTransport()
        transport.stub(.get, "/item", .json("{}").header("Cache-Control", "max-age=600"))
        transport.stub(.put, "/item", .status(204))
        var clients: [(Postgres, TieredCacheStore, HTTPClient)] = []
        for _ in 0..<2 {
            let database = try await Postgres(server.url(name))
            let store = TieredCacheStore(store: try await database.cache())
            let client = HTTPClient(
                baseURL: URL(string: "https://api.example.com"),
                transport: transport,
                interceptors: .standard + [CacheInterceptor(store)]
            )
            clients.append((database, store, client))
        }
        for (_, _, client) in clients { _ = try await client.get("/item") }
        #expect(transport.requests.count == 1)
        _ = try await clients[0].2.put("/item", body: .text("new"))
        // The other process is notified.
        while clients[1].1.memory.statistics.entryCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
        _ = try await clients[1].2.get("/item")
        #expect(transport.requests.count == 3)
        for (database, _, _) in clients { await database.close() }
    }

    /// The database cannot be reached, and the statements of a call would wait for it longer than the call may take.
    @Test func noCallFailsWithTheDatabase() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        let database = try await Postgres(server.url(try await server.makeDatabase(), port: proxy.port))
        let transport = MockTransport()
        transport.stub(.get, "/item", .json("{}").header("Cache-Control", "max-age=600"))
        transport.stub(.put, "/item", .status(204))
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [CacheInterceptor(TieredCacheStore(store: try await database.cache()))]
        )
        proxy.set(.refuse)
        proxy.cut()
        for method in [.get, .put, .get] as [HTTPMethod] {
            let options = CallOptions(timeout: .seconds(3))
            let response = try await client.send(HTTPRequest(method, "/item"), options: options)
            #expect(response.status == (method == .get ? 200 : 204))
        }
        // The last one uses nothing that the change before has not removed yet.
        #expect(transport.requests.map(\.method) == [.get, .put, .get])
        await database.close(within: .zero)
    }
}
