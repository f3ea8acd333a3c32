import Testing

@testable import NetKit

struct CircuitTests {
    private static let policy = CircuitBreakerPolicy(
        failureRatio: 0.5,
        minThroughput: 4,
        window: .seconds(10),
        breakDuration: .seconds(5),
        maxBreakDuration: .seconds(30)
    )

    private var circuit = Circuit(identity: 1, policy: Self.policy)

    /// Lets an exchange through and ends it at once.
    private mutating func exchange(_ verdict: Circuit.Verdict, at second: Double) {
        guard case .admitted(let ticket) = circuit.enter(now: .seconds(second)) else { return }
        circuit.leave(ticket, verdict, now: .seconds(second))
    }

    private mutating func isRefused(at second: Double) -> NetKitClock.Instant? {
        if case .refused(let until) = circuit.enter(now: .seconds(second)) { until } else { nil }
    }

    private mutating func open(at second: Double = 0) {
        for _ in 0..<4 { exchange(.failure, at: second) }
    }

    struct Row: Sendable {
        let successes: Int
        let failures: Int
        let opens: Bool
    }

    @Test(arguments: [
        Row(successes: 0, failures: 3, opens: false),  // too few to judge
        Row(successes: 0, failures: 4, opens: true),
        Row(successes: 3, failures: 2, opens: false),
        Row(successes: 2, failures: 2, opens: true),
        Row(successes: 5, failures: 4, opens: false),
        Row(successes: 5, failures: 5, opens: true),
    ])
    mutating func opensAtItsRatioOfEnoughExchanges(row: Row) {
        for _ in 0..<row.successes { exchange(.success, at: 1) }
        for _ in 0..<row.failures { exchange(.failure, at: 2) }
        #expect((circuit.state == .open) == row.opens)
    }

    @Test mutating func anUndecidedResultDoesNotCount() {
        for _ in 0..<50 { exchange(.nothing, at: 1) }
        for _ in 0..<3 { exchange(.failure, at: 1) }
        #expect(circuit.state == .closed)
        #expect(circuit.counts == (3, 3))
    }

    @Test mutating func failuresLongAgoDoNotCount() {
        for _ in 0..<3 { exchange(.failure, at: 0) }
        for _ in 0..<3 { exchange(.failure, at: 11) }
        #expect(circuit.state == .closed)
        exchange(.failure, at: 12)
        #expect(circuit.state == .open)
    }

    @Test mutating func refusesWhileItIsOpenAndSaysUntilWhen() {
        open(at: 1)
        #expect(isRefused(at: 1) == .seconds(6))
        #expect(isRefused(at: 5.9) == .seconds(6))
        #expect(circuit.openUntil == .seconds(6))
    }

    @Test mutating func aProbeThatSucceedsClosesIt() {
        open()
        exchange(.success, at: 5)
        #expect(circuit.state == .closed)
        #expect(circuit.counts == (0, 0))
        for _ in 0..<3 { exchange(.failure, at: 5) }
        #expect(circuit.state == .closed)
    }

    @Test mutating func whileAProbeRunsOthersAreRefused() {
        open()
        let probe = circuit.enter(now: .seconds(5))
        #expect(circuit.state == .halfOpen)
        #expect(isRefused(at: 5.1) == .seconds(10))
        guard case .admitted(let ticket) = probe else {
            Issue.record("refused")
            return
        }
        circuit.leave(ticket, .nothing, now: .seconds(6))
        #expect(circuit.state == .halfOpen)
        exchange(.success, at: 6)
        #expect(circuit.state == .closed)
    }

    @Test mutating func aProbeThatIsNeverHeardOfDoesNotBlockForEver() {
        open()
        _ = circuit.enter(now: .seconds(5))
        #expect(isRefused(at: 9.9) == .seconds(10))
        exchange(.success, at: 10)
        #expect(circuit.state == .closed)
    }

    @Test mutating func eachProbeThatFailsDoublesTheBreakUpToTheLongest() {
        open()
        var second = 5.0
        var breaks: [Double] = []
        for _ in 0..<5 {
            exchange(.failure, at: second)
            let until = isRefused(at: second)?.nanoseconds ?? 0
            breaks.append(Double(until) / 1e9 - second)
            second = Double(until) / 1e9
        }
        #expect(breaks == [10, 20, 30, 30, 30])
        exchange(.success, at: second)
        for _ in 0..<4 { exchange(.failure, at: second) }
        #expect(isRefused(at: second) == .seconds(second + 5))
    }

