/// The life cycle of a store that has one queue at a time.
///
/// A store is opened again only after its previous queue has closed it.
final class StoreLifeCycle: Sendable {
    private enum Phase {
        /// The store has no queue yet, or refused it.
        case free
        case open
        case closing
        case closed
    }

    private struct State {
        var phase = Phase.free
        /// The number of changes that are being made.
        var changeCount = 0
        /// A promise that ends with the last of them, if an opening waits for it.
        var changes: Promise<Void>?
    }

    private let state = Locked(State())

    /// Notes that a queue opens the store, and returns whether the store was closed before.
    ///
    /// The opening of a store that was closed waits until no change is being made, so that those of the earlier queue
    /// do not reach the next one. Until then, the store stays closed. Throws `.queueLocked` if the store has a queue.
    func open() async throws -> Bool {
        while true {
            let (wasClosed, changes) = try state.withLock { state in
                guard state.phase == .free || state.phase == .closed else {
                    throw NetKitError(
                        .queueLocked,
                        "The store has a queue already. Close that one first, or give this one a store of its own."
                    )
                }
                let wasClosed = state.phase == .closed
                if wasClosed, state.changeCount > 0 {
                    state.changes = state.changes ?? Promise()
                } else {
                    state.phase = .open
                }
                return (wasClosed, state.changes)
            }
            guard let changes else { return wasClosed }
            try await changes.value()
        }
    }

    /// Notes that the queue could not be opened.
    func cancelOpening() {
        state.withLock { if $0.phase == .open { $0.phase = .free } }
    }

    func beginClosing() {
        state.withLock { if $0.phase != .closed { $0.phase = .closing } }
    }

    func endClosing() {
        state.withLock { if $0.phase == .closing { $0.phase = .closed } }
    }

    func beginChange() { state.withLock { $0.changeCount += 1 } }

    func endChange() {
        let changes = state.withLock { state -> Promise<Void>? in
            state.changeCount -= 1
            return state.changeCount == 0 ? exchange(&state.changes, with: nil) : nil
        }
        changes?.resolve(.success(()))
    }
}
