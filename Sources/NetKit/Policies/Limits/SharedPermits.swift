/// One process's permits from a shared bucket: pure state without a clock, a lock or a task.
///
/// Permits are taken in blocks for the calls that wait and for those that are expected within a tenth of a second.
/// Permits that were not used by then expire, so that processes hoard none. The shared bucket is smaller than the limit
/// allows by what can be in such blocks. All processes together therefore stay within the limit.
///
/// While the store is unreachable, a bucket of this process lets through its fair share.
struct SharedPermits {
    /// The next step for the waiting calls.
    enum Step: Equatable {
        /// Take permits from the store.
        case take(Int)
        /// Wait until an instant.
        case wait(NetKitClock.Instant)
    }

    /// The rules of a shared limit.
    struct Rules: Equatable {
        /// The time between two permits, in nanoseconds.
        let interval: Int64
        /// The maximum number of permits that a process uses during the life of a block.
        let share: Int
        /// The number of permits that the shared bucket holds.
        let maxPermits: Int
        /// The maximum time between two permits of one process, in nanoseconds.
        let period: Int64

        /// Creates the rules of a limit; a burst that is too small is raised to `minBurst(permits:per:)`.
        init(permits: Int, per period: Duration, burst: Int) {
            self.period = max(1, period.clampedNanoseconds)
            interval = max(1, self.period / Int64(max(1, permits)))
            share = Int(clamping: SharedPermits.life.clampedNanoseconds / interval)
            maxPermits = max(1, max(burst, Self.minBurst(permits: permits, per: period)) - share)
        }

        /// Returns the least burst with which ten operations in a second are enough: the permits of a quarter of a
        /// second.
        static func minBurst(permits: Int, per period: Duration) -> Int {
            let interval = max(1, period.clampedNanoseconds / Int64(max(1, permits)))
            return max(1, Int(clamping: 250_000_000 / interval))
        }
    }

    /// The life of a block.
    static let life = Duration.milliseconds(100)
    /// The time between two attempts to reach an unreachable store.
    static let probeInterval = Duration.seconds(1)
    /// The number of permits that are reserved for future calls before their rate is known.
    private static let minReserve = 4

    let rules: Rules
    /// The number of permits that are left of the current block.
    private var available = 0
    /// The end of the life of the current block.
    private var expiry = NetKitClock.Instant(nanoseconds: .min)
    /// The bound for operations of the store: ten in a second, and four at once.
    private var budget = RateBucket(permits: 10, per: .seconds(1), burst: 4)
    /// The time before which the store has no permits for this process.
    private var notBefore = NetKitClock.Instant(nanoseconds: .min)
    /// Whether the store had fewer permits than this process needed.
    private var isScarce = false
    /// The number of processes that share the bucket.
    private(set) var replicas = 1
    /// The time at which permits were last asked for.
    private var lastTake: NetKitClock.Instant?
    /// The number of permits that were used since `lastTake`.
    private var used = 0
    /// The time at which the permits that were taken at `lastTake` were used up.
    private var usedUpAt: NetKitClock.Instant?
    /// The number of permits that are taken in addition to those of the waiting calls.
    private var reserve = 0
    /// The bucket of this process, while the store is unreachable.
    private var local: RateBucket?
    private var nextProbe = NetKitClock.Instant(nanoseconds: .min)

    init(_ rules: Rules) { self.rules = rules }

    var isStoreLost: Bool { local != nil }

    /// Takes a permit if this process has one.
    mutating func take(now: NetKitClock.Instant) -> Bool {
        if let isTaken = local?.take(now: now) { return isTaken }
        guard available > 0, now <= expiry else { return false }
        available -= 1
        used += 1
        if available == 0 { usedUpAt = now }
        return true
    }

    /// Returns the expected time until a permit is available after those of the waiting calls.
    func wait(behind waiting: Int = 0, now: NetKitClock.Instant) -> Duration {
        if let local { return local.wait(behind: waiting, now: now) }
        let base = max(.zero, now.duration(to: notBefore))
        let free = isScarce ? 0 : rules.maxPermits
        let ahead = Int64(clamping: max(0, waiting - free))
        // If permits are scarce, this process gets one of several.
        let each = Duration.nanoseconds(rules.interval) * (isScarce ? replicas : 1)
        return base + .nanoseconds(each.clampedNanoseconds.multipliedSaturated(by: ahead))
    }

    /// Decides what the waiting calls need next.
    mutating func step(waiting: Int, now: NetKitClock.Instant) -> Step {
        // The next permit may come much later than the store.
        if let local { return .wait(min(now.advanced(by: max(local.wait(now: now), .nanoseconds(1))), nextProbe)) }
        guard notBefore <= now else { return .wait(notBefore) }
        guard budget.take(now: now) else { return .wait(now.advanced(by: budget.wait(now: now))) }
        updateReserve(now: now)
        let needed = min(rules.maxPermits, max(1, waiting))
        return .take(min(rules.maxPermits, needed + (isScarce ? 0 : reserve)))
    }

    /// Sets the reserve to the number of permits that are expected to be used during the life of a block.
    private mutating func updateReserve(now: NetKitClock.Instant) {
        let least = min(Self.minReserve, rules.share)
        defer { (lastTake, used, usedUpAt) = (now, 0, nil) }
        guard let lastTake, lastTake.duration(to: now) < .seconds(1) else {
            reserve = least
            return
        }
        // More of a block that was used up early would have been used, so only the time until then counts.
        let elapsed = lastTake.duration(to: usedUpAt ?? now)
        let pace = Double(used) * (Self.life / max(elapsed, .milliseconds(20)))
        reserve = min(max(least, Int(pace.rounded(.up)), reserve / 2), rules.share * 3 / 2)
    }

    /// Adds the permits of a grant, which arrived at the time `now`; the store was asked for `asked` permits at `sent`.
    ///
    /// `chance` is a random number from 0 to 1, so that no process is always the first to ask again.
    mutating func add(
        _ grant: RateGrant,
        asked: Int,
        sent: NetKitClock.Instant,
        now: NetKitClock.Instant,
        chance: Double
    ) {
        if now > expiry { available = 0 }
        available += min(max(0, grant.count), asked)
        // Permits that arrive late are for the calls that wait for them, and not kept for later calls.
        expiry = max(sent.advanced(by: Self.life), now)
        replicas = min(max(1, grant.replicas), 1_000_000)
        isScarce = grant.count < asked
        guard isScarce else {
            notBefore = now
            return
        }
        let next = now.advanced(by: grant.wait).advanced(by: Self.life / 2 * chance)
        notBefore = max(next, now.advanced(by: Self.life * (0.5 + chance)))
    }

    /// Switches to this process's share of the limit; returns `false` if it already has.
    mutating func loseStore(now: NetKitClock.Instant) -> Bool {
        nextProbe = now.advanced(by: Self.probeInterval)
        guard local == nil else { return false }
        // One in a period at least.
        let interval = min(rules.interval.multipliedSaturated(by: Int64(replicas)), rules.period)
        local = RateBucket(interval: interval, burst: max(1, rules.maxPermits / replicas), emptyAt: now)
        available = 0
        return true
    }

    /// Returns whether it is time to look for an unreachable store, and counts it as done.
    mutating func takeProbe(now: NetKitClock.Instant) -> Bool {
        guard local != nil, nextProbe <= now else { return false }
        nextProbe = now.advanced(by: Self.probeInterval)
        return true
    }

    /// Continues with the store.
    mutating func regainStore(now: NetKitClock.Instant) {
        (local, isScarce, available, lastTake, used) = (nil, false, 0, nil, 0)
        notBefore = now
    }
}
