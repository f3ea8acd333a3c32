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
    private let ends: Locked<(own: Int32?, other: Int32?)>

    init() throws {
        // A pair of sockets and not a pipe, because only sockets can be made close-on-exec from the start everywhere.
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, ServerSocket.streamType, 0, &ends) == 0 else { throw ServerSocket.lastError }
        for end in ends { ServerSocket(descriptor: end).keepFromChildren() }
        descriptor = ends[0]
        self.ends = Locked((ends[0], ends[1]))
    }

    deinit {
        dispose()
    }

    func open() {
        let end = ends.withLock { ends in
            defer { ends.other = nil }
            return ends.other
        }
        if let end { _ = close(end) }
    }

    var isOpen: Bool { ends.withLock { $0.other == nil } }

    /// Closes both ends, when nobody waits any more.
    ///
    /// The last reference may live a moment longer than the threads that were waited for.
    func dispose() {
        let both = ends.withLock { ends in
            defer { ends = (nil, nil) }
            return ends
        }
        if let end = both.other { _ = close(end) }
        if let end = both.own { _ = close(end) }
    }
}
