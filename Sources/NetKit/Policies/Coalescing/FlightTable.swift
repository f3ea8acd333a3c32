/// The exchanges that calls share, and the calls that wait for each.
///
/// The table only keeps track. The interceptor starts and cancels the exchanges, and resumes the calls.
struct FlightTable<Key: GroupedKey, Exchange: Sendable, Member: Sendable>: Sendable {
    /// A place in a shared exchange.
    struct Ticket: Equatable, Sendable {
        let flight: Int
        let member: Int
    }

    private typealias Flight = (key: Key, exchange: Exchange, members: [Int: Member], task: Task<Void, any Error>?)

    private var flights: [Int: Flight] = [:]
    /// The exchanges that calls can join, by their groups; a group without one has no place.
    private var open: [Key.Group: [Key: Int]] = [:]
    private var lastNumber = 0

    /// The number of exchanges in flight.
    var count: Int { flights.count }

    /// The number of calls that wait for an exchange.
    var memberCount: Int { flights.values.reduce(0) { $0 + $1.members.count } }

    /// Joins the exchange in flight, or the one that the caller has to start if there is none.
    mutating func join(
        _ key: Key,
        _ member: Member,
        starting exchange: @autoclosure () -> Exchange
    ) -> (ticket: Ticket, exchange: Exchange, isFirst: Bool) {
        lastNumber &+= 1
        let number = lastNumber
        // Not the whole flight, because a second reference to its members would make each call copy those before it.
        if let place = open[key.group]?[key], let exchange = flights[place]?.exchange {
            flights[place]?.members[number] = member
            return (Ticket(flight: place, member: number), exchange, false)
        }
        let exchange = exchange()
        flights[number] = (key, exchange, [number: member], nil)
        open[key.group, default: [:]][key] = number
        return (Ticket(flight: number, member: number), exchange, true)
    }

    /// Keeps the task of a started exchange.
    ///
    /// Returns `false` if no call waits for the exchange any more.
    mutating func attach(_ ticket: Ticket, _ task: Task<Void, any Error>) -> Bool {
        guard flights[ticket.flight] != nil else { return false }
        flights[ticket.flight]?.task = task
        return true
    }

    /// Closes the exchanges of a group to further calls; waiting calls stay.
    mutating func close(_ group: Key.Group) { open[group] = nil }

    /// Removes a call from its exchange, and returns it unless the exchange has already ended.
    ///
    /// If it was the last one, the exchange is removed and its task is returned.
    mutating func leave(_ ticket: Ticket) -> (member: Member?, task: Task<Void, any Error>?) {
        guard let member = flights[ticket.flight]?.members.removeValue(forKey: ticket.member) else { return (nil, nil) }
        guard flights[ticket.flight]?.members.isEmpty == true else { return (member, nil) }
        return (member, remove(ticket)?.task)
    }

    /// Removes the exchange, and returns its waiting calls in order of arrival.
    mutating func land(_ ticket: Ticket) -> [Member] {
        remove(ticket)?.members.orderedByNumber { Int64($0.key) }.map(\.value) ?? []
    }

    private mutating func remove(_ ticket: Ticket) -> Flight? {
        guard let flight = flights.removeValue(forKey: ticket.flight) else { return nil }
        let (key, group) = (flight.key, flight.key.group)
        if open[group]?[key] == ticket.flight {
            open[group]?[key] = nil
            if open[group]?.isEmpty == true { open[group] = nil }
        }
        return flight
    }
}

/// A key that belongs to a group, whose exchanges are closed together.
protocol GroupedKey: Hashable, Sendable {
    associatedtype Group: Hashable, Sendable

    var group: Group { get }
}
