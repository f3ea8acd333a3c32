#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Synchronization

    /// The commands for a loop's thread, and the event that wakes it.
    ///
    /// A busy thread checks the inbox by itself. Only a waiting thread is woken, so that many commands cost one
    /// wake-up.
    final class CurlInbox: Sendable {
        enum Command: Sendable {
            case start(CurlTransfer)
            /// Ends the exchange of a call that already has its result.
            case cancel(CurlTransfer)
            /// The reader has caught up.
            case resumeReceiving(CurlTransfer)
            /// A stream has more to send.
            case resumeSending(CurlTransfer)
            /// A name has its addresses, or has none.
            case resolved(CurlTransfer, NameResolver.Lookup)
            /// A time limit may have expired.
            case check(CurlTransfer)
            /// The time limit of some transfer may have expired.
            case checkAll
            /// Refuses further commands, and ends everything that is running.
            case stop
        }

        private struct State {
            var commands: [Command] = []
            var isClosed = false
        }

        let descriptor: Int32
        private let state = Locked(State())
        /// Whether the thread waits, or is about to.
        private let isWaiting = Atomic<Bool>(false)

        init() throws(NetKitError) {
            descriptor = nk_eventfd_create()
            guard descriptor >= 0 else { throw CurlLoop.noResources("event descriptor") }
        }

        deinit { nk_close(descriptor) }

        /// Adds a command for the thread; returns `false` after the thread has ended.
        @discardableResult
        func post(_ command: Command) -> Bool {
            let isTaken = state.withLock { state in
                guard !state.isClosed else { return false }
                state.commands.append(command)
                return true
            }
            if isTaken, isWaiting.exchange(false, ordering: .acquiringAndReleasing) { nk_eventfd_signal(descriptor) }
            return isTaken
        }

        /// Takes the commands in exchange for an empty array, whose memory is reused.
        func take(_ commands: inout [Command]) {
            state.withLock { swap(&commands, &$0.commands) }
        }

        /// Records that the thread is about to wait; returns `false` if a command was posted meanwhile.
        func noteWaiting() -> Bool {
            state.withLock { state in
                guard state.commands.isEmpty else { return false }
                isWaiting.store(true, ordering: .releasing)
                return true
            }
        }

        /// Records that the thread is awake, and will check the inbox by itself.
        func noteAwake() {
            isWaiting.store(false, ordering: .releasing)
        }

        /// Refuses further commands, and returns the remaining ones.
        func close() -> [Command] {
            state.withLock { state in
                state.isClosed = true
                defer { state.commands = [] }
                return state.commands
            }
        }
    }
#endif
