import Foundation
import NetKit
import NetKitTesting
import Testing

struct IdempotencyKeyTests {
    private let transport = MockTransport { _, context in
        HTTPResponse(status: context.attempt.number < 3 ? 503 : 200)
    }

    /// Tries until there is a success.
    private let retry = StagedInterceptor(.retry) { request, context, next in
        while true {
            let response = try await next(request, context)
            if response.status.isSuccess { return response }
            response.body.discard()
        }
    }

    private func client(seed: UInt64 = 0) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.random = .seeded(seed)
        return HTTPClient(transport: transport, interceptors: [retry], configuration: configuration)
    }

    @Test func aMintedKeyIsTheSameForEveryAttempt() async throws {
        let request = HTTPRequest(.post, "https://api.example.com/orders")
        _ = try await client().send(request, options: CallOptions(idempotencyKey: .automatic))
        // A version 4 UUID from SplitMix64's first two numbers for seed 0.
        let key = "e220a839-7b1d-4daf-ae78-9e6aa1b965f4"
        #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == [key, key, key])
    }

    /// Its attempts would be sent with an empty field, by which no server recognizes a repetition.
    @Test(arguments: ["", " ", " \t"]) func anEmptyKeyOfItsOwnIsReplaced(key: String) async throws {
        let request = HTTPRequest(.post, "https://api.example.com/orders", headers: ["Idempotency-Key": "mine"])
        _ = try await client().send(request, options: CallOptions(idempotencyKey: .value(key)))
        #expect(transport.requests.map { $0.headers["Idempotency-Key"] } == ["mine", "mine", "mine"])
        #expect(IdempotencyKey.value(key) == .automatic)
    }

    /// The policies that send a POST more than once, and the number of requests.
    enum Repetition: CaseIterable, Sendable {
        case redirect, hedge, tokenReplay, retryOfEach
    }

    @Test(arguments: Repetition.allCases)
    func theKeyIsTheSameHoweverOftenACallIsSent(_ repetition: Repetition) async throws {
        let time = TestClock(skipsSleeps: true)
        let transport = MockTransport()
        let post = HTTPRequest(.post, "/orders", body: .text("order"))
        let token = AuthInterceptor(TokenStore(initial: "old", clock: TestClock().clock) { _ in "new" })
        var interceptors: InterceptorList = []
        switch repetition {
        case .redirect:
            transport.stub(.post, "/orders", .redirect(to: "/v1/there", status: 307))
            transport.stub(.post, "/there", .status(201))
        case .hedge:
            interceptors = [HedgeInterceptor(after: .fixed(.zero))]
            transport.stub(.post, "/orders", .stalled, .status(201))
        case .tokenReplay:
            interceptors = [token]
            transport.stub(.post, "/orders", .status(401), .status(201))
        case .retryOfEach:
            interceptors = .standard + [token]
            transport.stub(
                .post,
                "/orders",
                .status(503),
                .status(401),
                .status(503),
                .redirect(to: "/v1/there", status: 308)
            )
            transport.stub(.post, "/there", .status(503), .status(201))
        }
        var configuration = HTTPClient.Configuration()
        configuration.clock = time.clock
        let client = HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: interceptors,
            configuration: configuration
        )
        let response = try await client.send(post, options: CallOptions(idempotencyKey: .automatic))
        #expect(response.status == 201)
        #expect(transport.requests.count == (repetition == .retryOfEach ? 6 : 2))
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(transport.requests.first?.headers["Idempotency-Key"]?.count == 36)
        #expect(transport.requests.allSatisfy { $0.bodyText == "order" })
    }

    @Test func eachCallHasAKeyOfItsOwn() async throws {
        let client = client(seed: 9)
        for _ in 0..<4 {
            let request = HTTPRequest(.post, "https://api.example.com/orders")
            _ = try await client.send(request, options: CallOptions(idempotencyKey: .automatic))
        }
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 4)
    }

    @Test func anAutomaticKeyIsThatOfTheRequestIfItHasOne() async throws {
        let request = HTTPRequest(.post, "https://api.example.com/orders", headers: ["idempotency-key": "order-7"])
        _ = try await client().send(request, options: CallOptions(idempotencyKey: .automatic))
        #expect(
            transport.requests.map { $0.headers.values(of: "Idempotency-Key") } == [
                ["order-7"], ["order-7"], ["order-7"],
            ]
        )
    }

    /// A server could not recognize a repetition by it.
    @Test func anEmptyKeyOfTheRequestIsReplaced() async throws {
        let request = HTTPRequest(.post, "https://api.example.com/orders", headers: ["idempotency-key": ""])
        _ = try await client().send(request, options: CallOptions(idempotencyKey: .automatic))
        let keys = Set(transport.requests.map { $0.headers.values(of: "Idempotency-Key") })
        #expect(keys == [["e220a839-7b1d-4daf-ae78-9e6aa1b965f4"]])
    }

    @Test(arguments: [("order-7", "order-7"), ("", nil)] as [(String, String?)])
    func interceptorsSeeTheKeyOfTheRequest(field: String, key: String?) async throws {
        let seen = Locked<String?>(nil)
        let peek = StagedInterceptor(.observe) { request, context, next in
            seen.withLock { $0 = context.call.idempotencyKey }
            return try await next(request, context)
        }
        let client = HTTPClient(transport: transport, interceptors: [peek])
        let request = HTTPRequest(.post, "https://api.example.com/orders", headers: ["idempotency-key": field])
        _ = try await client.send(request)
        #expect(seen.withLock { $0 } == key)
    }

    @Test func aCustomKeyIsSentAndReplacesAHeader() async throws {
        let seen = Locked<String?>(nil)
        let peek = StagedInterceptor(.observe) { request, context, next in
            seen.withLock { $0 = context.call.idempotencyKey }
            return try await next(request, context)
        }
        let client = HTTPClient(transport: transport, interceptors: [retry, peek])
        let request = HTTPRequest(.post, "https://api.example.com/orders", headers: ["idempotency-key": "old"])
        _ = try await client.send(request, options: CallOptions(idempotencyKey: .value("order-7")))
        #expect(
            transport.requests.map { $0.headers.values(of: "Idempotency-Key") } == [
                ["order-7"], ["order-7"], ["order-7"],
            ]
        )
        #expect(seen.withLock { $0 } == "order-7")
    }

    @Test(arguments: [
        (HTTPMethod.post, true), (.patch, true), (.put, false), (.get, false), (.delete, false),
    ])
    func aPolicyMintsKeysForItsMethods(method: HTTPMethod, hasKey: Bool) async throws {
        var configuration = HTTPClient.Configuration()
        configuration.idempotencyKeyMethods = [.post, .patch]
        let client = HTTPClient(transport: transport, interceptors: [retry], configuration: configuration)
        _ = try await client.send(HTTPRequest(method, "https://api.example.com/orders"))
        let keys = transport.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3)
        #expect(Set(keys).count == 1)
        #expect(keys.allSatisfy { ($0 != nil) == hasKey })
    }

    @Test func aPolicyKeepsTheKeyThatARequestOrACallHas() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.idempotencyKeyMethods = [.post]
        let client = HTTPClient(transport: transport, interceptors: [retry], configuration: configuration)
        let request = HTTPRequest(.post, "https://api.example.com/orders", headers: ["idempotency-key": "order-7"])
        _ = try await client.send(request)
        _ = try await client.send(request, options: CallOptions(idempotencyKey: .value("order-8")))
        let keys = transport.requests.map { $0.headers.values(of: "Idempotency-Key") }
        #expect(keys == Array(repeating: ["order-7"], count: 3) + Array(repeating: ["order-8"], count: 3))
    }

    @Test func withoutAKeyNothingIsSent() async throws {
        _ = try await client().send(HTTPRequest(.post, "https://api.example.com/orders"))
        #expect(transport.requests.allSatisfy { !$0.headers.contains("Idempotency-Key") })
        #expect(transport.requests.count == 3)
    }
}
