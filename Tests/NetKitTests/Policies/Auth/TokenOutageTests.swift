import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the number of refreshes while the token server is down, for short-lived tokens, and if no token is
/// accepted.
@Suite(.timeLimit(.minutes(5)))
struct TokenOutageTests {
    struct Outage: Sendable, CustomTestStringConvertible {
        let length: Duration
        /// The number of refreshes, and the time at which the first caller has a token.
        let refreshes: Int
        let firstSuccess: Duration

        var testDescription: String { "of \(length)" }
    }

    /// The standard limit: two refreshes at once, then pauses of 0.1, 0.2, 0.4, 0.8, 1.6, 3.2 seconds, and of 6 from
    /// then on.
    static let outages = [
        Outage(length: .seconds(3), refreshes: 7, firstSuccess: .milliseconds(3100)),
        Outage(length: .seconds(20), refreshes: 11, firstSuccess: .milliseconds(24_300)),
        Outage(length: .seconds(300), refreshes: 57, firstSuccess: .milliseconds(300_300)),
    ]

    private let time = TestClock()

    private func store(
        _ refresh: @escaping @Sendable (AccessToken?) async throws -> AccessToken
    ) -> TokenStore {
        TokenStore(
            initial: AccessToken("old", expiresIn: .zero, clock: time.clock),
            clock: time.clock,
            refresh: refresh
        )
    }

    /// A thousand callers come at once; after that each comes again every ten seconds until it has a token.
    @Test(arguments: outages)
    func callsSucceedSoonAfterTheServerRecovers(_ outage: Outage) async throws {
        let refreshes = Notebook<NetKitClock.Instant>()
        let (start, time) = (time.now, time)
        let store = store { _ in
            refreshes.add(time.now)
            guard start.duration(to: time.now) >= outage.length else { throw NetKitError(.connect, "refused") }
            return AccessToken("new", expiresIn: .seconds(3600), clock: time.clock)
        }
        #expect(await successes(of: 1000, store) == 0)
        // If all of them shared one refresh, the next caller makes the second.
        #expect(await successes(of: 1, store) == 0)
        #expect(refreshes.count == 2)
        var firstSuccess: Duration?
        while firstSuccess == nil {
            time.advance(by: .milliseconds(100))
            for _ in 0..<10 where await thrownCode({ try await store.token() }) == nil {
                firstSuccess = firstSuccess ?? start.duration(to: time.now)
            }
            try #require(start.duration(to: time.now) < .seconds(400))
        }
        #expect(firstSuccess == outage.firstSuccess)
        #expect(refreshes.count == outage.refreshes)
        #expect(await successes(of: 1000, store) == 1000)
        #expect(refreshes.count == outage.refreshes)
    }

