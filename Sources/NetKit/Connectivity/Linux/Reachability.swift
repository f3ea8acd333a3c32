#if canImport(Glibc) || canImport(Musl)
    /// A state machine that decides from links, probes and traffic whether there is a network.
    ///
    /// Without a link, there is no network. With one, the targets decide: the network is there as soon as enough of
    /// them respond, and lost after several rounds in which too few do. A link counts as a network until the first
    /// round is over, but one that comes back has to be probed first.
    struct Reachability: ~Copyable {
        enum Event {
            case links(LinkSummary)
            /// The result of a round.
            case round(Int, ProbeResult)
            case evidence(NetworkEvidence)
            /// A timer that may be due.
            case time
        }

        private enum Verdict {
            /// The verdict before any result.
            case unknown
            case reached, portal, failed
        }

        /// The time after a link change before successful traffic is proof that the links were misjudged.
        static let linkGracePeriod = Duration.seconds(1)
        /// The initial minimum time between two rounds that are started by link changes.
        ///
        /// It doubles with each such round, because changes come in bursts.
        static let initialSpacing = Duration.milliseconds(20)
        /// The longest time between such rounds.
        ///
        /// Some machines add and remove interfaces all the time.
        static let maxSpacing = Duration.milliseconds(500)
        /// The time without a change after which the spacing is reset.
        static let quietPeriod = Duration.seconds(2)
        /// The minimum time between the start of a round and one that a failed call starts.
        static let failureSpacing = Duration.milliseconds(500)

        private let policy: ProbePolicy
        private var links: LinkSummary?
        private var lastChangeAt = NetKitClock.Instant(nanoseconds: 0)
        /// The time at which the best interface last changed.
        private var routeChangedAt = NetKitClock.Instant(nanoseconds: 0)
        private var spacing = Reachability.initialSpacing
        private var isNextRoundForLinks = false
        /// Whether links changed while the round ran.
        private var isRoundOutdated = false
        private var isLinkOverruled = false
        private var verdict = Verdict.unknown
        private var failures = 0
        private var successes = 0
        /// Whether a failed call was counted since the last round.
        private var hasCountedFailure = false
        private var lastRound = 0
        private var lastRoundAt: NetKitClock.Instant?
        private var nextRoundAt: NetKitClock.Instant?

        /// The number of the current round.
        ///
        /// Results of any other round are ignored.
        private(set) var round: Int?

        init(policy: ProbePolicy) { self.policy = policy.checked }

        /// The time at which `.time` is due, or `nil` if it is not.
        var wakeTime: NetKitClock.Instant? { round == nil ? nextRoundAt : nil }

        // MARK: - Status

        /// The status, or `nil` until the links are known.
        var status: NetworkStatus? {
            guard let links else { return nil }
            guard isUsable else {
                return NetworkStatus(.disconnected, links.hasLoopback ? .loopback : .none)
            }
            let connectionType: ConnectionType =
                if isLinkOverruled { .other } else if links.isUsable { links.connectionType } else { .loopback }
            let condition: NetworkStatus.Condition =
                switch verdict {
                case .unknown, .reached: .connected
                case .portal: .requiresLogin
                case .failed: .unreachable
                }
            return NetworkStatus(
                condition,
                connectionType,
                interfaceName: isLinkOverruled ? nil : links.interfaceName,
                isVerified: verdict != .unknown
            )
        }

        private var isUsable: Bool { links.map { canReachOthers($0) } ?? false }

        private func canReachOthers(_ links: LinkSummary) -> Bool {
            links.isUsable || isLinkOverruled || (policy.hasLocalTarget && links.hasLoopback)
        }

        private var hasTargets: Bool { !policy.targets.isEmpty }

        // MARK: - Events

        mutating func handle(_ event: Event, now: NetKitClock.Instant) {
            switch event {
            case .links(let summary): handle(summary, now: now)
            case .round(let number, let result): if number == round { handle(result, now: now) }
            case .evidence(let evidence): handle(evidence, now: now)
            case .time: break
            }
            if round == nil, let next = nextRoundAt, next <= now { beginRound(now: now) }
        }

        private mutating func beginRound(now: NetKitClock.Instant) {
            lastRound += 1
            round = lastRound
            lastRoundAt = now
            nextRoundAt = nil
            if isNextRoundForLinks { spacing = min(spacing * 2, Self.maxSpacing) }
            isNextRoundForLinks = false
            isRoundOutdated = false
        }

        private mutating func handle(_ summary: LinkSummary, now: NetKitClock.Instant) {
            guard summary != links else { return }
            if lastChangeAt.advanced(by: Self.quietPeriod) <= now { spacing = Self.initialSpacing }
            lastChangeAt = now
            if let known = links, summary.isSameRoute(as: known) {
                links = summary
                if round != nil { isRoundOutdated = true } else { planRoundForLinks(now: now) }
                return
            }
            let wasUsable = links.map { canReachOthers($0) }
            links = summary
            routeChangedAt = now
            isLinkOverruled = false
            if isUsable != wasUsable {
                (failures, successes) = (0, 0)
                // The first link is trusted. After that, a link has to be probed first.
                verdict = wasUsable == nil || !hasTargets ? .unknown : .failed
            } else if !hasTargets {
                verdict = .unknown
            }
            round = nil
            (nextRoundAt, isNextRoundForLinks) = (nil, false)
            planRoundForLinks(now: now)
        }

        private mutating func planRoundForLinks(now: NetKitClock.Instant) {
            guard isUsable, hasTargets else { return }
            planRound(apart: spacing, now: now)
            isNextRoundForLinks = true
        }

        /// Plans a round as soon as a time has passed since the last one, unless an earlier one is planned.
        private mutating func planRound(apart spacing: Duration, now: NetKitClock.Instant) {
            let earliest = lastRoundAt?.advanced(by: spacing) ?? now
            nextRoundAt = earlier(nextRoundAt, max(now, earliest))
        }

        private mutating func handle(_ result: ProbeResult, now: NetKitClock.Instant) {
            round = nil
            hasCountedFailure = false
            if result == .reached {
                noteSuccess()
            } else if isRoundOutdated, spacing < Self.maxSpacing {
                // The change may be the cause. If links change all the time, the result still counts.
                return planRoundForLinks(now: now)
            } else if result != .untried {
                successes = 0
                failures += 1
                let hasLost = verdict != .reached || failures >= policy.failuresToDisconnect
                if hasLost { verdict = result == .portal ? .portal : .failed }
            }
            nextRoundAt = now.advanced(by: pause(after: result))
            if isRoundOutdated { planRoundForLinks(now: now) }
        }

        /// Returns the time until the next round, which comes sooner if it has to confirm the result.
        private func pause(after result: ProbeResult) -> Duration {
            guard (result == .reached) == (verdict == .reached) else { return policy.confirmationInterval }
            return verdict == .reached ? policy.interval : policy.recoveryInterval
        }

        private mutating func noteSuccess() {
            failures = 0
            successes += 1
            if verdict == .unknown || successes >= policy.successesToConnect { verdict = .reached }
        }

        private mutating func handle(_ evidence: NetworkEvidence, now: NetKitClock.Instant) {
            guard let links, policy.hasLocalTarget || !evidence.isLocal else { return }
            guard evidence.kind != .failed else { return noteFailedCall(now: now) }
            if evidence.kind == .unverifiedResponse, verdict == .portal { return }
            if !isUsable {
                // A response that was on its way when the link went down has arrived by now.
                guard routeChangedAt.advanced(by: Self.linkGracePeriod) <= now else { return }
                isLinkOverruled = !links.isUsable
            }
            noteSuccess()
            hasCountedFailure = false
            guard hasTargets, round == nil, !isNextRoundForLinks else { return }
            let next = now.advanced(by: pause(after: .reached))
            // Only a settled verdict makes the planned round unnecessary.
            nextRoundAt = verdict == .reached ? next : earlier(nextRoundAt, next)
        }

        /// Counts a failed call.
        ///
        /// It is not proof by itself: a round has to confirm that the network is the cause.
        private mutating func noteFailedCall(now: NetKitClock.Instant) {
            guard hasTargets, isUsable, verdict == .reached, !hasCountedFailure else { return }
            hasCountedFailure = true
            failures = min(failures + 1, max(0, policy.failuresToDisconnect - 1))
            if round == nil { planRound(apart: Self.failureSpacing, now: now) }
        }
    }
#endif
