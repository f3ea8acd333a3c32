import Foundation
import NetKit
import NetKitTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A TCP connection for one exchange at a time. Blocking operations run on threads of their own, of which there are
/// always enough.
final class SocketConnection: Sendable {
    /// The reason for the end of a wait.
    enum Failure: Error {
        case timedOut
        case refused
        case lost
    }

    private let socket: ServerSocket
    /// Whether the connection is open.
    let wasUsed = Flag()
    private let interrupted = Flag()

    init() throws {
        socket = try ServerSocket.make()
        guard fcntl(socket.descriptor, F_SETFL, O_NONBLOCK) >= 0 else { throw Failure.lost }
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY)
    }

    deinit { socket.closeAtOnce() }

    /// Whether bytes, an end or an error wait to be read, so that an idle connection is of no use.
    var isStale: Bool {
        var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        return interrupted.isSet || poll(&polled, 1, 0) != 0
    }

    /// Whether the connection has ended, whatever was sent on it before.
    var isOver: Bool {
        var byte: UInt8 = 0
        return interrupted.isSet || recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK)) == 0
    }

    /// Ends everything that waits here, now and later.
    func interrupt() {
        interrupted.set()
        socket.shutDownBothSides()
    }

    func connect(port: UInt16, within limit: Duration?) async throws {
        if socket.connect(to: port) { return }
        guard errno == EINPROGRESS else { throw Failure.refused }
        try await wait(for: POLLOUT, limit)
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = getsockopt(socket.descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        if interrupted.isSet { throw CancellationError() }
        if error != 0 { throw Failure.refused }
    }

    func write(_ data: Data, idle: Duration?) async throws {
        var rest = data
        while !rest.isEmpty {
            let (count, code) = rest.withUnsafeBytes { (sendPlainly(socket.descriptor, $0), errno) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if code == EAGAIN {
                try await wait(for: POLLOUT, idle)
            } else if code != EINTR {
                throw interrupted.isSet ? CancellationError() : Failure.lost
            }
        }
    }

    /// Reads the available bytes, at least one; nil at the end.
    func read(within limit: Duration?) async throws -> Data? {
        while true {
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(socket.descriptor, &buffer, buffer.count, 0)
            let code = errno
            // An interrupted read sees an end or an error that does not come from the peer.
            if interrupted.isSet { throw CancellationError() }
            if count > 0 { return Data(buffer[..<count]) }
            if count == 0 { return nil }
            guard code == EAGAIN || code == EINTR else { throw Failure.lost }
            try await wait(for: POLLIN, limit)
        }
    }

    private func wait(for event: Int32, _ limit: Duration?) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { [self] in
                continuation.resume(with: Result { try block(until: event, limit) })
            }
        }
    }

    private func block(until event: Int32, _ limit: Duration?) throws {
        let end = limit.map { ContinuousClock.now + min($0, .seconds(1 << 32)) }
        while true {
            if interrupted.isSet { throw CancellationError() }
            var polled = pollfd(fd: socket.descriptor, events: Int16(event), revents: 0)
            // In slices, because a socket that is still connecting is not woken by its own shutdown everywhere.
            var slice = Duration.milliseconds(20)
            if let end { slice = max(.zero, min(slice, ContinuousClock.now.duration(to: end))) }
            let milliseconds = slice.components.attoseconds / 1_000_000_000_000_000
            if poll(&polled, 1, Int32(milliseconds) + 1) > 0 { return }
            if let end, ContinuousClock.now >= end { throw Failure.timedOut }
        }
    }
}

private func sendPlainly(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
        send(descriptor, bytes.baseAddress, bytes.count, 0)
    #else
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
}
