import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of credentials over real sockets, with each transport.
@Suite(.needsTheMachine, .serialized)
struct AuthTests {
    /// A server whose token expires on command: `/x` requires the current one, `/token` issues it.
    private final class ExpiringServer: Sendable {
        let server: MockServer
        private let state = Locked((token: 0, refreshes: 0, refusals: 0))

        init() throws {
            server = try MockServer()
            let owner = Weak(self)
            server.on(nil, "/x") { owner.target?.reply(to: $0) ?? .status(500) }
            server.on(.post, "/token") { _ in owner.target?.refresh() ?? .status(500) }
        }

        var refreshes: Int { state.withLock { $0.refreshes } }
        var refusals: Int { state.withLock { $0.refusals } }

        func expire() {
            state.withLock { $0.token += 1 }
        }

        private func reply(to request: ServerRequest) -> ServerReply {
            let isGood = state.withLock { state in
                let isGood = request.headers["Authorization"] == "Bearer token-\(state.token)"
                if !isGood { state.refusals += 1 }
                return isGood
            }
            return isGood ? .text("welcome \(request.bodyText)") : .challenge(#"Bearer error="invalid_token""#)
        }

        private func refresh() -> ServerReply {
            .text(
                state.withLock { state in
                    state.refreshes += 1
                    return "token-\(state.token)"
                }
            )
        }

        /// A client whose store refreshes through it.
        func client(_ wire: WireTransport) throws -> HTTPClient {
            let box = Weak<HTTPClient>(nil)
            let limit = RefreshLimit(maxRefreshes: 100, window: .seconds(1))
            let store = TokenStore(initial: "token-0", limit: limit) { _ in
                var refresh = Endpoint<String>.post("/token")
                refresh.requiresAuth = false
                return try await #require(box.target).send(refresh)
            }
            let client = try wire.client(server.baseURL, AuthInterceptor(store))
            box.target = client
            return client
        }
    }

    /// A weak reference, because the client holds the store whose refresh needs the client.
    private final class Weak<Target: AnyObject & Sendable>: Sendable {
        private struct Reference: Sendable {
            weak var target: Target?
        }

        private let reference: Locked<Reference>

        init(_ target: Target?) {
            reference = Locked(Reference(target: target))
        }

        var target: Target? {
            get { reference.withLock { $0.target } }
            set { reference.withLock { $0.target = newValue } }
        }
    }

    @Test(arguments: WireTransport.allCases, [Delivery.streamed, .buffered(upTo: 1000)])
    func aRefusedPostIsSentAgainWhole(wire: WireTransport, delivery: Delivery) async throws {
        let server = try ExpiringServer()
        let client = try server.client(wire)
        server.expire()
        let request = HTTPRequest(.post, "/x", body: .text("payload"))
        let response = try await client.send(request, options: CallOptions(delivery: delivery))
        #expect(try await response.body.text(upTo: 100) == "welcome payload")
        #expect(server.refreshes == 1)
        #expect(server.refusals == 1)
        #expect(client.activeCallCount == 0)
    }

    /// No more of a refusal is read than an error stores, and its connection and permit are free before the refresh
    /// begins.
    @Test(arguments: WireTransport.allCases)
    func anEndlessRefusalDelaysNoOtherCall(wire: WireTransport) async throws {
        let server = try MockServer()
        let endless = ServerReply.text(String(repeating: "x", count: 300_000), status: .unauthorized)
            .stalling(at: .inBody(after: 200_000))
        server.on(.get, "/x", endless, .text("welcome"))
        server.on(.post, "/token", .text("new"))
        let limit = ConcurrencyLimitInterceptor(maxPerHost: 1)
        let login = try wire.client(server.baseURL, limit)
        let store = TokenStore(initial: "old") { _ in try await login.send(Endpoint<String>.post("/token")) }
        let client = try wire.client(server.baseURL, AuthInterceptor(store), limit)
        let response = try await client.send(HTTPRequest(.get, "/x"))
        #expect(try await response.body.text(upTo: 100) == "welcome")
        #expect(server.requests.map(\.path) == ["/x", "/token", "/x"])
        #expect(limit.runningCount == 0)
    }

    @Test(arguments: WireTransport.allCases)
    func aBodyThatIsSentOnceIsNotSentAgain(wire: WireTransport) async throws {
        let server = try ExpiringServer()
        let client = try server.client(wire)
        server.expire()
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        source.yield(Data("once".utf8))
        source.finish()
        let response = try await client.send(HTTPRequest(.post, "/x", body: .stream(length: 4, chunks)))
        #expect(response.status == .unauthorized)
        #expect(server.refreshes == 0)
        #expect(try await client.send(Endpoint<String>.get("/x")) == "welcome ")
        #expect(server.refreshes == 1)
        #expect(server.refusals == 1)
    }

    @Test(arguments: WireTransport.allCases)
    func noCredentialCrossesToAnotherOrigin(wire: WireTransport) async throws {
        let server = try ExpiringServer()
        let other = try MockServer()
        other.on(nil, "/**", .challenge(#"Bearer realm="other""#))
        server.server.on(.get, "/away", .redirect(to: other.url("/there").absoluteString))
        let client = try server.client(wire)
        #expect(try await client.send(HTTPRequest(.get, "/away")).status == .unauthorized)
        #expect(try await client.send(HTTPRequest(.get, other.url("/direct"))).status == .unauthorized)
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil, nil])
        #expect(server.refreshes == 0)
    }

    /// A thousand callers are refused and call again, three times, with `NETKIT_LONG=1` twenty times. It takes seconds.
    /// URLSession makes a tenth of the calls that libcurl makes in a second, and so has fewer expiries.
    @Test(arguments: WireTransport.allCases)
    func eachExpiryIsOneRefreshForAThousandCallers(wire: WireTransport) async throws {
        let server = try ExpiringServer()
        let client = try server.client(wire)
        // The long form takes processor time for seconds from tests beside it that have time limits.
        let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
        let expiries = isLong ? (wire == .urlSession ? 5 : 20) : (wire == .urlSession ? 1 : 3)
        for expiry in 1...expiries {
            server.expire()
            let welcomed = try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
                for _ in 0..<1000 {
                    group.addTask {
                        let options = CallOptions(delivery: .buffered(upTo: 100))
                        return try await client.send(HTTPRequest(.get, "/x"), options: options).status
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 == .ok ? 1 : 0 }
            }
            #expect(welcomed == 1000)
            #expect(server.refreshes == expiry)
        }
        #expect(client.activeCallCount == 0)
        #expect(server.refusals >= expiries)
    }
}
