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
        let answer: SimulatedAnswer
    }

    /// The range of the response times.
    public let latency: ClosedRange<Duration>
    private let usual: SimulatedAnswer
    private var phases: [Phase] = []

    /// Creates a host that always returns the same response.
    ///
    /// - Parameters:
    ///   - latency: The range from which each response time is drawn.
    ///   - answer: The response.
    public init(
        latency: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(50)),
        _ answer: SimulatedAnswer = .status(200)
    ) {
        self.latency = latency
        usual = answer
    }

    /// Returns the host with another response for a period.
    ///
    /// If periods overlap, the one added last applies.
    public func from(_ start: Duration, until end: Duration? = nil, _ answer: SimulatedAnswer) -> SimulatedHost {
        var host = self
        host.phases.append(Phase(start: start, end: end, answer: answer))
        return host
    }

    func answer(at time: Duration) -> SimulatedAnswer {
        phases.last { phase in phase.start <= time && phase.end.map { time < $0 } ?? true }?.answer ?? usual
    }
}

/// The response of a simulated host, or its failure.
public struct SimulatedAnswer: Sendable {
    enum Kind: Sendable {
        case respond(@Sendable (HTTPRequest, Duration) -> HTTPResponse)
        case refused
        case reset
        case stalled
        indirect case chance(rate: Double, SimulatedAnswer, otherwise: SimulatedAnswer)
    }

    let kind: Kind

    /// Returns a response with a status, header fields and a body.
    public static func status(
        _ status: HTTPStatus,
        headers: HTTPHeaders = HTTPHeaders(),
        body: Data = Data()
    ) -> SimulatedAnswer {
        respond { _, _ in HTTPResponse(status: status, headers: headers, body: ResponseBody(body)) }
    }

    /// Returns a response that a closure makes from the request and the simulated time.
    public static func respond(
        _ make: @escaping @Sendable (HTTPRequest, Duration) -> HTTPResponse
    ) -> SimulatedAnswer {
        SimulatedAnswer(kind: .respond(make))
    }

    /// A refused connection, for which the request is not sent.
    public static let refused = SimulatedAnswer(kind: .refused)

    /// A connection that is lost after the request was sent.
    public static let reset = SimulatedAnswer(kind: .reset)

    /// A response that never comes, until a timeout ends the attempt.
    public static let stalled = SimulatedAnswer(kind: .stalled)

    /// Returns a response whose body breaks off after some bytes.
    public static func cutOff(_ part: Data, status: HTTPStatus = .ok) -> SimulatedAnswer {
        respond { _, _ in
            let pipe = BodyPipe(capacity: .max)
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
    ///   - answer: The first response.
    ///   - rate: The probability of the first response, 0 to 1.
    ///   - otherwise: The other response.
    public static func sometimes(
        _ answer: SimulatedAnswer,
        rate: Double,
        otherwise: SimulatedAnswer
    ) -> SimulatedAnswer {
        SimulatedAnswer(kind: .chance(rate: rate, answer, otherwise: otherwise))
    }

    /// Returns the response after all random choices.
    func drawn(_ random: RandomSource) -> Kind {
        guard case .chance(let rate, let answer, let otherwise) = kind else { return kind }
        return (random.unitInterval() < rate ? answer : otherwise).drawn(random)
    }
}
