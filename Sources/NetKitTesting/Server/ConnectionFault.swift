/// What happens to a connection right after it was accepted, before anything is read from it.
public struct ConnectionFault: Sendable, Hashable {
    enum Kind {
        case close
        case reset
        case stall
    }

    let kind: Kind

    /// The connection is closed.
    public static let close = ConnectionFault(kind: .close)
    /// The connection is reset.
    public static let reset = ConnectionFault(kind: .reset)
    /// Nothing is read until `release()`; then the connection is served as usual.
    public static let stall = ConnectionFault(kind: .stall)
}
