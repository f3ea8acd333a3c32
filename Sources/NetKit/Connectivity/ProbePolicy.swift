/// Which targets a network monitor asks, how often, and how many have to answer.
public struct ProbePolicy: Sendable, Hashable {
    /// The targets; without any only the link is known.
    public var targets: [ProbeTarget]
    /// How many targets have to answer.
    public var quorum: Int
    /// How long it is from one round to the next.
    ///
    /// A round also begins when links, addresses or routes have changed, and when a call has failed. Traffic that succeeds
    /// puts the next round off. While there is no network rounds are at most five seconds apart, and one second where a
    /// single round has yet to be confirmed.
    public var interval: Duration
    /// How long a round may take.
    public var timeout: Duration
    /// After how many rounds in a row without the quorum the network counts as lost; a call that fails counts as one.
    public var failuresToDisconnect: Int
    /// After how many rounds in a row with the quorum the network counts as back.
    public var successesToConnect: Int

    /// Makes a policy; numbers that make no sense are moved into their range.
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

    /// How many targets are asked at most.
    static let targetLimit = 16

    /// The policy with every value inside its range.
    var checked: ProbePolicy {
        var check = SettingCheck()
        var policy = self
        policy.targets = Array(targets.prefix(Self.targetLimit))
        policy.quorum = check.count("quorum", quorum, in: 1...max(1, policy.targets.count))
        policy.interval = check.duration("interval", interval, in: .milliseconds(10) ... .seconds(86_400))
        policy.timeout = check.duration("timeout", timeout, in: .milliseconds(10) ... .seconds(60))
        policy.failuresToDisconnect = check.count("failuresToDisconnect", failuresToDisconnect, in: 1...100)
        policy.successesToConnect = check.count("successesToConnect", successesToConnect, in: 1...100)
        return policy
    }

    /// How soon a round follows that may confirm a change.
    var confirmationInterval: Duration { min(interval, .seconds(1)) }

    /// How soon a round follows while there is no network.
    var recoveryInterval: Duration { min(interval, .seconds(5)) }

    var hasLocalTarget: Bool { targets.contains { $0.isLocal } }
}
