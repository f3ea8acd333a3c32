import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Something threads wait for in `poll`, any number of them, and that opens once.
final class Latch: Sendable {
    /// The end to poll: it hangs up when the latch opens.
    let descriptor: Int32
    private let otherEnd: Locked<Int32?>

    init() throws {
        // A pair of sockets and not a pipe, because only sockets can be made close-on-exec from the start everywhere.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, ServerSocket.streamType, 0, &ends) == 0 else { throw ServerSocket.lastError }
        for end in ends { ServerSocket(descriptor: end).keepFromChildren() }
        descriptor = ends[0]
        otherEnd = Locked(ends[1])
    }

    deinit {
        open()
        _ = close(descriptor)
    }

    func open() {
        let end = otherEnd.withLock { end in
            defer { end = nil }
            return end
        }
        if let end { _ = close(end) }
    }
}
