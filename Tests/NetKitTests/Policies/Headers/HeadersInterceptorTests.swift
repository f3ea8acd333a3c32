import Foundation
import NetKit
import NetKitTesting
import Testing

struct HeadersInterceptorTests {
    /// The header as it is sent.
    private func sent(
        _ headers: HTTPHeaders,
        through interceptors: any Interceptor...
    ) async throws -> [String] {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(interceptors)
        )
        _ = try await client.send(HTTPRequest(.get, "/x", headers: headers))
        return transport.requests.flatMap { $0.headers.fields.map { "\($0.name): \($0.value)" } }
    }

    @Test func aDictionaryIsEnough() async throws {
        let fields = ["B": "2", "A": "1"]
        #expect(try await sent(["A": "own"], through: HeadersInterceptor(fields)) == ["A: own", "B: 2"])
        #expect(try await sent(["A": "own"], through: HeadersInterceptor(overriding: fields)) == ["A: 1", "B: 2"])
        let list = InterceptorList.standard + HeadersInterceptor(fields)
        #expect(list.interceptors.count == InterceptorList.standard.interceptors.count + 1)
        #expect(list.interceptors.last is HeadersInterceptor)
    }

    @Test(
        arguments: [
            ([:], ["A": "1"], ["A: 1"], ["A: 1"]),
            (["A": "own"], ["A": "1"], ["A: own"], ["A: 1"]),
            (["a": "own"], ["A": "1", "B": "2"], ["a: own", "B: 2"], ["A: 1", "B: 2"]),
            ([:], ["A": "1", "A": "2"], ["A: 1", "A: 2"], ["A: 1", "A: 2"]),
            (["A": "x", "A": "y"], ["A": "1"], ["A: x", "A: y"], ["A: 1"]),
            (["A": ""], ["A": "1"], ["A: "], ["A: 1"]),
            (["B": "own"], [:], ["B: own"], ["B: own"]),
        ] as [(HTTPHeaders, HTTPHeaders, [String], [String])]
    )
    func defaultsGiveWayAndOverridesDoNot(
        own: HTTPHeaders,
        added: HTTPHeaders,
        asDefaults: [String],
        asOverrides: [String]
    ) async throws {
        #expect(try await sent(own, through: HeadersInterceptor(added)) == asDefaults)
        #expect(try await sent(own, through: HeadersInterceptor(overriding: added)) == asOverrides)
        #expect(try await sent(own, through: HeadersInterceptor { _, _ in added }) == asDefaults)
        #expect(try await sent(own, through: HeadersInterceptor(overriding: true) { _, _ in added }) == asOverrides)
    }

    @Test func ofSeveralTheFirstDefaultAndTheLastOverrideWin() async throws {
        #expect(
            try await sent([:], through: HeadersInterceptor(["A": "1"]), HeadersInterceptor(["A": "2"])) == ["A: 1"]
        )
        #expect(
            try await sent([:], through: HeadersInterceptor(["A": "1"]), HeadersInterceptor(overriding: ["A": "2"]))
                == ["A: 2"]
        )
    }

    @Test func aValueIsComputedOncePerCallAndKeptByEveryAttempt() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let count = Locked(0)
        let computed = HeadersInterceptor { request, context in
            let number = count.increment()
            return ["X-Call": "\(request.method) \(number)", "X-ID": "\(context.id)"]
        }
        let twice = Intercepting(stage: .retry) { request, context, next in
            _ = try await next(request, context)
            return try await next(request, context)
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [computed, twice])
        let id = CallID()
        _ = try await client.send(HTTPRequest(.get, "/x"), options: CallOptions(id: id))
        _ = try await client.send(HTTPRequest(.get, "/x"))
        #expect(transport.requests.map { $0.headers["X-Call"] } == ["GET 1", "GET 1", "GET 2", "GET 2"])
        #expect(transport.requests.first?.headers["X-ID"] == "\(id)")
    }

    @Test func aFunctionWhoseRequestNeedsItselfIsAnErrorThatSaysWhatToDo() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let count = Locked(0)
        let box = Locked<HTTPClient?>(nil)
        let headers = HeadersInterceptor { _, _ in
            // It ends by itself if nothing else ends it.
            guard count.increment() < 100, let client = box.withLock({ $0 }) else { return [:] }
            let response = try await client.send(HTTPRequest(.get, "/session"))
            return ["X-Session": "\(response.status)"]
        }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [headers])
        box.withLock { $0 = client }
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("another client") == true)
        #expect(count.withLock { $0 } == 4)
        #expect(transport.requests.isEmpty)
    }

    @Test func anErrorOfTheFunctionFailsTheCallBeforeItIsSent() async throws {
        struct NoValue: Error {}
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [HeadersInterceptor { _, _ in throw NoValue() }]
        )
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.cause is NoValue)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test func aLineBreakInAValueIsRefused() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: [HeadersInterceptor(["X-A": "1\r\nX-B: 2"])]
        )
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, "/x")) }
        #expect(error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func addedHeadersAreShownAndSecretsAreNamed() {
        let fields: HTTPHeaders = ["Accept-Language": "es", "Authorization": "Bearer s3cret"]
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: MockTransport(),
            interceptors: [
                HeadersInterceptor(fields), HeadersInterceptor(overriding: ["X-A": "1"]),
                HeadersInterceptor { _, _ in [:] },
            ]
        )
        let text = client.explain()
        #expect(text.contains("headers: Accept-Language, Authorization"))
        #expect(text.contains("headers, overriding: X-A"))
        #expect(text.contains("headers: computed for each call"))
        #expect(!text.contains("s3cret"))
        #expect(client.warnings.count == 1)
        #expect(client.warnings.first?.contains("Authorization to every origin") == true)
    }
}
