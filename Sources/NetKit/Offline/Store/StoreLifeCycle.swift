/// The life cycle of a store that has one queue at a time.
///
/// A store is opened again only after its previous queue has closed it.
final class StoreLifeCycle: Sendable {
    private enum State {
        /// The store has no queue yet, or refused it.
        case free
        case open
        case closing
        case closed
    }

    private let state = Locked(State.free)

    /// Notes that a queue opens the store, and returns whether the store was closed before.
    ///
    /// Throws `.queueLocked` if the store has a queue.
    func open() throws -> Bool {
        try state.withLock { state in
            guard state == .free || state == .closed else {
                throw NetKitError(
                    .queueLocked,
                    "The store has a queue already. Close that one first, or give this one a store of its own."
                )
            }
            defer { state = .open }
            return state == .closed
        }
    }

    /// Notes that the queue could not be opened.
    func cancelOpening() {
        state.withLock { if $0 == .open { $0 = .free } }
    }

    func beginClosing() {
        state.withLock { if $0 != .closed { $0 = .closing } }
    }

    func endClosing() {
        state.withLock { if $0 == .closing { $0 = .closed } }
    }
}
