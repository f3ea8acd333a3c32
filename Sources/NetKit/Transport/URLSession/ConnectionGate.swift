/// Lets as many exchanges with one server run as there may be connections to it, in the order in which they came.
///
/// Foundation takes any number and lets them wait inside, in no order, where waiting looks like a server that is silent.
/// Idle servers are forgotten.
final class ConnectionGate: Sendable {
    /// A place in the line.
    struct Ticket: Sendable {
        fileprivate let origin: Origin
        fileprivate let number: Int
    }

    /// The exchanges with one server.
    private struct Line {
        var running: Set<Int> = []
        var waiting = WaitingLine<@Sendable () -> Void>()

        var isEmpty: Bool { running.isEmpty && waiting.isEmpty }

        /// Takes an exchange out; gives the one that has its turn now.
        mutating func remove(_ number: Int) -> (@Sendable () -> Void)? {
            waiting.remove(number)
            guard running.remove(number) != nil, let (next, start) = waiting.popFirst() else { return nil }
            running.insert(next)
            return start
        }
    }

    private let width: Int
    private let state = Locked((lines: [Origin: Line](), lastNumber: 0))

    /// Creates a gate for a number of exchanges with each server.
    init(width: Int) {
        self.width = max(1, width)
    }

    /// A ticket to enter and leave with.
    func ticket(for origin: Origin) -> Ticket {
        state.withLock { state in
            state.lastNumber &+= 1
            return Ticket(origin: origin, number: state.lastNumber)
        }
    }

    /// Whether the exchange may start at once; otherwise it waits, and `start` is called when it has its turn.
    func enter(_ ticket: Ticket, start: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            let hasRoom = (state.lines[ticket.origin]?.running.count ?? 0) < width
            if hasRoom {
                state.lines[ticket.origin, default: Line()].running.insert(ticket.number)
            } else {
                state.lines[ticket.origin, default: Line()].waiting.append(ticket.number, start)
            }
            return hasRoom
        }
    }

    /// Gives the place up, and has the next one start; a second time has no effect.
    ///
    /// - Parameters:
    ///   - ticket: What was entered with.
    ///   - run: Where the next one starts, if it must not be here.
    func leave(_ ticket: Ticket, startingBy run: (@escaping @Sendable () -> Void) -> Void = { $0() }) {
        let next = state.withLock { state in
            let next = state.lines[ticket.origin]?.remove(ticket.number)
            if state.lines[ticket.origin]?.isEmpty == true { state.lines[ticket.origin] = nil }
            return next ?? nil
        }
        if let next { run(next) }
    }

    /// The numbers of known servers, and of running and waiting exchanges.
    var counts: (origins: Int, running: Int, waiting: Int) {
        state.withLock { state in
            let lines = state.lines.values
            return (lines.count, lines.reduce(0) { $0 + $1.running.count }, lines.reduce(0) { $0 + $1.waiting.count })
        }
    }
}
