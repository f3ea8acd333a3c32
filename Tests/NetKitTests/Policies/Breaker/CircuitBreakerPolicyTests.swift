import Foundation
import Testing

@testable import NetKit

struct CircuitBreakerPolicyTests {
    private let policy = CircuitBreakerPolicy.standard

    @Test func theDefaultsMatchTheDocumentation() {
        #expect(policy.failureRatio == 0.5)
        #expect(policy.minThroughput == 20)
        #expect(policy.window == .seconds(30))
        #expect(policy.breakDuration == .seconds(5))
        #expect(policy.maxBreakDuration == .seconds(60))
        #expect(policy.halfOpenProbes == 1)
        #expect(policy.failureStatusCodes == [500, 502, 503, 504])
        #expect(policy.minFailureDuration == .seconds(1))
        #expect(policy.notes == [])
    }

    @Test func invalidSettingsAreReplacedAndReported() {
        let policy = CircuitBreakerPolicy(
            failureRatio: .nan,
            minThroughput: -3,
            window: .zero,
            breakDuration: .seconds(-1),
            maxBreakDuration: .seconds(Int64.max),
            halfOpenProbes: 0,
            minFailureDuration: .seconds(-5)
        )
        #expect(policy.failureRatio == 0.5)
        #expect(policy.minThroughput == 1)
        #expect(policy.window == .milliseconds(10))
        #expect(policy.breakDuration == .milliseconds(1))
        #expect(policy.maxBreakDuration == .seconds(86_400))
        #expect(policy.halfOpenProbes == 1)
        #expect(policy.minFailureDuration == .zero)
        #expect(policy.notes.count == 7)
    }

    @Test func aMaximumBreakBelowTheFirstIsReported() {
        let policy = CircuitBreakerPolicy(breakDuration: .seconds(10), maxBreakDuration: .seconds(5))
        #expect(policy.maxBreakDuration == .seconds(10))
        #expect(policy.notes == ["maxBreakDuration is 5 s, which is out of range; 10 s is used instead."])
        #expect(CircuitBreakerPolicy(breakDuration: .seconds(90)).notes == [])
    }

    @Test(arguments: [(0, 5), (1, 10), (2, 20), (3, 40), (4, 60), (5, 60), (63, 60), (1000, 60)])
    func theBreakDoublesUpToTheLongest(failedProbes: Int, seconds: Int) {
        #expect(policy.breakDuration(afterFailedProbes: failedProbes) == .seconds(seconds))
    }

    @Test(arguments: [
        (200, Circuit.Verdict.success), (404, .success), (401, .success), (429, .success), (501, .success),
        (500, .failure), (502, .failure), (503, .failure), (504, .failure),
    ])
    func serverFailuresCountAndRefusalsDoNot(status: Int, verdict: Circuit.Verdict) {
        #expect(policy.verdict(of: HTTPStatus(status)) == verdict)
    }

    @Test(arguments: [
        (NetKitError.Code.connect, Circuit.Verdict.failure), (.tls, .failure), (.connectionLost, .failure),
        (.invalidResponse, .failure), (.timeout, .failure),
        (.rateLimited, .nothing), (.queueFull, .nothing), (.circuitOpen, .nothing), (.offline, .nothing),
        (.dns, .nothing), (.invalidRequest, .nothing), (.closed, .nothing), (.custom, .nothing), (.file, .nothing),
        (.bodyTooLarge, .nothing), (.addressRefused, .nothing),
    ])
    func onlyFailuresOfTheServerOrTheNetworkCount(code: NetKitError.Code, verdict: Circuit.Verdict) {
        #expect(policy.verdict(of: NetKitError(code, "x"), ExchangeEnd()) == verdict)
    }

    @Test func aLackOfDescriptorsHereSaysNothingAboutTheServer() {
        let error = NetKitError(.connect, "There was no socket.", cause: LocalShortage())
        #expect(policy.verdict(of: error, ExchangeEnd()) == .nothing)
        #expect(policy.verdict(ofBroken: error) == .nothing)
    }

    @Test(arguments: [
        (NetKitError.TimeoutPhase.connect, Circuit.Verdict.failure), (.firstByte, .failure), (.idle, .failure),
        (.attempt, .failure), (.queue, .nothing), (.deadline, .nothing),
    ])
    func timeoutsCountByTheirPhase(phase: NetKitError.TimeoutPhase, verdict: Circuit.Verdict) {
        #expect(policy.verdict(of: NetKitError(.timeout, "x", timeoutPhase: phase), ExchangeEnd()) == verdict)
    }

    @Test(arguments: [
        (ExchangeEnd(isPastDeadline: true, wasSent: true, elapsed: .seconds(1)), Circuit.Verdict.failure),
        (ExchangeEnd(isPastDeadline: true, wasSent: true, elapsed: .milliseconds(999)), .nothing),
        (ExchangeEnd(isPastDeadline: true, wasSent: false, elapsed: .seconds(9)), .nothing),
        (ExchangeEnd(isPastDeadline: false, wasSent: true, elapsed: .seconds(9)), .nothing),
    ])
    func aDeadlineCountsOnlyIfTheServerHadTimeToRespond(end: ExchangeEnd, verdict: Circuit.Verdict) {
        #expect(policy.verdict(of: CancellationError(), end) == verdict)
        #expect(policy.verdict(of: NetKitError(.timeout, "x", timeoutPhase: .deadline), end) == verdict)
    }

    @Test func anUnknownErrorDoesNotCount() {
        #expect(policy.verdict(of: URLError(.timedOut), ExchangeEnd()) == .nothing)
    }
}
