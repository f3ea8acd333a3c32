import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A listening socket and the thread that accepts its connections.
final class ServerListener: Sendable {
    private let socket: ServerSocket
    private let wake: Latch
    private let threads = DispatchGroup()

    /// Starts to listen on a bound socket and takes ownership of it, unless it throws.
    init(_ bound: ServerSocket, onAccept: @escaping @Sendable (ServerSocket) -> Void) throws {
        socket = bound
        wake = try Latch()
        try bound.startListening()
        ServerThread.start(name: "netkit.mock-server.accept", in: threads) { [socket, wake] in
            while true {
                guard socket.wait(reading: true, latch: wake) == .readable else { return }
                if let accepted = socket.acceptConnection() {
                    onAccept(accepted)
                } else if errno == EMFILE || errno == ENFILE {
                    // Without a free descriptor, the socket stays readable. Waiting avoids a busy loop.
                    _ = socket.wait(latch: wake, for: .milliseconds(10))
                }
            }
        }
    }

    /// Stops listening and returns a socket that keeps the port reserved.
    ///
    /// The new socket is bound before this one is closed, because otherwise another process could take the port.
    func stopHoldingPort() throws -> ServerSocket {
        socket.set(SOL_SOCKET, SO_REUSEPORT)
        let holder = try ServerSocket.bound(to: socket.localPort, sharing: true)
        // Sharing would allow other sockets on the port, so it ends here.
        holder.set(SOL_SOCKET, SO_REUSEPORT, 0)
        holder.set(SOL_SOCKET, SO_REUSEADDR, 0)
        stop()
        return holder
    }

    /// Stops the thread and closes the socket.
    ///
    /// Connections that were not accepted are reset.
    func stop() {
        wake.open()
        threads.wait()
        wake.dispose()
        // A process that is being started has a copy of the descriptor for a moment, which would continue to listen.
        socket.shutDownBothSides()
        socket.closeAtOnce()
    }
}
