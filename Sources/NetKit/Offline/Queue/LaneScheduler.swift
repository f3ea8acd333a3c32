import Foundation

/// The scheduler that decides which entry comes next, and when: the queue's state without its actor, store or clock.
///
/// It has all entries of the shards that the queue owns if the store is not shared, and the first ones of each lane
/// otherwise.
///
/// A lane is strictly in order, one entry at a time. Its first entry decides when the lane is ready, and no other is
/// considered before that is finished. Entries whose identity the client does not have are skipped: they wait, and hold
/// up no others. Of the ready lanes, that with the highest priority comes first, then that with the older entry.
struct LaneScheduler: ~Copyable {
    private(set) var items: [UUID: Item] = [:]
    /// The lanes with their entries, except for dead letters and conflicts that hold up no others.
    private(set) var lanes: [String: Lane] = [:]
    private(set) var identities = IdentityTable()
    private(set) var ready = RankedHeap<String, Rank, Void>()
    private var later = RankedHeap<String, NetKitClock.Instant, Void>()
    private var expiries = RankedHeap<UUID, NetKitClock.Instant, Void>()
    let options: [String: LaneOptions]
    /// The shards in which no entry begins.
    private var closedShards: Set<Int> = []
    /// The lanes that have more entries in the store than here.
    private var truncatedLanes: Set<String> = []
    /// The truncated lanes that have only held entries here.
    private var lanesWithOnlyHeldEntries: Set<String> = []
    /// The shards of lanes whose entries here are all finished while the store has more.
    private var exhaustedShards: Set<Int> = []
    private var lastChange = 0
    private var openListings = 0
    /// The entries that were forgotten during a listing of the store, each with the number of that change.
    private var forgottenDuringListing: [UUID: Int] = [:]
    /// The shards that were lost during a listing, each with the number of that change.
    private var shardLossesDuringListing: [Int: Int] = [:]
    /// The lanes whose pauses have ended by themselves since the last `takeEndedPauses`.
    private var endedPauses: [String] = []
    /// The changes of pauses and the merged listings since a listing began.
    private(set) var listingOrder = ListingOrder()
    /// The entries that are being sent or changed.
    private(set) var busy: Set<UUID> = []

    init(options: [String: LaneOptions] = [:]) { self.options = options }

    // MARK: Listings

    /// Notes that a listing of the store begins, and returns its number among the changes.
    mutating func beginListing() -> Int {
        openListings += 1
        lastChange += 1
        return lastChange
    }

    /// Ends a listing of the store.
    mutating func endListing() {
        openListings -= 1
        guard openListings == 0 else { return }
        forgottenDuringListing.removeAll()
        shardLossesDuringListing.removeAll()
        listingOrder = ListingOrder()
    }

    /// Merges the entries that a store lists for some shards, or for all.
    ///
    /// A change that was made here since the listing began, when `beginListing` returned its number, takes precedence
    /// over the listing, and so does a listing that began later. A lane with as many entries as `depth` may have more
    /// in the store. `hasRemoteChanges` is whether other queues may have changed entries that are known here.
    mutating func merge(
        _ entries: some Collection<OfflineListedEntry>,
        of shards: Set<Int>? = nil,
        depth: Int = .max,
        since change: Int = 0,
        now: NetKitClock.Instant,
        hasRemoteChanges: Bool = true
    ) {
        forget(notIn: entries, of: shards, since: change)
        var touched: Set<String> = []
        var counts: [String: Int] = [:]
        for listed in entries {
            var entry = listed.entry
            if depth < .max { counts[entry.lane, default: 0] += 1 }
            if forgottenDuringListing[entry.id] ?? 0 > change || wasLost(entry.shard, since: change) { continue }
            let old = items[entry.id]
            guard old != nil || listingOrder.isLatest(change, of: entry.shard) else { continue }
            if let old {
                guard hasRemoteChanges, !old.isBusy, old.change <= change else { continue }
                leave(old)
                // A store need not return the last wait, from which a random strategy makes the next one.
                if entry.failingFor != nil { entry.postponedFor = entry.postponedFor ?? old.entry.postponedFor }
            }
            insert(entry, Times(listed, after: old?.times, now: now), as: change)
            touched.insert(entry.lane)
        }
        truncatedLanes.formUnion(counts.filter { $0.value >= depth }.keys)
        for lane in touched { refresh(lane) }
        lanesWithOnlyHeldEntries = truncatedLanes.filter { lanes[$0].map { $0.first(identities) == nil } ?? false }
    }

