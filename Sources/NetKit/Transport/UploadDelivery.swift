/// The way of a request's body through a connection.
///
/// libcurl and the kernel take megabytes long before the server has them, and on a slow network, minutes pass until
/// libcurl asks for more. What the kernel tells of the connection shows in between whether the body moves. It is a pure
/// value: it compares what it is told.
struct UploadDelivery {
    /// The state of a connection: the bytes that its other end has, those that were written at this end, and how many
    /// bytes of the body libcurl has passed on to it.
    struct Position {
        let descriptor: Int32
        let received: Int64
        let written: Int64
        let bodyCount: Int64
    }

    private var last: Position?
    /// The position at which the part of the body that was passed on ends, at the latest.
    private var end: Int64 = 0

    /// Looks at the connection.
    ///
    /// Other requests may use it at the same time. Their bytes count only until the body has left.
    ///
    /// - Parameter position: The state of the connection.
    /// - Returns: Whether bytes of the body have moved since the last look.
    mutating func look(at position: Position) -> Bool {
        let former = last.flatMap { $0.descriptor == position.descriptor ? $0 : nil }
        let hasGrown = former.map { position.bodyCount > $0.bodyCount } ?? false
        let hasMoved = hasGrown || former.map { $0.received < end && $0.received != position.received } ?? false
        if hasGrown || former == nil { end = position.written }
        last = position
        return hasMoved
    }
}
