/// The way of a request's body through a connection.
///
/// libcurl and the kernel take megabytes long before the server has them, and on a slow network, minutes pass until
/// libcurl asks for more. What the kernel tells of the connection shows in between whether the body moves. It is a pure
/// value: it compares what it is told.
struct UploadDelivery {
    /// The state of a connection: the bytes that its other end has, and those that were written at this end.
    struct Position {
        let descriptor: Int32
        let received: Int64
        let written: Int64
    }

    private var last: Position?
    /// The position at which the part of the body that was taken so far ends, at the latest.
    private var end = Int64.max

    /// Records that more of the body was taken.
    mutating func noteTaken() { end = .max }

    /// Looks at the connection.
    ///
    /// - Parameters:
    ///   - position: The state of the connection.
    ///   - isShared: Whether other requests use the connection at the same time. Their bytes count only until the body
    ///     has left.
    ///   - held: The number of taken bytes that may not have been written yet.
    /// - Returns: Whether bytes of the body reached the other end since the last look.
    mutating func look(at position: Position, isShared: Bool, held: Int64) -> Bool {
        let former = last.flatMap { $0.descriptor == position.descriptor ? $0 : nil }
        if former == nil { end = .max }
        let hasMoved = former.map { $0.received < end && $0.received != position.received } ?? false
        end = isShared ? min(end, position.written + held) : .max
        last = position
        return hasMoved
    }
}
