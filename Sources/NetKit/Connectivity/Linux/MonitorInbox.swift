#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// What others hand over to a monitor's thread, and what wakes it.
    final class MonitorInbox: Sendable {
        enum Command: Sendable {
            case evidence(NetworkEvidence)
            /// The addresses of a target's name, or none.
            case resolved(round: Int, target: Int, addresses: [String])
            case stop
        }

        /// Negative where the system gave none: nothing can be waited for then.
        let descriptor: Int32
        /// So much evidence is kept at most for a thread that has not come round to it.
        static let evidenceLimit = 64

        private struct State {
            var commands: [Command] = []
            var isClosed = false
        }

        private let state = Locked(State())

        init() {
            descriptor = nk_eventfd_create()
        }

        deinit { if descriptor >= 0 { nk_close(descriptor) } }

        /// Hands a command over; after `close` nobody would take it.
        func post(_ command: Command) {
            let isFirst = state.withLock { state in
                guard !state.isClosed else { return false }
                if case .evidence = command, state.commands.count >= Self.evidenceLimit { return false }
                state.commands.append(command)
                return state.commands.count == 1
            }
            if isFirst, descriptor >= 0 { nk_eventfd_signal(descriptor) }
        }

        func take() -> [Command] {
            state.withLock { state in
                defer { state.commands = [] }
                return state.commands
            }
        }

        /// Takes nothing more: the thread ends.
        func close() {
            state.withLock { $0 = State(isClosed: true) }
        }
    }
#endif
