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
        // Somebody who comes now has to wait: where the system takes one more all the same, there is nothing to try.
        if let last = fillers.last, last.waitUntilWritable(for: .milliseconds(20)) {
            throw ConformanceFailure.notPossible("a full backlog keeps nobody waiting on this system")
        }
    }

    deinit {
        for filler in fillers { filler.closeAtOnce() }
        listener.closeAtOnce()
    }

    /// A request that has to wait for a connection there.
    var request: HTTPRequest { HTTPRequest(.get, RequestPath(raw: "http://127.0.0.1:\(listener.localPort)/")) }

    /// A socket that is connecting, without waiting for it.
    private static func connect(to port: UInt16) -> ServerSocket? {
        guard let filler = try? ServerSocket.make() else { return nil }
        _ = fcntl(filler.descriptor, F_SETFL, O_NONBLOCK)
        _ = filler.connect(to: port)
        return filler
    }
}
