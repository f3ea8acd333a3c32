import NetKitTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A port of 127.0.0.1 that no other program gets while this lives, but on which one process can listen.
///
/// The port is held by a socket that never listens. The system gives it to no program that asks for any port. A program
/// that asks for this one gets it if it sets `SO_REUSEADDR`, as servers do.
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
