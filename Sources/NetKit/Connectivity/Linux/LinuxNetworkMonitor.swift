#if canImport(Glibc) || canImport(Musl)
    public import Foundation
    import Synchronization

    /// The network monitor for Linux, which watches links, addresses and routes and probes targets of your choice.
    ///
    /// ```swift
    /// let monitor = LinuxNetworkMonitor(probing: base)              // the server of your base URL
    /// for await status in monitor.updates { print(status) }
    /// ```
    /// A link that goes down is noticed at once. Only a target can show whether a link leads anywhere: without targets,
    /// the status is not verified and says only that there is a link. A client's calls count as well, if the client has
    /// a ``ConnectivityInterceptor`` or a ``NetworkEvidenceInterceptor`` with this monitor.
    ///
    /// If the kernel does not report changes, as in some containers, the monitor polls the links once a second. It has
    /// one thread, which runs until `stop()` is called or the monitor is released. One monitor can serve the whole
    /// process. A monitor for which the system lacks file descriptors or the thread reports a network, and its streams
    /// end at once.
    public final class LinuxNetworkMonitor: NetworkMonitor {
        /// The rules for probing targets.
        public let probes: ProbePolicy

        /// The number of commands beyond which a busy thread gets no evidence.
        private static let maxWaiting = 64

        /// Whether the system had the file descriptors and the thread for the monitor, which otherwise assumes a
        /// network.
        let isRunning: Bool

        private let publisher = StatusPublisher()
        private let inbox = LoopInbox<MonitorCommand>()
        /// The times at which a success and a failure were last forwarded to the thread.
        private let lastSuccess = Atomic<Int64>(.min)
        private let lastFailure = Atomic<Int64>(.min)

        /// Creates a monitor that probes targets by a policy.
        ///
        /// Without targets, it knows only the links.
        public convenience init(probes: ProbePolicy = ProbePolicy()) {
            self.init(probes: probes, asksKernel: true)
        }

        /// Creates a monitor that probes whether the server of a URL, such as a client's base URL, accepts connections.
        ///
        /// Without a URL, or with one that has no server, it knows only the links.
        public convenience init(probing url: URL?) {
            self.init(probes: ProbePolicy(ProbeTarget(url).map { [$0] } ?? []))
        }

        /// Creates a monitor that uses netlink only if `asksKernel` is `true`.
        init(probes: ProbePolicy, asksKernel: Bool) {
            self.probes = probes.checked
            let loop = MonitorLoop(policy: probes, asksKernel: asksKernel, inbox: inbox, publisher: publisher)
            isRunning = loop.canRun && SystemThread.start("netkit.monitor", stackSize: nil) { loop.run() }
            if !isRunning { loop.giveUp() }
        }

        /// Whether there is a network now.
        public var isConnected: Bool { get async { await status.isConnected } }

        /// The kind of network, or `.none` if there is none.
        public var connectionType: ConnectionType { get async { await status.connectionType } }

        /// The current status.
        ///
        /// Right after the start, it waits briefly until the links are known.
        public var status: NetworkStatus { get async { await publisher.status } }

        /// The current status, then every change, until the monitor ends.
        ///
        /// A reader that falls behind keeps the latest 64 changes.
        public var updates: AsyncStream<NetworkStatus> { publisher.updates() }

        /// Returns a stream of whether there is a network, now and after each change.
        public func connectionStream() -> AsyncStream<Bool> { publisher.connectionStream() }

        /// Takes an observation about the network into account.
        ///
        /// Successes are counted at most once a second while there is a network, and failures at most ten times a
        /// second.
        public func report(_ evidence: NetworkEvidence) {
            guard probes.hasLocalTarget || !evidence.isLocal else { return }
            let now = NetKitClock.system.now.nanoseconds
            if evidence.kind == .failed {
                guard Self.isDue(lastFailure, now: now, every: .milliseconds(100)) else { return }
            } else if publisher.latest?.isConnected == true {
                guard Self.isDue(lastSuccess, now: now, every: .seconds(1)) else { return }
            }
            inbox.post(.evidence(evidence), limit: Self.maxWaiting)
        }

        private static func isDue(_ last: borrowing Atomic<Int64>, now: Int64, every pause: Duration) -> Bool {
            let before = last.load(ordering: .relaxed)
            guard now.subtractingSaturated(before) >= pause.clampedNanoseconds else { return false }
            return last.compareExchange(expected: before, desired: now, ordering: .relaxed).exchanged
        }

        /// Stops the monitor's thread and ends every stream.
        ///
        /// The latest status remains available.
        public func stop() {
            publisher.finish()
            inbox.post(.stop)
        }

        deinit { stop() }
    }
#endif
