#if canImport(Glibc) || canImport(Musl)
    import Dispatch
    import Synchronization

    /// Whose turn it is to work on a loop's transfers: one thread's at a time.
    ///
    /// A caller takes the turn only where it is free, and never waits for it. The loop's thread waits, and callers let it
    /// go first then.
    final class CurlTurn: Sendable {
        private enum Holder {
            static let nobody: UInt8 = 0
            static let somebody: UInt8 = 1
            /// Somebody has it, and the loop's thread sleeps until it is free.
            static let awaited: UInt8 = 2
        }

        /// How often the loop's thread looks before it sleeps: a caller has the turn for some microseconds.
        private static let looks = 200

        private let holder = Atomic<UInt8>(Holder.nobody)
        private let isLoopNext = Atomic<Bool>(false)
        private let isFree = DispatchSemaphore(value: 0)

        /// Takes the turn for a caller, where it is free and the loop's thread does not want it.
        func takeIfFree() -> Bool {
            !isLoopNext.load(ordering: .acquiring) && change(from: Holder.nobody, to: Holder.somebody)
        }

        /// Takes the turn for the loop's thread, and waits for it.
        func take() {
            if change(from: Holder.nobody, to: Holder.somebody) { return }
            isLoopNext.store(true, ordering: .releasing)
            defer { isLoopNext.store(false, ordering: .releasing) }
            for _ in 0..<Self.looks where change(from: Holder.nobody, to: Holder.somebody) { return }
            while !change(from: Holder.nobody, to: Holder.somebody) {
                if change(from: Holder.somebody, to: Holder.awaited) { isFree.wait() }
            }
        }

        func giveBack() {
            let before = holder.exchange(Holder.nobody, ordering: .acquiringAndReleasing)
            if before == Holder.awaited { isFree.signal() }
        }

        private func change(from old: UInt8, to new: UInt8) -> Bool {
            holder.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
        }
    }
#endif
