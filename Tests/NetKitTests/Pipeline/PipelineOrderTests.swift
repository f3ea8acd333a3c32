import Foundation
import NetKit
import NetKitTesting
import Testing

/// The order is a contract, and asserted literally.
struct PipelineOrderTests {
    private static let outermostFirst = [
        "observe", "call", "offline", "redirect", "cache", "coalesce", "retry", "auth", "breaker", "limit", "attempt",
        "wire",
    ]

    @Test func stagesAreInTheDocumentedOrder() {
        #expect(Stage.all.map(\.description) == Self.outermostFirst)
        #expect(Stage.all.reversed().sorted() == Stage.all)
        #expect(Set(Stage.all).count == 12)
    }

    @Test(arguments: UInt64(0)..<24)
    func aRequestPassesTheStagesOutermostFirstAndItsResponseInReverse(seed: UInt64) async throws {
        var random = RandomSource.seeded(seed)
        let log = EventLog()
        let shuffled = Stage.all.shuffled(using: &random)
        let list = InterceptorList(shuffled.map { StagedInterceptor.logging($0.description, $0, to: log) })
        let transport = MockTransport()
        transport.stub(.get, "/x", .status(204))
        let base = try #require(URL(string: "https://api.example.com"))
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: list)
        let response = try await client.send(HTTPRequest(.get, "/x"))
        #expect(response.status == 204)
        #expect(
            log.all == [
                "observe out", "call out", "offline out", "redirect out", "cache out", "coalesce out",
                "retry out", "auth out", "breaker out", "limit out", "attempt out", "wire out",
                "wire back", "attempt back", "limit back", "breaker back", "auth back", "retry back",
                "coalesce back", "cache back", "redirect back", "offline back", "call back", "observe back",
            ]
        )
    }

    @Test(arguments: UInt64(0)..<8)
    func theOrderOfTheListHoldsInsideAStage(seed: UInt64) throws {
        var random = RandomSource.seeded(seed)
        let log = EventLog()
        var list: [any Interceptor] = []
        for round in 0..<4 {
            for stage in Stage.all.shuffled(using: &random) {
                list.append(StagedInterceptor.logging("\(stage) \(round)", stage, to: log))
            }
        }
        let pipeline = Pipeline(InterceptorList(list), transport: MockTransport())
        let given = pipeline.interceptors.map(\.summary).filter {
            $0 != "numbers the exchange and enforces the attempt limit"
        }
        #expect(given == Self.outermostFirst.flatMap { stage in (0..<4).map { "\(stage) \($0)" } })
    }

    @Test func theExchangeBeginsBeforeAnyOtherInterceptorOfItsStage() {
        let own = StagedInterceptor(.attempt, summary: "mine") { try await $2($0, $1) }
        let limit = StagedInterceptor(.limit, summary: "permits") { try await $2($0, $1) }
        let pipeline = Pipeline([own, limit], transport: MockTransport())
        #expect(
            pipeline.interceptors.map(\.summary) == [
                "permits", "numbers the exchange and enforces the attempt limit", "mine",
            ]
        )
    }

    @Test func interceptorsOfTheRedirectStageSeeEachHop() async throws {
        let log = EventLog()
        let transport = MockTransport()
        transport.stub(.get, "/old", .redirect(to: "/new"))
        transport.stub(.get, "/new", .status(200))
        let client = HTTPClient(
            baseURL: URL(string: "https://api.example.com"),
            transport: transport,
            interceptors: [
                StagedInterceptor.logging("mine", .redirect, to: log),
                StagedInterceptor.logging("call", .call, to: log),
            ]
        )
        _ = try await client.send(HTTPRequest(.get, "/old"))
        #expect(log.all == ["call out", "mine out", "mine back", "mine out", "mine back", "call back"])
    }

    @Test func theStageIsCallByDefault() {
        struct Plain: Interceptor {
            func intercept(
                _ request: HTTPRequest,
                context: RequestContext,
                next: Next
            ) async throws -> HTTPResponse { try await next(request, context) }
        }
        #expect(Plain().stage == .call)
        #expect(Plain().summary == "Plain")
    }

    @Test func anInterceptorMayRespondByItself() async throws {
        let log = EventLog()
        let transport = MockTransport()
        let pipeline = Pipeline(
            [
                StagedInterceptor.logging("below", .retry, to: log),
                StagedInterceptor(.cache) { _, _, _ in HTTPResponse(status: 200, headers: ["X-From": "cache"]) },
                StagedInterceptor.logging("above", .call, to: log),
            ],
            transport: transport
        )
        let url = try #require(URL(string: "https://api.example.com/x"))
        let context = RequestContext.test()
        let response = try await pipeline.send(HTTPRequest(.get, url), context: context)
        #expect(response.headers["X-From"] == "cache")
        #expect(log.all == ["above out", "above back"])
        #expect(transport.requests.isEmpty)
        #expect(context.call.attemptCount == 0)
    }

    @Test func anErrorOfAnInterceptorPassesTheOuterOnes() async throws {
        struct Refusal: Error, Equatable {}
        let log = EventLog()
        let pipeline = Pipeline(
            [
                StagedInterceptor(.auth) { _, _, _ in throw Refusal() },
                StagedInterceptor.logging("outside", .retry, to: log),
            ],
            transport: MockTransport()
        )
        let url = try #require(URL(string: "https://api.example.com/x"))
        await #expect(throws: Refusal()) {
            try await pipeline.send(HTTPRequest(.get, url), context: .test())
        }
        #expect(log.all == ["outside out", "outside back"])
    }
}
