#if canImport(Glibc) || canImport(Musl)
    @testable import NetKit
    import NetKitTesting
    import Testing

    /// Tests of the decisions of the Linux monitor, step by step.
    struct ReachabilityTests {
        private static let up = LinkSummary(
            isUsable: true,
            hasLoopback: true,
            connectionType: .ethernet,
            interfaceName: "eth0",
            revision: 1
        )
        private static let down = LinkSummary(
            isUsable: false,
            hasLoopback: true,
            connectionType: .loopback,
            interfaceName: nil,
            revision: 1
        )
        private static let remote = ProbePolicy([.tcp("a.example", port: 443)])

        private static func at(_ seconds: Double) -> NetKitClock.Instant {
            NetKitClock.Instant(nanoseconds: Int64((seconds * 1e9).rounded()))
        }

        /// Ends a round at a time.
        private static func end(_ reachability: inout Reachability, _ result: ProbeResult, at seconds: Double) {
            reachability.handle(.time, now: at(seconds))
            if let round = reachability.round { reachability.handle(.round(round, result), now: at(seconds)) }
        }

        /// Returns the result that a letter of an argument stands for.
        private static func result(_ letter: Character) -> ProbeResult? {
            switch letter {
            case "+": .reached
            case "-": .failed
            case "P": .portal
            case "T": .untried
            default: nil
            }
        }

        private static func conditions(
            _ policy: ProbePolicy,
            _ results: [ProbeResult]
        ) -> [NetworkStatus.Condition?] {
            var reachability = Reachability(policy: policy)
            reachability.handle(.links(up), now: at(0))
            return results.map { result in
                let now = max(at(0), reachability.wakeTime ?? at(0))
                reachability.handle(.time, now: now)
                if let round = reachability.round { reachability.handle(.round(round, result), now: now) }
                return reachability.status?.condition
            }
        }

        @Test func thereIsNoStatusUntilTheLinksAreKnown() {
            var reachability = Reachability(policy: Self.remote)
            #expect(reachability.status == nil && reachability.wakeTime == nil && reachability.round == nil)
            reachability.handle(.evidence(NetworkEvidence(.verifiedResponse, host: "a.example")), now: Self.at(1))
            #expect(reachability.status == nil)
        }

        @Test func withoutTargetsTheLinkDecides() {
            var reachability = Reachability(policy: ProbePolicy())
            for _ in 0..<3 {
                reachability.handle(.links(Self.up), now: Self.at(0))
                #expect(reachability.status == NetworkStatus(.connected, .ethernet, interfaceName: "eth0"))
                #expect(reachability.round == nil && reachability.wakeTime == nil)
                reachability.handle(.links(Self.down), now: Self.at(0))
                #expect(reachability.status == NetworkStatus(.disconnected, .loopback))
            }
            var nothing = Self.down
            nothing.hasLoopback = false
            reachability.handle(.links(nothing), now: Self.at(0))
            #expect(reachability.status == .disconnected)
        }

        @Test func theFirstRoundDecidesAtOnceInEitherDirection() {
            #expect(Self.conditions(Self.remote, [.reached]) == [.connected])
            #expect(Self.conditions(Self.remote, [.failed]) == [.unreachable])
            #expect(Self.conditions(Self.remote, [.portal]) == [.requiresLogin])
        }

        @Test(arguments: [
            (2, 1, "+-+--+", "ccccuc"), (1, 1, "+-+", "cuc"), (3, 1, "+--+---", "ccccccu"), (2, 2, "+--++", "ccuuc"),
            (2, 3, "+--++-+++", "ccuuuuuuc"), (2, 1, "+PP+", "ccpc"), (2, 1, "+--P-", "ccupu"), (2, 1, "+-P", "ccp"),
            // Without file descriptors, nothing is known about the network.
            (2, 1, "+TTT", "cccc"), (2, 1, "+-T-", "cccu"), (2, 1, "+--T+", "ccuuc"), (1, 1, "T-", "cu"),
        ])
        func aChangeOfStatusNeedsEnoughRounds(failures: Int, successes: Int, results: String, expected: String) {
            var policy = Self.remote
            policy.failuresToDisconnect = failures
            policy.successesToConnect = successes
            let rounds = results.compactMap(Self.result)
            let text = Self.conditions(policy, rounds).map { condition -> Character in
                switch condition {
                case .connected: "c"
                case .unreachable: "u"
                case .requiresLogin: "p"
                default: "?"
                }
            }
            #expect(String(text) == expected)
        }

        @Test func roundsFollowTheIntervalOrSoonerToConfirmAChange() {
            var reachability = Reachability(policy: Self.remote)
            reachability.handle(.links(Self.up), now: Self.at(0))
            #expect(reachability.round == 1)
            Self.end(&reachability, .reached, at: 1)
            #expect(reachability.wakeTime == Self.at(16))
            Self.end(&reachability, .failed, at: 16)
            #expect(reachability.wakeTime == Self.at(17))
            Self.end(&reachability, .failed, at: 17)
            #expect(reachability.status?.condition == .unreachable)
            #expect(reachability.wakeTime == Self.at(22))
            Self.end(&reachability, .reached, at: 22)
            #expect(reachability.wakeTime == Self.at(37))
            // Nothing is due earlier.
            reachability.handle(.time, now: Self.at(36.9))
            #expect(reachability.round == nil)
        }

        @Test func aLostLinkDisconnectsAtOnceAndANewLinkIsProbedFirst() {
            var reachability = Reachability(policy: Self.remote)
            reachability.handle(.links(Self.up), now: Self.at(0))
            #expect(reachability.status?.isVerified == false)
            Self.end(&reachability, .reached, at: 1)
            #expect(reachability.status?.isVerified == true)
            reachability.handle(.links(Self.down), now: Self.at(2))
            #expect(reachability.status == NetworkStatus(.disconnected, .loopback))
            #expect(reachability.wakeTime == nil)
            reachability.handle(.links(Self.up), now: Self.at(3))
            #expect(reachability.status?.condition == .unreachable)
            #expect(reachability.round == 2)
            // The result of an earlier round is ignored.
            reachability.handle(.round(1, .reached), now: Self.at(3))
            #expect(reachability.status?.condition == .unreachable)
            reachability.handle(.round(2, .reached), now: Self.at(3.1))
            #expect(reachability.status?.condition == .connected)
        }

        @Test func changedRoutesStartARoundAndABurstStartsOnlyOne() {
            var reachability = Reachability(policy: Self.remote)
            var links = Self.up
            reachability.handle(.links(links), now: Self.at(0))
            Self.end(&reachability, .reached, at: 1)
            links.revision = 2
            reachability.handle(.links(links), now: Self.at(2))
            #expect(reachability.round == 2)
            for revision in 3...9 {
                links.revision = revision
                reachability.handle(.links(links), now: Self.at(2.001))
                #expect(reachability.round == 2)
            }
            // A result during changes of the links proves nothing.
            reachability.handle(.round(2, .failed), now: Self.at(2.002))
            #expect(reachability.round == nil && reachability.wakeTime == Self.at(2.04))
            reachability.handle(.time, now: Self.at(2.04))
            #expect(reachability.round == 3)
            Self.end(&reachability, .failed, at: 2.05)
            #expect(reachability.status?.condition == .connected)
            #expect(reachability.wakeTime == Self.at(3.05))
        }

        @Test func constantChangesNeitherFloodTheTargetsNorHideAFailure() {
            var reachability = Reachability(policy: Self.remote)
            var links = Self.up
            reachability.handle(.links(links), now: Self.at(0))
            Self.end(&reachability, .reached, at: 0.001)
            var rounds = 0
            for step in 1...2000 {
                let now = Self.at(Double(step) / 100)
                links.revision += 1
                reachability.handle(.links(links), now: now)
                guard let round = reachability.round else { continue }
                rounds += 1
                links.revision += 1
                reachability.handle(.links(links), now: now)
                reachability.handle(.round(round, .failed), now: now)
            }
            // Twenty seconds.
            #expect(rounds < 60)
            #expect(reachability.status?.condition == .unreachable)
        }

        @Test func changesBesideTheBestInterfaceKeepTheVerdict() {
            let response = NetworkEvidence(.verifiedResponse, host: "b.example")
            for var links in [Self.up, Self.down] {
                var reachability = Reachability(policy: ProbePolicy())
                reachability.handle(.links(links), now: Self.at(0))
                reachability.handle(.evidence(response), now: Self.at(2))
                #expect(reachability.status?.isVerified == true)
                links.revision += 1
                reachability.handle(.links(links), now: Self.at(3))
                #expect(reachability.status?.isVerified == true && reachability.status?.isConnected == true)
            }
        }

        @Test func trafficCountsAndPostponesTheNextRound() {
            var reachability = Reachability(policy: Self.remote)
            reachability.handle(.links(Self.up), now: Self.at(0))
            Self.end(&reachability, .failed, at: 1)
            #expect(reachability.status?.condition == .unreachable)
            reachability.handle(.evidence(NetworkEvidence(.verifiedResponse, host: "b.example")), now: Self.at(2))
            #expect(reachability.status?.condition == .connected)
            #expect(reachability.wakeTime == Self.at(17))
        }

        @Test func failedCallsCountOnceAndStartARound() {
            let failure = NetworkEvidence(.failed, host: "b.example")
            var reachability = Reachability(policy: Self.remote)
            reachability.handle(.links(Self.up), now: Self.at(0))
            Self.end(&reachability, .reached, at: 1)
            for _ in 0..<1000 { reachability.handle(.evidence(failure), now: Self.at(2)) }
            #expect(reachability.status?.condition == .connected)
            #expect(reachability.round == 2)
            // With the failed calls, one round is enough.
            Self.end(&reachability, .failed, at: 2.1)
            #expect(reachability.status?.condition == .unreachable)
            // Further failed calls change nothing.
            reachability.handle(.evidence(failure), now: Self.at(3))
            #expect(reachability.round == nil && reachability.wakeTime == Self.at(7.1))
        }

        @Test func aFailedCallAfterASuccessStartsARoundAgain() {
            let (success, failure) = (
                NetworkEvidence(.verifiedResponse, host: "b.example"), NetworkEvidence(.failed, host: "b.example")
            )
            var reachability = Reachability(policy: Self.remote)
            reachability.handle(.links(Self.up), now: Self.at(0))
            Self.end(&reachability, .reached, at: 1)
            reachability.handle(.evidence(failure), now: Self.at(1.1))
            #expect(reachability.round == 2)
            Self.end(&reachability, .reached, at: 1.2)
            reachability.handle(.evidence(failure), now: Self.at(1.3))
            #expect(reachability.wakeTime == Self.at(1.6))
            reachability.handle(.evidence(success), now: Self.at(1.4))
            #expect(reachability.wakeTime == Self.at(16.4))
            reachability.handle(.evidence(failure), now: Self.at(1.5))
            #expect(reachability.wakeTime == Self.at(1.6))
        }

        @Test func aSuccessThatDoesNotConnectIsConfirmedSoon() {
            var policy = Self.remote
            policy.successesToConnect = 3
            var reachability = Reachability(policy: policy)
            reachability.handle(.links(Self.up), now: Self.at(0))
            Self.end(&reachability, .failed, at: 1)
            #expect(reachability.wakeTime == Self.at(6))
            let success = NetworkEvidence(.verifiedResponse, host: "b.example")
            reachability.handle(.evidence(success), now: Self.at(2))
            #expect(reachability.status?.condition == .unreachable)
            #expect(reachability.wakeTime == Self.at(3))
            // A further success does not postpone the round.
            reachability.handle(.evidence(success), now: Self.at(2.5))
            #expect(reachability.wakeTime == Self.at(3))
        }

        @Test func aSuccessDoesNotPostponeARoundForChangedLinks() {
            var reachability = Reachability(policy: Self.remote)
            var links = Self.up
            reachability.handle(.links(links), now: Self.at(0))
            Self.end(&reachability, .reached, at: 0.001)
            links.revision = 2
            reachability.handle(.links(links), now: Self.at(0.002))
            let due = reachability.wakeTime
            #expect(due.map { $0 < Self.at(0.1) } == true)
            reachability.handle(.evidence(NetworkEvidence(.verifiedResponse, host: "b.example")), now: Self.at(0.003))
            #expect(reachability.wakeTime == due)
        }

        @Test func failedCallsDoNotDisconnectWhileTargetsRespond() {
            let failure = NetworkEvidence(.failed, host: "b.example")
            var policy = Self.remote
            policy.failuresToDisconnect = 1
            for policy in [policy, Self.remote] {
                var reachability = Reachability(policy: policy)
                reachability.handle(.links(Self.up), now: Self.at(0))
                for second in 1...20 {
                    Self.end(&reachability, .reached, at: Double(second))
                    reachability.handle(.evidence(failure), now: Self.at(Double(second) + 0.9))
                    #expect(reachability.status?.condition == .connected)
                }
            }
        }

        @Test func withoutTargetsFailedCallsAreIgnoredAndResponsesVerify() {
            var reachability = Reachability(policy: ProbePolicy())
            reachability.handle(.links(Self.up), now: Self.at(0))
            reachability.handle(.evidence(NetworkEvidence(.failed, host: "b.example")), now: Self.at(1))
            #expect(reachability.status == NetworkStatus(.connected, .ethernet, interfaceName: "eth0"))
            reachability.handle(.evidence(NetworkEvidence(.unverifiedResponse, host: "b.example")), now: Self.at(1))
            #expect(reachability.status?.isVerified == true)
            #expect(reachability.wakeTime == nil)
        }

        @Test func onlyASecureResponseEndsACaptivePortal() {
            var reachability = Reachability(policy: Self.remote)
            reachability.handle(.links(Self.up), now: Self.at(0))
            Self.end(&reachability, .portal, at: 1)
            reachability.handle(.evidence(NetworkEvidence(.unverifiedResponse, host: "b.example")), now: Self.at(2))
            #expect(reachability.status?.condition == .requiresLogin)
            reachability.handle(.evidence(NetworkEvidence(.verifiedResponse, host: "b.example")), now: Self.at(2))
            #expect(reachability.status?.condition == .connected)
        }

        @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "a.localhost", "LOCALHOST"])
        func trafficWithinTheMachineIsIgnored(host: String) {
            var reachability = Reachability(policy: Self.remote)
            reachability.handle(.links(Self.up), now: Self.at(0))
            Self.end(&reachability, .failed, at: 1)
            reachability.handle(.evidence(NetworkEvidence(.verifiedResponse, host: host)), now: Self.at(2))
            #expect(reachability.status?.condition == .unreachable)
        }

        @Test func aTargetOnTheMachineNeedsNoLink() {
            var reachability = Reachability(policy: ProbePolicy([.tcp("localhost", port: 80)]))
            reachability.handle(.links(Self.down), now: Self.at(0))
            #expect(reachability.status == NetworkStatus(.connected, .loopback))
            Self.end(&reachability, .reached, at: 1)
            #expect(reachability.status == NetworkStatus(.connected, .loopback, isVerified: true))
            reachability.handle(.links(Self.up), now: Self.at(2))
            #expect(reachability.status?.connectionType == .ethernet)
        }

        @Test func successfulTrafficOverrulesALostLink() {
            let response = NetworkEvidence(.verifiedResponse, host: "b.example")
            var reachability = Reachability(policy: ProbePolicy())
            reachability.handle(.links(Self.up), now: Self.at(0))
            reachability.handle(.links(Self.down), now: Self.at(10))
            reachability.handle(.evidence(response), now: Self.at(10.9))
            #expect(reachability.status?.condition == .disconnected)
            reachability.handle(.evidence(response), now: Self.at(11.1))
            #expect(reachability.status == NetworkStatus(.connected, .other, isVerified: true))
            var other = Self.down
            other.hasLoopback = false
            reachability.handle(.links(other), now: Self.at(12))
            #expect(reachability.status == .disconnected)
        }

        @Test(arguments: [
            ("++-", 1, ProbeResult.reached), ("+??", 1, .reached), ("-??", 1, nil), ("--?", 2, nil), ("+-?", 2, nil),
            ("+-+", 2, .reached), ("+--", 2, .failed), ("---", 1, .failed), ("P--", 1, .portal), ("P+?", 1, .reached),
            ("PP+", 2, .portal), ("-T-", 1, .untried), ("PT-", 1, .portal), ("T+?", 1, .reached), ("T-?", 1, nil),
        ])
        func aRoundIsDecidedByItsQuorum(results: String, quorum: Int, expected: ProbeResult?) {
            let results = results.map(Self.result)
            #expect(ProbeResult.ofRound(results, quorum: quorum) == expected)
        }

        @Test func everySequenceOfEventsKeepsTheInvariants() {
            for seed in 0..<300 {
                var random = RandomSource.seeded(UInt64(seed))
                var reachability = Reachability(policy: seed % 3 == 0 ? ProbePolicy() : Self.remote)
                var now = Self.at(0)
                var links: LinkSummary?
                for _ in 0..<200 {
                    now = now.advanced(by: .milliseconds(Int.random(in: 0...3000, using: &random)))
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0:
                        links = Bool.random(using: &random) ? Self.up : Self.down
                        links?.revision = Int.random(in: 0..<3, using: &random)
                        if let links { reachability.handle(.links(links), now: now) }
                    case 1:
                        let result: ProbeResult = [.reached, .portal, .failed][Int.random(in: 0..<3, using: &random)]
                        reachability.handle(.round(reachability.round ?? 0, result), now: now)
                    case 2:
                        let kind: NetworkEvidence.Kind = Bool.random(using: &random) ? .failed : .unverifiedResponse
                        reachability.handle(.evidence(NetworkEvidence(kind, host: "b.example")), now: now)
                    default: reachability.handle(.time, now: now)
                    }
                    #expect((reachability.status == nil) == (links == nil))
                    // A due time is acted on.
                    #expect(reachability.wakeTime.map { $0 > now } ?? true)
                    if seed % 3 == 0 { #expect(reachability.round == nil && reachability.wakeTime == nil) }
                    if links?.isUsable == true, seed % 3 != 0 {
                        #expect(reachability.round != nil || reachability.wakeTime != nil)
                    }
                }
            }
        }
    }
#endif