    /// Forgets the entries that a store no longer lists; only a listing that began later brings them back.
    private mutating func forget(
        notIn entries: some Collection<OfflineListedEntry>,
        of shards: Set<Int>?,
        since change: Int
    ) {
        guard !items.isEmpty else { return }
        if let shards {
            truncatedLanes = truncatedLanes.filter { lane in lanes[lane]?.shard.map { !shards.contains($0) } ?? false }
        } else {
            truncatedLanes.removeAll()
        }
        let listed = Set(entries.lazy.map(\.entry.id))
        let gone = items.values.filter { item in
            !item.isBusy && item.change <= change && !listed.contains(item.entry.id)
                && shards?.contains(item.entry.shard) ?? true
        }
        for item in gone { forget(item.entry.id, as: change) }
    }

    /// Returns the shards of lanes that have more entries in the store but none left here, and clears the list.
    mutating func takeExhaustedShards() -> Set<Int> { exchange(&exhaustedShards, with: []) }

    /// Whether a lane has only held entries here while the store has more.
    var hasLaneWithOnlyHeldEntries: Bool { !lanesWithOnlyHeldEntries.isEmpty }

    // MARK: Shards

    /// Lets no entry of some shards begin.
    mutating func close(_ shards: Set<Int>) {
        closedShards.formUnion(shards)
        for lane in lanes(of: shards) { refresh(lane) }
    }

    /// Lets entries of closed shards begin again.
    mutating func reopen(_ shards: Set<Int>) {
        guard !closedShards.isDisjoint(with: shards) else { return }
        closedShards.subtract(shards)
        for lane in lanes(of: shards) { refresh(lane) }
    }

    /// Returns whether a shard was lost since a change, which makes an earlier listing of it obsolete.
    func wasLost(_ shard: Int, since change: Int) -> Bool { shardLossesDuringListing[shard] ?? 0 > change }

    /// Forgets the entries of shards that another queue is to own, and returns those that are busy.
    mutating func lose(_ shards: Set<Int>) -> [UUID] {
        close(shards)
        lastChange += 1
        if openListings > 0 { for shard in shards { shardLossesDuringListing[shard] = lastChange } }
        let lost = items.values.filter { shards.contains($0.entry.shard) }
        for item in lost where !item.isBusy { forget(item.entry.id) }
        exhaustedShards.subtract(shards)
        return lost.filter(\.isBusy).map(\.entry.id)
    }

    // MARK: Entries

    /// Adds a new entry, which a listing may already have, and another that began before may lack.
    mutating func add(
        _ entry: OfflineEntry,
        timeLeft: Duration? = nil,
        under identity: CredentialIdentity? = nil,
        now: NetKitClock.Instant
    ) {
        if let item = items[entry.id] {
            return regroup(item) { $0.note(identity, of: entry.id) }
        }
        identities.note(identity, of: entry.id)
        insert(entry, Times(OfflineListedEntry(entry: entry, timeLeft: timeLeft), now: now))
        if first(of: entry.lane) == entry.id { refresh(entry.lane) }
    }

    /// Inserts an item; one of a listing has the number of the listing, so that a later listing can replace it.
    private mutating func insert(_ entry: OfflineEntry, _ times: Times, as change: Int? = nil) {
        let item = made(entry, times, isBusy: false, as: change)
        items[entry.id] = item
        enter(item)
    }

    private mutating func made(_ entry: OfflineEntry, _ times: Times, isBusy: Bool, as change: Int? = nil) -> Item {
        lastChange += 1
        return Item(entry: entry, times: times, isBusy: isBusy, change: change ?? lastChange)
    }

    mutating func forget(_ id: UUID) {
        lastChange += 1
        forget(id, as: lastChange)
    }

    /// Forgets an entry; no listing with a lower number than that of the change brings it back.
    private mutating func forget(_ id: UUID, as change: Int) {
        guard let item = items.removeValue(forKey: id) else { return }
        leave(item)
        identities.forget(item.entry)
        if openListings > 0 { forgottenDuringListing[id] = change }
        if lanes[item.entry.lane]?.parts.isEmpty ?? true, truncatedLanes.remove(item.entry.lane) != nil {
            exhaustedShards.insert(item.entry.shard)
        }
        refresh(item.entry.lane)
    }

    /// Keeps an entry from beginning or changing otherwise, or makes it free again.
    mutating func set(_ id: UUID, isBusy: Bool) {
        guard let item = items[id] else { return }
        replace(item, made(item.entry, item.times, isBusy: isBusy))
    }

    /// Changes an entry; one that is busy stays so.
    mutating func set(_ id: UUID, _ entry: OfflineEntry, _ times: Times) {
        guard let item = items[id] else { return }
        replace(item, made(entry, times, isBusy: item.isBusy))
    }

