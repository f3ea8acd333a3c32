import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of calls that belong together, while users log in and out between them.
@Suite(.timeLimit(.minutes(5)))
struct CallSequenceTests {
    private let time = TestClock()
    private let transport = MockTransport()
    private let tokens = TokenStore(initial: "a", identity: "ada")
    private let retry = RetryPolicy(
        maxAttempts: 3,
        backoffStrategy: .fixed(interval: .seconds(1)),
        jitter: .none,
        retryableErrorCodes: [.connectionLost, .unauthorized]
    )

    private func client(_ tokens: TokenStore) -> HTTPClient {
        HTTPClient.testing(transport, AuthInterceptor(tokens), time: time)
    }

    /// The credentials that were sent.
    private var credentials: [String?] { transport.requests.map { $0.headers["Authorization"] } }

    private func isLoginChange(_ error: NetKitError?) -> Bool {
        error?.code == .unauthorized && error?.cause is IdentityChange
    }

    // MARK: Streams

    private func stream(_ text: String) -> MockResponse {
        .data(Data(text.utf8), contentType: "text/event-stream")
    }

    private func read(_ client: HTTPClient, into events: Notebook<String>) -> Task<Void, any Error> {
        Task { [retry] in
            for try await event in client.eventStream(.get("/events"), retry: retry) { events.add(event.data) }
        }
    }

    @Test func aStreamIsNotContinuedForAnotherUser() async throws {
        transport.stub(.get, "/events", stream("id: 1\ndata: 1\n\n"), .status(204))
        let events = Notebook<String>()
        let reading = read(client(tokens), into: events)
        await time.waitForSleepers(1)
        await tokens.set(AccessToken("b"), identity: "bob")
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await reading.value }
        #expect(isLoginChange(error))
        #expect(events.entries == ["1"])
        #expect(credentials == ["Bearer a"])
    }

    @Test(arguments: [false, true])
    func aStreamIsContinuedForTheSameUser(afterLogout: Bool) async throws {
        transport.stub(.get, "/events", stream("data: 1\n\n"), .status(204))
        let events = Notebook<String>()
        let reading = read(client(tokens), into: events)
        await time.waitForSleepers(1)
        if afterLogout { await tokens.clear() }
        await tokens.set(AccessToken("a-2"), identity: "ada")
        time.advance(by: .seconds(1))
        try await reading.value
        #expect(events.entries == ["1"])
        #expect(credentials == ["Bearer a", "Bearer a-2"])
    }

    /// The user logs out and in again before the second connection, and another one logs in before the third.
    @Test func aStreamThatWaitedForTheFirstLoginBelongsToIt() async throws {
        let gate = MockTransport()
        gate.stub(nil, "**", .stalled)
        let tokens = TokenStore(initial: nil, clock: TestClock().clock) { _ in
            _ = try await gate.send(HTTPRequest(.get, URL(fileURLWithPath: "/")), context: .test())
            return "fetched"
        }
        transport.stub(.get, "/events", stream("data: 1\n\n"), stream("data: 2\n\n"), .status(204))
        let events = Notebook<String>()
        let reading = read(client(tokens), into: events)
        await gate.waitForRequests(1)
        await tokens.set(AccessToken("a"), identity: "ada")
        await time.waitForSleepers(1)
        await tokens.clear()
        await tokens.set(AccessToken("a-2"), identity: "ada")
        time.advance(by: .seconds(1))
        await time.waitForSleepers(1)
        await tokens.set(AccessToken("b"), identity: "bob")
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await reading.value }
        #expect(isLoginChange(error))
        #expect(events.entries == ["1", "2"])
        #expect(credentials == ["Bearer a", "Bearer a-2"])
        gate.release()
    }

    /// The options reach the client through a sender of the user's.
    @Test func aStreamThroughAnotherSenderIsNotContinuedEither() async throws {
        struct Sender: RequestSending {
            let client: HTTPClient
            var payloadSettings: PayloadSettings { client.payloadSettings }

            func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
                try await client.send(request, options: options)
            }
        }
        transport.stub(.get, "/events", stream("data: 1\n\n"), .status(204))
        let (sender, retry) = (Sender(client: client(tokens)), retry)
        let reading = Task {
            for try await _ in sender.eventStream(.get("/events"), retry: retry) {}
        }
        await time.waitForSleepers(1)
        await tokens.set(AccessToken("b"), identity: "bob")
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await reading.value }
        #expect(isLoginChange(error))
        #expect(credentials == ["Bearer a"])
    }

    // MARK: Pages

    private func stubPages() {
        transport.stub(.get, "/list", .json([1]).header("Link", "</v1/list?page=2>; rel=next"))
        transport.stub(.get, "/list", query: ["page": "2"], .json([2]))
    }

    @Test func theNextPageIsNotRequestedForAnotherUser() async throws {
        stubPages()
        let list = client(tokens).linkedPages(Endpoint<[Int]>.get("/list"))
        var pages = list.makeAsyncIterator()
        #expect(try await pages.next() == [1])
        await tokens.set(AccessToken("b"), identity: "bob")
        let error = await #expect(throws: NetKitError.self) { try await pages.next() }
        #expect(isLoginChange(error))
        #expect(try await pages.next() == nil)
        #expect(credentials == ["Bearer a"])
        var others = list.makeAsyncIterator()
        #expect(try await others.next() == [1])
        #expect(try await others.next() == [2])
        #expect(credentials == ["Bearer a", "Bearer b", "Bearer b"])
    }

    @Test func pagesWithoutACredentialBelongToNobody() async throws {
        stubPages()
        var endpoint = Endpoint<[Int]>.get("/list")
        endpoint.requiresAuth = false
        var pages = client(tokens).linkedPages(endpoint).makeAsyncIterator()
        #expect(try await pages.next() == [1])
        await tokens.set(AccessToken("b"), identity: "bob")
        #expect(try await pages.next() == [2])
        #expect(credentials == [nil, nil])
    }
}
