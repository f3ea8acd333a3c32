#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem
    import Synchronization

    /// The commands for a thread that waits with epoll, and the event that wakes it.
    ///
    /// A busy thread checks the inbox by itself. Only a waiting thread is woken, so that many commands cost one
    /// wake-up.
    final class LoopInbox<Command: Sendable>: Sendable {
        private struct State: ~Copyable {
            var commands: [Command] = []
            var isClosed = false
        }

        /// The event descriptor that wakes the thread; it is negative if the system did not provide one.
        let descriptor = nk_eventfd_create()
        private let state = Locked(State())
        /// Whether the thread waits, or is about to.
        private let isWaiting = Atomic<Bool>(false)

        deinit { if descriptor >= 0 { nk_close(descriptor) } }

        /// Adds a command for the thread; returns `false` after the thread has ended, or if `limit` commands wait.
        @discardableResult
        func post(_ command: Command, limit: Int = .max) -> Bool {
            let isTaken = state.withLock { state in
                guard !state.isClosed, state.commands.count < limit else { return false }
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
        func noteAwake() { isWaiting.store(false, ordering: .releasing) }

        /// Refuses further commands, and returns the remaining ones.
        @discardableResult
        func close() -> [Command] {
            state.withLock { state in
                state.isClosed = true
                return exchange(&state.commands, with: [])
            }
        }
    }
#endif
