import Foundation
import NetKit
import NetKitTestSupport
import Testing

/// The examples of the page on retries, compiled and run.
@Suite(.needsTheMachine)
struct RetriesGuideTests {
    private let base = URL(string: "https://api.example.com")

    @Test func thePolicyIsValid() throws {
        // GUIDE: begin
        let policy = RetryPolicy(
            maxAttempts: 4,
            backoffStrategy: .exponential(base: .milliseconds(200), cap: .seconds(10)),
            jitter: .full,
            maxElapsed: .seconds(30)
        )
        let client = HTTPClient(baseURL: base, interceptors: [RetryInterceptor(policy)])
        // GUIDE: end
        #expect(client.warnings == [])
        #expect(client.explain().contains("up to 4 attempts"))
    }

    @Test func theClosureIsTheCondition() {
        // GUIDE: begin
        let patient = RetryPolicy { candidate in
            candidate.isRetryable || candidate.status == 409
        }
        // GUIDE: end
        #expect(patient.shouldRetry != nil)
    }

    @Test func theLogHasEachAttempt() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/42", .status(503))
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero))
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [RetryInterceptor(policy)])
        let records = Notebook<Int>()
        let record = { (number: Int, _: Duration, _: HTTPStatus?) in records.add(number) }
        let greet = { (_: User) in }
        // GUIDE: begin
        do {
            let user: User = try await client.send(.get("/users/42"))
            greet(user)
        } catch let error as NetKitError {
            for attempt in error.attemptLog?.attempts ?? [] { record(attempt.number, attempt.duration, attempt.status) }
            print(error.attemptLog?.description ?? "not retried")
        }
        // GUIDE: end
        #expect(records.entries == [1, 2, 3])
    }

    @Test func theCallsPolicyTakesPrecedence() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/report", .json(User(id: 1, name: "Ada")))
        let client = HTTPClient(baseURL: base, transport: transport)
        // GUIDE: begin
        var report = Endpoint<User>.get("/report")
        report.retry = RetryPolicy(maxAttempts: 5)
        let user = try await client.send(report, options: CallOptions(retry: .none))  // one attempt
        // GUIDE: end
        #expect(user.id == 1)
        #expect(transport.requests.count == 1)
    }

    @Test func oneEndpointIsRetried() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/search", .status(503), .json(User(id: 1, name: "Ada")))
        transport.stub(.get, "/other", .status(503))
        // GUIDE: begin
        var search = Endpoint<User>.get("/search")
        search.retry = RetryPolicy(maxAttempts: 3)
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [])
        // GUIDE: end
        search.retry = RetryPolicy(maxAttempts: 3, backoffStrategy: .fixed(interval: .zero))
        #expect(try await client.send(search).id == 1)
        let error = await #expect(throws: NetKitError.self) { try await client.get("/other") }
        #expect(error?.attempts == 1)
        #expect(error?.attemptLog == nil)
        #expect(transport.requests.count == 3)
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Retries").shows(#filePath))
    }
}
