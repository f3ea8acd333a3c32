#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Synchronization

    /// What calls hand over to a loop's thread, and what wakes it.
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
            /// A limit in time may have run out.
            case check(CurlTransfer)
            /// Nobody can start anything any more.
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
            guard descriptor >= 0 else { throw CurlLoop.noResources("an event descriptor") }
        }

        deinit { nk_close(descriptor) }

        /// False once the thread has ended.
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

        /// What was handed over; where there is nothing, the thread is going to wait.
        func take() -> [Command] {
            state.withLock { state in
                guard !state.commands.isEmpty else {
                    isWaiting.store(true, ordering: .releasing)
                    return []
                }
                defer { state.commands = [] }
                return state.commands
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
