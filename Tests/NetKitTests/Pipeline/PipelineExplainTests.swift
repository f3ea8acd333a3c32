import Foundation
import NetKit
import Testing

struct PipelineExplainTests {
    private static func named(_ summary: String, _ stage: Stage) -> StagedInterceptor {
        StagedInterceptor(stage, summary: summary) { try await $2($0, $1) }
    }

    @Test func everyStageIsListedWithItsInterceptorsAndHowOftenTheyRun() {
        let list = InterceptorList(Stage.all.reversed().map { Self.named("my \($0)", $0) })
        let pipeline = Pipeline(list, transport: MockTransport())
        #expect(
            pipeline.explain() == """
                observe    my observe                                           once per call: sees everything below as one call
                call       my call                                              once per call: works on the request as its caller wrote it
                offline    my offline                                           once per call: a whole call is deferred, not an attempt
                redirect   my redirect                                          once per call: each hop passes cache, retry and auth again
                cache      my cache                                             once per hop: a hit needs no token and no retry
                coalesce   my coalesce                                          once per hop: shares what the cache could not serve
                retry      my retry                                             once per hop: everything below runs once per attempt
                auth       my auth                                              once per attempt: a retry carries the current credential
                breaker    my breaker                                           once per exchange: fails fast, before a permit is taken
                limit      my limit                                             once per exchange: the last wait; the attempt's time starts after it
                attempt    numbers the exchange and enforces the attempt limit  once per exchange: runs again for each exchange, right before the wire
                           my attempt
                wire       my wire                                              once per exchange: every start has exactly one end
                transport  MockTransport                                        one exchange on the wire
                """
        )
    }

    @Test func aClientListsItsBaseURLAndItsFixedParts() {
        let client = HTTPClient(
            baseURL: URL(string: "https://user:secret@api.example.com/v1?key=secret"),
            transport: MockTransport(),
            interceptors: [Self.named("Signing", .attempt), Self.named("Stamp", .call)]
        )
        #expect(
            client.explain() == """
                HTTPClient for https://***@api.example.com/v1?key=***
                call       Stamp                                                once per call: works on the request as its caller wrote it
                redirect   redirects: up to 20, never from https to http        once per call: each hop passes cache, retry and auth again
                retry      retry: one attempt                                   once per hop: everything below runs once per attempt
                attempt    numbers the exchange and enforces the attempt limit  once per exchange: runs again for each exchange, right before the wire
                           Signing
                transport  MockTransport                                        one exchange on the wire
                """
        )
    }

    /// Each kind of conflict alone, and the warning of `explain()`.
    static let nonsense: [(name: String, timeouts: Timeouts, list: InterceptorList, warning: String)] = [
        ("a total shorter than an attempt", Timeouts(total: .seconds(1)), [], "timeouts.total (1 s) is shorter than"),
        (
            "an unbounded delay", .standard,
            [RetryInterceptor(RetryPolicy(backoffStrategy: .fixed(interval: .seconds(1 << 40))))],
            "and nothing limits the call"
        ),
        (
            "a window shorter than an attempt", .standard,
            [CircuitBreakerInterceptor(CircuitBreakerPolicy(window: .seconds(10)))],
            "the window (10 s) is shorter than timeouts.attempt (30 s)"
        ),
        ("two retries", .standard, .standard + .standard, "RetryInterceptor is in the list 2 times"),
        (
            "two breakers", .standard, [CircuitBreakerInterceptor(), CircuitBreakerInterceptor()],
            "CircuitBreakerInterceptor is in the list 2 times"
        ),
        (
            "two concurrency limits", .standard, [ConcurrencyLimitInterceptor(), ConcurrencyLimitInterceptor()],
            "ConcurrencyLimitInterceptor is in the list 2 times"
        ),
        (
            "two hedges", .standard, [HedgeInterceptor(), HedgeInterceptor()],
            "HedgeInterceptor is in the list 2 times"
        ),
        (
            "a hedge before retry", .standard, [HedgeInterceptor(), RetryInterceptor()],
            "HedgeInterceptor comes before RetryInterceptor in the list"
        ),
        (
            "two that share reads", .standard, [CoalesceInterceptor(), CoalesceInterceptor()],
            "CoalesceInterceptor is in the list 2 times"
        ),
        (
            "two redirects", .standard, [RedirectInterceptor()],
            "RedirectInterceptor is in the list 2 times"
        ),
        (
            "two credentials for one place", .standard,
            [AuthInterceptor(TokenStore(initial: "a")), AuthInterceptor(TokenStore(initial: "b"))],
            "2 AuthInterceptors set Authorization for the same origin"
        ),
        (
            "a credential for everyone", .standard, [AuthInterceptor(TokenStore(initial: "a"), origins: .any)],
            "The credential goes to every origin"
        ),
    ]

    @Test(arguments: nonsense.indices)
    func invalidSettingsAreReported(index: Int) {
        let (name, timeouts, list, warning) = Self.nonsense[index]
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = timeouts
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: MockTransport(),
            interceptors: list,
            configuration: configuration
        )
        let named = client.explain().split(separator: "\n").filter { $0.hasPrefix("warning: ") }
        #expect(named.count == 1, "\(name)")
        #expect(named.first?.contains(warning) == true, "\(name)")
    }

    @Test func anUnusableClientSaysSo() {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts.idle = .zero
        let client = HTTPClient(
            baseURL: URL(string: "ftp://example.com"),
            transport: MockTransport(),
            interceptors: [],
            configuration: configuration
        )
        let lines = client.explain().split(separator: "\n")
        #expect(lines.count == 7)
        #expect(
            lines.dropFirst().first
                == "unusable: timeouts.idle is 0 µs. Set a longer time, or nil for no limit."
        )
        #expect(
            lines.dropFirst(2).first
                == "unusable: The base URL cannot be used: The scheme of \"ftp://example.com\" is neither http nor https."
        )
    }

    @Test func aStageOfSeveralIsNamedOnce() {
        let pipeline = Pipeline([Self.named("first", .call), Self.named("second", .call)], transport: MockTransport())
        let lines = pipeline.explain().split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first?.hasPrefix("call       first ") == true)
        #expect(lines.dropFirst().first == "           second")
    }
}
