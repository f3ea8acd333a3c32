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
        private let commands = Locked<[Command]>([])

        init() {
            descriptor = nk_eventfd_create()
        }

        deinit { if descriptor >= 0 { nk_close(descriptor) } }

        func post(_ command: Command) {
            let isFirst = commands.withLock { commands in
                commands.append(command)
                return commands.count == 1
            }
            if isFirst, descriptor >= 0 { nk_eventfd_signal(descriptor) }
        }

        func take() -> [Command] {
            commands.withLock { commands in
                defer { commands = [] }
                return commands
            }
        }
    }
#endif
