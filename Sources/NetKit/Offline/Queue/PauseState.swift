/// The lanes whose credential was refused, and the changes of pauses that the store does not have yet.
///
/// The latest change of a lane replaces an earlier one. What was decided about an earlier one, such as that it was
/// stored or is to be taken back, therefore applies only if no other change followed.
struct PauseState: ~Copyable {
    /// A change of the pause of a lane.
    struct Change: Equatable {
        /// The time until which the lane is paused; `nil` if it is resumed.
        let end: NetKitClock.Instant?
        var reason: OfflinePauseReason?
        /// Whether the change may be stored; until then, it applies to this queue alone.
        var isReady = true
        /// Whether the lane is resumed first, because a pause that lasts longer would otherwise stay in the store.
        var resumesFirst = false

        static let resumption = Change(end: nil)

        /// Returns the rest of a pause; `nil` if it has no end.
        func rest(at now: NetKitClock.Instant) -> Duration? {
            end.flatMap { $0 == .distantFuture ? nil : now.duration(to: $0) }
        }
    }

    /// A change because of a refused credential, with the one that it replaced.
    struct Refusal {
        fileprivate let lane: String
        fileprivate let change: Change
        fileprivate let previous: Change?
    }

    /// The lanes that are paused because a credential was refused, each with the identity of that credential.
    private(set) var refusals: [String: CredentialIdentity?] = [:]
    /// Those of them whose credential had a known identity, by that identity.
    private(set) var refusedLanes: [CredentialIdentity: Set<String>] = [:]
    /// The number of new credentials so far.
    private(set) var newCredentialCount = 0
    /// The task that writes changes, while there is one.
    var write: Task<Void, any Error>?
    private(set) var unstored: [String: Change] = [:]
    /// Whether the pauses because of a refused credential have ended, but not yet in the store.
    private var isResumptionUnstored = false

    var hasUnstored: Bool { isResumptionUnstored || !unstored.isEmpty }

    mutating func pause(_ lane: String) {
        forgetRefusal(in: lane)
        unstored[lane] = Change(end: .distantFuture)
    }

    mutating func resume(_ lane: String) { unstored[lane] = .resumption }

    /// Pauses a lane whose credential was refused; the change may be stored after `makeReady`.
    mutating func refuse(_ lane: String, under identity: CredentialIdentity?, until end: NetKitClock.Instant) -> Refusal
    {
        forgetRefusal(in: lane)
        refusals.updateValue(identity, forKey: lane)
        if let identity { refusedLanes[identity, default: []].insert(lane) }
        let previous = unstored[lane]
        var change = Change(end: end, reason: .unauthorized, isReady: false)
        change.resumesFirst = previous.map { $0.end == nil || $0.resumesFirst } ?? false
        unstored[lane] = change
        return Refusal(lane: lane, change: change, previous: previous)
    }

    /// Returns whether the lane was neither paused nor resumed since.
    func isLatest(_ refusal: Refusal) -> Bool { unstored[refusal.lane] == refusal.change }

    mutating func makeReady(_ refusal: Refusal) { unstored[refusal.lane]?.isReady = true }

    mutating func takeBack(_ refusal: Refusal) {
        unstored[refusal.lane] = refusal.previous
        forgetRefusal(in: refusal.lane)
    }

    /// Demands that the store ends all pauses because of a refused credential.
    ///
    /// If a person has resumed the lane, it is also resumed by its name.
    mutating func endRefusals(with lane: String, isResumed: Bool) {
        unstored[lane] = isResumed ? .resumption : nil
        isResumptionUnstored = true
    }

    /// Notes a new credential, and returns the lanes for which it counts.
    mutating func noteNewCredential() -> [String] {
        newCredentialCount &+= 1
        isResumptionUnstored = true
        return refusals.keys.ordered()
    }

    mutating func forgetRefusal(in lane: String) {
        guard let identity = refusals.removeValue(forKey: lane) ?? nil else { return }
        refusedLanes[identity]?.remove(lane)
        if refusedLanes[identity]?.isEmpty ?? false { refusedLanes[identity] = nil }
    }

    /// Forgets the refusals whose pauses others have changed in the store.
    mutating func forgetRefusals(where isOver: (String) -> Bool) {
        for lane in refusals.keys where unstored[lane] == nil && isOver(lane) { forgetRefusal(in: lane) }
    }

    /// Returns whether the store has to end the pauses because of a refused credential now.
    mutating func takeResumption() -> Bool { exchange(&isResumptionUnstored, with: false) }

    mutating func noteFailedResumption() { isResumptionUnstored = true }

    /// Replaces a change that was stored, wholly or in part.
    mutating func replace(_ stored: Change, of lane: String, with rest: Change?) {
        if unstored[lane] == stored { unstored[lane] = rest }
    }

    /// Returns the pauses of a listing with the changes that the store does not have yet.
    func merged(into listed: [String: Duration?], at now: NetKitClock.Instant) -> [String: Duration?] {
        var pauses = listed
        for (lane, change) in unstored {
            pauses[lane] = nil
            if let end = change.end, end > now { pauses.updateValue(change.rest(at: now), forKey: lane) }
        }
        return pauses
    }
}
