import Foundation
import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A latch that opens once, and for which any number of threads can wait in `poll`.
final class Latch: Sendable {
    /// The descriptor to poll, which hangs up when the latch opens.
    let descriptor: Int32
    private let ends: Locked<(own: Int32?, other: Int32?)>

    init() throws {
        // A pair of sockets instead of a pipe, because only sockets can be created close-on-exec on all platforms.
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
        if let end = ends.withLock({ exchange(&$0.other, with: nil) }) { _ = close(end) }
    }

    var isOpen: Bool { ends.withLock { $0.other == nil } }

    /// Closes both ends, after all waits have ended.
    ///
    /// The last reference may outlive the threads for a moment, so `deinit` would be too late.
    func dispose() {
        let both = ends.withLock { ends in
            defer { ends = (nil, nil) }
            return ends
        }
        if let end = both.other { _ = close(end) }
        if let end = both.own { _ = close(end) }
    }
}
