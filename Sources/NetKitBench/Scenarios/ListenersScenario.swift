import Foundation
import NetKit

/// The cost of events for a call, without and with listeners.
struct ListenersScenario: Scenario {
    let name = "listeners"
    let summary = "The cost of events for a call with no, one or two listeners, over a mock that responds at once."

    private static let callsPerRound = 20_000

    /// Runs off the main actor, as a service's callers do.
    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let rounds = settings.rounds ?? 9
        let contenders = Listening.allCases.map { listening in
            let subject = ListenersSetup(listening)
            return Contender(name: listening.rawValue) { try await subject.measure(calls: Self.callsPerRound) }
        }
        let results = try await Contest(rounds: rounds, seed: settings.seed).run(contenders)
        func added(_ listening: Listening) -> Double? {
            results.difference(of: listening.rawValue, from: Listening.noListener.rawValue, \.cpu)?.median
        }
        let once = added(.asking).map { $0 / Double(ListenersSetup.Asking.times) }
        let title = "\(rounds) rounds of \(NumberText.text(Double(Self.callsPerRound))) calls, in turn"
        return ScenarioReport(
            name: name,
            summary: summary,
            tables: [ResultTable(title: title, of: results, Gauge.callCosts)],
            figures: [
                Figure("no listener, µs a call", once, .atMost(0.2)),
                Figure("a listener that never reads, µs a call", added(.sleeper), .atMost(5)),
                Figure("metrics, µs a call", added(.metrics), .atMost(8)),
                Figure("a call's and an attempt's span, µs", added(.traced), .atMost(25)),
            ]
        )
    }
}

/// The kind of listener.
enum Listening: String, CaseIterable {
    case noListener = "no listener"
    case asking = "no listener, asked ten times more"
    case sleeper = "one that never reads"
    case metrics = "metrics"
    case traced = "spans that are dropped"
}

/// A client over a mock that responds at once.
struct ListenersSetup: Sendable {
    private let transport = MockTransport { _, _ in HTTPResponse(status: .ok, body: ResponseBody(response)) }
    private let client: HTTPClient
    private let events: ClientEvents?
    private let request = HTTPRequest(.get, "/users/42", headers: ["Accept": "application/json"])

    private static let response = Data("{\"id\":42}".utf8)

    init(_ listening: Listening) {
        // `Asking` is an interceptor, so the other clients get a no-op interceptor in its place.
        let asking: any Interceptor = listening == .asking ? Asking() : NoOp()
        let observer: InterceptorList =
            switch listening {
            case .metrics: [MetricsCollector()]
            case .traced: [TracingInterceptor(Dropping())]
            default: []
            }
        client = HTTPClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: transport,
            interceptors: .standard + [asking] + observer
        )
        // Kept as long as the client, because a released listener costs nothing.
        events = listening == .sleeper ? client.bufferedEvents(maxEvents: 100) : nil
    }

    func measure(calls: Int) async throws -> Measurement {
        // The mock records every request, and its records must not be measured.
        transport.removeAllRequests()
        return try await Measurement.of(calls: calls) {
            for _ in 0..<calls {
                let options = CallOptions(delivery: .buffered(upTo: 64 << 20))
                let status = try await client.send(request, options: options).status
                guard status == .ok else { throw UnexpectedResponse("status \(status.code)") }
            }
        }
    }

    private struct Dropping: SpanExporter {
        func export(_ span: Span) {}
    }

    /// Repeats ten times the checks of every call: one for listeners, and then one at each place that reports.
    struct Asking: Interceptor, CallBound {
        static let times = 10
        /// The number of places: the client, the attempt's beginning and end, its parts, and the call's beginning and
        /// end.
        private static let places = 6

        private let hub = EventHub(clock: .system)

        func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
            for _ in 0..<Self.times {
                if isHeard() { throw NetKitError(.custom, "There is a listener.") }
                for _ in 0..<Self.places where reports(context.call) {
                    throw NetKitError(.custom, "There is a listener.")
                }
            }
            return try await next(request, context)
        }

        @inline(never)
        private func isHeard() -> Bool { hub.isHeard }

        @inline(never)
        private func reports(_ call: Call) -> Bool { call.reporter != nil }
    }
}
