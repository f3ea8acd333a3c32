#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Synchronization

    /// The commands for a loop's thread, and the event that wakes it.
    ///
    /// A thread that is busy looks by itself; only one that waits is woken, so that many submissions cost one wake-up.
    final class CurlInbox: Sendable {
        enum Command: Sendable {
            case start(CurlTransfer)
            /// Ends the exchange of a call that has its result already.
            case cancel(CurlTransfer)
            /// The reader has caught up.
            case resumeReceiving(CurlTransfer)
            /// A stream has more to send.
            case resumeSending(CurlTransfer)
            /// A name has its addresses, or has none.
            case resolved(CurlTransfer, NameResolver.Lookup)
            /// A limit in time may have run out.
            case check(CurlTransfer)
            /// The limit of some transfer may have run out.
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

        /// Leaves a command to the thread; false once it has ended.
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

        /// Gives what was handed over, in exchange for an array that is empty and whose memory is used again.
        func take(_ commands: inout [Command]) {
            state.withLock { swap(&commands, &$0.commands) }
        }

        /// The thread is about to wait; false if something was handed over meanwhile.
        func noteWaiting() -> Bool {
            state.withLock { state in
                guard state.commands.isEmpty else { return false }
                isWaiting.store(true, ordering: .releasing)
                return true
            }
        }

        /// The thread is awake, and will look by itself.
        func noteAwake() {
            isWaiting.store(false, ordering: .releasing)
        }

        /// Takes nothing any more, and gives what was handed over last.
        func close() -> [Command] {
            state.withLock { state in
                state.isClosed = true
                defer { state.commands = [] }
                return state.commands
            }
        }
    }
#endif
