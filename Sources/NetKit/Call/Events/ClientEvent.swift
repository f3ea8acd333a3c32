/// Something that happened to a call of a client, or to what its calls depend on.
///
/// ```swift
/// for await event in client.events where event.kind == .retry { print(event) }
/// ```
/// What does not belong to an event's kind is nil. Texts and URLs hold nothing that the client's `Redaction` knows as secret;
/// `error` is what the caller sees, whose own `cause` may hold more.
public struct ClientEvent: Sendable {
    /// What happened.
    public let kind: Kind
    /// When, by the client's clock.
    public let instant: NetKitClock.Instant
    /// Which exchange of the call it is about, from 1.
    public internal(set) var attempt: Int?
    /// The status of the answer.
    public internal(set) var status: HTTPStatus?
    /// What it ended with, where it failed or was cancelled.
    public internal(set) var error: (any Error)?
    /// How long it took: a call, an attempt, a refresh, or a part of an exchange since its beginning.
    public internal(set) var duration: Duration?
    /// How long retry waits before the next attempt.
    public internal(set) var delay: Duration?
    /// Why, or which: the reason of a retry, the state of a breaker, what became of a queue's entry, `Cache-Status`.
    public internal(set) var detail: String?
    /// How many: bytes of the answer's body, or events that a listener missed.
    public internal(set) var count: Int64?
    /// How long each part of an attempt took, as far as the transport can tell.
    public internal(set) var timings: ExchangeTimings?

    /// What became of it, in one word of few, to count by.
    var label: String?
    let facts: CallFacts?
    private let ownOrigin: Origin?

    init(_ kind: Kind, at instant: NetKitClock.Instant, facts: CallFacts? = nil, origin: Origin? = nil) {
        self.kind = kind
        self.instant = instant
        self.facts = facts
        ownOrigin = origin
    }

    /// Takes over what retry wrote down about an attempt.
    mutating func tell(_ record: AttemptRecord, stop: RetryStop?) {
        (attempt, status, duration, delay) = (record.number, record.status, record.duration, record.delay)
        detail = stop?.description ?? record.result
    }

    /// The call it is about.
    public var callID: CallID? { facts?.id }

    /// The method of the call's request.
    public var method: HTTPMethod? { facts?.request.method }

    /// The URL of the call's request, with secrets masked.
    public var url: String? { facts?.url }

    /// The path of the call's request as it was written, with `{}` for each value; nil where it was no literal.
    public var template: String? { facts?.template }

    /// The server: of the call's request, or of the breaker that changed.
    public var origin: Origin? { ownOrigin ?? facts?.origin }
}

extension ClientEvent: CustomStringConvertible {
    /// Everything in one line for people.
    public var description: String {
        var parts = [kind.description]
        if let facts { parts.append("\(facts.request.method.rawValue) \(facts.url)") }
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
    /// What can happen; more may be added.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the event.
        public let description: String

        /// A call began.
        public static let callStarted = Kind(description: "call started")
        /// A call is over, its body included; exactly one for each that began.
        public static let callEnded = Kind(description: "call ended")
        /// A request was handed to the transport.
        public static let attemptStarted = Kind(description: "attempt started")
        /// An exchange is over; exactly one for each that began.
        ///
        /// The one that lost a race, or is shared, may end after its call.
        public static let attemptEnded = Kind(description: "attempt ended")
        /// The host's name was resolved; like the next three told when the head of the answer is here, or the failure.
        public static let nameResolved = Kind(description: "name resolved")
        /// The connection stood.
        public static let connected = Kind(description: "connected")
        /// The secure connection stood.
        public static let secured = Kind(description: "secured")
        /// The first byte of the answer arrived.
        public static let firstByte = Kind(description: "first byte")
        /// An attempt failed, and retry decided: after `delay` again, or why not.
        public static let retry = Kind(description: "retry")
        /// A credential is being fetched, on behalf of the call that needed it first.
        public static let refreshStarted = Kind(description: "refresh started")
        /// The credential is here, or could not be had.
        public static let refreshEnded = Kind(description: "refresh ended")
        /// A cache had its say; `detail` is what stands in `Cache-Status`.
        public static let cache = Kind(description: "cache")
        /// A circuit breaker of the client changed.
        public static let breaker = Kind(description: "breaker")
        /// An offline queue that sends through the client did something with an entry.
        public static let queue = Kind(description: "queue")
        /// The listener was too slow, and lost `count` events at this point.
        public static let missed = Kind(description: "missed")
    }
}
