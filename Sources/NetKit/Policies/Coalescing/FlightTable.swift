/// The exchanges that calls share, and the calls that wait for each.
///
/// The table only keeps track. The interceptor starts and cancels the exchanges, and resumes the calls.
struct FlightTable<Key: Hashable & Sendable, Exchange: Sendable, Member: Sendable>: Sendable {
    /// A place in a shared exchange.
    struct Ticket: Hashable, Sendable {
        let flight: Int
        let member: Int
    }

    private struct Flight: Sendable {
        let number: Int
        let exchange: Exchange
        var members: [Int: Member]
        var task: Task<Void, any Error>?
    }

    private var flights: [Key: Flight] = [:]
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
        if let flight = flights[key] {
            flights[key]?.members[number] = member
            return (Ticket(flight: flight.number, member: number), flight.exchange, false)
        }
        let exchange = exchange()
        flights[key] = Flight(number: number, exchange: exchange, members: [number: member])
        return (Ticket(flight: number, member: number), exchange, true)
    }

    /// Keeps the task of a started exchange.
    ///
    /// Returns `false` if no call waits for the exchange any more.
    mutating func attach(_ key: Key, _ ticket: Ticket, _ task: Task<Void, any Error>) -> Bool {
        guard flights[key]?.number == ticket.flight else { return false }
        flights[key]?.task = task
        return true
    }

    /// Removes a call from its exchange.
    ///
    /// If it was the last one, the exchange is removed and its task is returned.
    ///
    /// No member is returned if the exchange has already ended.
    mutating func leave(_ key: Key, _ ticket: Ticket) -> (member: Member?, task: Task<Void, any Error>?) {
        guard flights[key]?.number == ticket.flight,
            let member = flights[key]?.members.removeValue(forKey: ticket.member)
        else { return (nil, nil) }
        guard flights[key]?.members.isEmpty == true else { return (member, nil) }
        return (member, flights.removeValue(forKey: key)?.task)
    }

    /// Removes the exchange, and returns its waiting calls in order of arrival.
    mutating func land(_ key: Key, _ ticket: Ticket) -> [Member] {
        guard flights[key]?.number == ticket.flight else { return [] }
        return flights.removeValue(forKey: key)?.members.orderedByNumber { Int64($0.key) }.map(\.value) ?? []
    }
}
