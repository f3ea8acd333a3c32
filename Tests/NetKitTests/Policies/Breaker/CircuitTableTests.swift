import Testing

@testable import NetKit

struct CircuitTableTests {
    private var table = CircuitTable(policy: CircuitBreakerPolicy(minThroughput: 1), maxHosts: 3)

    private mutating func exchange(_ host: Int, _ verdict: Circuit.Verdict, at second: Double = 0) -> Bool {
        guard case .admitted(let ticket) = table.enter(.numbered(host), now: .seconds(second)) else { return false }
        table.leave(.numbered(host), ticket, verdict, now: .seconds(second))
        return true
    }

    @Test mutating func eachServerHasItsOwnCircuit() {
        #expect(exchange(1, .failure) == true)
        #expect(exchange(1, .success) == false)
        #expect(exchange(2, .success) == true)
        #expect(table.troubled == [.numbered(1): .open])
    }

    @Test mutating func aBoundedNumberOfServersIsRemembered() {
        for host in 0..<50 { _ = exchange(host, .failure) }
        #expect(table.count == 3)
        #expect(exchange(0, .success) == true)
        #expect(exchange(49, .success) == false)
    }

    @Test mutating func aTicketOfAForgottenCircuitDoesNotCount() {
        guard case .admitted(let ticket) = table.enter(.numbered(1), now: .seconds(0)) else {
            Issue.record("refused")
            return
        }
        for host in 2...4 { _ = exchange(host, .success) }
        _ = exchange(1, .success)
        table.leave(.numbered(1), ticket, .failure, now: .seconds(0))
        #expect(table.state(of: .numbered(1)) == .closed)
    }

    @Test mutating func everyChangeIsReported() {
        _ = exchange(1, .failure)
        _ = exchange(1, .failure, at: 5)
        _ = exchange(1, .success, at: 15)
        let changes = table.takeChanges()
        #expect(changes.map(\.to) == [.open, .halfOpen, .open, .halfOpen, .closed])
        #expect(changes.map(\.from) == [.closed, .open, .halfOpen, .open, .halfOpen])
        #expect(changes.map(\.retryAfter) == [.seconds(5), nil, .seconds(10), nil, nil])
        #expect(Set(changes.map(\.origin)) == [.numbered(1)])
        #expect(table.takeChanges() == [])
    }

    @Test mutating func anIsolatedServerIsRefusedUntilItIsReset() {
        table.isolate(.numbered(1))
        #expect(exchange(1, .success, at: 1_000_000) == false)
        #expect(exchange(2, .success) == true)
        #expect(table.state(of: .numbered(1)) == .isolated)
        for host in 2..<20 { _ = exchange(host, .success) }
        #expect(exchange(1, .success) == false)
        table.reset(.numbered(1))
        #expect(exchange(1, .success) == true)
        #expect(table.takeChanges().map(\.to) == [.isolated, .closed])
    }

    /// The exchange began before, and fails while the server, or every server, is isolated.
    @Test(arguments: [Origin.numbered(1), nil])
    func anExchangeThatEndsInIsolationIsNoChange(isolated: Origin?) {
        var table = table
        guard case .admitted(let ticket) = table.enter(.numbered(1), now: .seconds(0)) else {
            Issue.record("refused")
            return
        }
        table.isolate(isolated)
        table.leave(.numbered(1), ticket, .failure, now: .seconds(1))
        table.reset(isolated)
        #expect(table.takeChanges().map(\.to) == [.isolated, .closed])
    }

    @Test mutating func everythingCanBeIsolatedAndReset() {
        _ = exchange(1, .failure)
        _ = table.takeChanges()
        table.isolate(nil)
        #expect(exchange(2, .success) == false)
        #expect(table.troubled == [.numbered(1): .isolated, .numbered(2): .isolated])
        table.reset(nil)
        #expect(exchange(1, .success) == true)
        #expect(exchange(2, .success) == true)
        #expect(table.takeChanges().map(\.to) == [.isolated, .closed])
        #expect(table.troubled == [:])
    }

    @Test mutating func resettingAClosedCircuitIsNotReported() {
        _ = exchange(1, .success)
        table.reset(.numbered(1))
        table.reset(.numbered(2))
        #expect(table.takeChanges() == [])
    }
}
