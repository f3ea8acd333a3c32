/// The durations of the parts of an exchange, and its connection; parts that a transport does not report are `nil`.
///
/// The durations count from the moment the transport got the request.
public struct ExchangeTimings: Sendable, Hashable {
    /// Until the host's name was resolved.
    public var nameResolved: Duration?
    /// Until the connection stood.
    public var connected: Duration?
    /// Until the secure connection stood.
    public var secured: Duration?
    /// Until the first byte of the response arrived.
    public var firstByte: Duration?
    /// Until the exchange was over; for a streamed body, until its headers were there.
    public var total: Duration?
    /// Bytes of the request's body that were sent.
    public var bytesSent: Int64?
    /// Bytes of the response's body as they came over the wire.
    public var bytesReceived: Int64?
    /// Whether the exchange ran over a connection that was already there.
    public var reusedConnection: Bool?
    /// The protocol, such as `HTTP/1.1` or `HTTP/2`.
    public var protocolVersion: String?
    /// The address the connection went to.
    public var remoteAddress: String?

    /// Creates timings of which nothing is known.
    public init() {}
}
