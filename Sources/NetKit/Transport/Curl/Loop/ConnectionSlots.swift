#if canImport(Glibc) || canImport(Musl)
    /// The places of a loop: no more transfers at once than there may be connections.
    ///
    /// Who finds none waits here, where a call costs little, and not inside libcurl.
    final class ConnectionSlots: Sendable {
        private typealias Waiter = CheckedContinuation<Void, any Error>

        private struct State {
            var inUse = 0
            var waiting = WaitingLine<Waiter>()
            var lastNumber = 0
            var isClosed = false
            /// Called once when no place is taken any more.
            var onIdle: [@Sendable () -> Void] = []
        }

        private let bound: Int
        private let state = Locked(State())

        /// Creates so many places; a bound of 0 is none.
        init(bound: Int) {
            self.bound = bound > 0 ? bound : .max
        }

        /// The number of places in use.
        var inUse: Int { state.withLock { $0.inUse } }

        /// Takes a place where one is free; otherwise `takeWhenFree` does, first come, first served.
        func takeIfFree() throws -> Bool {
            try state.withLock { try takeIfFree(&$0) }
        }

        /// False if all are taken.
        private func takeIfFree(_ state: inout State) throws(NetKitError) -> Bool {
            if state.isClosed { throw CurlLoop.closed }
            guard state.inUse < bound else { return false }
            state.inUse += 1
            return true
        }

        /// Gives a place to the call that waits longest, or back.
        func giveBack() {
            let (waiter, onIdle) = state.withLock { Self.release(&$0) }
            waiter?.resume()
            for action in onIdle { action() }
        }

        /// Passes the place on to who waits longest, if anybody does.
        private static func release(_ state: inout State) -> (Waiter?, [@Sendable () -> Void]) {
            if let (_, waiter) = state.waiting.popFirst() { return (waiter, []) }
            state.inUse -= 1
            guard state.isClosed, state.inUse == 0 else { return (nil, []) }
            defer { state.onIdle = [] }
            return (nil, state.onIdle)
        }

        /// Gives no place to anybody who comes from now on; who waits for one already gets it.
        ///
        /// - Parameter onIdle: Called once, when no place is taken any more.
        func close(onIdle: @escaping @Sendable () -> Void) {
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.inUse > 0 { state.onIdle.append(onIdle) }
                return state.inUse == 0
            }
            if isIdle { onIdle() }
        }

        /// Takes a place as soon as there is one.
        func takeWhenFree(_ context: RequestContext) async throws {
            let number = state.withLock { state in
                state.lastNumber &+= 1
                return state.lastNumber
            }
            let wait = PlaceWait(places: self, number: number)
            let alarm = context.attemptEnd.map { end in
                context.clock.scheduleWakeUp(at: end) {
                    wait.stop(context.attempt.timeout(after: context.attemptLimit))
                }
            }
            context.call.addWaiter(wait)
            defer {
                context.call.removeWaiter(wait)
                alarm?.cancel()
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (waiter: Waiter) in
                    do throws(NetKitError) {
                        let mayTake = try state.withLock { state throws(NetKitError) in
                            if try takeIfFree(&state) { return true }
                            state.waiting.append(number, waiter)
                            return false
                        }
                        if mayTake { return waiter.resume() }
                    } catch {
                        return waiter.resume(throwing: error)
                    }
                    // What ended the wait before it began has found nobody here.
                    if let reason = wait.reason { cancel(number, reason) }
                }
            } onCancel: {
                wait.stop(CancellationError())
            }
        }

        fileprivate func cancel(_ number: Int, _ reason: any Error) {
            let waiter = state.withLock { $0.waiting.remove(number) }
            waiter?.resume(throwing: reason)
        }
    }

    /// A call's wait for a place.
    private final class PlaceWait: CallCancellation.Waiter {
        private let places: ConnectionSlots
        private let number: Int
        private let stopReason = Locked<(any Error)?>(nil)

        init(places: ConnectionSlots, number: Int) {
            (self.places, self.number) = (places, number)
        }

        var reason: (any Error)? { stopReason.withLock { $0 } }

        func stop(_ reason: any Error) {
            let isFirst = stopReason.withLock { first in
                guard first == nil else { return false }
                first = reason
                return true
            }
            if isFirst { places.cancel(number, reason) }
        }
    }
#endif
