#if os(Linux)
    import Foundation
    import NetKit
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// A server on [::1] that responds to every request with its head, and closes the connection.
    final class IPv6Peer: Sendable {
        let port: UInt16
        private let descriptor: Int32

        /// Whether this machine has an IPv6 loopback interface.
        static let isPossible = (try? IPv6Peer()) != nil

        init() throws {
            let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                        ? getsockname(descriptor, $0, &length) : -1
                }
            }
            (self.descriptor, port) = (descriptor, UInt16(bigEndian: address.sin6_port))
            if result != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            Thread.detachNewThread { Self.serve(descriptor) }
        }

        // Ends the thread, which waits for a connection.
        deinit { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

        private static func serve(_ listener: Int32) {
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var head = Data()
                var buffer = [UInt8](repeating: 0, count: 4096)
                while head.range(of: Data("\r\n\r\n".utf8)) == nil {
                    let count = recv(connection, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    head.append(contentsOf: buffer[..<count])
                }
                let response =
                    Data("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(head.count)\r\n\r\n".utf8) + head
                response.withUnsafeBytes { _ = send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                close(connection)
            }
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Skips, with the reason, if there is no IPv6.
        static var needsIPv6: ConditionTrait {
            .enabled(if: IPv6Peer.isPossible, "this machine has no IPv6 loopback interface")
        }
    }
#endif
