#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// The event loop of a monitor's thread, which waits for netlink messages, probes and timers.
    ///
    /// `@unchecked Sendable` because it is handed to its thread, which is the only owner of all state from then on.
    final class MonitorLoop: @unchecked Sendable {
        /// The number of polls after which netlink is tried again.
        private static let pollsPerRetry = 60

        private let policy: ProbePolicy
        private let inbox: LoopInbox<MonitorCommand>
        private let publisher: StatusPublisher
        private let epoll = nk_epoll_create()
        /// Whether the system provided what is needed to wait for commands.
        let canRun: Bool
        private let mayAskKernel: Bool
        private var ready = [nk_ready](repeating: nk_ready(), count: Int(NK_READY_MAXIMUM))

        private var table = LinkTable()
        private var watch: NetlinkWatch?
        private let poll = LinkPoll()
        private var nextPollAt: NetKitClock.Instant?
        private var pollsLeft = 0

        private var reachability: Reachability
        private var round: ProbeRound?
        private var resolving = 0
        private var isStopping = false

        init(policy: ProbePolicy, asksKernel: Bool, inbox: LoopInbox<MonitorCommand>, publisher: StatusPublisher) {
            self.policy = policy.checked
            self.inbox = inbox
            self.publisher = publisher
            mayAskKernel = asksKernel
            // This also fails if one of the two descriptors is missing.
            canRun = nk_epoll_watch(epoll, inbox.descriptor, 1, 0) == 0
            reachability = Reachability(policy: policy)
        }

        deinit { if epoll >= 0 { nk_close(epoll) } }

        /// Runs until the monitor is stopped, which needs `canRun`.
        func run() {
            defer { end() }
            openLinks()
            var events = 0
            var commands: [MonitorCommand] = []
            while true {
                let now = NetKitClock.system.now
                actOnSockets(events)
                inbox.take(&commands)
                for command in commands { perform(command, now: now) }
                commands.removeAll(keepingCapacity: true)
                if isStopping { break }
                readLinks(now: now)
                decide(now: now)
                if let status = reachability.status { publisher.set(status) }
                // The inbox must still be empty; from then on, each command wakes this thread.
                events = wait(until: inbox.noteWaiting() ? wakeTime : now)
                inbox.noteAwake()
            }
            round = nil
            watch = nil
        }

        /// Ends the monitor for which the system has no thread, or nothing with which to wait for events.
        ///
        /// A network is reported, so that calls are not refused.
        func giveUp() {
            publisher.set(NetworkStatus(.connected, .other))
            end()
        }

        private func end() {
            inbox.close()
            publisher.finish()
        }

        // MARK: - Waiting

        private var wakeTime: NetKitClock.Instant {
            [reachability.wakeTime, round?.wakeTime, watch?.wakeTime, nextPollAt].compactMap(\.self).min()
                ?? .distantFuture
        }

        private func wait(until end: NetKitClock.Instant) -> Int {
            var limit: Int32 = -1
            if end < .distantFuture {
                let left = NetKitClock.system.now.duration(to: end).clampedNanoseconds
                // Rounded up, because waking early would mean waiting again.
                limit = Int32(clamping: max(0, left).addingSaturated(999_999) / 1_000_000)
            }
            let count = ready.withUnsafeMutableBufferPointer { ready -> Int32 in
                guard let base = ready.baseAddress else { return 0 }
                return nk_epoll_wait(epoll, base, limit)
            }
            return Int(max(0, count))
        }

        private func actOnSockets(_ count: Int) {
            for event in ready.prefix(count) {
                if event.descriptor == inbox.descriptor {
                    nk_eventfd_clear(inbox.descriptor)
                } else if event.descriptor != watch?.descriptor, round?.handle(event) != true {
                    nk_epoll_forget(epoll, event.descriptor)
                }
            }
        }

        private func perform(_ command: MonitorCommand, now: NetKitClock.Instant) {
            switch command {
            case .evidence(let evidence): reachability.handle(.evidence(evidence), now: now)
            case .resolved(let number, let target, let lookup):
                resolving -= 1
                if number == round?.number { round?.take(lookup, of: target, now: now) }
            case .stop: isStopping = true
            }
        }

        // MARK: - Links

        private func openLinks() {
            if mayAskKernel, let opened = NetlinkWatch(), nk_epoll_watch(epoll, opened.descriptor, 1, 0) == 0 {
                watch = opened
                nextPollAt = nil
                return opened.refreshSoon(now: NetKitClock.system.now)
            }
            pollsLeft = Self.pollsPerRetry
            nextPollAt = NetKitClock.system.now
        }

        private func readLinks(now: NetKitClock.Instant) {
            if let watch {
                if watch.work(&table, now: now) {
                    if watch.isComplete { reachability.handle(.links(table.summary), now: now) }
                    return
                }
                nk_epoll_forget(epoll, watch.descriptor)
                self.watch = nil
                pollsLeft = Self.pollsPerRetry
                nextPollAt = now
            }
            guard let due = nextPollAt, due <= now else { return }
            nextPollAt = now.advanced(by: LinkPoll.interval)
            let isKnown = poll.read(into: &table)
            reachability.handle(.links(isKnown ? table.summary : .unknown), now: now)
            pollsLeft -= 1
            if pollsLeft <= 0 { openLinks() }
        }

        // MARK: - Probes

        private func decide(now: NetKitClock.Instant) {
            reachability.handle(.time, now: now)
            // A round may be over as soon as it begins, if nothing can be reached at all.
            for _ in 0..<2 {
                if reachability.round != round?.number {
                    round = nil
                    if let number = reachability.round { round = begin(number, now: now) }
                }
                round?.start(now: now)
                guard let round, let result = round.result(now: now) else { return }
                reachability.handle(.round(round.number, result), now: now)
            }
            if reachability.round != round?.number { round = nil }
        }

        private func begin(_ number: Int, now: NetKitClock.Instant) -> ProbeRound {
            ProbeRound(number: number, policy: policy, set: epoll, now: now) { [inbox] target, host in
                // Limits the pending lookups of a resolver that hangs.
                guard resolving < 2 * ProbePolicy.maxTargets else { return false }
                resolving += 1
                NameResolver.system.ask(host, notOlderThan: .zero) { lookup in
                    inbox.post(.resolved(round: number, target: target, lookup))
                }
                return true
            }
        }
    }

    /// A command for a monitor's thread.
    enum MonitorCommand: Sendable {
        case evidence(NetworkEvidence)
        /// The addresses of a target's name, if it has any.
        case resolved(round: Int, target: Int, NameResolver.Lookup)
        case stop
    }
#endif
