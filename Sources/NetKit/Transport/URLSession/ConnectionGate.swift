/// Limits the running exchanges with each server to the number of its connections, in order of arrival.
///
/// Foundation accepts any number of exchanges and lets them wait internally, in no order. Waiting then looks like a
/// silent server. Idle servers are forgotten.
final class ConnectionGate: Sendable {
    /// A place in the line.
    struct Ticket: Sendable {
        fileprivate let origin: Origin
        let number: Int
    }

    /// The exchanges with one server.
    private struct Line {
        var running: Set<Int> = []
        var waiting = WaitingLine<@Sendable () -> Void>()

        var isEmpty: Bool { running.isEmpty && waiting.isEmpty }

        /// Removes an exchange, and returns the start of the next one.
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
    init(width: Int) { self.width = max(1, width) }

    /// Returns a ticket for entering and leaving.
    func ticket(for origin: Origin) -> Ticket {
        state.withLock { state in
            state.lastNumber &+= 1
            return Ticket(origin: origin, number: state.lastNumber)
        }
    }

    /// Returns whether the exchange may start immediately; otherwise it waits, and `start` is called later.
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

    /// Releases the place and starts the next exchange; a second call has no effect.
    func leave(_ ticket: Ticket) {
        let next = state.withLock { state in
            let next = state.lines[ticket.origin]?.remove(ticket.number)
            if state.lines[ticket.origin]?.isEmpty == true { state.lines[ticket.origin] = nil }
            return next ?? nil
        }
        next?()
    }

    /// The numbers of known servers, and of running and waiting exchanges.
    var counts: (origins: Int, running: Int, waiting: Int) {
        state.withLock { state in
            let lines = state.lines.values
            return (lines.count, lines.reduce(0) { $0 + $1.running.count }, lines.reduce(0) { $0 + $1.waiting.count })
        }
    }
}
