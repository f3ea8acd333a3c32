import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Each login that ends the identity under which a call began.
private enum Login: CaseIterable {
    case token, named, afterLogout

    func carryOut(_ store: TokenStore) async {
        switch self {
        case .token: await store.set(AccessToken("bob"))
        case .named: await store.set(AccessToken("bob"), identity: "bob")
        case .afterLogout:
            await store.clear()
            await store.set(AccessToken("bob"))
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct CallIdentityTests {
    private let time = TestClock(date: Date(timeIntervalSince1970: 1_000_000))
    private var buffered: CallOptions { CallOptions(delivery: .buffered(upTo: 1000)) }

    /// A server that writes the user into each response.
    private func server(maxAge: String = "max-age=60") -> MockTransport {
        MockTransport { request, _ in Self.echo(request, maxAge) }
    }

    private static func echo(_ request: HTTPRequest, _ maxAge: String) -> HTTPResponse {
        let user = request.headers["Authorization"] ?? "nobody"
        return HTTPResponse(status: .ok, headers: ["Cache-Control": maxAge], body: .init(Data(user.utf8)))
    }

    private func client(_ transport: MockTransport, _ interceptors: any Interceptor...) -> HTTPClient {
        .testing(transport, InterceptorList(interceptors), time: time)
    }

    private func text(_ client: HTTPClient, _ request: HTTPRequest = HTTPRequest(.get, "/me")) async throws -> String {
        let response = try await client.send(request, options: buffered)
        return String(decoding: response.body.buffered ?? Data(), as: UTF8.self)
    }

    private func users(_ transport: MockTransport) -> [String?] {
        transport.requests.map { $0.headers["Authorization"] }
    }

    @Test(arguments: [HTTPMethod.get, .put], Login.allCases)
    fileprivate func aCallInABackOffIsNotSentForAnother(_ method: HTTPMethod, _ login: Login) async throws {
        let transport = MockTransport()
        transport.stub(nil, "**", .status(503), .text("second"))
        let store = TokenStore(initial: "ada")
        let client = client(transport, RetryInterceptor(), AuthInterceptor(store))
        let call = Task { try await text(client, HTTPRequest(method, "/me")) }
        await time.waitForSleepers(1)
        await login.carryOut(store)
        time.advance(by: .seconds(60))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .unauthorized)
        #expect(error?.cause is IdentityChange)
        #expect(error?.outcome == .answered)
        #expect(users(transport) == ["Bearer ada"])
    }

    @Test(arguments: Login.allCases)
    fileprivate func aCallThatWaitsForARefreshIsNotSentForAnother(_ login: Login) async throws {
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let transport = MockTransport { request, _ in
            HTTPResponse(status: request.headers["Authorization"] == "Bearer ada" ? .unauthorized : .ok)
        }
        let store = TokenStore(initial: "ada", clock: TestClock().clock) { _ in
            _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test())
            return "ada-2"
        }
        let client = client(transport, AuthInterceptor(store))
        let call = Task { try await text(client, HTTPRequest(.put, "/me", body: .text("mine"))) }
        await gate.waitForRequests(1)
        await login.carryOut(store)
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .unauthorized)
        #expect(error?.cause is IdentityChange)
        #expect(error?.outcome == .answered)
        #expect(users(transport) == ["Bearer ada"])
        gate.release()
    }

