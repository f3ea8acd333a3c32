import Foundation
import Testing

@testable import NetKit

struct ConnectionGateTests {
    private let notes = Notebook<String>()

    private func origin(_ host: String = "a.example") throws -> Origin {
        let url = try #require(URL(string: "http://\(host)/"))
        return try #require(Origin(url))
    }

    private func visitor(_ name: String) -> ConnectionGate.Visitor {
        ConnectionGate.Visitor(
            onStart: { [notes] in notes.add("\(name) starts") },
            onTurn: { [notes] in notes.add("\(name) has its turn") }
        )
    }

    @Test func whoFitsMayStartAtOnceAndIsNotCalled() throws {
        let gate = ConnectionGate(connections: 1, handedOver: 2)
        let first = gate.enter(gate.ticket(for: try origin()), visitor("first"))
        let second = gate.enter(gate.ticket(for: try origin()), visitor("second"))
        let third = gate.enter(gate.ticket(for: try origin()), visitor("third"))

        #expect(first == (true, true))
        #expect(second == (true, false))
        #expect(third == (false, false))
        #expect(notes.entries.isEmpty)
        #expect(gate.counts == (origins: 1, running: 1, started: 1, waiting: 1))
    }

    @Test func aPlaceGoesToWhoHasWaitedLongest() throws {
        let gate = ConnectionGate(connections: 1, handedOver: 2)
        let tickets = try (0..<4).map { _ in try gate.ticket(for: origin()) }
        for (index, ticket) in tickets.enumerated() { _ = gate.enter(ticket, visitor("\(index)")) }

        gate.leave(tickets[0])
        #expect(notes.entries == ["2 starts", "1 has its turn"])
        gate.leave(tickets[1])
        #expect(notes.entries == ["2 starts", "1 has its turn", "3 starts", "2 has its turn"])
    }

    @Test func whoLeavesTheLineIsPassedOver() throws {
        let gate = ConnectionGate(connections: 1, handedOver: 1)
        let tickets = try (0..<3).map { _ in try gate.ticket(for: origin()) }
        for (index, ticket) in tickets.enumerated() { _ = gate.enter(ticket, visitor("\(index)")) }

        gate.leave(tickets[1])
        gate.leave(tickets[0])

        #expect(notes.entries == ["2 starts", "2 has its turn"])
    }

    @Test func whoLeavesBehindTheGateMakesRoomForAStart() throws {
        let gate = ConnectionGate(connections: 1, handedOver: 2)
        let tickets = try (0..<3).map { _ in try gate.ticket(for: origin()) }
        for (index, ticket) in tickets.enumerated() { _ = gate.enter(ticket, visitor("\(index)")) }

        gate.leave(tickets[1])

        #expect(notes.entries == ["2 starts"])
    }

    @Test func leavingTwiceGivesOnePlace() throws {
        let gate = ConnectionGate(connections: 1, handedOver: 1)
        let tickets = try (0..<3).map { _ in try gate.ticket(for: origin()) }
        for (index, ticket) in tickets.enumerated() { _ = gate.enter(ticket, visitor("\(index)")) }

        gate.leave(tickets[0])
        gate.leave(tickets[0])

        #expect(notes.entries == ["1 starts", "1 has its turn"])
    }

    @Test func leavingBeforeEnteringIsNoHarm() throws {
        let gate = ConnectionGate(connections: 1, handedOver: 1)
        let ticket = gate.ticket(for: try origin())
        gate.leave(ticket)

        #expect(gate.enter(ticket, visitor("late")) == (true, true))
        gate.leave(ticket)
        #expect(gate.counts == (origins: 0, running: 0, started: 0, waiting: 0))
    }

    @Test func serversDoNotWaitForEachOther() throws {
        let gate = ConnectionGate(connections: 1, handedOver: 1)
        _ = gate.enter(gate.ticket(for: try origin("a.example")), visitor("a"))
        let other = gate.enter(gate.ticket(for: try origin("b.example")), visitor("b"))

        #expect(other == (true, true))
    }

    @Test func serversNobodyTalksToAreForgotten() throws {
        let gate = ConnectionGate(connections: 2, handedOver: 4)
        let tickets = try (0..<100).map { gate.ticket(for: try origin("host\($0).example")) }
        for ticket in tickets { _ = gate.enter(ticket, visitor("")) }
        #expect(gate.counts.origins == 100)

        for ticket in tickets { gate.leave(ticket) }
        #expect(gate.counts.origins == 0)
    }

    @Test func aGateHasRoomForOneWhateverItIsGiven() throws {
        let gate = ConnectionGate(connections: -3, handedOver: 0)
        #expect(gate.enter(gate.ticket(for: try origin()), visitor("")) == (true, true))
    }
}
