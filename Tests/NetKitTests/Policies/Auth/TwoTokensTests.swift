import NetKit
import NetKitTesting
import Testing

/// Tests that a refusal of one of a request's two tokens does not count against the other one.
@Suite(.timeLimit(.minutes(5)))
struct TwoTokensTests {
    private let time = TestClock()
    /// The times that the server has replaced the outer token, whose value is their number.
    private let replacements = Notebook<Int>()
    private let innerRefreshes = Notebook<String?>()

    private func client(
        _ transport: MockTransport,
        outer refresh: @escaping @Sendable (String?) async throws -> String
    ) -> HTTPClient {
        let (innerRefreshes, clock) = (innerRefreshes, time.clock)
        let outer = TokenStore(initial: "0", clock: clock, refresh: refresh)
        let inner = TokenStore(initial: "inner", clock: clock) { token in
            innerRefreshes.add(token)
            return "inner \(innerRefreshes.count)"
        }
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [AuthInterceptor(outer, header: "X-Gateway"), AuthInterceptor(inner)]
        )
    }

    /// A server that checks the outer token only.
    private func gateway() -> MockTransport {
        MockTransport { [replacements] request, _ in
            let isCurrent = request.headers["X-Gateway"] == "Bearer \(replacements.count)"
            return HTTPResponse(status: isCurrent ? .ok : .unauthorized)
        }
    }

    /// The clock stands still, so no token counts as useful because it has served for a while.
    @Test func theInnerTokenIsNotBlamedIfANewOuterOneIsAccepted() async throws {
        let client = client(gateway()) { [replacements] _ in "\(replacements.count)" }
        for number in 1...8 {
            replacements.add(number)
            #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        }
    }

    /// As long as the outer token cannot be replaced, its own error is thrown, and the inner one is not fetched without
    /// end.
    @Test func theInnerTokenIsNotBlamedIfThereIsNoOtherOuterOne() async {
        let client = client(gateway()) { _ in throw NetKitError(.connect, "no route", outcome: .notSent) }
        replacements.add(1)
        for _ in 1...8 {
            #expect(await thrownCode { try await client.send(HTTPRequest(.get, "/x")) } == .connect)
            time.advance(by: .seconds(1))
        }
        #expect(innerRefreshes.count == 5)
    }

    /// The limit of the inner token is reached while the server refuses the outer one.
    @Test func anOuterTokenIsReplacedEvenIfTheInnerOneHasReachedItsLimit() async throws {
        let isReachable = Flag()
        let client = client(gateway()) { [replacements] _ in
            guard isReachable.isSet else { throw NetKitError(.connect, "no route", outcome: .notSent) }
            return "\(replacements.count)"
        }
        replacements.add(1)
        for _ in 1...6 {
            _ = try? await client.send(HTTPRequest(.get, "/x"))
            time.advance(by: .seconds(1))
        }
        isReachable.set()
        // The pause after a refresh that failed.
        time.advance(by: .seconds(6))
        #expect(try await client.send(HTTPRequest(.get, "/x")).status == .ok)
        #expect(innerRefreshes.count == 5)
    }

    @Test func anInnerTokenThatNewOuterOnesDoNotHelpIsRefreshedFiveTimes() async {
        let transport = MockTransport { _, _ in HTTPResponse(status: .unauthorized) }
        let client = client(transport) { token in "\(token ?? "") again" }
        for _ in 1...8 {
            #expect(await thrownCode { try await client.send(HTTPRequest(.get, "/x")) } == .unauthorized)
            time.advance(by: .seconds(1))
        }
        #expect(innerRefreshes.count == 5)
    }
}
