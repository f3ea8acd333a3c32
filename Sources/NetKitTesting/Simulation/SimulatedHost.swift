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
