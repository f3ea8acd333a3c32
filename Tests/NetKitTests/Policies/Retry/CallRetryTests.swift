import Foundation
import NetKit
import NetKitTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CallRetryTests {
    /// The retries of a test client.
    enum Own: CaseIterable { case standard, none }

    private let transport = MockTransport()

    init() {
        transport.stub(.get, "/busy", .status(503))
    }

    private static func atOnce(_ attempts: Int) -> RetryPolicy {
        RetryPolicy(maxAttempts: attempts, backoffStrategy: .fixed(interval: .zero))
    }

    private func client(_ own: Own) -> HTTPClient {
        HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: own == .standard ? [RetryInterceptor(Self.atOnce(3))] : []
        )
    }

    private func attempts(_ own: Own, _ endpoint: Endpoint<Void>, _ options: CallOptions) async -> Int {
        let error = await #expect(throws: NetKitError.self) {
            try await client(own).send(endpoint, options: options)
        }
        #expect(error?.statusCode == 503)
        return transport.requests.count
    }

    @Test(arguments: Own.allCases)
    func noneInTheOptionsSendsOnce(own: Own) async {
        #expect(await attempts(own, .get("/busy"), CallOptions(retry: .none)) == 1)
    }

    @Test(arguments: Own.allCases)
    func noneInTheEndpointSendsOnce(own: Own) async {
        var endpoint = Endpoint<Void>.get("/busy")
        endpoint.retry = .none
        #expect(await attempts(own, endpoint, CallOptions()) == 1)
    }

    @Test func aPropertySetToNoneSendsOnce() async {
        var options = CallOptions()
        options.retry = .none
        #expect(await attempts(.standard, .get("/busy"), options) == 1)
    }

    @Test(arguments: Own.allCases)
    func aPolicyOfTheCallReplacesTheClients(own: Own) async {
        let options = CallOptions(retry: Self.atOnce(5))
        #expect(await attempts(own, .get("/busy"), options) == 5)
    }

    @Test func aPolicyOfTheCallCountsBeforeTheEndpoints() async {
        var endpoint = Endpoint<Void>.get("/busy")
        endpoint.retry = Self.atOnce(4)
        #expect(await attempts(.standard, endpoint, CallOptions(retry: Self.atOnce(2))) == 2)
    }

    @Test func aPolicyOfTheEndpointReplacesTheClients() async {
        var endpoint = Endpoint<Void>.get("/busy")
        endpoint.retry.backoffStrategy = .fixed(interval: .zero)
        endpoint.retry.maxAttempts = 4
        #expect(await attempts(.standard, endpoint, CallOptions()) == 4)
    }

    @Test(arguments: [(Own.standard, 3), (.none, 1)])
    func withoutAPolicyOfItsOwnACallHasTheClients(own: Own, expected: Int) async {
        #expect(await attempts(own, .get("/busy"), CallOptions(timeout: .seconds(60))) == expected)
    }

    @Test func aStatusBelow400IsRepeatedIfThePolicyOfTheCallNamesIt() async throws {
        transport.stub(.get, "/wait", .status(202), .status(202), .status(200))
        var options = CallOptions(retry: Self.atOnce(3))
        options.retry.retryableStatusCodes = [202]
        let response = try await client(.standard).send(HTTPRequest(.get, "/wait"), options: options)
        #expect(response.status == .ok)
        #expect(transport.requests.count == 3)
    }

    // MARK: Streams of events

    /// The client would repeat the connection earlier than the server asked for.
    @Test func onlyAStreamOfEventsMakesItsConnectionsAgain() async throws {
        let (time, type) = (TestClock(), "text/event-stream")
        let events = MockResponse.data(Data("retry: 5000\ndata: a\n\n".utf8), contentType: type)
        transport.stub(.get, "/events", events, .status(503), .status(204))
        let client = HTTPClient.testing(transport, RetryInterceptor(), time: time)
        let task = Task {
            for try await _ in client.eventStream(.get("/events")) {}
        }
        for count in 1...2 {
            await time.waitForSleepers(1)
            #expect(time.timeToNext == .seconds(5))
            #expect(transport.requests.count == count)
            time.advance(by: .seconds(5))
        }
        try await task.value
        #expect(transport.requests.count == 3)
    }

    @Test func aPolicyOfTheCallRepeatsTheConnectionOfAStream() async throws {
        transport.stub(.get, "/events", .status(503), .status(204))
        let client = client(.none)
        let options = CallOptions(retry: Self.atOnce(2))
        for try await _ in client.eventStream(.get("/events"), retry: .none, options: options) {}
        #expect(transport.requests.count == 2)
    }
}
