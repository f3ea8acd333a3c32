/// The problems of a store, and what has to be listed and handed over so that the queue agrees with it.
///
/// No entry begins in an uncertain shard before it was listed, nor in a leaving one. A leaving shard becomes free when
/// none of its entries is busy; one that is gained again is neither leaving nor free.
struct StoreState: ~Copyable {
    private let isShared: Bool
    private let interval: Duration
    /// The number of entries of a lane that are listed at most, which grows if all of them are held.
    private(set) var depth: Int
    /// The reason why entries cannot be listed or read; while there is one, nothing is sent.
    private(set) var readProblem: NetKitError?
    /// The message of that problem if a listener has had its event.
    private var reportedProblem: String?
    /// The reason why the latest write failed; `nil` if it succeeded.
    private(set) var writeProblem: NetKitError?
    private(set) var quarantined: [QuarantinedRecord] = []
    private var listingTime: NetKitClock.Instant?
    private var isAllStale = false
    /// The shards whose entries in the store differ from those in the scheduler.
    private var stale: Set<Int> = []
    /// Whether the store has named shards since the last listing that succeeded.
    private var hasUnlistedShards = false
    private var uncertain: Set<Int> = []
    private var leaving: Set<Int> = []
    private var free: Set<Int> = []

    init(isShared: Bool, interval: Duration) {
        self.isShared = isShared
        self.interval = interval
        depth = isShared ? 64 : .max
    }

    mutating func noteWritten() { writeProblem = nil }

    mutating func noteFailedWrite(_ problem: NetKitError) { writeProblem = problem }

    mutating func noteFailedRead(_ problem: NetKitError, at now: NetKitClock.Instant) {
        (readProblem, reportedProblem) = (problem, problem.message)
        listingTime = listingTime ?? now.advanced(by: interval)
    }

    /// Whether the store has changes that the scheduler does not have.
    var isBehind: Bool { isAllStale || !stale.isEmpty }

    /// Whether something has to be listed or handed over.
    var hasWork: Bool { isBehind || !free.isEmpty }

    /// The time of the next listing of all shards, if the store may change or recover by itself.
    var nextListing: NetKitClock.Instant? { mayChange ? listingTime : nil }

    private var mayChange: Bool { isShared || readProblem != nil }

    /// Demands a listing of all shards if the store may have changed or recovered by itself.
    mutating func lookAgain() { isAllStale = isAllStale || mayChange }

    mutating func lookAgain(ifDueAt now: NetKitClock.Instant) {
        if let nextListing, nextListing <= now { isAllStale = true }
    }

    /// Demands a listing of some shards, or of all.
    mutating func noteStale(_ shards: Set<Int>?) {
        if let shards { stale.formUnion(shards) } else { isAllStale = true }
    }

    /// Demands a deeper listing, unless another one is about to be made.
    mutating func deepen() {
        guard !isBehind, depth < 1 << 20 else { return }
        depth *= 4
        isAllStale = true
    }

    /// Returns the shards to list now, `nil` for all, and whether others may have changed entries that are known.
    mutating func takeStale() -> (shards: Set<Int>?, hasRemoteChanges: Bool)? {
        guard isBehind else { return nil }
        defer { (isAllStale, stale) = (false, []) }
        hasUnlistedShards = hasUnlistedShards || !stale.isEmpty
        // A store that is not shared names shards only after it was replaced with other content.
        return (isAllStale ? nil : stale, isShared || hasUnlistedShards)
    }

    /// Begins to list some shards, or all, and returns the uncertain ones among them.
    mutating func beginListing(_ shards: Set<Int>?, at now: NetKitClock.Instant) -> Set<Int> {
        if shards == nil { listingTime = now.advanced(by: interval) }
        return shards.map { uncertain.intersection($0) } ?? uncertain
    }

    mutating func note(_ listing: OfflineListing) {
        (readProblem, reportedProblem) = (listing.problem, listing.problem?.message)
        hasUnlistedShards = false
        quarantined = Array((quarantined + listing.quarantined).suffix(1000))
    }

    /// Notes that a listing failed, and returns whether the problem is to be reported.
    ///
    /// While there is no listener, as during the opening of the queue, it stays to be reported.
    mutating func noteFailedListing(_ problem: NetKitError, at now: NetKitClock.Instant, isHeard: Bool) -> Bool {
        let isNew = reportedProblem != problem.message
        readProblem = problem
        if isHeard { reportedProblem = problem.message }
        // A store that takes longer than the interval would be read all the time otherwise.
        if let time = listingTime, time <= now { listingTime = now.advanced(by: interval) }
        return isNew
    }

    /// Notes that the entries of shards are unknown.
    mutating func doubt(_ shards: Set<Int>) {
        distrust(shards)
        stale.formUnion(shards)
    }

    /// Notes that no entry of shards may begin before their next listing, whenever it is made.
    mutating func distrust(_ shards: Set<Int>) { uncertain.formUnion(shards) }

    /// Notes that uncertain shards were listed, and returns those in which entries may begin.
    mutating func noteCertain(_ shards: Set<Int>) -> Set<Int> {
        uncertain.subtract(shards)
        return shards.subtracting(leaving)
    }

    mutating func gain(_ shards: Set<Int>) {
        leaving.subtract(shards)
        free.subtract(shards)
        doubt(shards)
    }

    mutating func leave(_ shards: Set<Int>) { leaving.formUnion(shards) }

    mutating func lose(_ shards: Set<Int>) {
        leaving.subtract(shards)
        uncertain.subtract(shards)
    }

    /// Frees the leaving shards that are not busy, and returns them.
    mutating func freeLeaving(where isIdle: (Int) -> Bool) -> Set<Int> {
        let idle = leaving.filter(isIdle)
        leaving.subtract(idle)
        free.formUnion(idle)
        return idle
    }

    /// Returns the shards to hand over now.
    mutating func takeFree() -> Set<Int> { exchange(&free, with: []) }
}