    private mutating func replace(_ old: Item, _ item: Item) {
        let id = old.entry.id
        let mayDecide = first(of: old.entry.lane) == id || lanesWithOnlyHeldEntries.contains(old.entry.lane)
        items[id] = item
        let staysInLine = old.entry.state == item.entry.state
        leave(old, staysInLine: staysInLine)
        enter(item, isInLine: staysInLine)
        // Unless it is sent, an entry after the first one does not change when its lane is ready.
        if mayDecide || old.isBusy != item.isBusy || first(of: item.entry.lane) == id { refresh(item.entry.lane) }
    }

    /// Counts an item, and inserts it into the line of its lane if it belongs there.
    private mutating func enter(_ item: Item, isInLine isThere: Bool = false) {
        let entry = item.entry
        if item.isBusy { busy.insert(entry.id) }
        if item.isWaiting, let expiry = item.times.expiry { expiries.insert(entry.id, rank: expiry, ()) }
        let group = identities.group(of: entry)
        if let group, item.isWaiting { identities.enter(entry.id, group) }
        if item.isUnderWay { lanes[entry.lane, default: Lane()].underWayCount += 1 }
        guard !isThere, isInLine(item) else { return }
        lanes[entry.lane, default: Lane()].insert(entry, of: entry.state == .waiting ? group : nil)
    }

    private mutating func leave(_ item: Item, staysInLine: Bool = false) {
        let entry = item.entry
        if item.isBusy { busy.remove(entry.id) }
        if item.times.expiry != nil { expiries.remove(entry.id) }
        let group = identities.group(of: entry)
        if let group, item.isWaiting { identities.leave(group) }
        if item.isUnderWay { lanes[entry.lane]?.underWayCount -= 1 }
        guard !staysInLine, isInLine(item) else { return }
        lanes[entry.lane]?.remove(entry.id, at: entry.position, of: entry.state == .waiting ? group : nil)
        if lanes[entry.lane]?.isForgettable == true { lanes[entry.lane] = nil }
    }

    /// Pauses a lane until a time, or until `resume`.
    mutating func pause(_ lane: String, until: NetKitClock.Instant?) {
        notePause(lane)
        setPause(of: lane, until ?? .distantFuture)
    }

    mutating func resume(_ lane: String) {
        notePause(lane)
        setPause(of: lane, nil)
    }

    mutating func notePause(_ lane: String) {
        lastChange += 1
        if openListings > 0 { listingOrder.note(lane, lastChange) }
    }

    /// Merges the pauses that a store lists for some shards, or for all.
    mutating func merge(
        pauses: [String: Duration?],
        of shards: Set<Int>?,
        since change: Int,
        now: NetKitClock.Instant
    ) {
        for (lane, content) in lanes where content.pause != nil && pauses[lane] == nil {
            let isListed = shards.map { shards in content.shard.map(shards.contains) ?? false } ?? true
            if isListed, listingOrder.isCurrent(change, for: lane, of: content.shard) { setPause(of: lane, nil) }
        }
        for (lane, rest) in pauses where listingOrder.isCurrent(change, for: lane, of: lanes[lane]?.shard) {
            setPause(of: lane, rest.map { now.advanced(by: $0) } ?? .distantFuture)
        }
        listingOrder.noteListing(of: shards, change)
    }

    private mutating func setPause(of lane: String, _ end: NetKitClock.Instant?) {
        if let end { lanes[lane, default: Lane()].pause = end } else { endPause(of: lane) }
        refresh(lane)
    }

    private mutating func endPause(of lane: String) {
        lanes[lane]?.pause = nil
        if lanes[lane]?.isForgettable == true { lanes[lane] = nil }
    }

    /// Returns the lanes whose pauses have ended by themselves, and clears the list.
    mutating func takeEndedPauses() -> [String] { exchange(&endedPauses, with: []) }

    /// Makes a waiting entry due now, or as soon as it is no longer busy.
    ///
    /// An entry that starts again counts as if no attempt had failed. Not inlined, because a change of a rare field of
    /// an entry is long, and would be repeated in the callers.
    @inline(never)
    mutating func forgetWait(_ id: UUID, startsAgain: Bool = false) {
        guard let item = items[id], item.entry.state == .waiting else { return }
        var (entry, times) = (item.entry, item.times)
        entry.notBefore = nil
        times.endWait()
        if startsAgain { (entry.failingFor, times.failingSince) = (nil, nil) }
        items[id] = made(entry, times, isBusy: item.isBusy)
        refresh(entry.lane)
    }

