#if canImport(Glibc) || canImport(Musl)
    /// The places for the transfers of a loop, as many as there may be connections.
    ///
    /// A call without a place waits here, where waiting costs little, and not inside libcurl.
    final class ConnectionSlots: Sendable {
        private typealias Waiter = CheckedContinuation<Void, any Error>

        private struct State {
            var inUse = 0
            var waiting = WaitingLine<Waiter>()
            var lastNumber = 0
            var isClosed = false
            /// The functions that are called once, when no place is in use any more.
            var onIdle: [@Sendable () -> Void] = []
        }

        private let bound: Int
        private let state = Locked(State())

        /// Creates a number of places; 0 sets no bound.
        init(bound: Int) {
            self.bound = bound > 0 ? bound : .max
        }

        /// The number of places in use.
        var inUse: Int { state.withLock { $0.inUse } }

        /// Takes a place if one is free; otherwise, `takeWhenFree` waits for one, in order of arrival.
        func takeIfFree() throws -> Bool {
            try state.withLock { try takeIfFree(&$0) }
        }

        /// Takes a place; returns `false` if all are in use.
        private func takeIfFree(_ state: inout State) throws(NetKitError) -> Bool {
            if state.isClosed { throw CurlLoop.closed }
            guard state.inUse < bound else { return false }
            state.inUse += 1
            return true
        }

        /// Gives a place to the call that has waited longest, or frees it.
        func giveBack() {
            let (waiter, onIdle) = state.withLock { Self.release(&$0) }
            waiter?.resume()
            for action in onIdle { action() }
        }

        /// Passes a place to the call that has waited longest, or frees it if no call waits.
        private static func release(_ state: inout State) -> (Waiter?, [@Sendable () -> Void]) {
            if let (_, waiter) = state.waiting.popFirst() { return (waiter, []) }
            state.inUse -= 1
            guard state.isClosed, state.inUse == 0 else { return (nil, []) }
            defer { state.onIdle = [] }
            return (nil, state.onIdle)
        }

        /// Refuses places to new calls from now on; calls that already wait still get one.
        ///
        /// - Parameter onIdle: A function that is called once, when no place is in use any more.
        func close(onIdle: @escaping @Sendable () -> Void) {
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.inUse > 0 { state.onIdle.append(onIdle) }
                return state.inUse == 0
            }
            if isIdle { onIdle() }
        }

        /// Takes a place as soon as one is free.
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
                    // A stop before the wait began has found no waiter here.
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
