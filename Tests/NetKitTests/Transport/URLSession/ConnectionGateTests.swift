import Foundation
import Testing

@testable import NetKit

struct ConnectionGateTests {
    private let notes = Notebook<String>()

    private func origin(_ host: String = "a.example") throws -> Origin {
        let url = try #require(URL(string: "http://\(host)/"))
        return try #require(Origin(url))
    }

    private func enter(_ gate: ConnectionGate, _ ticket: ConnectionGate.Ticket, _ name: String) -> Bool {
        gate.enter(ticket) { [notes] in notes.add(name) }
    }

    @Test func aCallThatFitsStartsAtOnce() throws {
        let gate = ConnectionGate(width: 2)
        let entered = try ["first", "second", "third"].map { enter(gate, try gate.ticket(for: origin()), $0) }

        #expect(entered == [true, true, false])
        #expect(notes.entries.isEmpty)
        #expect(gate.counts == (origins: 1, running: 2, waiting: 1))
    }

    @Test func aPlaceGoesToTheLongestWait() throws {
        let gate = ConnectionGate(width: 1)
        let tickets = try (0..<4).map { _ in try gate.ticket(for: origin()) }
        for (index, ticket) in tickets.enumerated() { _ = enter(gate, ticket, "\(index)") }

        gate.leave(tickets[0])
        gate.leave(tickets[1])

        #expect(notes.entries == ["1", "2"])
    }

    @Test func aCallThatLeavesTheLineIsPassedOver() throws {
        let gate = ConnectionGate(width: 1)
        let tickets = try (0..<3).map { _ in try gate.ticket(for: origin()) }
        for (index, ticket) in tickets.enumerated() { _ = enter(gate, ticket, "\(index)") }

        gate.leave(tickets[1])
        gate.leave(tickets[0])

        #expect(notes.entries == ["2"])
    }

    @Test func leavingTwiceGivesOnePlace() throws {
        let gate = ConnectionGate(width: 1)
        let tickets = try (0..<3).map { _ in try gate.ticket(for: origin()) }
        for (index, ticket) in tickets.enumerated() { _ = enter(gate, ticket, "\(index)") }

        gate.leave(tickets[0])
        gate.leave(tickets[0])

        #expect(notes.entries == ["1"])
    }

    @Test func leavingBeforeEnteringIsNoHarm() throws {
        let gate = ConnectionGate(width: 1)
        let ticket = try gate.ticket(for: origin())
        gate.leave(ticket)

        #expect(enter(gate, ticket, "late"))
        gate.leave(ticket)
        #expect(gate.counts == (origins: 0, running: 0, waiting: 0))
    }

    @Test func serversDoNotWaitForEachOther() throws {
        let gate = ConnectionGate(width: 1)
        #expect(enter(gate, try gate.ticket(for: origin("a.example")), "a"))
        #expect(enter(gate, try gate.ticket(for: origin("b.example")), "b"))
    }

    @Test func unusedServersAreForgotten() throws {
        let gate = ConnectionGate(width: 2)
        let tickets = try (0..<100).map { try gate.ticket(for: origin("host\($0).example")) }
        for ticket in tickets { _ = enter(gate, ticket, "") }
        #expect(gate.counts.origins == 100)

        for ticket in tickets { gate.leave(ticket) }
        #expect(gate.counts.origins == 0)
    }

    @Test func aGateAlwaysHasRoomForOne() throws {
        let gate = ConnectionGate(width: -3)
        #expect(enter(gate, try gate.ticket(for: origin()), ""))
    }
}
