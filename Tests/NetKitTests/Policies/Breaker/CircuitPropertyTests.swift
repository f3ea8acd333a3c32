import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the invariants of a circuit, over random histories.
struct CircuitPropertyTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func theInvariantsHoldInAnyHistory(seed: UInt64) {
        var random = RandomSource.seeded(seed)
        let probes = Int.random(in: 1...3, using: &random)
        let policy = CircuitBreakerPolicy(
            failureRatio: Double.random(in: 0.05...0.6, using: &random),
            minThroughput: Int.random(in: 1...20, using: &random),
            window: .seconds(10),
            breakDuration: .seconds(2),
            maxBreakDuration: .seconds(20),
            halfOpenProbes: probes
        )
        var circuit = Circuit(identity: 7, policy: policy)
        var now = NetKitClock.Instant(nanoseconds: 0)
        var inFlight: [(ticket: Circuit.Ticket, isProbe: Bool)] = []
        var refusals = 0
        for _ in 0..<4000 {
            now = now.advanced(by: .milliseconds(Int.random(in: 0...300, using: &random)))
            if inFlight.isEmpty || Bool.random(using: &random) {
                let before = circuit.state
                switch circuit.enter(now: now) {
                case .admitted(let ticket):
                    inFlight.append((ticket, circuit.state == .halfOpen))
                    // Nothing passes an open circuit except the probe that makes it half open.
                    #expect(before != .open || circuit.state == .halfOpen)
                case .refused(let until):
                    refusals += 1
                    #expect(before != .closed)
                    // A refusal says when it ends, and that is soon.
                    #expect(until > now)
                    #expect(now.duration(to: until) <= .seconds(20))
                }
            } else {
                let index = Int.random(in: 0..<inFlight.count, using: &random)
                let (ticket, isProbe) = inFlight.remove(at: index)
                let verdict = [Circuit.Verdict.success, .failure, .failure, .nothing].randomElement(using: &random)
                let before = circuit.state
                circuit.leave(ticket, verdict ?? .nothing, now: now)
                // Only a probe's success closes the circuit.
                if before == .halfOpen, circuit.state == .closed { #expect(isProbe && verdict == .success) }
                if before == .open { #expect(circuit.state == .open) }
                if circuit.state == .open, before == .closed { #expect(verdict == .failure) }
            }
            #expect(circuit.counts.failures <= circuit.counts.total)
        }
        #expect(refusals > 0)

        // After any history, a healthy server has its circuit closed after the longest break and its probes.
        now = now.advanced(by: .seconds(20))
        for _ in 0..<(probes + 1) {
            if case .admitted(let ticket) = circuit.enter(now: now) { circuit.leave(ticket, .success, now: now) }
            now = now.advanced(by: .seconds(2))
        }
        #expect(circuit.state == .closed)
    }
}
