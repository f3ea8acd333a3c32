import Foundation
import NetKit
import NetKitTesting

/// Three users, one or two clients over one cache store, a server that tells the users apart, and a judge.
final class IdentityWorld: Sendable {
    /// A client with the users who log in at it, one after the other.
    struct Seat: Sendable {
        let number: Int
        let tokens: TokenStore
        let client: HTTPClient
        let cache: CacheInterceptor
        let queue: OfflineQueue?
    }

    static let users = ["ada", "bob", "eve"]
    static let hosts = ["api.example.com", "other.example.com", "files.example.com", "cdn.example.com"]
    private static let origins = AuthOrigins(hosts.dropLast().map { "https://\($0)" })

    let features: IdentityFeatures
    let simulation: Simulation
    let judge: IdentityJudge
    let server: IdentityServer
    let store = MemoryCacheStore()
    let values: CacheService
    let clientCount: Int

    init(_ features: IdentityFeatures, seed: UInt64) {
        self.features = features
        simulation = Simulation(seed: seed)
        clientCount = seed.isMultiple(of: 2) ? 1 : 2
        judge = IdentityJudge(simulation, clients: clientCount)
        server = IdentityServer(features, random: simulation.random)
        values = CacheService(clock: simulation.clock)
        for host in Self.hosts { simulation.host(host, server.host) }
    }

    // MARK: Randomness

    func isLucky(_ rate: Double) -> Bool { simulation.random.unitInterval() < rate }

    func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(simulation.random.unitInterval() * Double(elements.count))]
    }

    func rest(upTo limit: Duration) async {
        try? await simulation.sleep(for: limit * simulation.random.unitInterval())
    }

    // MARK: Clients

    func makeSeat(_ number: Int) async throws -> Seat {
        let tokens = makeTokenStore(number)
        let cache = CacheInterceptor(store)
        let queue = features.contains(.queue) ? try await makeQueue() : nil
        var list: InterceptorList = [IdentityMark(), AuthInterceptor(tokens, origins: Self.origins)]
        if features.contains(.apiKey) { list = [AuthInterceptor.apiKey("app", origins: Self.origins)] + list }
        if features.contains(.cache) { list = list + [cache] }
        if features.contains(.coalescing) { list = list + [CoalesceInterceptor(ignoring: [IdentityWire.header])] }
        if features.contains(.retries) { list = list + [RetryInterceptor(budget: nil)] }
        if features.contains(.hedging) {
            list = list + [HedgeInterceptor(after: .fixed(.milliseconds(150)), maxShare: 1, maxConsecutive: 1000)]
        }
        if let queue { list = list + [OfflineInterceptor(queue)] }
        let client = makeClient(list, host: Self.hosts[number])
        await queue?.attach(client)
        return Seat(number: number, tokens: tokens, client: client, cache: cache, queue: queue)
    }

    func makeClient(_ interceptors: InterceptorList, host: String) -> HTTPClient {
        var configuration = simulation.configuration
        configuration.timeouts.attempt = .seconds(3)
        return HTTPClient(
            baseURL: URL(string: "https://\(host)"),
            transport: IdentityWire(judge: judge, transport: simulation.transport),
            interceptors: interceptors,
            configuration: configuration
        )
    }

    /// Makes a store whose refresh returns another token of the same user. If no user is logged in, it logs one in, or
    /// fails.
    private func makeTokenStore(_ number: Int) -> TokenStore {
        let (simulation, judge, server) = (simulation, judge, server)
        let refresh: @Sendable (AccessToken?) async throws -> AccessToken = { current in
            try await simulation.sleep(for: .seconds(1) * simulation.random.unitInterval())
            let chance = simulation.random.unitInterval()
            if let current, chance < 0.9 {
                judge.count(.refresh)
                return AccessToken(server.token(for: IdentityServer.login(ofToken: current.value)))
            }
            guard current == nil, judge.user(of: number) == nil, chance < 0.5 else {
                throw NetKitError(.unauthorized, "There is no new token.")
            }
            let user = Self.users[Int(chance * 6)]
            judge.change(number, to: user)
            return AccessToken(server.token(for: "\(user).unnamed"))
        }
        return TokenStore(
            initial: nil as AccessToken?,
            limit: RefreshLimit(maxRefreshes: 1000, window: .seconds(1)),
            clock: simulation.clock,
            refresh: features.contains(.expiry) ? refresh : nil
        )
    }

    private func makeQueue() async throws -> OfflineQueue {
        var configuration = OfflineQueue.Configuration()
        configuration.clock = simulation.clock
        configuration.random = simulation.random
        configuration.policy.backoffStrategy = .exponential(base: .milliseconds(300), cap: .seconds(2))
        // The client's limit for an exchange holds.
        configuration.timeout = nil
        return try await OfflineQueue(store: InMemoryOfflineStore(), configuration: configuration)
    }

    // MARK: Logging in and out

    func logIn(_ user: String, at seat: Seat) async {
        revokeSometimes(seat.tokens.readyToken)
        judge.change(seat.number, to: user)
        let token = AccessToken(server.token(for: user))
        await seat.tokens.set(token, identity: features.contains(.namedLogins) ? user : nil)
        await seat.queue?.resumeUnauthorizedLanes()
    }

    func logOut(at seat: Seat) async {
        revokeSometimes(seat.tokens.readyToken)
        judge.change(seat.number, to: nil)
        await seat.tokens.clear()
    }

    /// Some applications revoke the token that they no longer need.
    private func revokeSometimes(_ issued: IssuedToken?) {
        if let issued, features.contains(.expiry), isLucky(0.5) { server.revoke(issued.token.value) }
    }

    // MARK: Calls

    /// Makes a call for the user who is logged in, and checks its response.
    func call(_ request: HTTPRequest, at seat: Seat, options: CallOptions = CallOptions()) async {
        let name = "\(request.method) \(request.url.path(percentEncoded: true))"
        let number = request.requiresAuth ? judge.begin(name, at: seat.number) : judge.begin(name, by: nil)
        await call(number, request, through: seat.client, options)
    }

    /// Makes a call that has begun already; returns whether its response came from the cache.
    @discardableResult
    func call(
        _ number: Int,
        _ request: HTTPRequest,
        through client: HTTPClient,
        _ options: CallOptions
    ) async -> Bool {
        defer { judge.end(number) }
        do {
            let response = try await IdentityMark.$call.withValue(number) {
                try await client.send(request, options: options)
            }
            let isHit = response.headers["Cache-Status"]?.contains("hit") == true
            if isHit { judge.count(.hit) }
            if !isHit, judge.isUnsent(number) { judge.count(.shared) }
            if !response.history.isEmpty { judge.count(.redirect) }
            let text = try await response.body.text(upTo: 1000)
            let user = text.split(separator: " ").first.map(String.init)
            judge.received(number, responseFor: user.flatMap { Self.users.contains($0) ? $0 : nil })
            return isHit
        } catch let error as NetKitError {
            if error.code == .unauthorized { judge.count(.unauthorized) }
            if error.code == .queued { judge.count(.queued) }
        } catch {}
        return false
    }
}
