#if canImport(Glibc) || canImport(Musl)
    /// The slots for the transfers of a loop: as many as there may be connections, in all and to each host.
    ///
    /// A call without a slot waits here, where waiting costs little. Inside libcurl, each transfer that ends would walk
    /// past all that wait.
    ///
    /// Calls to an idle host that may speak HTTP/2 also wait here, for the first of them to be connected. They then
    /// share its connection, where each would open one of its own.
    final class ConnectionSlots: Sendable {
        /// A call that waits, and its host.
        private typealias Waiter = (host: CurlAddress.Host, continuation: CheckedContinuation<Void, any Error>)

        /// The slots of one host, and what is known about it.
        private struct Host {
            var inUse = 0
            /// The calls that wait because the slots of the host are in use.
            var waiting = WaitingLine<Waiter>()
            /// Whether one connection carries many transfers, so that the number of connections does not bound them;
            /// `nil` if that is unknown.
            var isMultiplexed: Bool?
            /// Whether the only call is still opening a connection that others may share.
            var isOpening = false
            /// Whether the last body was large.
            var sendsLargeBodies = false

            func hasRoom(_ bounds: Bounds) -> Bool {
                !isOpening && inUse < (isMultiplexed == true ? bounds.multiplexed : bounds.host)
            }

            /// Makes the call that has just taken a slot the one that others wait for, if it is the only one.
            mutating func openFirst() -> Bool {
                isOpening = inUse == 1 && isMultiplexed != false
                return isOpening
            }
        }

        /// The numbers of slots of one host.
        private struct Bounds {
            let host: Int
            /// Over HTTP/2: all slots but those that another host may have, so that a busy host delays no other.
            let multiplexed: Int
        }

        private struct State: ~Copyable {
            var inUse = 0
            var hosts: [CurlAddress.Host: Host] = [:]
            /// The calls that wait because all slots are in use.
            var waiting = WaitingLine<Waiter>()
            var lastNumber = 0
            var isClosed = false
            /// The functions that are called once, when no slot is in use any more.
            var onIdle: [@Sendable () -> Void] = []
        }

        /// The number of hosts up to which something is kept about idle ones.
        private static let maxHosts = 1024
        /// The size from which on a body is large.
        private static let largeSize: Int64 = 1 << 20

        /// The maximum time for which calls wait for the first one of their host to be connected.
        private static let openingTime = Duration.seconds(1)

        private let bound: Int
        private let bounds: Bounds
        private let sharesConnections: Bool
        private let state = Locked(State())

        /// Creates a number of slots; 0 sets no bound.
        ///
        /// `sharesConnections` is whether a secure host may be able to carry many transfers over one connection.
        init(bound: Int, perHost boundPerHost: Int = 0, sharesConnections: Bool = false) {
            self.bound = bound > 0 ? bound : .max
            let ofHost = boundPerHost > 0 ? boundPerHost : .max
            bounds = Bounds(host: ofHost, multiplexed: max(ofHost, self.bound - ofHost))
            self.sharesConnections = sharesConnections
        }

        /// The result of asking for a slot.
        enum Place {
            case taken
            /// The slot was taken, and other calls to the host wait until `noteConnected`.
            case opensConnection
            /// All slots are in use.
            case none
        }

        /// The number of slots in use.
        var inUse: Int { state.withLock { $0.inUse } }

        /// Takes a slot if one is free; otherwise, `takeWhenFree` waits for one, in order of arrival.
        func takeIfFree(for host: CurlAddress.Host) throws(NetKitError) -> Place {
            try state.withLock { state throws(NetKitError) in
                if state.isClosed { throw CurlLoop.closed }
                let mayOpen = sharesConnections && host.isSecure
                guard take(for: host, &state) else { return .none }
                guard mayOpen, state.hosts[host]?.openFirst() == true else { return .taken }
                return .opensConnection
            }
        }

        private func take(for host: CurlAddress.Host, _ state: inout State) -> Bool {
            guard state.inUse < bound, takeOfHost(&state.hosts[host, default: Host()]) else { return false }
            state.inUse += 1
            return true
        }

        private func takeOfHost(_ host: inout Host) -> Bool {
            guard host.hasRoom(bounds) else { return false }
            host.inUse += 1
            return true
        }

        /// Gives a slot to the call that has waited longest, or frees it.
        ///
        /// `bodySize` is the size of the body that has arrived; `nil` if there was no response.
        func giveBack(_ host: CurlAddress.Host, bodySize: Int64? = nil) {
            let (waiters, onIdle) = state.withLock { release(host, bodySize, &$0) }
            for waiter in waiters { waiter.continuation.resume() }
            for action in onIdle { action() }
        }

        private func release(
            _ host: CurlAddress.Host,
            _ bodySize: Int64?,
            _ state: inout State
        ) -> ([Waiter], [@Sendable () -> Void]) {
            state.inUse -= 1
            let isCrowded = state.hosts.count > Self.maxHosts
            let (passedOn, isWorthKeeping) = leave(&state.hosts[host, default: Host()], bodySize)
            for (number, waiter) in passedOn { state.waiting.append(number, waiter) }
            if let isWorthKeeping, isCrowded || !isWorthKeeping { state.hosts[host] = nil }
            let waiters = takeForWaiting(&state)
            guard waiters.isEmpty, state.isClosed, state.inUse == 0 else { return (waiters, []) }
            defer { state.onIdle = [] }
            return ([], state.onIdle)
        }

        /// Frees a slot of a host.
        ///
        /// Returns the calls that waited for the slot, and, if the host is idle now, whether its facts are worth
        /// keeping.
        private func leave(_ host: inout Host, _ bodySize: Int64?) -> ([(Int, Waiter)], isWorthKeeping: Bool?) {
            host.inUse -= 1
            if let bodySize { host.sendsLargeBodies = bodySize >= Self.largeSize }
            if host.isOpening {
                // It was not connected. No call waits for a second try, which could take as long.
                host.isOpening = false
                let waiting = Self.takeAll(of: &host)
                if !waiting.isEmpty { return (waiting, nil) }
            } else if host.hasRoom(bounds), let first = host.waiting.popFirst() {
                return ([first], nil)
            }
            if host.inUse > 0 { return ([], nil) }
            return ([], host.isMultiplexed != nil || host.sendsLargeBodies)
        }

        private static func takeAll(of host: inout Host) -> [(Int, Waiter)] {
            var waiting: [(Int, Waiter)] = []
            while let next = host.waiting.popFirst() { waiting.append(next) }
            return waiting
        }

        /// Takes the free slots for the calls that have waited longest and whose hosts have slots for them.
        private func takeForWaiting(_ state: inout State) -> [Waiter] {
            var waiters: [Waiter] = []
            while state.inUse < bound, let (number, waiter) = state.waiting.popFirst() {
                if take(for: waiter.host, &state) {
                    waiters.append(waiter)
                } else {
                    state.hosts[waiter.host, default: Host()].waiting.append(number, waiter)
                }
            }
            return waiters
        }

        /// Records whether a connection to a host carries many transfers, which lets calls begin that wait for it.
        func noteVersion(of host: CurlAddress.Host, isMultiplexed: Bool) {
            change(host) { host in
                guard host.isMultiplexed != isMultiplexed else { return false }
                host.isMultiplexed = isMultiplexed
                return isMultiplexed
            }
        }

        /// Records that the first call to a host is connected, or takes so long that the others begin as well.
        func noteConnected(_ host: CurlAddress.Host) {
            change(host) { host in
                defer { host.isOpening = false }
                return host.isOpening
            }
        }

        /// Changes a known host; if the change returns `true`, calls that wait for the host begin as far as they may.
        private func change(_ host: CurlAddress.Host, _ change: (inout Host) -> Bool) {
            let waiters = state.withLock { state -> [Waiter] in
                guard var known = state.hosts.removeValue(forKey: host) else { return [] }
                let letsBegin = change(&known)
                let waiting = letsBegin ? Self.takeAll(of: &known) : []
                state.hosts[host] = known
                guard !waiting.isEmpty else { return [] }
                for (number, waiter) in waiting { state.waiting.append(number, waiter) }
                return takeForWaiting(&state)
            }
            for waiter in waiters { waiter.continuation.resume() }
        }

        /// Returns whether the next body of a host is probably large, because the last one was, and whether HTTP/2 may
        /// carry it.
        func expectation(of host: CurlAddress.Host) -> (isLarge: Bool, mayBeMultiplexed: Bool) {
            state.withLock { state in
                let known = state.hosts[host]
                let mayBeMultiplexed = sharesConnections && host.isSecure && known?.isMultiplexed != false
                return (known?.sendsLargeBodies ?? false, mayBeMultiplexed)
            }
        }

        /// Refuses slots to new calls from now on; calls that already wait still get one.
        ///
        /// `onIdle` is called once, when no slot is in use any more.
        func close(onIdle: @escaping @Sendable () -> Void) {
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.inUse > 0 { state.onIdle.append(onIdle) }
                return state.inUse == 0
            }
            if isIdle { onIdle() }
        }

        /// Takes a slot as soon as one is free.
        func takeWhenFree(for host: CurlAddress.Host, _ context: RequestContext) async throws {
            let wait = beginWait(for: host, context)
            defer { wait.end() }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { enqueue((host, $0), wait) }
            } onCancel: {
                wait.stop(CancellationError())
            }
        }

        // The functions around the wait are not inlined: thousands of calls may wait, and would hold their memory.

        @inline(never)
        private func beginWait(for host: CurlAddress.Host, _ context: RequestContext) -> SlotWait {
            let number = state.withLock { state in
                state.lastNumber &+= 1
                return state.lastNumber
            }
            return SlotWait(slots: self, host: host, number: number, context)
        }

        /// Resumes a call that gets a slot at once, and adds any other to those that wait.
        @inline(never)
        private func enqueue(_ waiter: Waiter, _ wait: SlotWait) {
            do throws(NetKitError) {
                let isOpening = try state.withLock { state throws(NetKitError) -> Bool? in
                    if state.isClosed { throw CurlLoop.closed }
                    if take(for: wait.host, &state) { return nil }
                    return add(waiter, wait.number, &state)
                }
                guard let isOpening else { return waiter.continuation.resume() }
                if isOpening { wait.limit(Self.openingTime) }
            } catch {
                return waiter.continuation.resume(throwing: error)
            }
            // A stop before the wait began has found no waiter here.
            if let reason = wait.reason { cancel(wait.number, of: wait.host, reason) }
        }

        /// Adds a call to those that wait, and returns whether it waits for the first call to its host.
        private func add(_ waiter: Waiter, _ number: Int, _ state: inout State) -> Bool {
            if state.hosts[waiter.host, default: Host()].hasRoom(bounds) {
                state.waiting.append(number, waiter)
            } else {
                state.hosts[waiter.host, default: Host()].waiting.append(number, waiter)
            }
            return state.hosts[waiter.host]?.isOpening ?? false
        }

        fileprivate func cancel(_ number: Int, of host: CurlAddress.Host, _ reason: any Error) {
            let waiter = state.withLock { state -> Waiter? in
                guard let left = state.waiting.remove(number) else { return state.hosts[host]?.waiting.remove(number) }
                // The slot of the host that it was to get is for the next call that waits for one.
                if let (number, next) = state.hosts[host]?.waiting.popFirst() { state.waiting.append(number, next) }
                return left
            }
            waiter?.continuation.resume(throwing: reason)
        }
    }

    /// A call's wait for a slot.
    private final class SlotWait: CallCancellation.Waiter {
        let host: CurlAddress.Host
        let number: Int
        private let slots: ConnectionSlots
        private let context: RequestContext
        private let stopReason = Locked<(any Error)?>(nil)
        /// The alarms for the attempt's limit, and for the time to wait for the first call to the host.
        private let alarms = Locked<(isOver: Bool, list: [ClockAlarm])>((false, []))

        /// Creates a wait that ends with the call and with the attempt's limit.
        init(slots: ConnectionSlots, host: CurlAddress.Host, number: Int, _ context: RequestContext) {
            (self.slots, self.host, self.number, self.context) = (slots, host, number, context)
            if let end = context.attemptEnd {
                wakeUp(at: end) { [self] in stop(context.attempt.timeout(after: context.attemptLimit)) }
            }
            context.call.addWaiter(self)
        }

        var reason: (any Error)? { stopReason.withLock { $0 } }

        /// Lets the calls to the host begin after a time, even if the first one is not connected then.
        func limit(_ time: Duration) {
            wakeUp(at: context.clock.now.advanced(by: time)) { [slots, host] in slots.noteConnected(host) }
        }

        private func wakeUp(at instant: NetKitClock.Instant, _ action: @escaping @Sendable () -> Void) {
            let alarm = context.clock.scheduleWakeUp(at: instant, action)
            // The call may have got its slot meanwhile.
            let isOver = alarms.withLock { alarms in
                if !alarms.isOver { alarms.list.append(alarm) }
                return alarms.isOver
            }
            if isOver { alarm.cancel() }
        }

        @inline(never)
        func end() {
            context.call.removeWaiter(self)
            let ended = alarms.withLock { alarms in
                alarms.isOver = true
                return alarms.list
            }
            for alarm in ended { alarm.cancel() }
        }

        func stop(_ reason: any Error) {
            let isFirst = stopReason.withLock { first in
                guard first == nil else { return false }
                first = reason
                return true
            }
            if isFirst { slots.cancel(number, of: host, reason) }
        }
    }
#endif
