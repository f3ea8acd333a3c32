/// The time limits of a call; `nil` means no limit.
///
/// | limit | default | covered time |
/// |---|---|---|
/// | `connect` | 10 s | until a connection is established, including TLS |
/// | `firstByte` | none | from the end of the request to the first byte of the response |
/// | `idle` | 30 s | the time without a byte in either direction |
/// | `attempt` | 30 s | one exchange: until the end of a buffered body, or until the head of a streamed one |
/// | `total` | none | the whole call: waiting, attempts, delays, token refresh, and reading the body |
public struct Timeouts: Hashable, Sendable {
    /// The time until a connection is established, including TLS.
    public var connect: Duration?
    /// The time from the end of the request to the first byte of the response.
    public var firstByte: Duration?
    /// The time without a byte in either direction.
    public var idle: Duration?
    /// The time for one exchange, until the end of a buffered body or the head of a streamed one.
    public var attempt: Duration?
    /// The time for the whole call, including reading the body.
    public var total: Duration?

    /// Creates limits; a limit that is not named has its default.
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

    /// The default limits.
    public static let standard = Timeouts()

    /// No limits.
    public static let none = Timeouts(connect: nil, idle: nil, attempt: nil)

    /// The time for the body of a refusal or a redirect that is read before its response is delivered: that of an
    /// attempt, or of a standard one if an attempt has no limit.
    ///
    /// Such a body is of little use, and the limit of the attempt itself ends with the head of a streamed response.
    var refusalBody: Duration { attempt ?? .seconds(30) }

    /// The name and the value of a limit that is zero or less, if there is one.
    var problem: (name: String, value: Duration)? {
        for (name, value) in [
            ("connect", connect), ("firstByte", firstByte), ("idle", idle), ("attempt", attempt), ("total", total),
        ] {
            if let value, value <= .zero { return (name, value) }
        }
        return nil
    }
}
