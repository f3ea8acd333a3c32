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
    /// The number of changes that are being made, and a promise that ends with the last of them if it is awaited.
    private let changes = Locked<(count: Int, end: Promise<Void>?)>((0, nil))

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

    func beginChange() { changes.withLock { $0.count += 1 } }

    func endChange() {
        let end = changes.withLock { changes -> Promise<Void>? in
            changes.count -= 1
            return changes.count == 0 ? exchange(&changes.end, with: nil) : nil
        }
        end?.resolve(.success(()))
    }

    /// Waits until no change is being made, so that those of an earlier queue do not reach the next one.
    func finishChanges() async {
        let end = changes.withLock { changes -> Promise<Void>? in
            if changes.count > 0, changes.end == nil { changes.end = Promise() }
            return changes.end
        }
        try? await end?.value()
    }
}