    @Test mutating func asManyProbesHaveToSucceedAsThePolicyAsks() {
        circuit = Circuit(identity: 1, policy: CircuitBreakerPolicy(minThroughput: 1, halfOpenProbes: 3))
        exchange(.failure, at: 0)
        let tickets = (0..<3).compactMap { _ -> Circuit.Ticket? in
            if case .admitted(let ticket) = circuit.enter(now: .seconds(5)) { ticket } else { nil }
        }
        #expect(tickets.count == 3)
        #expect(isRefused(at: 5) != nil)
        circuit.leave(tickets[0], .success, now: .seconds(5))
        #expect(isRefused(at: 5) != nil)
        circuit.leave(tickets[1], .success, now: .seconds(5))
        #expect(circuit.state == .halfOpen)
        circuit.leave(tickets[2], .success, now: .seconds(5))
        #expect(circuit.state == .closed)
    }

    @Test mutating func verdictsOnEarlierCallsDoNotCount() {
        guard case .admitted(let slow) = circuit.enter(now: .seconds(0)) else {
            Issue.record("refused")
            return
        }
        open(at: 1)
        _ = circuit.enter(now: .seconds(6))
        circuit.leave(slow, .failure, now: .seconds(7))
        #expect(circuit.state == .halfOpen)
        circuit.leave(slow, .success, now: .seconds(7))
        #expect(circuit.state == .halfOpen)
    }

    @Test mutating func aTicketOfAnotherCircuitDoesNotCount() {
        var other = Circuit(identity: 2, policy: Self.policy)
        guard case .admitted(let ticket) = other.enter(now: .seconds(0)) else {
            Issue.record("refused")
            return
        }
        circuit.leave(ticket, .failure, now: .seconds(0))
        circuit.noteLateFailure(ticket, now: .seconds(0))
        #expect(circuit.counts == (0, 0))
    }

    @Test mutating func aBodyThatBreaksOffMakesItsExchangeAFailure() {
        for _ in 0..<4 {
            guard case .admitted(let ticket) = circuit.enter(now: .seconds(0)) else {
                Issue.record("refused")
                return
            }
            circuit.leave(ticket, .success, now: .seconds(0))
            circuit.noteLateFailure(ticket, now: .seconds(1))
        }
        #expect(circuit.state == .open)
        #expect(circuit.counts == (4, 4))
    }

    @Test mutating func aProbesBodyThatBreaksOffOpensItAgain() {
        circuit = Circuit(identity: 1, policy: CircuitBreakerPolicy(minThroughput: 1, halfOpenProbes: 2))
        exchange(.failure, at: 0)
        guard case .admitted(let ticket) = circuit.enter(now: .seconds(5)) else {
            Issue.record("refused")
            return
        }
        circuit.leave(ticket, .success, now: .seconds(5))
        circuit.noteLateFailure(ticket, now: .seconds(6))
        #expect(circuit.openUntil == .seconds(16))
    }

    @Test mutating func theBodyOfTheProbeThatClosedItCountsIfItBreaksOff() {
        open()
        guard case .admitted(let ticket) = circuit.enter(now: .seconds(5)) else {
            Issue.record("refused")
            return
        }
        circuit.leave(ticket, .success, now: .seconds(5))
        circuit.noteLateFailure(ticket, now: .seconds(6))
        #expect(circuit.state == .closed)
        #expect(circuit.counts == (1, 1))
        for _ in 0..<3 { exchange(.failure, at: 6) }
        #expect(circuit.state == .open)
        circuit.reset()
        circuit.noteLateFailure(ticket, now: .seconds(7))
        #expect(circuit.counts == (0, 0))
    }

    /// It hung, and another one was let through in its place.
    @Test mutating func theVerdictOfAProbeThatComesAfterItClosedDoesNotCount() {
        circuit = Circuit(identity: 1, policy: CircuitBreakerPolicy(minThroughput: 1))
        exchange(.failure, at: 0)
        guard case .admitted(let hung) = circuit.enter(now: .seconds(5)) else {
            Issue.record("refused")
            return
        }
        exchange(.success, at: 10)
        circuit.leave(hung, .failure, now: .seconds(30))
        #expect(circuit.state == .closed)
        #expect(circuit.counts == (0, 0))
    }

    @Test mutating func resetClosesIt() {
        open()
        circuit.reset()
        #expect(circuit.state == .closed)
        #expect(isRefused(at: 0) == nil)
    }
}
