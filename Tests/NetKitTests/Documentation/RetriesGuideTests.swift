import Foundation
import NetKit
import NetKitTesting
import Testing

// The examples of the page "Retries", compiled and run; the last test holds the two together line by line.
struct RetriesGuideTests {
    private let base = URL(string: "https://api.example.com")

    @Test func thePolicyWorks() throws {
        // Retries: policy
        let policy = RetryPolicy(
            maxAttempts: 4,
            backoffStrategy: .exponential(base: .milliseconds(200), cap: .seconds(10)),
            jitter: .full,
            maxElapsed: .seconds(30)
        )
        let client = HTTPClient(baseURL: base, interceptors: [RetryInterceptor(policy)])
        // Retries: end
        #expect(client.warnings == [])
        #expect(client.explain().contains("up to 4 attempts"))
    }

    @Test func theClosureWorks() {
        // Retries: closure
        let patient = RetryPolicy { candidate in
            candidate.isRetryable || candidate.status == 409
        }
        // Retries: end
        #expect(patient.shouldRetry != nil)
    }

    @Test func theLogWorks() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/users/42", .status(503))
        let policy = RetryPolicy(backoffStrategy: .fixed(interval: .zero))
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [RetryInterceptor(policy)])
        let records = Notebook<Int>()
        let record = { (number: Int, _: Duration, _: HTTPStatus?) in records.add(number) }
        let greet = { (_: User) in }
        // Retries: log
        do {
            let user: User = try await client.send(.get("/users/42"))
            greet(user)
        } catch let error as NetKitError {
            for attempt in error.attemptLog?.attempts ?? [] { record(attempt.number, attempt.duration, attempt.status) }
            print(error.attemptLog?.description ?? "not retried")
        }
        // Retries: end
        #expect(records.entries == [1, 2, 3])
    }

    @Test func theKeysWork() {
        // Retries: keys
        var configuration = HTTPClient.Configuration()
        configuration.idempotencyKeyMethods = [.post, .patch]  // every call of these methods
        let options = CallOptions(idempotencyKey: .automatic)  // or a single call
        let known = CallOptions(idempotencyKey: .value("order-7"))  // or with a key of your own
        // Retries: end
        #expect(options.idempotencyKey != known.idempotencyKey)
        #expect(configuration.idempotencyKeyMethods.count == 2)
    }

    @Test func theHeaderWorks() {
        // Retries: header
        let telling = DeadlineHeaderInterceptor(name: "X-Request-Timeout-Ms")
        // Retries: end
        #expect(telling.stage == .attempt)
    }

    @Test func theSimulationWorks() async throws {
        // Retries: simulation
        let simulation = Simulation(seed: 7)
        let outage = SimulatedHost().from(.seconds(60), until: .seconds(120), .refused)
        simulation.host("api.example.com", outage)
        let client = HTTPClient(
            baseURL: base,
            transport: simulation.transport,
            interceptors: [RetryInterceptor()],
            configuration: simulation.configuration
        )
        try await simulation.run {
            await simulation.callers(100) { number in
                try? await simulation.sleep(for: .seconds(number))
                _ = try? await client.send(HTTPRequest(.get, "/users/\(number)"))
            }
        }
        #expect(simulation.requestCount < 200)
        // Retries: end
        #expect(simulation.requestCount > 120)
    }

    @Test(arguments: ["policy", "closure", "log", "keys", "header", "simulation"])
    func thePageShowsThisCode(section: String) throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = try Self.lines(of: URL(fileURLWithPath: #filePath))
        let page = try Self.lines(of: root.appending(path: "Sources/NetKit/NetKit.docc/Retries.md"))
        let start = try #require(source.firstIndex(of: "// Retries: \(section)"))
        let end = try #require(source[start...].firstIndex(of: "// Retries: end"))
        let shown = source[(start + 1)..<end]
        #expect(page.indices.contains { page[$0...].starts(with: shown) })
    }

    /// The lines of a file without the white space that only arranges them.
    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ")
        }
        .filter { !$0.isEmpty }
    }
}
