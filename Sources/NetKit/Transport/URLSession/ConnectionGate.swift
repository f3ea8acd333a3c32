/// Knows which exchanges with a server have their turn, in the order in which they came.
///
/// There are only so many connections to a server. Foundation takes any number of exchanges and lets them wait inside, in
/// no order, where waiting looks like a server that is silent. So an exchange is watched only once it has its turn. A few
/// more are handed over early, so that no connection is ever without work; the others wait here. Servers nobody talks to
/// are forgotten.
final class ConnectionGate: Sendable {
    /// A place in the line.
    struct Ticket: Sendable {
        fileprivate let origin: Origin
        fileprivate let number: Int
    }

    /// What is called when an exchange may be handed over, and when it has its turn: possibly on another exchange's thread.
    struct Visitor: Sendable {
        let onStart: @Sendable () -> Void
        let onTurn: @Sendable () -> Void
    }

    /// The exchanges with one server.
    private struct Line {
        var running: Set<Int> = []
        var started = WaitingLine<Visitor>()
        var waiting = WaitingLine<Visitor>()

        var isEmpty: Bool { running.isEmpty && started.isEmpty && waiting.isEmpty }

        mutating func remove(_ number: Int) {
            running.remove(number)
            started.remove(number)
            waiting.remove(number)
        }

        /// Lets in whoever fits, and says whom to call.
        mutating func advance(connections: Int, handedOver: Int) -> Calls {
            var calls = Calls()
            while running.count + started.count < handedOver, let (number, visitor) = waiting.popFirst() {
                started.append(number, visitor)
                calls.starts.append(visitor.onStart)
            }
            while running.count < connections, let (number, visitor) = started.popFirst() {
                running.insert(number)
                calls.turns.append(visitor.onTurn)
            }
            return calls
        }
    }

    private struct Calls {
        var starts: [@Sendable () -> Void] = []
        var turns: [@Sendable () -> Void] = []
    }

    private let connections: Int
    private let handedOver: Int
    private let state = Locked((lines: [Origin: Line](), lastNumber: 0))

    /// Makes a gate; up to `handedOver` exchanges with a server are started, `connections` of them have their turn.
    init(connections: Int, handedOver: Int) {
        self.connections = max(1, connections)
        self.handedOver = max(self.connections, handedOver)
    }

    /// A ticket to enter and leave with.
    func ticket(for origin: Origin) -> Ticket {
        state.withLock { state in
            state.lastNumber &+= 1
            return Ticket(origin: origin, number: state.lastNumber)
        }
    }

    /// Takes a place in the line; says what the visitor may do at once, which is not called then.
    func enter(_ ticket: Ticket, _ visitor: Visitor) -> (mayStart: Bool, hasTurn: Bool) {
        state.withLock { state in
            let running = state.lines[ticket.origin]?.running.count ?? 0
            let started = running + (state.lines[ticket.origin]?.started.count ?? 0)
            if running < connections {
                state.lines[ticket.origin, default: Line()].running.insert(ticket.number)
                return (true, true)
            }
            if started < handedOver {
                state.lines[ticket.origin, default: Line()].started.append(ticket.number, visitor)
                return (true, false)
            }
            state.lines[ticket.origin, default: Line()].waiting.append(ticket.number, visitor)
            return (false, false)
        }
    }

    /// Gives the place up; a second time has no effect.
    ///
    /// - Parameters:
    ///   - ticket: What was entered with.
    ///   - run: Where those who may start now are told so, where it must not be here.
    func leave(_ ticket: Ticket, startingBy run: (@escaping @Sendable () -> Void) -> Void = { $0() }) {
        let calls = state.withLock { state in
            state.lines[ticket.origin]?.remove(ticket.number)
            let calls = state.lines[ticket.origin]?.advance(connections: connections, handedOver: handedOver)
            if state.lines[ticket.origin]?.isEmpty == true { state.lines[ticket.origin] = nil }
            return calls ?? Calls()
        }
        for start in calls.starts { run(start) }
        for turn in calls.turns { turn() }
    }

    /// How many servers are known, and how many exchanges are where.
    var counts: (origins: Int, running: Int, started: Int, waiting: Int) {
        state.withLock { state in
            let lines = state.lines.values
            return (
                lines.count,
                lines.reduce(0) { $0 + $1.running.count },
                lines.reduce(0) { $0 + $1.started.count },
                lines.reduce(0) { $0 + $1.waiting.count }
            )
        }
    }
}
