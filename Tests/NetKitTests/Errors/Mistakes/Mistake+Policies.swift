import Foundation
import NetKit
import NetKitTesting

extension Mistake {
    private static func makeClient(
        _ interceptors: [any Interceptor] = [],
        _ transport: MockTransport = MockTransport { _, _ in HTTPResponse(status: .ok) }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        // Messages name the time that is left.
        configuration.clock = TestClock().clock
        return HTTPClient(
            baseURL: exampleBase,
            transport: transport,
            interceptors: InterceptorList(interceptors),
            configuration: configuration
        )
    }

    private static func expired(_ phase: any WritableKeyPath<Timeouts, Duration?> & Sendable)
        -> @Sendable () async throws -> Void
    {
        {
            let time = TestClock()
            let transport = MockTransport()
            transport.stub(nil, "**", .stalled)
            var configuration = HTTPClient.Configuration()
            configuration.clock = time.clock
            configuration.timeouts = Timeouts()
            configuration.timeouts[keyPath: phase] = .seconds(3)
            let client = HTTPClient(
                baseURL: exampleBase,
                transport: transport,
                interceptors: [],
                configuration: configuration
            )
            async let response = client.get("/users")
            await transport.waitForRequests(1)
            time.advance(by: .seconds(3))
            _ = try await response
        }
    }

    private static func expired(
        after limit: Duration,
        _ send: @escaping @Sendable (HTTPClient) async throws -> HTTPResponse
    ) -> @Sendable () async throws -> Void {
        {
            let time = TestClock()
            let transport = MockTransport()
            transport.stub(nil, "**", .stalled)
            var configuration = HTTPClient.Configuration()
            configuration.clock = time.clock
            let client = HTTPClient(
                baseURL: exampleBase,
                transport: transport,
                interceptors: [],
                configuration: configuration
            )
            async let response = send(client)
            await transport.waitForRequests(1)
            time.advance(by: limit)
            _ = try await response
        }
    }

    /// Refusals of the client itself: limits, credentials, and calls that may not be sent.
    static let inPolicies: [Mistake] = [
        Mistake(
            "a call beyond its time",
            "The deadline of 3 s passed while waiting for the response of `api.example.com`. Raise `timeouts.total`, or find out what took so long.",
            expired(\.total)
        ),
        Mistake(
            "a call beyond its own time",
            "The deadline of 2 s passed while waiting for the response of `api.example.com`. Raise `timeout`, or find out what took so long.",
            expired(after: .seconds(2)) { try await $0.get("/users", timeout: .seconds(2)) }
        ),
        Mistake(
            "a call beyond the time of a group",
            "The deadline of 2 s passed while waiting for the response of `api.example.com`. Raise `withDeadline`, or find out what took so long.",
            expired(after: .seconds(2)) { client in
                let clock = client.configuration.clock
                // The error of the call itself, because `withDeadline` throws its own.
                return try await withDeadline(.seconds(2), clock: clock) {
                    await Result.catching { try await client.get("/users", timeout: .seconds(3)) }
                }.get()
            }
        ),
        Mistake(
            "a refresh whose request fails",
            "The server responded with 404 Not Found. The token for GET https://api.example.com/v1/private was being refreshed."
        ) {
            let transport = MockTransport()
            transport.stub(.post, "/nope", .status(404))
            let plain = makeClient([], transport)
            let tokens = TokenStore(initial: nil, clock: TestClock().clock) { _ in
                try await plain.send(Endpoint<String>.post("/nope"))
            }
            _ = try await makeClient([AuthInterceptor(tokens)], transport).get("/private")
        },
        Mistake(
            "an attempt beyond its time",
            "The exchange took longer than 3 s. Raise `timeouts.attempt`, or stream the body.",
            expired(\.attempt)
        ),
        Mistake("a client that was shut down", "The client was shut down. Create a new client.") {
            let client = makeClient()
            await client.shutdown()
            _ = try await client.get("/users")
        },
        Mistake("a mock without a stub", "No stub matches GET /v1/users: there are none. Call `stub` first.") {
            _ = try await makeClient([], MockTransport()).get("/users")
        },
        Mistake(
            "a mock whose stub has another method",
            "No stub matches GET /v1/users. The nearest: POST /users (the method is POST)."
        ) {
            let transport = MockTransport()
            transport.stub(.post, "/users", .status(.ok))
            _ = try await makeClient([], transport).get("/users")
        },
        Mistake(
            "no token, and nothing to fetch one with",
            "There is no token, and nothing to fetch one with. Call `set(_:)` first, give the store a refresh closure, or set `requiresAuth` to false."
        ) {
            _ = try await makeClient([AuthInterceptor(TokenStore(initial: nil))]).get("/users")
        },
        Mistake("a colon in the name of a user", "The user name for Basic contains a colon, which ends it. Remove it.")
        {
            _ = try await makeClient([AuthInterceptor.basic(user: "a:b", password: "c")]).get("/users")
        },
        Mistake(
            "an open circuit",
            "The circuit of https://api.example.com:443 is open for another 5 s, because 1 of 1 exchanges failed."
        ) {
            let breaker = CircuitBreakerInterceptor(CircuitBreakerPolicy(minThroughput: 1))
            let client = makeClient([breaker], MockTransport { _, _ in throw URLError(.cannotConnectToHost) })
            _ = try? await client.get("/users")
            _ = try await client.get("/users")
        },
        Mistake("no connection, and no wait for one", "There is no network connection. The call was not made.") {
            let monitor = ManualNetworkMonitor(isConnected: false)
            _ = try await makeClient([ConnectivityInterceptor(monitor, .failFast)]).get("/users")
        },
        Mistake(
            "an address that is not public",
            "The address guard refuses \"127.0.0.1\". Add it to `exceptHosts` if it is meant to be called."
        ) {
            var configuration = HTTPClient.Configuration()
            configuration.addressGuard = .publicOnly
            let client = HTTPClient(
                baseURL: URL(string: "http://127.0.0.1:8080"),
                transport: MockTransport(),
                configuration: configuration
            )
            _ = try await client.get("/users")
        },
        Mistake(
            "a rate that is used up",
            "The rate limit of 1 call per 60 s for https://api.example.com:443 is used up. The next permit for this call is free in 60 s, but a call waits at most 0 µs."
        ) {
            let limit = RateLimitInterceptor(permits: 1, per: .seconds(60), maxWait: .zero)
            let client = makeClient([limit])
            _ = try await client.get("/users")
            _ = try await client.get("/users")
        },
    ]
}
