#if canImport(Glibc) || canImport(Musl)
    public import Foundation
    import Synchronization

    /// The network monitor for Linux: hears of links, addresses and routes from the kernel, and asks targets of your choice.
    ///
    /// ```swift
    /// let monitor = LinuxNetworkMonitor(probing: base)              // the server of your base URL
    /// for await status in monitor.updates { print(status) }
    /// ```
    /// A link that goes down is seen at once. Whether one leads anywhere only a target can tell: without any, the status is
    /// not verified, and says only that there is a link. What a client's calls show counts as well, if it has a
    /// ``ConnectivityInterceptor`` or a ``NetworkEvidenceInterceptor`` with this monitor.
    ///
    /// Where the kernel may not be asked, as in some containers, links are looked at once a second. A monitor has one thread,
    /// which ends with `stop()` or with the monitor itself. It is `Sendable`: share one.
    public final class LinuxNetworkMonitor: NetworkMonitor {
        /// Which targets are asked.
        public let probes: ProbePolicy

        private let board = StatusBoard()
        private let inbox = MonitorInbox()
        /// When traffic that succeeds, and that fails, was last passed on.
        private let lastSuccess = Atomic<Int64>(.min)
        private let lastFailure = Atomic<Int64>(.min)

        /// Makes a monitor that asks targets by a policy; without targets it only knows the links.
        public convenience init(probes: ProbePolicy = ProbePolicy()) {
            self.init(probes: probes, asksKernel: true)
        }

        /// Makes a monitor that asks the server of a URL, such as a client's base URL, whether it takes connections.
        ///
        /// Without a URL, or with one that has no server, it only knows the links.
        public convenience init(probing url: URL?) {
            self.init(probes: ProbePolicy(ProbeTarget(url).map { [$0] } ?? []))
        }

        /// Makes a monitor that may be kept from asking the kernel.
        init(probes: ProbePolicy, asksKernel: Bool) {
            self.probes = probes.checked
            let loop = MonitorLoop(policy: probes, asksKernel: asksKernel, inbox: inbox, board: board)
            Thread { loop.run() }.start()
        }

        /// Whether there is a network now.
        public var isConnected: Bool { get async { await status.isConnected } }

        /// What kind of network it is.
        public var connectionType: ConnectionType { get async { await status.connectionType } }

        /// All that is known now; right after the start it waits a moment for the links.
        public var status: NetworkStatus { get async { await board.status } }

        /// What is known now, then every change, until the monitor ends; a reader that falls behind keeps the latest 64.
        public var updates: AsyncStream<NetworkStatus> { board.updates() }

        /// Whether there is a network now, then each time that changes.
        public func connectionStream() -> AsyncStream<Bool> { board.connectionStream() }

        /// Counts what somebody has learnt by using the network; at most once a second while it says nothing new.
        public func report(_ evidence: NetworkEvidence) {
            guard probes.hasLocalTarget || !evidence.isLocal else { return }
            let now = NetKitClock.system.now.nanoseconds
            if evidence.kind == .failed {
                guard Self.isDue(lastFailure, now: now, every: .milliseconds(100)) else { return }
            } else if board.latest?.isConnected == true {
                guard Self.isDue(lastSuccess, now: now, every: .seconds(1)) else { return }
            }
            inbox.post(.evidence(evidence))
        }

        private static func isDue(_ last: borrowing Atomic<Int64>, now: Int64, every pause: Duration) -> Bool {
            let before = last.load(ordering: .relaxed)
            guard now.subtractingSaturated(before) >= pause.clampedNanoseconds else { return false }
            return last.compareExchange(expected: before, desired: now, ordering: .relaxed).exchanged
        }

        /// Ends the monitor's thread and every stream; the latest status stays.
        public func stop() {
            board.finish()
            inbox.post(.stop)
        }

        deinit { stop() }
    }
#endif
