import Foundation
import NetKit
import Testing

struct NextTests {
    private let url: URL
    private let transport = MockTransport()

    init() throws {
        url = try #require(URL(string: "https://api.example.com/x"))
    }

    @Test func canBeCalledAgainAndEachCallIsAnExchangeOfItsOwn() async throws {
        transport.stub(.get, "/x", .status(503), .status(200))
        let again = StagedInterceptor(.retry) { request, context, next in
            let first = try await next(request, context)
            #expect(first.status == 503)
            first.body.discard()
            return try await next(request, context)
        }
        let context = RequestContext.test()
        let response = try await Pipeline([again], transport: transport).send(HTTPRequest(.get, url), context: context)
        #expect(response.status == 200)
        #expect(transport.requests.map(\.attempt) == [1, 2])
        #expect(Set(transport.requests.map(\.callID)) == [context.id])
        #expect(context.call.attemptCount == 2)
    }

    @Test func canBeCapturedAndCalledLater() async throws {
        transport.stub(.get, "/x", .status(200))
        let captured = Locked<Next?>(nil)
        let log = EventLog()
        let capturing = StagedInterceptor(.call) { _, _, next in
            captured.withLock { $0 = next }
            return HTTPResponse(status: 202)
        }
        let pipeline = Pipeline([capturing, StagedInterceptor.logging("below", .auth, to: log)], transport: transport)
        let first = try await pipeline.send(HTTPRequest(.get, url), context: .test())
        #expect(first.status == 202)
        #expect(transport.requests.isEmpty)
        let next = try #require(captured.withLock { $0 })
        let later = try await next(HTTPRequest(.get, url), .test())
        #expect(later.status == 200)
        #expect(log.all == ["below out", "below back"])
        #expect(transport.requests.count == 1)
    }

    @Test func canBeRaced() async throws {
        transport.stub(.get, "/x", .status(200))
        let race = StagedInterceptor(.retry) { request, context, next in
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for _ in 0..<8 { group.addTask { try await next(request, context) } }
                let all = try await group.reduce(into: []) { $0.append($1) }
                #expect(all.allSatisfy { $0.status == 200 })
                return try #require(all.first)
            }
        }
        let context = RequestContext.test()
        _ = try await Pipeline([race], transport: transport).send(HTTPRequest(.get, url), context: context)
        #expect(transport.requests.map(\.attempt).sorted() == Array(1...8))
        #expect(context.call.attemptCount == 8)
    }

    @Test func canBeMadeFromAFunctionToTestAnInterceptorAlone() async throws {
        let stamp = StagedInterceptor.changing { $0.headers["X-Stamp"] = "1" }
        let next = Next { request, context in
            HTTPResponse(status: 200, headers: ["X-Seen": request.headers["X-Stamp"] ?? "", "X-Call": "\(context.id)"])
        }
        let context = RequestContext.test()
        let response = try await stamp.intercept(HTTPRequest(.get, url), context: context, next: next)
        #expect(response.headers["X-Seen"] == "1")
        #expect(response.headers["X-Call"] == context.id.description)
    }

    @Test func passesOnTheRequestAndContextItIsGiven() async throws {
        transport.stub(.put, "/other", .status(200))
        let other = try #require(URL(string: "https://api.example.com/other"))
        let replacement = RequestContext.test()
        let replacing = StagedInterceptor(.call) { _, _, next in
            try await next(HTTPRequest(.put, other, headers: ["X-A": "1"]), replacement)
        }
        let original = RequestContext.test()
        _ = try await Pipeline([replacing], transport: transport).send(HTTPRequest(.get, url), context: original)
        let sent = try #require(transport.requests.first)
        #expect(sent.url == other)
        #expect(sent.headers == ["X-A": "1"])
        #expect(sent.callID == replacement.id)
        #expect(original.call.attemptCount == 0)
    }

    @Test func twoCallsAtTheAttemptStageCountAsOneExchange() async throws {
        transport.stub(.get, "/x", .status(401), .status(200))
        let challenge = StagedInterceptor(.attempt) { request, context, next in
            let first = try await next(request, context)
            first.body.discard()
            return try await next(request, context)
        }
        let response = try await Pipeline([challenge], transport: transport).send(
            HTTPRequest(.get, url),
            context: .test()
        )
        #expect(response.status == 200)
        #expect(transport.requests.map(\.attempt) == [1, 1])
    }
}
