#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
#else
    import Foundation
#endif

/// Threads of the library's own, for work that blocks.
///
/// On Linux, they receive no signals but those of their own faults and of profilers. Otherwise, a thread could take
/// SIGTERM in place of the thread of the host that waits for it. Neither SIGPIPE nor SIGXFSZ ends the process: libpq
/// writes to connections that the peer may have closed when it asks a server to cancel a statement, and the journal of
/// a queue may reach the limit for the size of files.
package enum SystemThread {
    private typealias Body = Box<@Sendable () -> Void>

    /// Starts a thread; returns `false` if the system could not create one, and then the closure never runs.
    ///
    /// On Linux, Foundation's `Thread` does not report that, and whatever waits for the closure would wait forever.
    ///
    /// - Parameters:
    ///   - name: The name for debuggers, of at most 15 bytes.
    ///   - stackSize: The number of bytes of the stack; `nil` for the system's own.
    ///   - body: The closure that the thread runs.
    /// - Returns: Whether the thread runs.
    package static func start(
        _ name: String,
        stackSize: Int? = 512 << 10,
        _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        #if canImport(Glibc) || canImport(Musl)
            let kept = Unmanaged.passRetained(
                Body {
                    nk_name_thread(name)
                    body()
                }
            )
            let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().value() }
                return nil
            }
            let isStarted = nk_start_thread(stackSize ?? 0, run, kept.toOpaque()) != 0
            if !isStarted { kept.release() }
            return isStarted
        #else
            let thread = Thread(block: body)
            thread.name = name
            if let stackSize { thread.stackSize = stackSize }
            thread.start()
            return true
        #endif
    }
}
