/// The durations of the parts of an exchange, and its connection; parts that a transport does not report are `nil`.
///
/// The durations count from the moment at which the transport received the request.
public struct ExchangeTimings: Sendable, Hashable {
    /// The time until the host's name was resolved.
    public var nameResolved: Duration?
    /// The time until the connection was established.
    public var connected: Duration?
    /// The time until the secure connection was established.
    public var secured: Duration?
    /// The time until the first byte of the response arrived.
    public var firstByte: Duration?
    /// The time until the exchange ended; for a streamed body, until the headers arrived.
    public var total: Duration?
    /// The number of bytes of the request's body that were sent.
    public var bytesSent: Int64?
    /// The number of bytes of the response's body on the wire.
    public var bytesReceived: Int64?
    /// Whether the exchange used an existing connection.
    public var reusedConnection: Bool?
    /// The protocol, such as `HTTP/1.1` or `HTTP/2`.
    public var protocolVersion: String?
    /// The remote address of the connection.
    public var remoteAddress: String?

    /// Creates timings without values.
    public init() {}
}
