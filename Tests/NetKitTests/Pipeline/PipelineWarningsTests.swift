import Foundation
import NetKit
import Testing

struct PipelineWarningsTests {
    /// An interceptor with the given warnings that may be one of several.
    private struct Doubtful: InspectableInterceptor {
        var doubts: [String] = []

        func warnings(in client: ClientInspection) -> [String] {
            doubts + client.warnings(ifRepeated: Self.self, "Two are too many.")
        }

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            try await next(request, context)
        }
    }

    private static func client(
        _ interceptors: InterceptorList = [],
        timeouts: Timeouts = .standard
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeouts = timeouts
        return HTTPClient(
            baseURL: exampleBase,
            transport: MockTransport(),
            interceptors: interceptors,
            configuration: configuration
        )
    }

    @Test func theDefaultsMakeSense() {
        let client = HTTPClient(baseURL: exampleBase, transport: MockTransport())
        #expect(client.warnings == [])
        #expect(!client.explain().contains("warning"))
    }

    @Test(
        arguments: [
            (Duration.seconds(5), Duration.seconds(30), true), (.seconds(30), .seconds(30), false),
            (.seconds(60), .seconds(30), false), (nil, .seconds(30), false), (.seconds(5), nil, false),
        ] as [(Duration?, Duration?, Bool)]
    )
    func aTotalShorterThanOneAttemptIsNamed(total: Duration?, attempt: Duration?, isNamed: Bool) {
        let warnings = Self.client(timeouts: Timeouts(attempt: attempt, total: total)).warnings
        #expect(warnings.count == (isNamed ? 1 : 0))
        #expect(
            !isNamed
                || warnings.first?.hasPrefix("timeouts.total (5 s) is shorter than timeouts.attempt (30 s)") == true
        )
    }

    @Test func aRepeatedInterceptorIsNamedOnce() {
        let client = Self.client([Doubtful(), Doubtful()])
        #expect(client.warnings == ["Doubtful is in the list 2 times; keep only one. Two are too many."])
    }

    @Test(
        arguments: [
            RateLimitInterceptor(permits: 10, per: .seconds(1)), ConcurrencyLimitInterceptor(), MetricsCollector(),
            HARRecorder(),
        ] as [any Interceptor]
    )
    func anObjectThatIsInTheListTwiceIsNamed(interceptor: any Interceptor) {
        let warnings = Self.client([interceptor, interceptor]).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("\(type(of: interceptor)) is in the list 2 times; keep") == true)
    }

    @Test func severalObjectsOfATypeMayHaveAUse() {
        let client = Self.client([
            RateLimitInterceptor(permits: 10, per: .seconds(1)), RateLimitInterceptor(permits: 100, per: .seconds(60)),
            MetricsCollector(), MetricsCollector(), HARRecorder(), HARRecorder(),
        ])
        #expect(client.warnings == [])
    }

    @Test func explainShowsEachWarningOnALineOfItsOwn() {
        let lines = Self.client([Doubtful(doubts: ["One.", "Two\nlines.", "One."])]).explain().split(separator: "\n")
        #expect(lines.dropFirst().prefix(3) == ["warning: One.", "warning: Two\u{FFFD}lines.", lines[3]])
    }

    @Test func customRedirectsBesideTheClientsAreNamed() {
        let warnings = Self.client([RedirectInterceptor()]).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("configuration.redirects") == true)
    }

    @Test func factsTellWhatTheClientIsMadeOf() {
        let client = ClientInspection(interceptors: [Doubtful(), RedirectInterceptor()], baseURL: exampleBase)
        #expect(client.all(Doubtful.self).count == 1)
        #expect(client.all(RedirectInterceptor.self).count == 1)
        #expect(client.warnings(ifRepeated: Doubtful.self, "") == [])
        #expect(client.timeouts == .standard)
        #expect(client.baseURL == exampleBase)
    }

    @Test func anInterceptorOfSeveralPartsStandsAtEachStage() {
        struct Pair: InspectableInterceptor {
            let parts: [any Interceptor] = [
                StagedInterceptor(.wire, summary: "inner") { try await $2($0, $1) },
                StagedInterceptor(.observe, summary: "outer") { try await $2($0, $1) },
            ]

            func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
                try await next(request, context)
            }
        }
        let pipeline = Pipeline([Pair()], transport: MockTransport())
        #expect(pipeline.interceptors.map(\.stage) == [.observe, .attempt, .wire])
        #expect(pipeline.interceptors.first?.summary == "outer")
    }
}