    private func successes(of callers: Int, _ store: TokenStore) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<callers { group.addTask { await thrownCode { try await store.token() } == nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
    }

    @Test func callersInAPauseGetTheErrorOfTheRefreshThatFailed() async throws {
        let refreshes = Notebook<Int>()
        let store = store { _ in
            refreshes.add(1)
            throw NetKitError(.dns, "no such host")
        }
        for _ in 0..<2 { #expect(await thrownCode { try await store.token() } == .dns) }
        let error = await #expect(throws: NetKitError.self) { try await store.token() }
        #expect(error?.code == .dns)
        #expect(error?.message == "no such host")
        #expect(refreshes.count == 2)
    }

    /// An outage leaves no pause behind, so the next one begins with the shortest.
    @Test func aRefreshThatSucceedsEndsThePauses() async throws {
        let (refreshes, time) = (Notebook<NetKitClock.Instant>(), time)
        let store = store { _ in
            refreshes.add(time.now)
            let second = time.now.nanoseconds / 1_000_000_000
            guard !(0..<20).contains(second), !(1000..<1003).contains(second) else {
                throw NetKitError(.connect, "refused")
            }
            return AccessToken("new", expiresIn: .seconds(970), clock: time.clock)
        }
        for _ in 0..<250 {
            _ = try? await store.token()
            time.advance(by: .milliseconds(100))
        }
        time.advance(to: .seconds(1000))
        let before = refreshes.count
        for _ in 0..<40 {
            _ = try? await store.token()
            time.advance(by: .milliseconds(100))
        }
        #expect(refreshes.count - before == 7)
    }

    @Test(arguments: [Duration.milliseconds(500), .seconds(1), .seconds(4), .seconds(5)])
    func expiriesDoNotCountAsUselessRefreshes(_ life: Duration) async throws {
        let (refreshes, time) = (Notebook<Int>(), time)
        let store = store { _ in
            refreshes.add(1)
            return AccessToken("\(refreshes.count)", expiresIn: life, clock: time.clock)
        }
        for number in 1...20 {
            #expect(try await store.token().value == "\(number)")
            time.advance(by: life)
        }
        #expect(refreshes.count == 20)
    }

    @Test(arguments: [Duration.milliseconds(500), .seconds(2), .seconds(5)])
    func aRefusalOfATokenThatHasServedIsNotLimited(_ life: Duration) async throws {
        let refreshes = Notebook<Int>()
        let store = TokenStore(initial: "0", clock: time.clock) { _ in
            refreshes.add(1)
            return "\(refreshes.count)"
        }
        for number in 1...20 {
            time.advance(by: life)
            #expect(try await store.replacement(for: #require(store.readyToken))?.token.value == "\(number)")
        }
    }

    /// A server that accepts one token at a time, for a number of calls.
    private func client(_ store: TokenStore, isGood: @escaping @Sendable (String, HTTPRequest) -> Bool) -> HTTPClient {
        let transport = MockTransport { request, _ in
            let token = request.headers["Authorization"]?.replacing("Bearer ", with: "") ?? ""
            return HTTPResponse(status: isGood(token, request) ? .ok : .unauthorized)
        }
        return HTTPClient.testing(transport, AuthInterceptor(store), time: time)
    }

    /// The refusals arrive at once, one after the other, so the server's acceptance of the new token counts.
    @Test func aRefreshThatTheServerAcceptsIsNotLimited() async throws {
        let refreshes = Notebook<Int>()
        let store = TokenStore(initial: "0", clock: time.clock) { _ in
            refreshes.add(1)
            return "\(refreshes.count)"
        }
        let current = Notebook<String>()
        let client = client(store) { token, _ in
            // Every token is good for one call.
            guard !current.entries.contains(token) else { return false }
            current.add(token)
            return token != "0"
        }
        for _ in 0..<20 {
            #expect(try await client.send(HTTPRequest(.get, "/x"), options: CallOptions()).status == .ok)
        }
        #expect(refreshes.count == 20)
    }

    /// In any pattern of calls, the limit of refreshes holds if no token is accepted.
    @Test(arguments: [Duration.milliseconds(10), .milliseconds(500), .seconds(2)])
    func aServerThatTakesNoTokenIsNotFlooded(_ interval: Duration) async throws {
        let (refreshes, time) = (Notebook<NetKitClock.Instant>(), time)
        let store = TokenStore(initial: "0", clock: time.clock) { _ in
            refreshes.add(time.now)
            return "\(refreshes.count)"
        }
        let client = client(store) { _, _ in false }
        for _ in 0..<100 {
            #expect(await thrownCode { try await client.send(.get("/x")) } == .unauthorized)
            time.advance(by: interval)
        }
        #expect(refreshes.count > 0)
        for instant in refreshes.entries {
            let window = Duration.zero..<Duration.seconds(30)
            #expect(refreshes.entries.count { window.contains($0.duration(to: instant)) } <= 6)
        }
    }

    /// One path refuses every token: refreshes for it are limited, even though the others accept each new token.
    @Test func oneResourceThatRefusesEveryTokenCausesNoFlood() async throws {
        let (refreshes, time) = (Notebook<NetKitClock.Instant>(), time)
        let store = TokenStore(initial: "0", clock: time.clock) { _ in
            refreshes.add(time.now)
            return "\(refreshes.count)"
        }
        let client = client(store) { _, request in request.url.lastPathComponent != "closed" }
        for _ in 0..<300 {
            #expect(await thrownCode { try await client.send(.get("/closed")) } == .unauthorized)
            #expect(await thrownCode { try await client.send(.get("/open")) } == nil)
            time.advance(by: .milliseconds(100))
        }
        #expect(refreshes.count <= 6)
    }
}
