#if canImport(Glibc) || canImport(Musl)
    import CNetKitSystem

    /// Keeps a table of links up to date through netlink, and refreshes it from time to time.
    ///
    /// The kernel does not report every change, and in some sandboxes none. Messages are lost if too many arrive at
    /// once. So the table is refreshed at the start, after a loss, shortly after changes, and once a minute.
    final class NetlinkWatch {
        /// The time from a change to the refresh after it.
        static let delay = Duration.milliseconds(100)
        /// The minimum time between two refreshes.
        static let spacing = Duration.seconds(1)
        /// The maximum time between two refreshes.
        static let maxSpacing = Duration.seconds(60)
        /// The longest time that the kernel may take to respond.
        static let responseTimeout = Duration.seconds(2)

        /// A running refresh, which has requested the tables up to a step.
        private struct Refresh {
            let step: Int
            var isDisturbed: Bool
            let until: NetKitClock.Instant
        }

        private static let steps = [NK_RTM_GETLINK, NK_RTM_GETADDR, NK_RTM_GETROUTE]

        let descriptor: Int32
        private let request: (_ what: Int32, _ sequence: UInt32) -> Bool
        private var refresh: Refresh?
        private var refreshAt: NetKitClock.Instant?
        private var lastRefreshAt: NetKitClock.Instant?
        private var sequence: UInt32 = 0
        private var bytes = [UInt8](repeating: 0, count: 64 << 10)
        /// Whether the table has been complete at least once.
        private(set) var isComplete = false

        /// Opens a netlink socket, or returns `nil` if that is not allowed.
        convenience init?() {
            let descriptor = nk_netlink_open()
            if descriptor < 0 { return nil }
            self.init(descriptor: descriptor) { nk_netlink_ask(descriptor, $0, $1) == 0 }
        }

        /// Creates a watch that reads from a socket, which it closes, and asks for tables with a function.
        init(descriptor: Int32, request: @escaping (_ what: Int32, _ sequence: UInt32) -> Bool) {
            (self.descriptor, self.request) = (descriptor, request)
        }

        deinit { if descriptor >= 0 { nk_close(descriptor) } }

        /// The time at which `work` is due if no message arrives.
        var wakeTime: NetKitClock.Instant? { refresh?.until ?? refreshAt }

        /// Starts a refresh at the next `work`.
        func refreshSoon(now: NetKitClock.Instant) { refreshAt = now }

        /// Reads the messages that arrived and sends the request that is due.
        ///
        /// Returns `false` if the socket is unusable.
        func work(_ table: inout LinkTable, now: NetKitClock.Instant) -> Bool {
            while true {
                let count = bytes.withUnsafeMutableBytes { bytes -> Int in
                    guard let base = bytes.baseAddress else { return Int(NK_NETLINK_FAILED) }
                    return nk_netlink_receive(descriptor, base, bytes.count)
                }
                if count == Int(NK_NETLINK_NOTHING) { break }
                if count == Int(NK_NETLINK_LOST) {
                    refresh?.isDisturbed = true
                    refreshAt = now
                } else if count < 0 {
                    return false
                } else if !take(Array(bytes.prefix(count)), &table, now: now) {
                    return false
                }
            }
            if let refresh { return refresh.until > now }
            guard let due = refreshAt, due <= now else { return true }
            return beginRefresh(&table, now: now)
        }

        /// Asks for the first of the tables.
        func beginRefresh(_ table: inout LinkTable, now: NetKitClock.Instant) -> Bool {
            refreshAt = nil
            lastRefreshAt = now
            table.beginRefresh()
            return ask(step: 0, now: now)
        }

        private func ask(step: Int, now: NetKitClock.Instant) -> Bool {
            sequence &+= 1
            let isDisturbed = step > 0 && refresh?.isDisturbed == true
            refresh = Refresh(step: step, isDisturbed: isDisturbed, until: now.advanced(by: Self.responseTimeout))
            return request(Int32(Self.steps[step]), sequence)
        }

        /// Applies the messages that one read received.
        ///
        /// Returns `false` if the tables cannot be read.
        func take(_ bytes: [UInt8], _ table: inout LinkTable, now: NetKitClock.Instant) -> Bool {
            let (items, isInterrupted) = bytes.withUnsafeBytes { NetlinkMessage.read($0) }
            if isInterrupted {
                refresh?.isDisturbed = true
                planRefresh(now: now)
            }
            for item in items {
                switch item.message {
                case .done:
                    if item.sequence == sequence, !endStep(&table, now: now) { return false }
                case .refused(let code):
                    guard item.sequence == sequence, code != 0 else { continue }
                    // Addresses may be missing. Without links or routes, every machine would be disconnected.
                    guard let refresh, Self.steps[refresh.step] == NK_RTM_GETADDR else { return false }
                    if !endStep(&table, now: now) { return false }
                case _ where item.isPartOfDump:
                    // A change that arrived meanwhile is newer than this dump.
                    if refresh?.isDisturbed != true || !isComplete { table.apply(item.message) }
                default:
                    refresh?.isDisturbed = true
                    table.apply(item.message)
                    planRefresh(now: now)
                }
            }
            return true
        }

        private func planRefresh(now: NetKitClock.Instant) {
            let earliest = lastRefreshAt?.advanced(by: Self.spacing) ?? now
            refreshAt = earlier(refreshAt, max(now.advanced(by: Self.delay), earliest))
        }

        private func endStep(_ table: inout LinkTable, now: NetKitClock.Instant) -> Bool {
            guard let ended = refresh else { return true }
            // A router has too many routes to dump them every time.
            let last = Self.steps.count - (table.isSaturated ? 2 : 1)
            guard ended.step >= last else { return ask(step: ended.step + 1, now: now) }
            refresh = nil
            if !ended.isDisturbed { table.endRefresh(withRoutes: ended.step == Self.steps.count - 1) }
            isComplete = true
            refreshAt = earlier(refreshAt, now.advanced(by: Self.maxSpacing))
            return true
        }
    }
#endif
