import Foundation
import NetKit

/// A client with each policy alone, with all of them, and with none, all over mocks that respond at once.
struct PoliciesSetup: Sendable {
    /// The policies that are measured alone and together.
    ///
    /// To add a policy, add a line.
    static let policies: [(name: String, make: @Sendable () -> any Interceptor)] = [
        ("headers", { HeadersInterceptor(["Accept-Language": "es", "X-Client": "bench/1"]) }),
        ("auth", { AuthInterceptor(TokenStore(initial: token) { _ in throw NetKitError(.custom, "no refresh") }) }),
        ("retry", { RetryInterceptor() }),
        ("breaker", { CircuitBreakerInterceptor() }),
        // Wide enough to delay no call, so that the gate is measured and not the wait.
        ("rate limit", { RateLimitInterceptor(permits: 1_000_000_000, per: .seconds(1)) }),
        ("concurrency limit", { ConcurrencyLimitInterceptor(maxPerHost: 64) }),
    ]

    private static let token = AccessToken(String(repeating: "t", count: 200), expiresIn: .seconds(86_400))

    let none = Subject([])
    let single = policies.map { Subject([$0.make()]) }
    let all = Subject(InterceptorList(policies.map { $0.make() }))

    /// A client and its mock.
    struct Subject: Sendable {
        private let transport = MockTransport { _, _ in HTTPResponse(status: .ok, body: ResponseBody(response)) }
        private let client: HTTPClient
        private let request = HTTPRequest(.get, "/users/42", headers: ["Accept": "application/json"])

        private static let response = Data("{\"id\":42}".utf8)

        init(_ interceptors: InterceptorList) {
            client = HTTPClient(
                baseURL: URL(string: "https://api.example.com/v1"),
                transport: transport,
                interceptors: interceptors
            )
        }

        /// Measures concurrent callers.
        func measure(calls: Int, callers: Int) async -> Measurement {
            // The mock records every request, and its records must not be measured.
            transport.removeAllRequests()
            return await Measurement.of(calls: calls, callers: callers) { _ in
                let options = CallOptions(delivery: .buffered(upTo: 64 << 20))
                let status = try await client.send(request, options: options).status
                guard status == .ok else { throw UnexpectedResponse("status \(status.code)") }
            }
        }
    }
}
