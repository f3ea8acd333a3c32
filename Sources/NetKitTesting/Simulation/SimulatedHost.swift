public import Foundation
public import NetKit

/// The behavior of a host over the time of a simulation.
///
/// ```swift
/// SimulatedHost(latency: .milliseconds(20)...(.milliseconds(80)))
///     .from(.seconds(60), until: .seconds(120), .refused)
///     .from(.seconds(120), until: .seconds(180), .sometimes(.status(503), rate: 0.3, otherwise: .status(200)))
/// ```
public struct SimulatedHost: Sendable {
    private struct Phase {
        let start: Duration
        let end: Duration?
        let response: SimulatedResponse
    }

    /// The range of the response times.
    public let latency: ClosedRange<Duration>
    private let defaultResponse: SimulatedResponse
    private var phases: [Phase] = []

    /// Creates a host that always returns the same response.
    ///
    /// - Parameters:
    ///   - latency: The range from which each response time is drawn; times below zero count as zero.
    ///   - response: The response.
    public init(
        latency: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(50)),
        _ response: SimulatedResponse = .status(200)
    ) {
        // What a clock can count; the difference of the longest and the shortest duration would overflow.
        self.latency = latency.clamped(to: .zero ... .nanoseconds(Int64.max))
        defaultResponse = response
    }

    /// Returns the host with another response for a period.
    ///
    /// If periods overlap, the one added last applies.
    public func from(_ start: Duration, until end: Duration? = nil, _ response: SimulatedResponse) -> SimulatedHost {
        var host = self
        host.phases.append(Phase(start: start, end: end, response: response))
        return host
    }

    func response(at time: Duration) -> SimulatedResponse {
        phases.last { phase in phase.start <= time && phase.end.map { time < $0 } ?? true }?.response ?? defaultResponse
    }
}

/// The response of a simulated host, or its failure.
public struct SimulatedResponse: Sendable {
    enum Kind: Sendable {
        case respond(@Sendable (HTTPRequest, Duration) -> HTTPResponse)
        case refused
        case reset
        case stalled
        indirect case chance(rate: Double, SimulatedResponse, otherwise: SimulatedResponse)
    }

    let kind: Kind

    /// Returns a response with a status, header fields and a body.
    public static func status(
        _ status: HTTPStatus,
        headers: HTTPHeaders = [:],
        body: Data = Data()
    ) -> SimulatedResponse {
        respond { _, _ in HTTPResponse(status: status, headers: headers, body: ResponseBody(body)) }
    }

    /// Returns a response that a closure makes from the request and the simulated time.
    public static func respond(
        _ make: @escaping @Sendable (HTTPRequest, Duration) -> HTTPResponse
    ) -> SimulatedResponse {
        SimulatedResponse(kind: .respond(make))
    }

    /// A refused connection, for which the request is not sent.
    public static let refused = SimulatedResponse(kind: .refused)

    /// A connection that is lost after the request was sent.
    public static let reset = SimulatedResponse(kind: .reset)

    /// A response that never arrives, until a time limit ends the attempt.
    public static let stalled = SimulatedResponse(kind: .stalled)

    /// Returns a response whose body breaks off after some bytes.
    public static func cutOff(_ part: Data, status: HTTPStatus = .ok) -> SimulatedResponse {
        respond { _, _ in
            let pipe = BodyPipe(maxBytes: .max)
            pipe.offer(part)
            pipe.fail(
                NetKitError(.connectionLost, "The simulated connection was lost in the body.", outcome: .answered)
            )
            return HTTPResponse(status: status, body: ResponseBody(source: pipe))
        }
    }

    /// Returns one of two responses at random.
    ///
    /// - Parameters:
    ///   - response: The first response.
    ///   - rate: The probability of the first response, 0 to 1.
    ///   - otherwise: The other response.
    /// - Returns: The combined response.
    public static func sometimes(
        _ response: SimulatedResponse,
        rate: Double,
        otherwise: SimulatedResponse
    ) -> SimulatedResponse {
        SimulatedResponse(kind: .chance(rate: rate, response, otherwise: otherwise))
    }

    /// Returns the response after all random choices.
    func drawn(_ random: RandomSource) -> Kind {
        guard case .chance(let rate, let response, let otherwise) = kind else { return kind }
        return (random.unitInterval() < rate ? response : otherwise).drawn(random)
    }
}
