#if canImport(Glibc) || canImport(Musl)
    /// The handles of a loop: those between two transfers, and no more of them in use than there may be connections.
    ///
    /// Who finds none waits here, where a call costs little, and not inside libcurl.
    final class CurlHandlePool: Sendable {
        private typealias Waiter = CheckedContinuation<Void, any Error>

        private struct State {
            var idle: [CurlHandle] = []
            var inUse = 0
            var waiting = WaitingLine<Waiter>()
            var lastNumber = 0
        }

        private static let idleBound = 256

        private let library: CurlLibrary
        private let bound: Int
        private let state = Locked(State())

        /// Makes a pool; a bound of 0 is none.
        init(_ library: CurlLibrary, bound: Int) {
            self.library = library
            self.bound = bound > 0 ? bound : .max
        }

        /// Takes a handle, or waits for one, first come, first served.
        func take() async throws -> CurlHandle {
            let mayTake = state.withLock { state in
                guard state.inUse < bound else { return false }
                state.inUse += 1
                return true
            }
            if !mayTake { try await wait() }
            return try makeHandle()
        }

        /// Takes back a handle that belongs to no transfer any more.
        func giveBack(_ handle: CurlHandle) {
            let isKept = library.canReuseHandles
            if isKept { handle.reset() }
            let waiter = state.withLock { state in
                if isKept, state.idle.count < Self.idleBound { state.idle.append(handle) }
                return Self.release(&state)
            }
            waiter?.resume()
        }

        private func makeHandle() throws -> CurlHandle {
            if let handle = state.withLock({ $0.idle.popLast() }) { return handle }
            if let handle = CurlHandle(library) { return handle }
            state.withLock { Self.release(&$0) }?.resume()
            throw CurlLoop.noResources("a handle of libcurl")
        }

        /// Passes the place on to who waits longest, if anybody does.
        private static func release(_ state: inout State) -> Waiter? {
            if let (_, waiter) = state.waiting.popFirst() { return waiter }
            state.inUse -= 1
            return nil
        }

        private func wait() async throws {
            let number = state.withLock { state in
                state.lastNumber &+= 1
                return state.lastNumber
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (waiter: Waiter) in
                    let mayTake = state.withLock { state in
                        if state.inUse < bound {
                            state.inUse += 1
                            return true
                        }
                        state.waiting.append(number, waiter)
                        return false
                    }
                    if mayTake { return waiter.resume() }
                    // A task that was cancelled before it waited here has had its handler called already, for nobody.
                    if Task.isCancelled { cancel(number) }
                }
            } onCancel: {
                cancel(number)
            }
        }

        private func cancel(_ number: Int) {
            let waiter = state.withLock { $0.waiting.remove(number) }
            waiter?.resume(throwing: CancellationError())
        }
    }
#endif
