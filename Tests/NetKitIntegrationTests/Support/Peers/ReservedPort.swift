import NetKitTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A port of 127.0.0.1 that nobody else gets while this lives, but where one process told of it can listen.
///
/// The port is held by a socket that never listens. The system gives it to no one who asks for any port, and lets
/// those who ask for this very one have it if they set `SO_REUSEADDR`, as servers do.
final class ReservedPort: Sendable {
    let number: UInt16
    private let socket: ServerSocket

    init() throws {
        socket = try ServerSocket.bound(to: 0)
        socket.set(SOL_SOCKET, SO_REUSEADDR)
        number = socket.localPort
    }

    deinit {
        socket.closeAtOnce()
    }
}
