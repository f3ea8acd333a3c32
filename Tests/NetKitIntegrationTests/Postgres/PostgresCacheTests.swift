import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresCacheTests {
    private let server: PostgresServer
    /// A clock that stands still: a call waits for a store for a second, and works without it after that.
    private let time = TestClock(date: Date())

    init() async throws { server = try await PostgresServer.shared.value }

    private func open(_ name: String) async throws -> Postgres {
        try await Postgres(server.url(name), clock: time.clock)
    }

    private var configuration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        return configuration
    }

    @Test(arguments: CacheStoreConformance.cases)
    func keepsItsPromise(_ conformanceCase: CacheStoreConformance.Case) async throws {
        let database = try await open(try await server.makeDatabase())
        let conformance = CacheStoreConformance {
            try await database.cache()
        } reopen: { _ in
            try await database.cache()
        }
        let result = await conformance.run(conformanceCase)
        #expect(result.isKept, "\(result)")
        await database.close()
    }

    /// Keeps a response in a store, which begins the removal of entries that have expired or exceed the bound.
    private func keepResponse(in store: PostgresCacheStore) async throws {
        let transport = MockTransport()
        transport.stub(.get, "/item", .json("{}").header("Cache-Control", "max-age=600"))
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [CacheInterceptor(TieredCacheStore(store: store))],
            configuration: configuration
        )
        _ = try await client.get("/item")
    }

    /// Adds 2,500 entries to a cache, and notes the number of rows that each statement removes from then on.
    private func addEntries(to name: String, droppedAfter time: String, size: Int = 0) async throws {
        try await server.sql(
            """
            CREATE TABLE public.portion (size bigint);
            CREATE FUNCTION public.note_portion() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN INSERT INTO public.portion SELECT count(*) FROM gone; RETURN NULL; END';
            CREATE TRIGGER note AFTER DELETE ON netkit.cache
              REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.note_portion();
            INSERT INTO netkit.cache (key, resource, number, body_id, head, size, drop_after)
              SELECT 'k' || n, 'r', 0, 0, '', \(size), \(time) FROM generate_series(1, 2500) n;
            """,
            in: name
        )
    }

    private static let portions = "SELECT max(size), sum(size) FROM public.portion"

    /// One statement for all of them could take longer than a statement may, and would be rolled back each time.
    ///
    /// Large entries take as long as many small ones.
    @Test(arguments: [(0, 1000), (1 << 20, 64)])
    func removesExpiredEntriesInPortions(size: Int, count: Int) async throws {
        let name = try await server.makeDatabase()
        let database = try await open(name)
        try await addEntries(to: name, droppedAfter: "now() - interval '1 hour'", size: size)
        let store = try await database.cache()
        try await keepResponse(in: store)
        try await store.waitForTrim()
        #expect(try await server.sql(Self.portions, in: name) == "\(count)|2500")
        #expect(await store.statistics.entryCount > 0)
        await database.close()
    }

    @Test(arguments: [(0, 1000), (1 << 20, 64)])
    func removesAllEntriesInPortions(size: Int, count: Int) async throws {
        let name = try await server.makeDatabase()
        let database = try await open(name)
        try await addEntries(to: name, droppedAfter: "NULL", size: size)
        try await database.cache().removeAll()
        #expect(try await server.sql(Self.portions, in: name) == "\(count)|2500")
        await database.close()
    }

    @Test func findsExpiredEntriesByTheirIndex() async throws {
        let name = try await server.makeDatabase()
        // With a few entries, the planner prefers to read all of them.
        try await server.sql("ALTER DATABASE \(name) SET enable_seqscan = off", in: name)
        let database = try await open(name)
        var explain = PostgresCacheStore.removalOfExpired
        explain.text = "EXPLAIN \(explain.text)"
        let plan = try await database.run(explain).map { try $0.value("QUERY PLAN", as: String.self) }
        let isByIndex = plan.contains { $0.contains("Index Cond:") && $0.contains("drop_after") }
        #expect(isByIndex, "\(plan.joined(separator: "\n"))")
        // A join may read the selection more than once, and remove more than a portion.
        #expect(!plan.contains { $0.contains("Join") || $0.contains("Nested Loop") })
        await database.close()
    }

    @Test func enforcesTheBoundIfAPortionOfExpiredEntriesFails() async throws {
        let name = try await server.makeDatabase()
        let database = try await open(name)
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
        let (store, events) = (try await database.cache(maxBytes: 0), database.events)
        try await keepResponse(in: store)
        try await store.waitForTrim()
        #expect(await store.statistics.evictions == 1)
        #expect(try await server.sql("SELECT count(*) FROM netkit.cache", in: name) == "0")
        await database.close()
        let event = await events.first { $0.kind == .cacheNotTrimmed }
        #expect(event?.error?.message.contains("too slow") == true)
    }

    /// For example because of a `statement_timeout` of the role: the cache would grow, and nothing would say why.
    @Test func reportsThatTheBoundCannotBeEnforced() async throws {
        let name = try await server.makeDatabase()
        let database = try await open(name)
        try await server.sql(
            """
            CREATE OR REPLACE FUNCTION netkit.trim_cache_1(bound bigint) RETURNS integer LANGUAGE plpgsql AS
              'BEGIN RAISE query_canceled; END';
            """,
            in: name
        )
        let (store, events) = (try await database.cache(), database.events)
        try await keepResponse(in: store)
        await #expect(throws: NetKitError.self) { try await store.waitForTrim() }
        await database.close()
        let event = await events.first { $0.kind == .cacheNotTrimmed }
        #expect(event?.error?.sqlState == "57014")
    }

    /// The removal of entries above the bound may take longer than other statements.
    @Test func aTrimHoldsUpNoStatement() async throws {
        let name = try await server.makeDatabase()
        let database = try await open(name)
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
        try await runOthers(on: database, of: name, during: "trim_cache_1")
        try await server.sql("DELETE FROM public.gate", in: name)
        try await store.waitForTrim()
        #expect(await store.statistics.evictions == 7)
        await database.close()
    }

    /// Runs statements once another one, whose text has a word, is active.
    private func runOthers(on database: Postgres, of name: String, during word: String) async throws {
        let active = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = '\(name)' AND state = 'active' AND query LIKE '%\(word)%' AND pid <> pg_backend_pid()
            """
        while try await server.sql(active) != "1" { try await Task.sleep(for: .milliseconds(5)) }
        // Both connections are busy, so that the next statement could go to either.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = try await database.run(Statement("SELECT pg_sleep(0.02)")) }
            }
            try await group.waitForAll()
        }
    }

    @Test func aRemovalOfAllEntriesHoldsUpNoStatement() async throws {
        let name = try await server.makeDatabase()
        let database = try await open(name)
        try await server.sql(
            """
            CREATE TABLE public.gate AS SELECT 1 AS number;
            CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NULL; END';
            CREATE TRIGGER wait BEFORE DELETE ON netkit.cache FOR EACH STATEMENT EXECUTE FUNCTION public.wait();
            """,
            in: name
        )
        let store = try await database.cache()
        async let removal: Void = store.removeAll()
        try await runOthers(on: database, of: name, during: "size_before")
        try await server.sql("DELETE FROM public.gate", in: name)
        try await removal
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
            let database = try await open(name)
            let store = TieredCacheStore(store: try await database.cache())
            let client = HTTPClient(
                baseURL: URL(string: "https://api.example.com"),
                transport: transport,
                interceptors: .standard + [CacheInterceptor(store)],
                configuration: configuration
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

    /// Only an invalidation is told to other processes.
    @Test func aValueThatIsRemovedLeavesTheMemoryOfAll() async throws {
        let name = try await server.makeDatabase()
        var services: [(Postgres, TieredCacheStore, CacheService)] = []
        for _ in 0..<2 {
            let database = try await open(name)
            let store = TieredCacheStore(store: try await database.cache())
            services.append((database, store, CacheService(store: store)))
        }
        // When it begins to listen, the memory is emptied.
        try await waitUntil { services[1].0.health.isListening }
        try await services[0].2.set(key: "user-42", value: "Ada")
        repeat {
            #expect(try await services[1].2.get(key: "user-42", as: String.self) == "Ada")
        } while services[1].1.memory.statistics.entryCount == 0
        try await services[0].2.remove(key: "user-42")
        try await waitUntil { services[1].1.memory.statistics.entryCount == 0 }
        await #expect(throws: NetKitError.self) { try await services[1].2.get(key: "user-42", as: String.self) }
        for (database, _, _) in services { await database.close() }
    }

    private struct Item: Codable, Sendable, Identifiable {
        let id: Int
        let name: String
    }

    /// Both responses arrive before either machine has removed the entity: it is unknown which write came last.
    @Test func ofTwoWritesOfTwoMachinesThatEndAtOnceNeitherIsStored() async throws {
        let name = try await server.makeDatabase()
        let transport = MockTransport()
        // Each write has begun before the response to the other one arrives.
        transport.stub(
            .put,
            "/items/1",
            .respond { _, _ in
                await transport.waitForRequests(2)
                return HTTPResponse(status: .noContent)
            }
        )
        var machines: [(database: Postgres, items: RemoteRepository<Item>)] = []
        for _ in 0..<2 {
            let database = try await open(name)
            let client = HTTPClient(
                baseURL: URL(string: "https://api.example.com"),
                transport: transport,
                configuration: configuration
            )
            let cache = CacheService(store: try await database.cache(), clock: time.clock)
            machines.append((database, RemoteRepository(client: client, cache: cache)))
        }
        try await server.sql(
            """
            CREATE TABLE public.gate AS SELECT 1 AS number;
            CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN WHILE EXISTS (SELECT FROM public.gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END';
            CREATE TRIGGER wait BEFORE INSERT ON netkit.cache_change FOR EACH ROW EXECUTE FUNCTION public.wait();
            """,
            in: name
        )
        let saves = machines.enumerated().map { number, machine in
            Task { try await machine.items.save(Item(id: 1, name: "\(number)")) }
        }
        let removing = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = '\(name)' AND state = 'active' AND query LIKE '%netkit.invalidate%' AND pid <> pg_backend_pid()
            """
        while try await server.sql(removing) != "2" { try await Task.sleep(for: .milliseconds(5)) }
        try await server.sql("DELETE FROM public.gate", in: name)
        for save in saves { _ = try await save.value }
        for machine in machines {
            let error = await #expect(throws: NetKitError.self) {
                try await machine.items.get(id: "1", policy: .cacheOnly)
            }
            #expect(error?.code == .cacheMiss)
            await machine.database.close()
        }
    }

    /// The database cannot be reached, and the statements of a call would wait for it longer than the call may take.
    @Test func noCallFailsWithTheDatabase() async throws {
        let proxy = try BreakableProxy(to: server.port.number)
        var configuration = Postgres.Configuration()
        configuration.statementTimeout = .seconds(60)
        let url = server.url(try await server.makeDatabase(), port: proxy.port)
        let database = try await Postgres(url, configuration: configuration)
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
            let options = CallOptions(timeout: .seconds(60))
            let response = try await client.send(HTTPRequest(method, "/item"), options: options)
            #expect(response.status == (method == .get ? 200 : 204))
        }
        // The last one uses nothing that the change before has not removed yet.
        #expect(transport.requests.map(\.method) == [.get, .put, .get])
        await database.close(within: .zero)
    }
}
