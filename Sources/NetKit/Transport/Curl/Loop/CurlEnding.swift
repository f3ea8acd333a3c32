#if canImport(Glibc) || canImport(Musl)
    /// The end of a loop's thread, for those who wait for it.
    final class CurlEnding: Sendable {
        private struct State {
            var isOver = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        func note() {
            let waiters = state.withLock { state in
                state.isOver = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        func wait() async {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    if !state.isOver { state.waiters.append(waiter) }
                    return state.isOver
                }
                if isOver { waiter.resume() }
            }
        }
    }
#endif
