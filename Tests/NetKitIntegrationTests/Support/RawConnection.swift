import Foundation
import NetKit
import NetKitTesting
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A client connection of plain bytes, to see the bytes on the wire.
final class RawConnection: Sendable {
    enum End: Equatable {
        case closed
        case reset
        case timedOut
    }

    /// The bytes that were received, and how the connection ended.
    struct Received: Equatable {
        var bytes = Data()
        var end: End

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let socket: ServerSocket

    /// Connects to a port of the loopback interface; nil if the connection is refused.
    init?(port: UInt16) {
        guard let socket = ServerSocket.connected(to: port) else { return nil }
        self.socket = socket
    }

    deinit {
        socket.closeAtOnce()
    }

    func send(_ text: String) {
        send(Data(text.utf8))
    }

    func send(_ data: Data) {
        _ = socket.sendAll(data) { _ in }
    }

    /// Reads until the peer ends the connection, a text has arrived, or a number of bytes.
    func read(until text: String? = nil, upTo limit: Int = .max, within timeout: Duration = .seconds(60)) -> Received {
        let deadline = ContinuousClock.now + timeout
        let wanted = text.map { Data($0.utf8) }
        var received = Received(end: .timedOut)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while received.bytes.count < limit {
            if let wanted, received.bytes.range(of: wanted) != nil { return received }
            let left = ContinuousClock.now.duration(to: deadline).components
            var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000)
            guard poll(&polled, 1, max(0, milliseconds)) > 0 else { return received }
            let count = recv(socket.descriptor, &buffer, min(buffer.count, limit - received.bytes.count), 0)
            if count == 0 { received.end = .closed }
            if count < 0 { received.end = errno == ECONNRESET ? .reset : .closed }
            if count <= 0 { return received }
            received.bytes.append(contentsOf: buffer[..<count])
        }
        return received
    }

    /// Returns the bytes that have arrived, without waiting for more.
    func readAvailable() -> String { read(within: .zero).text }

    /// Sends a request without a body and reads to the end.
    static func get(_ server: UInt16, _ path: String, headers: String = "") throws -> Received {
        let connection = try #require(RawConnection(port: server))
        connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n")
        return connection.read()
    }
}
