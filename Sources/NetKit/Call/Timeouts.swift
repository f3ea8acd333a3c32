/// The limits in time of a call; nil means none.
///
/// | limit | default | what it covers |
/// |---|---|---|
/// | `connect` | 10 s | until a connection stands, TLS included |
/// | `firstByte` | none | from the end of the request to the first byte of the answer |
/// | `idle` | 30 s | no byte moved in either direction |
/// | `attempt` | 30 s | one exchange: to the end of a buffered body, or to the headers of a streamed one |
/// | `total` | none | the whole call: queueing, attempts, back-off, refresh, and reading the body |
public struct Timeouts: Hashable, Sendable {
    /// Until a connection stands, TLS included.
    public var connect: Duration?
    /// From the end of the request to the first byte of the answer.
    public var firstByte: Duration?
    /// No byte moved in either direction.
    public var idle: Duration?
    /// One exchange: to the end of a buffered body, or to the headers of a streamed one.
    public var attempt: Duration?
    /// The whole call, reading the body included.
    public var total: Duration?

    /// Makes limits; what is not named has its default.
    public init(
        connect: Duration? = .seconds(10),
        firstByte: Duration? = nil,
        idle: Duration? = .seconds(30),
        attempt: Duration? = .seconds(30),
        total: Duration? = nil
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.attempt = attempt
        self.total = total
    }

    /// The defaults.
    public static let standard = Timeouts()

    /// No limit at all.
    public static let none = Timeouts(connect: nil, idle: nil, attempt: nil)

    /// The name and value of a limit that cannot be used, if there is one: zero or less.
    var problem: (name: String, value: Duration)? {
        for (name, value) in [
            ("connect", connect), ("firstByte", firstByte), ("idle", idle), ("attempt", attempt), ("total", total),
        ] {
            if let value, value <= .zero { return (name, value) }
        }
        return nil
    }
}
