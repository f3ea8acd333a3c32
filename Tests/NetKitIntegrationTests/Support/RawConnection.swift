import Foundation
import NetKit
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A client connection of plain bytes, to see what is on the wire.
final class RawConnection: Sendable {
    enum End: Equatable {
        case closed
        case reset
        case timedOut
    }

    /// Everything that came, and how it ended.
    struct Received: Equatable {
        var bytes = Data()
        var end: End

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let descriptor: Int32

    /// Connects to a port of the loopback interface; nil when the connection is refused.
    init?(port: UInt16) {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { return nil }
    }

    deinit {
        _ = close(descriptor)
    }

    func send(_ text: String) {
        send(Data(text.utf8))
    }

    func send(_ data: Data) {
        data.withUnsafeBytes { bytes in
            #if canImport(Darwin)
                _ = Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
            #elseif canImport(Glibc)
                _ = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #else
                _ = Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            #endif
        }
    }

    /// Reads until the peer ends the connection, a text has arrived, or a number of bytes.
    func read(until text: String? = nil, upTo limit: Int = .max, within timeout: Duration = .seconds(10)) -> Received {
        let deadline = ContinuousClock.now + timeout
        let wanted = text.map { Data($0.utf8) }
        var received = Received(end: .timedOut)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while received.bytes.count < limit {
            if let wanted, received.bytes.range(of: wanted) != nil { return received }
            let left = ContinuousClock.now.duration(to: deadline).components
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000)
            guard poll(&polled, 1, max(0, milliseconds)) > 0 else { return received }
            let count = recv(descriptor, &buffer, min(buffer.count, limit - received.bytes.count), 0)
            if count == 0 { received.end = .closed }
            if count < 0 { received.end = errno == ECONNRESET ? .reset : .closed }
            if count <= 0 { return received }
            received.bytes.append(contentsOf: buffer[..<count])
        }
        return received
    }

    /// What is there without waiting for more.
    func readWhatIsThere() -> String { read(within: .zero).text }

    /// Sends a request without a body and reads to the end.
    static func get(_ server: UInt16, _ path: String, headers: String = "") throws -> Received {
        let connection = try #require(RawConnection(port: server))
        connection.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n")
        return connection.read()
    }
}
