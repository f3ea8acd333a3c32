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

    /// PostgreSQL has no text with the character 0, and any replacement could be the name of another tenant.
    @Test func aNameWithTheCharacterZeroIsNoOtherName() async throws {
        let database = try await Postgres(server.url(try await server.makeDatabase()))
        #expect(try await database.token("a b").save(AccessToken("secret"), for: nil, over: nil) != nil)
        let error = await #expect(throws: NetKitError.self) { try await database.token("a\0b").read() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasSuffix("Choose a name without it.") == true)
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

    /// The process with the right may have spent the refresh token, and may be the last that has a connection again.
    @Test func aLeaseThatEndsInAnOutageCountsForAMomentAfterIt() async throws {
        let name = try await server.makeDatabase()
        let proxy = try BreakableProxy(to: server.port.number)
        let databases = [try await Postgres(server.url(name)), try await Postgres(server.url(name, port: proxy.port))]
        let vaults = databases.map { $0.token("crm") }
        let version = try #require(try await vaults[0].save(AccessToken("spent"), for: nil, over: nil))
        guard case .granted = try await vaults[0].lease(version, by: UUID(), for: .milliseconds(1)) else {
            Issue.record("the right to refresh was free")
            return
        }
        let events = databases[1].events
        proxy.cut()
        for await event in events where event.kind == .connected { break }
        let other = UUID()
        guard case .held = try await vaults[1].lease(version, by: other, for: .seconds(60)) else {
            Issue.record("the lease has ended too early")
            return
        }
        _ = try #require(try await vaults[0].save(AccessToken("new"), for: nil, over: version))
        guard case .newer(let found) = try await vaults[1].lease(version, by: other, for: .seconds(60)) else {
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

    @Test func aBucketMayFillInTheLongestTime() async throws {
        let database = try await Postgres(server.url(try await server.makeDatabase()))
        let bucket = SharedRateBucket(key: "", interval: .seconds(Int64.max), burst: 1)
        #expect(try await database.rate("crm").take(1, from: bucket).count == 1)
        let grant = try await database.rate("crm").take(1, from: bucket)
        #expect(grant.count == 0)
        #expect(grant.wait > .seconds(9_000_000_000))
        await database.close()
    }

    @Test func aBucketThatFillsInTooLongATimeSaysWhatToShorten() async throws {
        let database = try await Postgres(server.url(try await server.makeDatabase()))
        let bucket = SharedRateBucket(key: "", interval: .seconds(Int64.max), burst: 2000)
        let error = await #expect(throws: NetKitError.self) { try await database.rate("crm").take(1, from: bucket) }
        #expect(error?.message.contains("Shorten it, or the interval or the burst of the rate limit.") == true)
        await database.close()
    }

    /// A limit that is one for each server or tenant would otherwise leave a row for each of them.
    @Test(arguments: ["rate", "rate_user"])
    func removesBucketsThatAreNotUsedAnymore(table: String) async throws {
        let name = try await server.makeDatabase()
        let database = try await Postgres(server.url(name))
        try await server.sql(
            """
            INSERT INTO netkit.rate SELECT key, clock_timestamp() - age::interval
              FROM (VALUES ('idle', '1 hour'), ('unused', '2 days')) AS bucket(key, age);
            INSERT INTO netkit.rate_user SELECT key, gen_random_uuid(), full_at FROM netkit.rate;
            """,
            in: name
        )
        let bucket = SharedRateBucket(key: "", interval: .seconds(60), burst: 10)
        #expect(try await database.rate("crm").take(1, from: bucket).count == 1)
        let keys = "SELECT string_agg(trim(E'\\n' FROM key), ' ' ORDER BY key) FROM netkit.\(table)"
        var left = ""
        // The removal does not delay the call that starts it.
        for _ in 0..<200 where left != "crm idle" { left = try await server.sql(keys, in: name) }
        #expect(left == "crm idle")
        await database.close()
    }
}
