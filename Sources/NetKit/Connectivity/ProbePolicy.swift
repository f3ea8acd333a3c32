/// The rules by which a network monitor probes targets.
public struct ProbePolicy: Sendable, Hashable {
    /// The targets to probe.
    ///
    /// Without targets, only the link is known. At most 16 are probed.
    public var targets: [ProbeTarget]
    /// The number of targets that have to respond.
    public var quorum: Int
    /// The time from one round of probes to the next.
    ///
    /// A round also begins when links, addresses or routes change, and when a call fails. Successful traffic postpones
    /// the next round. While there is no network, rounds are at most 5 seconds apart, or 1 second while a change has to
    /// be confirmed.
    public var interval: Duration
    /// The longest time that a round may take.
    public var timeout: Duration
    /// The number of consecutive rounds without the quorum after which the network counts as lost.
    ///
    /// A failed call counts as one such round.
    public var failuresToDisconnect: Int
    /// The number of consecutive rounds with the quorum after which the network counts as back.
    public var successesToConnect: Int

    /// Creates a policy.
    ///
    /// A monitor clamps values outside their ranges.
    public init(
        _ targets: [ProbeTarget] = [],
        quorum: Int = 1,
        interval: Duration = .seconds(15),
        timeout: Duration = .seconds(3),
        failuresToDisconnect: Int = 2,
        successesToConnect: Int = 1
    ) {
        self.targets = targets
        self.quorum = quorum
        self.interval = interval
        self.timeout = timeout
        self.failuresToDisconnect = failuresToDisconnect
        self.successesToConnect = successesToConnect
    }

    /// The maximum number of targets.
    package static let maxTargets = 16
    /// The shortest interval and timeout.
    package static let minTime = Duration.milliseconds(10)
    /// The longest interval.
    package static let maxInterval = Duration.seconds(86_400)
    /// The longest timeout.
    package static let maxTimeout = Duration.seconds(60)
    /// The maximum number of rounds that decide about a change.
    package static let maxRounds = 100

    /// The policy with every value inside its range.
    var checked: ProbePolicy {
        var check = SettingCheck()
        var policy = self
        policy.targets = Array(targets.prefix(Self.maxTargets))
        policy.quorum = check.count("quorum", quorum, in: 1...max(1, policy.targets.count))
        policy.interval = check.duration("interval", interval, in: Self.minTime...Self.maxInterval)
        policy.timeout = check.duration("timeout", timeout, in: Self.minTime...Self.maxTimeout)
        policy.failuresToDisconnect = check.count("failuresToDisconnect", failuresToDisconnect, in: 1...Self.maxRounds)
        policy.successesToConnect = check.count("successesToConnect", successesToConnect, in: 1...Self.maxRounds)
        return policy
    }

    /// The time to the round that may confirm a change.
    var confirmationInterval: Duration { min(interval, .seconds(1)) }

    /// The time to the next round while there is no network.
    var recoveryInterval: Duration { min(interval, .seconds(5)) }

    var hasLocalTarget: Bool { targets.contains { $0.isLocal } }
}
