import Foundation
import NetKit
import NetKitTesting
import Testing

/// A refresh that is sent through the client whose calls wait for it.
@Suite(.timeLimit(.minutes(1)))
struct AuthDeadlockTests {
    /// One permit for everything, held until the body ends.
    private final class OnePermit: Interceptor {
        let stage = Stage.limit
        private let state = Locked((isTaken: false, waiting: [CheckedContinuation<Void, Never>]()))

        private func take() async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isTaken { state.waiting.append(continuation) }
                    defer { state.isTaken = true }
                    return !state.isTaken
                }
                if isFree { continuation.resume() }
            }
        }

        private func give() {
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if state.waiting.isEmpty {
                    state.isTaken = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            next?.resume()
        }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            await take()
            do {
                let response = try await next(request, context)
                response.onEnd { [self] _ in give() }
                return response
            } catch {
                give()
                throw error
            }
        }
    }

    /// A breaker that is half open: one exchange at a time is let through, and others are refused.
    private final class OneProbe: Interceptor {
        let stage = Stage.breaker
        private let isProbing = Locked(false)

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            let isRefused = isProbing.withLock { isProbing in
                defer { isProbing = true }
                return isProbing
            }
            if isRefused { throw NetKitError(.circuitOpen, "A probe is under way.") }
            do {
                let response = try await next(request, context)
                response.onEnd { [self] _ in isProbing.withLock { $0 = false } }
                return response
            } catch {
                isProbing.withLock { $0 = false }
                throw error
            }
        }
    }

    /// A client whose store refreshes through it.
    private struct Setup {
        let transport = MockTransport()
        let client: HTTPClient
        let store: TokenStore

        /// The refusal is streamed, so that only its end frees what its exchange holds.
        init(refreshNeedsAuth: Bool, _ interceptors: any Interceptor...) {
            transport.stub(.get, "/x", .stream([Data("refused".utf8)], status: .unauthorized))
            transport.stub(.get, "/x", headers: ["Authorization": "Bearer new"], .stream([Data("welcome".utf8)]))
            transport.stub(.post, "/token", .text("new"))
            let box = Locked<HTTPClient?>(nil)
            store = TokenStore(initial: "old") { _ in
                let client = try #require(box.withLock { $0 })
                var login = Endpoint<String>.post("/token")
                login.requiresAuth = refreshNeedsAuth
                defer { box.withLock { $0 = nil } }
                return try await client.send(login)
            }
            client = HTTPClient(
                baseURL: exampleBase,
                transport: transport,
                interceptors: InterceptorList([AuthInterceptor(store)] + interceptors)
            )
            box.withLock { [client] in $0 = client }
        }

        var refreshes: [RecordedRequest] { transport.requests.filter { $0.method == .post } }
    }

    @Test func aRefreshWithoutAuthPasses() async throws {
        let setup = Setup(refreshNeedsAuth: false)
        let text: String = try await setup.client.send(.get("/x"))
        #expect(text == "welcome")
        #expect(setup.refreshes.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func aRefreshThatForgotToSaySoCarriesTheOldTokenAndPasses() async throws {
        let setup = Setup(refreshNeedsAuth: true)
        let text: String = try await setup.client.send(.get("/x"))
        #expect(text == "welcome")
        #expect(setup.refreshes.map { $0.headers["Authorization"] } == ["Bearer old"])
    }

    @Test func aRefreshThatIsRefusedItselfIsNotRefreshed() async throws {
        let setup = Setup(refreshNeedsAuth: true)
        setup.transport.stub(.post, "/token", .text("no", status: .unauthorized))
        let error = await #expect(throws: NetKitError.self) {
            let _: String = try await setup.client.send(.get("/x"))
        }
        #expect(error?.code == .server)
        #expect(error?.status == .unauthorized)
        #expect(error?.answer?.body == Data("no".utf8))
        #expect(setup.refreshes.count == 1)
    }

    @Test func aRefreshGetsThePermitOfTheRefusedCall() async throws {
        let setup = Setup(refreshNeedsAuth: false, OnePermit())
        let calls = (0..<50).map { _ in
            Task { try await setup.client.send(HTTPRequest(.get, "/x")).body.text(upTo: 100) }
        }
        for call in calls { #expect(try await call.value == "welcome") }
        #expect(setup.refreshes.count == 1)
    }

    @Test func aRefreshIsTheNextProbeOfTheBreaker() async throws {
        let setup = Setup(refreshNeedsAuth: false, OneProbe())
        let text: String = try await setup.client.send(.get("/x"))
        #expect(text == "welcome")
        #expect(setup.refreshes.count == 1)
    }

    @Test func anOpenBreakerFailsTheRefreshAndWhoWaitsForIt() async throws {
        let open = Intercepting(stage: .breaker) { request, context, next in
            if request.method == .post { throw NetKitError(.circuitOpen, "open") }
            return try await next(request, context)
        }
        let setup = Setup(refreshNeedsAuth: false, open)
        let calls = (0..<10).map { _ in Task { try await setup.client.send(HTTPRequest(.get, "/x")) } }
        for call in calls { #expect(["circuitOpen"].contains(await outcome(of: call))) }
        #expect(setup.refreshes.isEmpty)
    }

    @Test func twoStoresWhoseRefreshesNeedEachOtherEnd() async throws {
        let stores = Locked<(TokenStore, TokenStore)?>(nil)
        let one = TokenStore(initial: nil) { _ in
            try await "1" + (stores.withLock { $0?.1 }?.current()?.token.value ?? "")
        }
        let two = TokenStore(initial: nil) { _ in
            try await "2" + (stores.withLock { $0?.0 }?.current()?.token.value ?? "")
        }
        stores.withLock { $0 = (one, two) }
        #expect(try await one.token().value == "12")
        stores.withLock { $0 = nil }
    }
}
