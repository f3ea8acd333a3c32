import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A port of the loopback interface that neither accepts nor refuses connections: its backlog is full.
final class FullPort: Sendable {
    let number: UInt16
    private let listener: ServerSocket
    private let fillers: [Int32]

    init() throws {
        listener = try ServerSocket.bound(to: 0)
        number = listener.localPort
        _ = listen(listener.descriptor, 0)
        let port = number
        fillers = (0..<8).map { _ in Self.connect(to: port) }
        // Somebody who comes now has to wait: where the system takes one more all the same, there is nothing to try.
        let last = fillers.last ?? -1
        if ServerSocket(descriptor: last).waitUntilWritable(for: .milliseconds(20)) {
            dispose()
            throw ConformanceFailure.notPossible("a full backlog keeps nobody waiting on this system")
        }
    }

    deinit {
        dispose()
    }

    private func dispose() {
        for filler in fillers { _ = close(filler) }
        listener.closeAtOnce()
    }

    /// A socket that is connecting, without waiting for it.
    private static func connect(to port: UInt16) -> Int32 {
        let filler = socket(AF_INET, ServerSocket.streamType, 0)
        ServerSocket(descriptor: filler).keepFromChildren()
        _ = fcntl(filler, F_SETFL, O_NONBLOCK)
        var address = ServerSocket.loopback(port)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connectPlainly(filler, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return filler
    }
}

private func connectPlainly(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
