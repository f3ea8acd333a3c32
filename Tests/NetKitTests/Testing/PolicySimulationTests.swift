import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of all policies of a service together in virtual time: expiring tokens, a failing host, and a queue for
/// permits.
@Suite(.serialized, .computes(for: .seconds(300)))
struct PolicySimulationTests {
    /// A host whose token changes every minute, with refreshes through the same client.
    private struct Service {
        let simulation: Simulation
        let client: HTTPClient
        let limit: ConcurrencyLimitInterceptor

        /// - Parameters:
        ///   - seed: The seed of the randomness.
        ///   - tells: Whether a token has an expiry. Otherwise, the host rejects it.
        ///   - failures: The response to requests with a valid token.
        init(seed: UInt64, tells: Bool = false, failures: SimulatedResponse? = nil, permits: Int = 64) {
            let simulation = Simulation(seed: seed)
            let welcome = failures ?? .status(200)
            simulation.host("api.example.com", SimulatedHost(.respond { Self.response(to: $0, at: $1) }))
            simulation.host("open.example.com", SimulatedHost(welcome))
            limit = ConcurrencyLimitInterceptor(maxPerHost: permits, maxTotal: permits, maxWait: .seconds(3600))
            let box = Locked<HTTPClient?>(nil)
            let store = TokenStore(
                initial: AccessToken("0"),
                identity: "service",
                refreshAhead: .zero,
                limit: RefreshLimit(maxRefreshes: 100, window: .seconds(1)),
                clock: simulation.clock,
                refresh: { _ in
                    var request = HTTPRequest(.post, "/token")
                    request.requiresAuth = false
                    guard let client = box.withLock({ $0 }) else { throw CancellationError() }
                    let response = try await client.send(request, options: CallOptions(delivery: .buffered(upTo: 100)))
                    let name = try await response.body.text(upTo: 100)
                    simulation.note("refreshed to \(name)")
                    let left = Duration.seconds(60 - simulation.now.components.seconds % 60)
                    return AccessToken(
                        name,
                        expiry: tells ? simulation.clock.date.addingTimeInterval(left.inSeconds) : nil
                    )
                }
            )
            client = HTTPClient(
                baseURL: URL(string: "https://api.example.com"),
                transport: simulation.transport,
                interceptors: .standard + [
                    AuthInterceptor(store, origins: .baseURL.adding("https://open.example.com")),
                    CircuitBreakerInterceptor(), limit,
                    RateLimitInterceptor(permits: 5000, per: .seconds(1), maxWait: .seconds(60)),
                    HeadersInterceptor(["Accept-Language": "es"]),
                ],
                configuration: simulation.configuration
            )
            box.withLock { [client] in $0 = client }
            self.simulation = simulation
            forget = { box.withLock { $0 = nil } }
        }

        /// Separates the client and the store, which retain each other.
        let forget: @Sendable () -> Void

        private static func response(to request: HTTPRequest, at time: Duration) -> HTTPResponse {
            let current = "\(time.components.seconds / 60)"
            if request.method == .post { return HTTPResponse(status: 200, body: ResponseBody(Data(current.utf8))) }
            return HTTPResponse(status: request.headers["Authorization"] == "Bearer \(current)" ? 200 : 401)
        }

        var refreshes: Int { simulation.trace.filter { $0.text.hasPrefix("refreshed") }.count }
    }

    /// Twenty minutes of a thousand callers, each of which calls in the middle of every minute. Without `NETKIT_LONG=1`
    /// there are a hundred callers, because the long form takes ten seconds without optimization.
    @Test(arguments: [false, true])
    func aThousandCallersAndTwentyExpiriesAreTwentyRefreshes(tells: Bool) async throws {
        let service = Service(seed: 11, tells: tells)
        defer { service.forget() }
        let simulation = service.simulation
        let callers = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 1000 : 100
        let welcomed = Notebook<Int>()
        try await aside {
            try await simulation.run {
                await simulation.callers(callers) { number in
                    for minute in 1...20 {
                        let moment = Duration.seconds(60 * minute + 20) + .milliseconds(number)
                        try? await simulation.sleep(for: moment - simulation.now)
                        let response = try? await service.client.send(HTTPRequest(.get, "/\(number)"))
                        if response?.status == 200 { welcomed.add(minute) }
                    }
                }
            }
        }
        #expect(welcomed.count == callers * 20)
        #expect(service.refreshes == 20)
        #expect(service.limit.runningCount == 0)
        #expect(service.client.activeCallCount == 0)
    }

    /// Urgent calls keep every permit busy for two minutes, but less urgent ones still get theirs in time.
    @Test func noCallStarvesInAQueueThatIsNeverEmpty() async throws {
        let service = Service(seed: 12, permits: 4)
        defer { service.forget() }
        let simulation = service.simulation
        let waits = Notebook<Duration>()
        try await aside {
            try await simulation.run {
                let url: RequestPath = "https://open.example.com/"
                await simulation.callers(60) { number in
                    let isPatient = number % 20 == 0
                    while simulation.now < .seconds(isPatient ? 110 : 120) {
                        let start = simulation.now
                        let options = CallOptions(priority: isPatient ? .background : .high)
                        let response = try? await service.client.send(HTTPRequest(.get, url), options: options)
                        guard isPatient else { continue }
                        #expect(response?.status == 200)
                        waits.add(simulation.now - start)
                    }
                }
            }
        }
        // `.background` is four steps below `.high`, a second each. After that, it is served behind a line of less than
        // a second.
        #expect(waits.count > 3 * 16)
        #expect(waits.entries.allSatisfy { $0 < .seconds(6) })
        #expect((waits.entries.max() ?? .zero) > .seconds(3))
    }

    /// With failures, rejections and outages, every waiting call is woken, and equal seeds give equal traces.
    private func storm(seed: UInt64) async throws -> (fingerprint: UInt64, refreshes: Int, ends: Int) {
        let chance = SimulatedResponse.sometimes(
            .reset,
            rate: 0.2,
            otherwise: .sometimes(.stalled, rate: 0.05, otherwise: .status(200))
        )
        let service = Service(seed: seed, failures: chance, permits: 8)
        defer { service.forget() }
        let simulation = service.simulation
        let ends = Notebook<Void>()
        try await aside {
            try await simulation.run {
                await simulation.callers(100) { number in
                    for _ in 0..<6 {
                        try? await simulation.sleep(for: .seconds(60) * simulation.random.unitInterval())
                        let host = number % 2 == 0 ? "api" : "open"
                        let options = CallOptions(
                            priority: number % 3 == 0 ? .low : .medium,
                            timeout: .seconds(90),
                            delivery: .buffered(upTo: 100)
                        )
                        let request = HTTPRequest(.get, "https://\(host).example.com/\(number)")
                        _ = try? await service.client.send(request, options: options)
                        ends.add(())
                    }
                }
            }
        }
        #expect(service.limit.runningCount == 0 && service.limit.waitingCount == 0)
        #expect(service.client.activeCallCount == 0)
        return (simulation.fingerprint, service.refreshes, ends.count)
    }

    @Test func everyCallEnds() async throws {
        let storm = try await storm(seed: 13)
        #expect(storm.ends == 600)
        #expect(storm.refreshes > 3)
    }

    @Test func equalSeedsGiveEqualTraces() async throws {
        let first = try await storm(seed: 14)
        #expect(try await storm(seed: 14) == first)
        #expect(try await storm(seed: 15).fingerprint != first.fingerprint)
    }
}
