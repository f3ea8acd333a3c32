/// The store of a shared limit, and its loss.
final class SharedRateStore: Sendable {
    private struct Change: Sendable {
        let origin: Origin?
        let problem: NetKitError?
    }

    private let store: any SharedRate
    private let rules: SharedPermits.Rules
    private let broadcast = Broadcast<Change>()
    /// The number of problems that are kept, which differ only in the bucket.
    private static let maxProblems = 16
    /// The problems by the key of the bucket.
    private let problems = Locked<[String: NetKitError]>([:])

    init(_ store: any SharedRate, _ rules: SharedPermits.Rules) {
        (self.store, self.rules) = (store, rules)
    }

    var problem: NetKitError? { problems.withLock { $0.min { $0.key < $1.key }?.value } }

    func supply(for origin: Origin?) -> (RateSupply, SharedPermits.Rules) {
        let key = origin?.description ?? ""
        let bucket = SharedRateBucket(key: key, interval: .nanoseconds(rules.interval), burst: rules.maxPermits)
        let isAway = Locked(false)
        let supply = RateSupply(store, bucket) { [weak self] problem in
            guard let self else { return }
            let isChange = isAway.withLock { exchange(&$0, with: problem != nil) != (problem != nil) }
            problems.withLock { problems in
                // There is one store, so it is back for every bucket. A bucket that is forgotten reports nothing more,
                // and one for which the store is away again reports that.
                if problem == nil {
                    problems = [:]
                } else if problems.count < Self.maxProblems || problems[key] != nil {
                    problems[key] = problem
                }
            }
            guard isChange else { return }
            broadcast.note(Change(origin: origin, problem: problem))
            broadcast.publish()
        }
        return (supply, rules)
    }

    func report(to hub: EventHub) {
        broadcast.forward { [weak hub] change in
            guard let hub else { return false }
            guard let change else { return true }
            let problem = change.problem.map { "the shared store is unreachable: \($0.message)" }
            let detail = problem ?? "the shared store is back"
            hub.report(.limit, origin: change.origin, detail: detail, label: change.problem == nil ? "back" : "away")
            return true
        }
    }
}
