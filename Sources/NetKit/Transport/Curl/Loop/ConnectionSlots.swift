#if canImport(Glibc) || canImport(Musl)
    /// The places for the transfers of a loop: as many as there may be connections, in all and to each host.
    ///
    /// A call without a place waits here, where waiting costs little. Inside libcurl, each transfer that ends would walk
    /// past all that wait.
    final class ConnectionSlots: Sendable {
        private typealias Waiter = CheckedContinuation<Void, any Error>

        /// The places of one host, and what is known about it.
        private struct Host {
            var inUse = 0
            /// The calls that wait because the places of the host are in use.
            var waiting = WaitingLine<Waiter>()
            /// Whether one connection carries many transfers, so that the number of connections does not bound them.
            var isMultiplexed = false
            /// Whether the last body was large.
            var sendsLargeBodies = false

            func hasRoom(_ bound: Int) -> Bool { inUse < bound || isMultiplexed }
        }

        private struct State {
            var inUse = 0
            var hosts: [CurlAddress.Host: Host] = [:]
            /// The calls that wait because all places are in use.
            var waiting = WaitingLine<(host: CurlAddress.Host, waiter: Waiter)>()
            var lastNumber = 0
            var isClosed = false
            /// The functions that are called once, when no place is in use any more.
            var onIdle: [@Sendable () -> Void] = []
        }

        /// The number of hosts up to which something is kept about idle ones.
        private static let mostHosts = 1024
        /// The size from which on a body is large.
        private static let largeSize: Int64 = 1 << 20

        private let bound: Int
        private let boundPerHost: Int
        private let state = Locked(State())

        /// Creates a number of places; 0 sets no bound.
        init(bound: Int, perHost boundPerHost: Int = 0) {
            self.bound = bound > 0 ? bound : .max
            self.boundPerHost = boundPerHost > 0 ? boundPerHost : .max
        }

        /// The number of places in use.
        var inUse: Int { state.withLock { $0.inUse } }

        /// Takes a place if one is free; otherwise, `takeWhenFree` waits for one, in order of arrival.
        func takeIfFree(for host: CurlAddress.Host) throws -> Bool {
            try state.withLock { try takeIfFree(for: host, &$0) }
        }

        /// Takes a place; returns `false` if all are in use.
        private func takeIfFree(for host: CurlAddress.Host, _ state: inout State) throws(NetKitError) -> Bool {
            if state.isClosed { throw CurlLoop.closed }
            return take(for: host, &state)
        }

        private func take(for host: CurlAddress.Host, _ state: inout State) -> Bool {
            guard state.inUse < bound, takeOfHost(&state.hosts[host, default: Host()]) else { return false }
            state.inUse += 1
            return true
        }

        private func takeOfHost(_ host: inout Host) -> Bool {
            guard host.hasRoom(boundPerHost) else { return false }
            host.inUse += 1
            return true
        }

        /// Gives a place to the call that has waited longest, or frees it.
        ///
        /// - Parameters:
        ///   - host: The host of the transfer that had the place.
        ///   - bodySize: The size of the body that has arrived; `nil` if there was no response.
        func giveBack(_ host: CurlAddress.Host, bodySize: Int64? = nil) {
            let (waiter, onIdle) = state.withLock { release(host, bodySize, &$0) }
            waiter?.resume()
            for action in onIdle { action() }
        }

        private func release(
            _ host: CurlAddress.Host,
            _ bodySize: Int64?,
            _ state: inout State
        ) -> (Waiter?, [@Sendable () -> Void]) {
            state.inUse -= 1
            let isCrowded = state.hosts.count > Self.mostHosts
            switch leave(&state.hosts[host, default: Host()], bodySize) {
            case .passesOn(let number, let waiter): state.waiting.append(number, (host, waiter))
            case .isIdle(let isWorthKeeping): if isCrowded || !isWorthKeeping { state.hosts[host] = nil }
            case .isBusy: break
            }
            if let waiter = takeForLongestWaiting(&state) { return (waiter, []) }
            guard state.isClosed, state.inUse == 0 else { return (nil, []) }
            defer { state.onIdle = [] }
            return (nil, state.onIdle)
        }

        /// The state of a host after one of its places was freed.
        private enum Leaving {
            /// A call, which is taken out, waited for the place.
            case passesOn(Int, Waiter)
            case isBusy
            case isIdle(isWorthKeeping: Bool)
        }

        /// Frees a place of a host.
        private func leave(_ host: inout Host, _ bodySize: Int64?) -> Leaving {
            host.inUse -= 1
            if let bodySize { host.sendsLargeBodies = bodySize >= Self.largeSize }
            if host.hasRoom(boundPerHost), let (number, waiter) = host.waiting.popFirst() {
                return .passesOn(number, waiter)
            }
            return host.inUse > 0 ? .isBusy : .isIdle(isWorthKeeping: host.isMultiplexed || host.sendsLargeBodies)
        }

        /// Takes a free place for the call that has waited longest and whose host has a place for it.
        private func takeForLongestWaiting(_ state: inout State) -> Waiter? {
            while state.inUse < bound, let (number, (host, waiter)) = state.waiting.popFirst() {
                if take(for: host, &state) { return waiter }
                state.hosts[host, default: Host()].waiting.append(number, waiter)
            }
            return nil
        }

        /// Records that the connections to a host carry many transfers each, which lets calls begin that wait for it.
        func noteMultiplexed(_ host: CurlAddress.Host) {
            let waiters = state.withLock { state -> [Waiter] in
                guard var known = state.hosts[host], !known.isMultiplexed else { return [] }
                known.isMultiplexed = true
                while let (number, waiter) = known.waiting.popFirst() { state.waiting.append(number, (host, waiter)) }
                state.hosts[host] = known
                var waiters: [Waiter] = []
                while let waiter = takeForLongestWaiting(&state) { waiters.append(waiter) }
                return waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        /// Returns whether the next body of a host is probably large, because the last one was.
        func expectsLargeBody(from host: CurlAddress.Host) -> Bool {
            state.withLock { $0.hosts[host]?.sendsLargeBodies ?? false }
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
        func takeWhenFree(for host: CurlAddress.Host, _ context: RequestContext) async throws {
            let number = state.withLock { state in
                state.lastNumber &+= 1
                return state.lastNumber
            }
            let wait = PlaceWait(places: self, host: host, number: number)
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
                            if try takeIfFree(for: host, &state) { return true }
                            addWaiter(for: host, number, waiter, &state)
                            return false
                        }
                        if mayTake { return waiter.resume() }
                    } catch {
                        return waiter.resume(throwing: error)
                    }
                    // A stop before the wait began has found no waiter here.
                    if let reason = wait.reason { cancel(number, of: host, reason) }
                }
            } onCancel: {
                wait.stop(CancellationError())
            }
        }

        private func addWaiter(for host: CurlAddress.Host, _ number: Int, _ waiter: Waiter, _ state: inout State) {
            if state.hosts[host, default: Host()].hasRoom(boundPerHost) {
                state.waiting.append(number, (host, waiter))
            } else {
                state.hosts[host, default: Host()].waiting.append(number, waiter)
            }
        }

        fileprivate func cancel(_ number: Int, of host: CurlAddress.Host, _ reason: any Error) {
            let waiter = state.withLock { state in
                state.waiting.remove(number)?.waiter ?? state.hosts[host]?.waiting.remove(number)
            }
            waiter?.resume(throwing: reason)
        }
    }

    /// A call's wait for a place.
    private final class PlaceWait: CallCancellation.Waiter {
        private let places: ConnectionSlots
        private let host: CurlAddress.Host
        private let number: Int
        private let stopReason = Locked<(any Error)?>(nil)

        init(places: ConnectionSlots, host: CurlAddress.Host, number: Int) {
            (self.places, self.host, self.number) = (places, host, number)
        }

        var reason: (any Error)? { stopReason.withLock { $0 } }

        func stop(_ reason: any Error) {
            let isFirst = stopReason.withLock { first in
                guard first == nil else { return false }
                first = reason
                return true
            }
            if isFirst { places.cancel(number, of: host, reason) }
        }
    }
#endif
