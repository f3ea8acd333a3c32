import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AuthInterceptorTests {
    @Test(arguments: [AuthInterceptor.bearer("t"), .basic(user: "a", password: "b"), .apiKey("k")])
    func aFixedCredentialIsAvailableAtOnce(interceptor: AuthInterceptor) {
        #expect(interceptor.provider.readyToken != nil)
    }

    private struct Refusal: Error, Equatable {}

    /// A server that accepts one token, responds to others with a status, and counts refreshes.
    private final class Server: Sendable {
        let transport: MockTransport
        private let state = Locked((accepted: "new", refreshes: 0))

        init(refusal: HTTPStatus = .unauthorized) {
            let accepted = Locked("new")
            transport = MockTransport { request, _ in
                let authorization = request.headers["Authorization"]
                guard authorization == "Bearer \(accepted.withLock { $0 })" else {
                    return HTTPResponse(status: refusal, body: ResponseBody(Data("refused".utf8)))
                }
                return HTTPResponse(status: .ok, body: ResponseBody(Data("welcome".utf8)))
            }
        }

        var refreshes: Int { state.withLock { $0.refreshes } }

        func store(initial: String? = "old", giving token: String = "new") -> TokenStore {
            TokenStore(initial: initial, clock: TestClock().clock) { [self] _ in
                state.withLock { $0.refreshes += 1 }
                return token
            }
        }

        var authorizations: [String?] { transport.requests.map { $0.headers["Authorization"] } }

        func client(_ interceptors: any Interceptor...) -> HTTPClient {
            HTTPClient.testing(transport, InterceptorList(interceptors))
        }
    }

    @Test func theTokenGoesAlongAsABearer() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(server.store(initial: "new")))
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        #expect(server.authorizations == ["Bearer new"])
        #expect(server.refreshes == 0)
    }

    @Test func aTraceHasNoCredentialThatItsResponseWouldRepeat() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(server.store()))
        #expect(try await client.send(HTTPRequest(.trace, "/x")).status == .unauthorized)
        #expect(server.authorizations == [nil] && server.refreshes == 0)
    }

    @Test func aRefusalIsAnsweredWithARefreshAndOneReplay() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(server.store()))
        let text: String = try await client.send(.post("/x", body: .text("payload")))
        #expect(text == "welcome")
        #expect(server.authorizations == ["Bearer old", "Bearer new"])
        #expect(server.transport.requests.map(\.body) == [Data("payload".utf8), Data("payload".utf8)])
        #expect(server.refreshes == 1)
    }

    @Test func aRefusalOfTheReplayIsFinal() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(server.store(giving: "bad")))
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.code == .unauthorized)
        #expect(error?.outcome == .answered)
        #expect(error?.status == .unauthorized)
        #expect(error?.response?.body == Data("refused".utf8))
        #expect(error?.attempts == 2)
        #expect(server.authorizations == ["Bearer old", "Bearer bad"])
        #expect(server.refreshes == 1)
    }

    /// The status does not say which of the two tokens was refused.
    @Test(arguments: [true, false])
    func eachTokenOfARequestIsReplaced(isFirstRefused: Bool) async throws {
        let fields = ["Authorization", "X-Device"]
        let refused = fields[isFirstRefused ? 0 : 1]
        let transport = MockTransport { request, _ in
            HTTPResponse(status: request.headers[refused] == "Bearer new" ? .ok : .unauthorized)
        }
        let interceptors = fields.map { field in
            AuthInterceptor(TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" }, header: field)
        }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(interceptors)
        )
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        #expect(transport.requests.last?.headers["Authorization"] == (isFirstRefused ? "Bearer new" : "Bearer old"))
    }

    /// The last interceptor that can replace a token throws, even if another one does not add its own.
    @Test(arguments: [true, false])
    func aRefusalOfBothTokensOfARequestIsFinal(isFirstOfCaller: Bool) async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .unauthorized) }
        let interceptors = ["Authorization", "X-Device"].map { field in
            AuthInterceptor(TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" }, header: field)
        }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(interceptors)
        )
        var request = HTTPRequest(.get, "/x")
        if isFirstOfCaller { request.headers["Authorization"] = "Bearer own" }
        let sent = request
        let error = await #expect(throws: NetKitError.self) { try await client.send(sent) }
        #expect(error?.code == .unauthorized)
        #expect(error?.status == .unauthorized)
        let last = try #require(transport.requests.last)
        #expect(last.headers["Authorization"] == (isFirstOfCaller ? "Bearer own" : "Bearer new"))
        #expect(last.headers["X-Device"] == "Bearer new")
    }

    /// A provider that has another token each time it is asked, a hundred times.
    private final class RestlessProvider: TokenProvider {
        private let count = Locked(0)

        var readyToken: IssuedToken? {
            let version = count.withLock { count in
                count = min(count + 1, 100)
                return count
            }
            return IssuedToken(AccessToken("token \(version)"), version: version)
        }

        func current() async throws -> IssuedToken? { readyToken }
    }

    @Test func aRequestIsNotReplayedForEver() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(RestlessProvider()))
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.code == .unauthorized)
        #expect(server.authorizations.count == 21)
    }

    @Test func withoutARefreshClosureTheRefusalIsTheResponse() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(TokenStore(initial: "old")))
        let response = try await client.send(HTTPRequest(.get, "/x"))
        #expect(response.status == .unauthorized)
        #expect(try await response.body.text(upTo: 100) == "refused")
        #expect(server.authorizations == ["Bearer old"])
    }

    @Test func aLateRefusalIsReplayedWithTheCurrentTokenWithoutARefresh() async throws {
        let server = Server()
        let store = server.store()
        // The refusal is under way while another task replaces the token.
        let meanwhile = Intercepting(stage: .wire) { request, context, next in
            let response = try await next(request, context)
            if response.status == .unauthorized { await store.set(AccessToken("new"), identity: store.identity) }
            return response
        }
        let client = server.client(AuthInterceptor(store), meanwhile)
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        #expect(server.authorizations == ["Bearer old", "Bearer new"])
        #expect(server.refreshes == 0)
    }

    @Test func aLateRefusalWhoseTokenIsRefusedAsWellMayStillRefresh() async throws {
        let server = Server()
        let store = server.store()
        let meanwhile = Intercepting(stage: .wire) { request, context, next in
            let response = try await next(request, context)
            if request.headers["Authorization"] == "Bearer old" {
                await store.set(AccessToken("middle"), identity: store.identity)
            }
            return response
        }
        let client = server.client(AuthInterceptor(store), meanwhile)
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        #expect(server.authorizations == ["Bearer old", "Bearer middle", "Bearer new"])
        #expect(server.refreshes == 1)
    }

    @Test func otherFailuresStartNoRefresh() async throws {
        for status in [HTTPStatus.forbidden, .notFound, .internalServerError] {
            let server = Server(refusal: status)
            let client = server.client(AuthInterceptor(server.store()))
            #expect(try await client.send(HTTPRequest(.get, "/x")).status == status)
            #expect(server.authorizations.count == 1)
            #expect(server.refreshes == 0)
        }
    }

    @Test func aForbiddenRefreshesOnceIfThatIsConfigured() async throws {
        let server = Server(refusal: .forbidden)
        let client = server.client(AuthInterceptor(server.store(), refreshesOnForbidden: true))
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        #expect(server.refreshes == 1)
        let other = Server(refusal: .forbidden)
        let stubborn = other.client(AuthInterceptor(other.store(giving: "bad"), refreshesOnForbidden: true))
        #expect(try await stubborn.send(HTTPRequest(.get, "/x")).status == .forbidden)
        #expect(other.authorizations.count == 2)
    }

    @Test func theRefusalIsTheResponseIfTheBodyCannotBeSentAgain() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(server.store()))
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("once".utf8))
        source.finish()
        let response = try await client.send(HTTPRequest(.post, "/x", body: .stream(chunks)))
        #expect(response.status == .unauthorized)
        #expect(try await response.body.text(upTo: 100) == "refused")
        #expect(server.authorizations == ["Bearer old"])
        #expect(server.refreshes == 0)
        // The next call refreshes before it sends.
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        #expect(server.authorizations == ["Bearer old", "Bearer new"])
        #expect(server.refreshes == 1)
    }

    @Test func aRequestThatNeedsNoneGetsNoCredential() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(server.store()))
        var login = HTTPRequest(.post, "/login")
        login.requiresAuth = false
        #expect(try await client.send(login).status == .unauthorized)
        #expect(server.authorizations == [nil])
        #expect(server.refreshes == 0)
    }

    @Test func aRequestThatBringsItsOwnIsLeftAlone() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(server.store()))
        let request = HTTPRequest(.get, "/x", headers: ["authorization": "Basic own"])
        #expect(try await client.send(request).status == .unauthorized)
        #expect(server.authorizations == ["Basic own"])
        #expect(server.refreshes == 0)
    }

    @Test func everyErrorOfTheRefreshReachesTheCallerWithItsOutcome() async throws {
        let server = Server()
        let own = TokenStore(initial: "old", clock: TestClock().clock) { _ in throw Refusal() }
        let error = await #expect(throws: NetKitError.self) {
            try await server.client(AuthInterceptor(own)).send(HTTPRequest(.get, "/x"))
        }
        #expect(error?.code == .custom)
        #expect(error?.cause is Refusal)
        #expect(error?.outcome == .answered)
        let known = TokenStore(initial: nil, clock: TestClock().clock) { _ in
            throw NetKitError(.connect, "no route", outcome: .unknown)
        }
        let first = await #expect(throws: NetKitError.self) {
            try await server.client(AuthInterceptor(known)).send(HTTPRequest(.get, "/x"))
        }
        #expect(first?.code == .connect)
        #expect(first?.outcome == .notSent)
        #expect(server.authorizations == ["Bearer old"])
    }

    @Test func aStoreWithoutATokenSendsNoRequest() async throws {
        let server = Server()
        let client = server.client(AuthInterceptor(TokenStore(initial: nil)))
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.code == .unauthorized)
        #expect(error?.outcome == .notSent)
        #expect(server.authorizations.isEmpty)
    }

    @Test func aClosureGivesTheTokenOfEveryAttemptAndNilAddsNoHeader() async throws {
        let server = Server()
        let tokens = Locked<[String?]>([nil, "new", "old"])
        let client = server.client(AuthInterceptor { tokens.withLock { $0.removeFirst() } })
        let statuses = [401, 200, 401]
        for status in statuses { #expect(try await client.send(HTTPRequest(.get, "/x")).status.code == status) }
        #expect(server.authorizations == [nil, "Bearer new", "Bearer old"])
    }

    @Test func anyHeaderAndSchemeByAClosure() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let store = TokenStore(initial: "secret")
        let interceptor = AuthInterceptor(store, header: "X-Session") { $0.value == "secret" ? "v1 \($0.value)" : nil }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [interceptor])
        _ = try await client.send(HTTPRequest(.get, "/x"))
        await store.set(AccessToken("other"), identity: store.identity)
        _ = try await client.send(HTTPRequest(.get, "/x"))
        #expect(transport.requests.map { $0.headers["X-Session"] } == ["v1 secret", nil])
        #expect(transport.requests.allSatisfy { !$0.headers.contains("Authorization") })
        #expect(client.configuration.redaction.isSensitive(header: "x-session"))
    }

    @Test func userAndPasswordAsTheRFCSays() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let interceptor = AuthInterceptor.basic(user: "Aladdin", password: "open sesame: ñ")
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [interceptor])
        _ = try await client.send(HTTPRequest(.get, "/x"))
        #expect(transport.requests.first?.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZTogw7E=")
    }

    @Test(arguments: [("a:b", ""), ("a:\u{301}b", ""), ("a\t", ""), ("a", "b\n"), ("a", "\u{7F}b")])
    func aColonInTheUserNameAndControlCharactersAreRefused(user: String, password: String) async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let interceptor = AuthInterceptor.basic(user: user, password: password)
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [interceptor])
        #expect(await thrownCode { try await client.send(HTTPRequest(.get, "/x")) } == .invalidConfiguration)
        #expect(transport.requests.isEmpty && client.warnings.count == 1)
    }

    @Test func aFixedBearerTokenGoesToTheOriginOnly() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .unauthorized) }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [AuthInterceptor.bearer("t0k")]
        )
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .unauthorized)
        _ = try await client.send(HTTPRequest(.get, "https://other.example/x"))
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t0k", nil])
        #expect(!client.explain().contains("t0k"))
    }

    @Test func aKeyInAHeaderOfItsOwn() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .unauthorized) }
        let interceptor = AuthInterceptor.apiKey("k3y", header: "X-Own-Key")
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [interceptor])
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .unauthorized)
        #expect(transport.requests.map { $0.headers["X-Own-Key"] } == ["k3y"])
        #expect(!client.explain().contains("k3y"))
    }

    @Test func aThousandConcurrentRefusalsAreOneRefresh() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .stalled)
        let gate = Locked(0)
        let store = TokenStore(initial: "old", clock: TestClock().clock) { _ in
            gate.withLock { $0 += 1 }
            return "new"
        }
        let refusing = Intercepting(stage: .wire) { request, context, next in
            guard request.headers["Authorization"] == "Bearer old" else { return HTTPResponse(status: .ok) }
            _ = try await next(request, context)
            return HTTPResponse(status: .unauthorized)
        }
        let client = HTTPClient.testing(transport, AuthInterceptor(store), refusing)
        let calls = (0..<1000).map { _ in Task { try await client.send(HTTPRequest(.get, "/x")).status } }
        await transport.waitForRequests(1000)
        transport.release()
        for call in calls { #expect(try await call.value == .ok) }
        #expect(gate.withLock { $0 } == 1)
        #expect(client.activeCallCount == 0)
    }

    @Test func everyAttemptOfARetryCarriesTheCurrentToken() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(503), .status(200))
        let store = TokenStore(initial: "one")
        let retrying = Intercepting(stage: .retry) { request, context, next in
            _ = try await next(request, context)
            await store.set(AccessToken("two"), identity: store.identity)
            return try await next(request, context)
        }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [AuthInterceptor(store), retrying]
        )
        _ = try await client.send(HTTPRequest(.get, "/x"))
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer one", "Bearer two"])
    }

    @Test func aCancelledCallLeavesTheRefreshToTheOthers() async throws {
        let server = Server()
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let store = TokenStore(initial: "old", clock: TestClock().clock) { _ in
            _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test(timeouts: .none))
            return "new"
        }
        let client = server.client(AuthInterceptor(store))
        let first = Task { try await client.send(HTTPRequest(.get, "/1")).status }
        await gate.waitForRequests(1)
        let second = Task { try await client.send(HTTPRequest(.get, "/2")).status }
        first.cancel()
        #expect(await outcome(of: first) == "cancelled")
        gate.release()
        #expect(try await second.value == .ok)
        #expect(gate.requests.count == 1)
    }
}
