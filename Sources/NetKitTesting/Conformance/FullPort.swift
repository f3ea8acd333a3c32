import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A port of the loopback interface that neither accepts nor refuses connections: its backlog is full.
final class FullPort: Sendable {
    private let listener: ServerSocket
    private let fillers: [ServerSocket]

    init() throws {
        listener = try ServerSocket.bound(to: 0)
        _ = listen(listener.descriptor, 0)
        let port = listener.localPort
        fillers = (0..<8).compactMap { _ in Self.connect(to: port) }
        // Further connections have to wait now. If the system still accepts one, the case cannot be tried.
        if let last = fillers.last, last.waitUntilWritable(for: .milliseconds(20)) {
            throw ConformanceFailure.notPossible("connections do not wait for a full backlog on this system")
        }
    }

    deinit {
        for filler in fillers { filler.closeAtOnce() }
        listener.closeAtOnce()
    }

    /// A request to the port, which has to wait for a connection.
    var request: HTTPRequest { HTTPRequest(.get, RequestPath(raw: "http://127.0.0.1:\(listener.localPort)/")) }

    /// Returns a socket that is connecting.
    private static func connect(to port: UInt16) -> ServerSocket? {
        guard let filler = try? ServerSocket.make() else { return nil }
        _ = fcntl(filler.descriptor, F_SETFL, O_NONBLOCK)
        _ = filler.connect(to: port)
        return filler
    }
}
