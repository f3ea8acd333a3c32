package import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A blocking TCP socket on the loopback interface, which child processes do not inherit and which causes no signals.
package struct ServerSocket: Sendable {
    /// The reason why a wait ended.
    enum Wake {
        case readable
        case latchOpened
        case hungUp
        case timedOut
    }

    package let descriptor: Int32

    #if canImport(Glibc)
        static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #elseif canImport(Musl)
        static let streamType = SOCK_STREAM | SOCK_CLOEXEC
    #else
        static let streamType = SOCK_STREAM
    #endif

    #if canImport(Darwin)
        private static let sendFlags: Int32 = 0
        private static let peerEnded: Int16 = 0
    #else
        private static let sendFlags = Int32(MSG_NOSIGNAL)
        /// `POLLRDHUP`, which the module map lacks: the peer has ended its side.
        private static let peerEnded: Int16 = 0x2000
    #endif

    static var lastError: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Returns a socket that is bound to a port, and refuses connections until it listens.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any free port.
    ///   - sharing: Whether the port may be shared with another socket that also allows it.
    /// - Returns: The bound socket.
    /// - Throws: A `POSIXError`.
    package static func bound(to port: UInt16, sharing: Bool = false) throws -> ServerSocket {
        guard port == 0 else { return try bind(port, reusing: true, sharing: sharing) }
        do {
            // An exclusive port, because another server could be about to use a reused one.
            return try bind(0, reusing: false, sharing: sharing)
        } catch let error as POSIXError where error.code == .EADDRINUSE {
            // All ports have closing connections, so only reuse succeeds.
            return try bind(0, reusing: true, sharing: sharing)
        }
    }

    private static func bind(_ port: UInt16, reusing: Bool, sharing: Bool) throws -> ServerSocket {
        let bound = try make()
        if reusing { bound.set(SOL_SOCKET, SO_REUSEADDR) }
        if sharing { bound.set(SOL_SOCKET, SO_REUSEPORT) }
        guard withAddress(of: port, { systemBind(bound.descriptor, $0, $1) }) == 0 else {
            let error = lastError
            bound.closeAtOnce()
            throw error
        }
        return bound
    }

    /// Returns a socket that is neither bound nor connected.
    package static func make() throws -> ServerSocket {
        let made = ServerSocket(descriptor: socket(AF_INET, streamType, 0))
        guard made.descriptor >= 0 else { throw lastError }
        made.keepFromChildren()
        return made
    }

    /// Returns a socket that is connected to a port, or `nil` if the connection fails.
    package static func connected(to port: UInt16) -> ServerSocket? {
        guard let made = try? make() else { return nil }
        if made.connect(to: port) { return made }
        made.closeAtOnce()
        return nil
    }

    /// Connects to a port.
    ///
    /// Returns `false`, with the reason in `errno`, if that does not succeed at once.
    package func connect(to port: UInt16) -> Bool {
        Self.withAddress(of: port) { systemConnect(descriptor, $0, $1) } == 0
    }

    /// Calls a closure with the address of a port on 127.0.0.1.
    private static func withAddress(
        of port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    package var localPort: UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    package func startListening() throws {
        // Open connections also use the port, and only sockets with this option may listen beside them.
        set(SOL_SOCKET, SO_REUSEADDR)
        // Non-blocking, so that a connection that ends between `poll` and `accept` does not block the thread.
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) >= 0 else { throw Self.lastError }
        try Self.retryWhileAddressInUse { listen(descriptor, 4096) == 0 }
    }

    /// Repeats an attempt for a tenth of a second while the address is in use.
    private static func retryWhileAddressInUse(_ attempt: () -> Bool) throws {
        for _ in 0..<50 {
            if attempt() { return }
            guard errno == EADDRINUSE else { throw lastError }
            usleep(2000)
        }
        throw POSIXError(.EADDRINUSE)
    }

    package func acceptConnection() -> ServerSocket? {
        let accepted = ServerSocket(descriptor: Self.accept(descriptor))
        guard accepted.descriptor >= 0 else { return nil }
        _ = fcntl(accepted.descriptor, F_SETFL, 0)
        accepted.set(Int32(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
            accepted.set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
        return accepted
    }

    /// Receives at least one byte.
    ///
    /// Returns 0 if the peer or the server ended the connection.
    package func receive(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(descriptor, bytes.baseAddress, bytes.count, 0)
            if count >= 0 { return count }
            if errno != EINTR { return 0 }
        }
    }

    /// Sends all bytes and reports each part.
    ///
    /// Returns `false` if the connection is gone.
    package func sendAll(_ data: Data, onSent: (Int) -> Void) -> Bool {
        data.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                // In slices, because a blocking `send` returns only after the system accepted all bytes.
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...].prefix(256 << 10))
                let count = send(descriptor, rest.baseAddress, rest.count, Self.sendFlags)
                guard count > 0 else {
                    if errno == EINTR { continue }
                    return false
                }
                sent += count
                onSent(count)
            }
            return true
        }
    }

    /// Waits until there are bytes to read (if `reading`), the peer hangs up, a latch opens, or the time is over.
    func wait(reading: Bool = false, latch: Latch? = nil, for duration: Duration? = nil) -> Wake {
        let deadline = duration.map { ContinuousClock.now + .nanoseconds($0.clampedNanoseconds) }
        while true {
            var polled = [pollfd(fd: descriptor, events: reading ? Int16(POLLIN) : Self.peerEnded, revents: 0)]
            if let latch { polled.append(pollfd(fd: latch.descriptor, events: 0, revents: 0)) }
            let left = deadline.map { max(.zero, ContinuousClock.now.duration(to: $0)) }
            let ready = poll(&polled, nfds_t(polled.count), left.map(Self.milliseconds) ?? -1)
            if ready < 0, errno != EINTR { return .hungUp }
            if ready == 0, let left, left <= .milliseconds(1) { return .timedOut }
            guard ready > 0 else { continue }
            if reading, polled[0].revents & Int16(POLLIN) != 0 { return .readable }
            if polled[0].revents != 0 { return .hungUp }
            return .latchOpened
        }
    }

    /// Returns whether a connecting socket connects or fails within a time.
    func waitUntilWritable(for duration: Duration) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, Self.milliseconds(duration)) > 0
    }

    package func shutDownBothSides() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }

    func shutDownSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    package func closeAtOnce() {
        _ = close(descriptor)
    }

    /// Closes with a reset, which discards unsent bytes.
    func closeWithReset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        _ = close(descriptor)
    }

    func keepFromChildren() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    package func set(_ level: Int32, _ name: Int32, _ value: Int32 = 1) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (whole, rest) = duration.clampedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return Int32(clamping: whole + (rest > 0 ? 1 : 0))
    }

    private typealias Accept4 = @convention(c) (Int32, OpaquePointer?, OpaquePointer?, Int32) -> Int32

    /// `accept4`, which the module map lacks.
    ///
    /// Without it, a child process could inherit the socket for a moment.
    private static let accept4: Accept4? = {
        #if canImport(Darwin)
            return nil
        #else
            return dlsym(nil, "accept4").map { unsafeBitCast($0, to: Accept4.self) }
        #endif
    }()

    private static func accept(_ listener: Int32) -> Int32 {
        #if !canImport(Darwin)
            if let accept4 { return accept4(listener, nil, nil, O_CLOEXEC) }
        #endif
        let accepted = acceptPlainly(listener)
        if accepted >= 0 { ServerSocket(descriptor: accepted).keepFromChildren() }
        return accepted
    }
}

private func acceptPlainly(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

/// Calls `bind`, which the method of the same name hides.
private func systemBind(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(socket, address, length)
}

/// Calls `connect`, which the method of the same name hides.
private func systemConnect(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(socket, address, length)
}