    /// Returns the next step; `isSending` and `isExpiring` are whether another entry can be sent and can expire.
    mutating func next(now: NetKitClock.Instant, isSending: Bool, isExpiring: Bool = true) -> Step {
        if isExpiring, let due = expiries.firstRank, due <= now, let (id, _) = expiries.popFirst() {
            return .expire(id)
        }
        while let due = later.firstRank, due <= now, let (lane, _) = later.popFirst() {
            if let pause = lanes[lane]?.pause, pause <= now {
                endPause(of: lane)
                endedPauses.append(lane)
            }
            refresh(lane, now: now)
        }
        while isSending, let (lane, _) = ready.popFirst() {
            if let id = head(of: lane, now: now) { return .send(id) }
        }
        // The end of a task is the next chance to send or expire more.
        let expiry = isExpiring ? expiries.firstRank : nil
        guard isSending, let due = later.firstRank else { return .wait(until: expiry) }
        return .wait(until: min(due, expiry ?? due))
    }

    /// Returns the entry that decides about a lane, if it may be sent now.
    ///
    /// An entry that is to expire is not, although its expiry may have to wait for those of others.
    private func head(of lane: String, now: NetKitClock.Instant) -> UUID? {
        guard let content = lanes[lane], mayBegin(content) else { return nil }
        guard let id = content.first(identities), let item = items[id], item.isWaiting else { return nil }
        return item.times.expiry.map { $0 <= now } ?? false ? nil : id
    }

    /// Returns whether the shard of a lane is open, and no entry of the lane is being sent.
    private func mayBegin(_ lane: Lane) -> Bool {
        lane.underWayCount == 0 && (closedShards.isEmpty || lane.shard.map { !closedShards.contains($0) } ?? true)
    }

    // MARK: Identity

    /// Lets the entries wait whose identity the client does not have or refused, and lets the others continue.
    ///
    /// `names` are those of the client's identities; `nil` if it may have any.
    mutating func compareIdentities(with names: Set<ExactText>?, at now: NetKitClock.Instant) {
        identities.endRefusals(until: now)
        let changed = identities.compare(with: names)
        guard !changed.isEmpty else { return }
        let waiting = items.values.filter { item in
            guard item.isWaiting, let group = identities.group(of: item.entry) else { return false }
            return changed.contains(group) && identities.isHeld(group)
        }
        identities.noteHeld(waiting.map(\.entry).orderedByNumber(\.position).map(\.id))
        for (lane, content) in lanes where content.contains(oneOf: changed) { refresh(lane) }
    }

    /// Moves an entry that the client refused to send under its identity, or one that must not overtake such an entry,
    /// into the group of its host; after a refusal, the client is asked again at a time.
    mutating func separate(_ id: UUID, into group: IdentityGroup, until time: NetKitClock.Instant? = nil) {
        if let time { identities.noteRefused(group, until: time) }
        guard let item = items[id] else { return }
        regroup(item) { $0.setHost(group.host, of: id) }
    }

    /// Lets the client be asked again about all entries that it refused.
    mutating func endRefusals() { identities.endRefusals(until: .distantFuture) }

    private mutating func regroup(_ item: Item, _ change: (inout IdentityTable) -> Void) {
        leave(item)
        change(&identities)
        items[item.entry.id] = made(item.entry, item.times, isBusy: item.isBusy)
        enter(item)
        refresh(item.entry.lane)
    }

    mutating func takeNewlyHeld() -> [UUID] { identities.takeNewlyHeld() }

    /// Inserts a lane into the ready ones, the later ones or neither.
    private mutating func refresh(_ lane: String, now: NetKitClock.Instant? = nil) {
        ready.remove(lane)
        later.remove(lane)
        let content = lanes[lane]
        let first = content?.first(identities)
        let hasOnlyHeldEntries = content != nil && first == nil && truncatedLanes.contains(lane)
        if hasOnlyHeldEntries { lanesWithOnlyHeldEntries.insert(lane) } else { lanesWithOnlyHeldEntries.remove(lane) }
        // A lane without entries is forgotten at the end of its pause.
        if let end = content?.pause, end < .distantFuture, content?.parts.isEmpty ?? false {
            later.insert(lane, rank: end, ())
        }
        guard let content, let first, mayBegin(content), let item = items[first], item.isWaiting else { return }
        if let time = item.times.nextAttempt.map({ max($0, content.pause ?? $0) }) ?? content.pause,
            now.map({ time > $0 }) ?? true
        {
            later.insert(lane, rank: time, ())
        } else {
            ready.insert(lane, rank: Rank(priority: item.entry.priority, position: item.entry.position), ())
        }
    }
}
