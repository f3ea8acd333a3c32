#if canImport(Glibc) || canImport(Musl)
    /// Decides from links, probes and traffic whether there is a network: a pure state machine.
    ///
    /// Links decide at once that there is none. Where there is one, the targets decide: as soon as enough of them answer, or
    /// have not for several rounds. Until the first round is over, a link is believed; one that comes back is not.
    struct Reachability {
        enum Event {
            case links(LinkSummary)
            /// A round is over.
            case round(Int, ProbeResult)
            case evidence(NetworkEvidence)
            /// The time has come to look whether something is due.
            case time
        }

        private enum Verdict {
            /// Nothing speaks for or against it.
            case unknown
            case reached
            case portal
            case failed
        }

        /// Traffic so long after a change of the links shows that they are misjudged.
        static let linkDoubt = Duration.seconds(1)
        /// Changes of links come in bursts: so far apart are the rounds that they begin, and twice as far each time.
        static let burst = Duration.milliseconds(20)
        /// But no further than so; some machines make and remove interfaces all the time.
        static let longestSpacing = Duration.milliseconds(500)
        /// After so long without a change the spacing begins anew.
        static let calm = Duration.seconds(2)
        /// A call that fails begins a round no sooner than so long after the last began.
        static let failureSpacing = Duration.milliseconds(500)

        private let policy: ProbePolicy
        private var links: LinkSummary?
        private var lastChangeAt = NetKitClock.Instant(nanoseconds: 0)
        /// When the way out last changed, and not only something beside it.
        private var wayChangedAt = NetKitClock.Instant(nanoseconds: 0)
        private var spacing = Reachability.burst
        private var isNextRoundForLinks = false
        /// Whether links have changed while the round ran.
        private var isRoundOutdated = false
        private var isLinkOverruled = false
        private var verdict = Verdict.unknown
        private var failures = 0
        private var successes = 0
        /// Whether a failed call has been counted since the last round.
        private var hasCountedFailure = false
        private var lastRound = 0
        private var lastRoundAt: NetKitClock.Instant?
        private var nextRoundAt: NetKitClock.Instant?

        /// The number of the round that runs; another number means that what ran before is void.
        private(set) var round: Int?

        init(policy: ProbePolicy) {
            self.policy = policy.checked
        }

        /// When `.time` is due; nil where nothing is.
        var wakeTime: NetKitClock.Instant? { round == nil ? nextRoundAt : nil }

        // MARK: - What is known

        /// Nil until the links are known.
        var status: NetworkStatus? {
            guard let links else { return nil }
            guard isUsable else {
                return NetworkStatus(.disconnected, links.hasLoopback ? .loopback : .none)
            }
            let isOwnMachine = !links.isUsable && !isLinkOverruled
            let condition: NetworkStatus.Condition =
                switch verdict {
                case .unknown, .reached: .connected
                case .portal: .requiresLogin
                case .failed: .unreachable
                }
            return NetworkStatus(
                condition,
                isLinkOverruled ? .other : isOwnMachine ? .loopback : links.connectionType,
                interfaceName: isLinkOverruled ? nil : links.interfaceName,
                isVerified: verdict != .unknown
            )
        }

        private var isUsable: Bool { links.map { leadsSomewhere($0) } ?? false }

        private func leadsSomewhere(_ links: LinkSummary) -> Bool {
            links.isUsable || isLinkOverruled || (policy.hasLocalTarget && links.hasLoopback)
        }

        private var hasTargets: Bool { !policy.targets.isEmpty }

        // MARK: - What happens

        mutating func handle(_ event: Event, now: NetKitClock.Instant) {
            switch event {
            case .links(let summary): take(summary, now: now)
            case .round(let number, let result): if number == round { take(result, now: now) }
            case .evidence(let evidence): take(evidence, now: now)
            case .time: break
            }
            if round == nil, let next = nextRoundAt, next <= now { beginRound(now: now) }
        }

        private mutating func beginRound(now: NetKitClock.Instant) {
            lastRound += 1
            round = lastRound
            lastRoundAt = now
            nextRoundAt = nil
            if isNextRoundForLinks { spacing = min(spacing * 2, Self.longestSpacing) }
            isNextRoundForLinks = false
            isRoundOutdated = false
        }

        private mutating func take(_ summary: LinkSummary, now: NetKitClock.Instant) {
            guard summary != links else { return }
            if lastChangeAt.advanced(by: Self.calm) <= now { spacing = Self.burst }
            lastChangeAt = now
            if let known = links, summary.isSameWay(as: known) {
                links = summary
                if round != nil { isRoundOutdated = true } else { planRoundForLinks(now: now) }
                return
            }
            let wasUsable = links.map { leadsSomewhere($0) }
            links = summary
            wayChangedAt = now
            isLinkOverruled = false
            if isUsable != wasUsable {
                (failures, successes) = (0, 0)
                // What a link leads to is believed once; after that it is asked first.
                verdict = wasUsable == nil || !hasTargets ? .unknown : .failed
            } else if !hasTargets {
                verdict = .unknown
            }
            round = nil
            nextRoundAt = nil
            planRoundForLinks(now: now)
        }

        private mutating func planRoundForLinks(now: NetKitClock.Instant) {
            guard isUsable, hasTargets else { return }
            let earliest = lastRoundAt?.advanced(by: spacing) ?? now
            nextRoundAt = min(nextRoundAt ?? .distantFuture, max(now, earliest))
            isNextRoundForLinks = true
        }

        private mutating func take(_ result: ProbeResult, now: NetKitClock.Instant) {
            round = nil
            hasCountedFailure = false
            if result == .reached {
                noteSuccess()
            } else if isRoundOutdated, spacing < Self.longestSpacing {
                // The change may be to blame. Where links change all the time it still counts.
                return planRoundForLinks(now: now)
            } else {
                successes = 0
                failures += 1
                let hasLost = verdict != .reached || failures >= policy.failuresToDisconnect
                if hasLost { verdict = result == .portal ? .portal : .failed }
            }
            let isSettled = (result == .reached) == (verdict == .reached)
            let pause =
                !isSettled
                ? policy.confirmationInterval : verdict == .reached ? policy.interval : policy.recoveryInterval
            nextRoundAt = now.advanced(by: pause)
            if isRoundOutdated { planRoundForLinks(now: now) }
        }

        private mutating func noteSuccess() {
            failures = 0
            successes += 1
            if verdict == .unknown || successes >= policy.successesToConnect { verdict = .reached }
        }

        private mutating func take(_ evidence: NetworkEvidence, now: NetKitClock.Instant) {
            guard let links, policy.hasLocalTarget || !evidence.isLocal else { return }
            guard evidence.kind != .failed else { return noteFailedCall(now: now) }
            if evidence.kind == .answeredInClear, verdict == .portal { return }
            if !isUsable {
                // An answer that was on its way as the link went down is over by now.
                guard wayChangedAt.advanced(by: Self.linkDoubt) <= now else { return }
                isLinkOverruled = !links.isUsable
            }
            noteSuccess()
            if hasTargets, round == nil { nextRoundAt = now.advanced(by: policy.interval) }
        }

        /// It counts as half a proof: a round has to show that the network is to blame.
        private mutating func noteFailedCall(now: NetKitClock.Instant) {
            guard hasTargets, isUsable, verdict == .reached, !hasCountedFailure else { return }
            hasCountedFailure = true
            failures = min(failures + 1, max(0, policy.failuresToDisconnect - 1))
            guard round == nil else { return }
            let earliest = lastRoundAt?.advanced(by: Self.failureSpacing) ?? now
            nextRoundAt = min(nextRoundAt ?? .distantFuture, max(now, earliest))
        }
    }
#endif