    @Test func aCallThatWaitsForTheFirstLoginIsSentWithIt() async throws {
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let transport = server()
        let store = TokenStore(initial: nil, clock: TestClock().clock) { _ in
            _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test())
            return "fetched"
        }
        let client = client(transport, AuthInterceptor(store))
        let call = Task { try await text(client) }
        await gate.waitForRequests(1)
        await store.set(AccessToken("ada"), identity: "ada")
        #expect(try await call.value == "Bearer ada")
        gate.release()
    }

    @Test func aRefreshAndANewTokenOfTheSameIdentityChangeNothing() async throws {
        let transport = MockTransport()
        transport.stub(nil, "**", .status(503), .status(503), .text("done"))
        let store = TokenStore(initial: "ada", identity: "ada", clock: TestClock().clock) { _ in "ada-2" }
        let client = client(transport, RetryInterceptor(), AuthInterceptor(store))
        let call = Task { try await text(client) }
        await time.waitForSleepers(1)
        try await store.refresh()
        time.advance(by: .seconds(60))
        await time.waitForSleepers(1)
        await store.set(AccessToken("ada-3"), identity: "ada")
        time.advance(by: .seconds(60))
        #expect(try await call.value == "done")
        #expect(users(transport) == ["Bearer ada", "Bearer ada-2", "Bearer ada-3"])
    }

    @Test(arguments: Login.allCases)
    fileprivate func everyCredentialNamesTheEntry(_ login: Login) async throws {
        let (transport, store) = (server(), TokenStore(initial: "ada"))
        let cache = CacheInterceptor(MemoryCacheStore())
        let client = client(transport, cache, AuthInterceptor.apiKey("app"), AuthInterceptor(store))
        #expect(try await text(client) == "Bearer ada")
        #expect(try await text(client) == "Bearer ada")
        #expect(transport.requests.count == 1)
        await login.carryOut(store)
        #expect(try await text(client) == "Bearer bob")
        #expect(try await text(client) == "Bearer bob")
        #expect(transport.requests.count == 2)
    }

    @Test func everyCredentialSeparatesSharedExchanges() async throws {
        let transport = MockTransport { request, context in
            try await context.clock.sleep(for: .seconds(5))
            return Self.echo(request, "no-store")
        }
        let (sharing, store) = (CoalesceInterceptor(), TokenStore(initial: "ada"))
        let client = client(transport, sharing, AuthInterceptor.apiKey("app"), AuthInterceptor(store))
        let first = Task { try await text(client) }
        await time.waitForSleepers(1)
        await store.set(AccessToken("bob"))
        let second = Task { try await text(client) }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(5))
        #expect(try await first.value == "Bearer ada")
        #expect(try await second.value == "Bearer bob")
    }

    @Test func aBackgroundRevalidationStoresNoResponseOfAnotherIdentity() async throws {
        let transport = server(maxAge: "max-age=1, stale-while-revalidate=600")
        let store = TokenStore(initial: "ada", identity: "ada")
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let isHeld = Flag()
        let holding = StagedInterceptor(.retry) { request, context, next in
            if isHeld.isSet { _ = try await gate.send(request, context: .test()) }
            return try await next(request, context)
        }
        let cache = CacheInterceptor(MemoryCacheStore())
        let client = client(transport, cache, holding, AuthInterceptor(store))
        #expect(try await text(client) == "Bearer ada")
        time.advance(by: .seconds(10))
        isHeld.set()
        #expect(try await text(client) == "Bearer ada")
        await gate.waitForRequests(1)
        await store.set(AccessToken("bob"), identity: "bob")
        gate.release()
        await cache.waitForRefreshes()
        #expect(users(transport) == ["Bearer ada"])
        #expect(cache.bookkeeping.counts.writes == 1)
    }

    @Test func aWrongPasswordGetsNoResponseOfTheRightOne() async throws {
        let (transport, store) = (server(), MemoryCacheStore())
        for password in ["right", "wrong"] {
            let auth = AuthInterceptor.basic(user: "ada", password: password)
            _ = try await text(client(transport, CacheInterceptor(store), auth))
        }
        #expect(transport.requests.count == 2)
    }

    @Test func aSigningInterceptorOfTheUsersIsHeldToItsIdentity() async throws {
        struct Signing: CredentialAdding {
            let stage = Stage.auth
            let secretHeaderNames: Set<String> = ["X-Signed"]
            let user: Notebook<String>

            func identity(for request: HTTPRequest, tags: CallTags) -> CredentialIdentity? {
                user.entries.last.map { CredentialIdentity($0) }
            }

            func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
                var request = request
                request.headers["X-Signed"] = user.entries.last
                return try await next(request, context)
            }
        }
        let transport = MockTransport()
        transport.stub(nil, "**", .status(503), .text("second"))
        let user = Notebook<String>()
        user.add("ada")
        let client = client(transport, RetryInterceptor(), Signing(user: user))
        let call = Task { try await text(client) }
        await time.waitForSleepers(1)
        user.add("bob")
        time.advance(by: .seconds(60))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.cause is IdentityChange)
        #expect(transport.requests.map { $0.headers["X-Signed"] } == ["ada"])
    }

    @Test func aCacheWarnsAboutCredentialsThatItCannotDistinguish() {
        let silent = StagedInterceptor(.attempt) { request, context, next in try await next(request, context) }
        func warnings(_ others: any Interceptor...) -> [String] {
            HTTPClient(
                baseURL: exampleBase,
                transport: MockTransport(),
                interceptors: InterceptorList([CacheInterceptor(MemoryCacheStore())] + others)
            ).warnings
        }
        #expect(warnings(AuthInterceptor { "t" }).first?.contains("names no identity") == true)
        #expect(warnings(silent).first?.contains("HeaderAdding") == true)
        #expect(warnings(AuthInterceptor(TokenStore(initial: "t")), RetryInterceptor(), TracingInterceptor()).isEmpty)
    }

    /// The cache does not see what an interceptor of its own stage adds, if it is listed later.
    @Test(arguments: [Stage.cache, .coalesce])
    func aCacheWarnsAboutALaterInterceptorOfAnyStage(stage: Stage) {
        let silent = StagedInterceptor(stage) { request, context, next in try await next(request, context) }
        let cache = CacheInterceptor(MemoryCacheStore())
        func warnings(_ interceptors: any Interceptor...) -> [String] {
            HTTPClient(
                baseURL: exampleBase,
                transport: MockTransport(),
                interceptors: InterceptorList(interceptors)
            ).warnings
        }
        #expect(warnings(cache, silent).first?.hasPrefix("StagedInterceptor comes after CacheInterceptor") == true)
        #expect(warnings(silent, cache).isEmpty == (stage == .cache))
    }
}
