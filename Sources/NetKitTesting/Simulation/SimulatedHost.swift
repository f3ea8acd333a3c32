public import Foundation
public import NetKit

/// How a host behaves over the time of a simulation.
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

    /// How long an answer takes.
    public let latency: ClosedRange<Duration>
    private let usual: SimulatedAnswer
    private var phases: [Phase] = []

    /// Makes a host that always answers the same, after a time out of a range.
    public init(
        latency: ClosedRange<Duration> = .milliseconds(5)...(.milliseconds(50)),
        _ answer: SimulatedAnswer = .status(200)
    ) {
        self.latency = latency
        usual = answer
    }

    /// The host with another answer for a while; of several that fit, the one added last counts.
    public func from(_ start: Duration, until end: Duration? = nil, _ answer: SimulatedAnswer) -> SimulatedHost {
        var host = self
        host.phases.append(Phase(start: start, end: end, answer: answer))
        return host
    }

    func answer(at time: Duration) -> SimulatedAnswer {
        phases.last { phase in phase.start <= time && phase.end.map { time < $0 } ?? true }?.answer ?? usual
    }
}

/// What a simulated host does with a request.
public struct SimulatedAnswer: Sendable {
    enum Kind: Sendable {
        case respond(@Sendable (HTTPRequest, Duration) -> HTTPResponse)
        case refused
        case reset
        case stalled
        indirect case chance(rate: Double, SimulatedAnswer, otherwise: SimulatedAnswer)
    }

    let kind: Kind

    /// A status, with header fields and a body.
    public static func status(
        _ status: HTTPStatus,
        headers: HTTPHeaders = HTTPHeaders(),
        body: Data = Data()
    ) -> SimulatedAnswer {
        respond { _, _ in HTTPResponse(status: status, headers: headers, body: ResponseBody(body)) }
    }

    /// Whatever a function makes of the request and of the time that has passed.
    public static func respond(
        _ make: @escaping @Sendable (HTTPRequest, Duration) -> HTTPResponse
    ) -> SimulatedAnswer {
        SimulatedAnswer(kind: .respond(make))
    }

    /// No connection: the request is not sent.
    public static let refused = SimulatedAnswer(kind: .refused)

    /// The request arrives, and the connection is lost instead of an answer.
    public static let reset = SimulatedAnswer(kind: .reset)

    /// The request arrives, and nothing happens until a limit in time ends it.
    public static let stalled = SimulatedAnswer(kind: .stalled)

    /// An answer and a body that breaks off behind some bytes.
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

    /// One answer by chance, at a rate from 0 to 1, and otherwise another.
    public static func sometimes(
        _ answer: SimulatedAnswer,
        rate: Double,
        otherwise: SimulatedAnswer
    ) -> SimulatedAnswer {
        SimulatedAnswer(kind: .chance(rate: rate, answer, otherwise: otherwise))
    }

    /// The answer after every chance was taken.
    func drawn(_ random: RandomSource) -> Kind {
        guard case .chance(let rate, let answer, let otherwise) = kind else { return kind }
        return (random.unitInterval() < rate ? answer : otherwise).drawn(random)
    }
}
