/// An event in a call of a client, or in something that its calls depend on.
///
/// ```swift
/// for await event in client.events where event.kind == .retry { print(event) }
/// ```
/// A property that does not apply to the kind of event is `nil`. Texts and URLs contain nothing that the client's
/// ``Redaction`` treats as sensitive. The `cause` of an `error` may contain more.
public struct ClientEvent: Sendable {
    /// The kind of event.
    public let kind: Kind
    /// The time of the event, by the client's clock.
    public let instant: NetKitClock.Instant
    /// The number of the exchange in the call, from 1; for `.retry`, the number of the attempt.
    ///
    /// For `.callEnded`, the number of exchanges, including those that the call shared with others through a
    /// ``CoalesceInterceptor``. A response of a cache counts none, even if another call has just fetched it. A call
    /// numbers only the exchanges that were made for it.
    public internal(set) var attempt: Int?
    /// The status of the response; with an `error`, that of a response that was refused or whose body failed.
    public internal(set) var status: HTTPStatus?
    /// The error of a call or exchange that failed or was cancelled.
    public internal(set) var error: (any Error)?
    /// The duration of a call, an attempt or a refresh, or the time from the beginning of an exchange to this event.
    public internal(set) var duration: Duration?
    /// The delay before the next attempt.
    public internal(set) var delay: Duration?
    /// The detail in words: the reason for a retry, a breaker's state, a queue entry's result, or `Cache-Status`.
    public internal(set) var detail: String?
    /// The number of bytes in the response's body, or of events that a listener missed.
    public internal(set) var count: Int64?
    /// The durations of the parts of an attempt, if the transport reports them.
    public internal(set) var timings: ExchangeTimings?

    /// The result as one word from a small set, for counting.
    var label: String?
    let facts: CallFacts?
    private let ownOrigin: Origin?

    init(_ kind: Kind, at instant: NetKitClock.Instant, facts: CallFacts? = nil, origin: Origin? = nil) {
        self.kind = kind
        self.instant = instant
        self.facts = facts
        ownOrigin = origin
    }

    /// Sets the properties that describe a recorded attempt.
    mutating func describe(_ record: AttemptRecord, stop: RetryStop?) {
        (attempt, status, duration, delay) = (record.number, record.status, record.duration, record.delay)
        detail = stop?.description ?? record.result
    }

    /// The call to which the event belongs.
    public var callID: CallID? { facts?.id }

    /// The method of the request.
    public var method: HTTPMethod? { facts?.method }

    /// The URL of the request, with sensitive parts masked.
    public var url: String? { facts?.url }

    /// The path as it was written in the code, with `{}` for each value; `nil` if it was not a literal.
    public var template: String? { facts?.template }

    /// The server of the request, or of the breaker that changed.
    public var origin: Origin? { ownOrigin ?? facts?.origin }
}

extension ClientEvent: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        var parts = [kind.description]
        if let facts { parts.append("\(facts.method.rawValue) \(facts.url)") }
        if let ownOrigin { parts.append(ownOrigin.description) }
        if let attempt { parts.append("attempt \(attempt)") }
        if let status { parts.append("-> \(status.code)") }
        if error is CancellationError { parts.append("cancelled") }
        if let error = error as? NetKitError { parts.append("[\(error.code), \(error.outcome)]") }
        if let duration { parts.append("in \(duration.shortText)") }
        if let count { parts.append(kind == .missed ? "\(count) events" : "\(count) bytes") }
        if let delay { parts.append("again in \(delay.shortText)") }
        if let detail { parts.append("(\(detail))") }
        return NetKitError.oneLine(parts.joined(separator: " "), limit: 600)
    }
}

extension ClientEvent {
    /// A kind of event; future versions may add more.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// A byte, where a string would be copied and compared.
        private enum Name: String {
            case callStarted = "call started"
            case callEnded = "call ended"
            case attemptStarted = "attempt started"
            case attemptEnded = "attempt ended"
            case nameResolved = "name resolved"
            case connected
            case secured
            case firstByte = "first byte"
            case retry
            case refreshStarted = "refresh started"
            case refreshEnded = "refresh ended"
            case cache
            case breaker
            case limit
            case queue
            case missed
        }

        private let name: Name

        /// The name of the event.
        public var description: String { name.rawValue }

        /// A call began.
        public static let callStarted = Kind(name: .callStarted)
        /// A call ended, after its body; there is exactly one for each call that began.
        public static let callEnded = Kind(name: .callEnded)
        /// A request was handed to the transport.
        public static let attemptStarted = Kind(name: .attemptStarted)
        /// An exchange ended; there is exactly one for each exchange that began.
        ///
        /// An exchange that lost a race or is shared may end after its call.
        public static let attemptEnded = Kind(name: .attemptEnded)
        /// The name of the host was resolved.
        ///
        /// This event and the next three are reported when the head of the response has arrived, or the exchange has
        /// failed.
        public static let nameResolved = Kind(name: .nameResolved)
        /// The connection was established.
        public static let connected = Kind(name: .connected)
        /// The secure connection was established.
        public static let secured = Kind(name: .secured)
        /// The first byte of the response arrived.
        public static let firstByte = Kind(name: .firstByte)
        /// An attempt failed; it is repeated after `delay`, or not repeated for the reason in `detail`.
        public static let retry = Kind(name: .retry)
        /// A token refresh began, on behalf of the call that needed it first.
        public static let refreshStarted = Kind(name: .refreshStarted)
        /// A token refresh ended with a token or an error.
        public static let refreshEnded = Kind(name: .refreshEnded)
        /// A cache was used or bypassed; `detail` is the value of `Cache-Status`, unless there is an `error` instead of
        /// a response.
        public static let cache = Kind(name: .cache)
        /// A circuit breaker changed its state.
        public static let breaker = Kind(name: .breaker)
        /// A rate limit lost the store that it shares with other processes, or has it back.
        public static let limit = Kind(name: .limit)
        /// An offline queue that sends through the client changed an entry.
        public static let queue = Kind(name: .queue)
        /// The listener was too slow and lost `count` events at this point.
        public static let missed = Kind(name: .missed)
    }
}

extension ExchangeTimings {
    /// The phases of an exchange up to its response, in order, each with its end relative to the exchange's start.
    ///
    /// The phases in which a reused connection was established are left out.
    package var parts: [(kind: ClientEvent.Kind, duration: Duration)] {
        var parts: [(ClientEvent.Kind, Duration?)] = []
        if reusedConnection != true {
            parts = [(.nameResolved, nameResolved), (.connected, connected), (.secured, secured)]
        }
        parts.append((.firstByte, firstByte))
        return parts.compactMap { kind, duration in duration.map { (kind, $0) } }
    }
}
