/// The progress of a request body through a connection.
///
/// libcurl and the kernel take megabytes long before the server has them, and on a slow network, minutes pass until
/// libcurl asks for more. In between, the kernel's counters of the connection show whether the body moves. This type is
/// a pure value that compares readings of them.
struct UploadDelivery {
    /// The state of a connection: the bytes that its other end has, those that were written at this end, how many bytes
    /// of the body libcurl has taken, and how many of them it has passed on to the connection.
    struct Position {
        let descriptor: Int32
        let received: Int64
        let written: Int64
        let takenCount: Int64
        let bodyCount: Int64
        /// Whether the connection uses HTTP/2; `nil` if that is unknown.
        let isMultiplexed: Bool?

        /// The maximum number of bytes of the body that were written and do not count as passed on yet.
        ///
        /// libcurl hands all that it has taken to TLS at once, and counts it after the last byte. Over HTTP/2, it does
        /// so frame by frame. There, the bytes of others, or those that keep the connection alive, would count instead.
        fileprivate var uncounted: Int64 { isMultiplexed == false ? max(0, takenCount - bodyCount) : 0 }
    }

    private var last: Position?
    /// The position at which the part of the body that was passed on ends, at the latest.
    private var end: Int64 = 0

    /// Compares a new reading with the previous one, and returns whether bytes of the body have moved.
    ///
    /// Other requests may use it at the same time. Their bytes count only until the body has left.
    mutating func look(at position: Position) -> Bool {
        let former = last.flatMap { $0.descriptor == position.descriptor ? $0 : nil }
        let hasGrown = former.map { position.bodyCount > $0.bodyCount } ?? false
        let bound = end + position.uncounted
        let hasMoved = hasGrown || former.map { $0.received < bound && $0.received != position.received } ?? false
        if hasGrown || former == nil { end = position.written }
        last = position
        return hasMoved
    }
}
