import Foundation
import NetKit

/// The state of a store that several queues share: the entries and the owners of their shards.
///
/// It has one clock, and knows the queues as a database would: by their numbers, leases and writes. Like PostgreSQL, it
/// compares lanes, coalescing keys and identities byte by byte.
struct SharedOfflineState {
    struct Row {
        var entry: OfflineEntry
        var stored: StoredRequest
        var isBegun = false
        var isInLine = true
        var isToBeRemoved = false
    }

    private struct Pause {
        /// The end of the pause; `nil` if there is none.
        var end: NetKitClock.Instant?
        var reason: OfflinePauseReason?
    }

    private struct Shard {
        var owner: Int?
        var fence: Int64 = 0
        /// The waiting entries of each lane, in order.
        var lanes: [ExactText: [UUID]] = [:]
        var pauses: [ExactText: Pause] = [:]
    }

    private(set) var rows: [UUID: Row] = [:]
    private var shards: [Shard]
    private var replicas: [Int: NetKitClock.Instant] = [:]
    private(set) var tally = OfflineTally()
    private let clock: NetKitClock
    private let lease: Duration

    init(shardCount: Int, clock: NetKitClock, lease: Duration) {
        shards = Array(repeating: Shard(), count: max(1, shardCount))
        self.clock = clock
        self.lease = lease
    }

    /// Returns the shard of a lane.
    func shard(of lane: String) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in lane.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(hash % UInt64(shards.count))
    }

    func owner(of shard: Int) -> Int? { shards[shard].owner }

    // MARK: Ownership

    /// Renews the lease of a queue, releases the shards of dead queues, and assigns free shards up to the queue's
    /// share.
    mutating func beat(_ me: Int) -> ReplicaLease.Beat {
        let now = clock.now
        replicas[me] = now.advanced(by: lease)
        let dead = replicas.filter { $0.value <= now }.map(\.key)
        for number in dead { leave(number) }
        let share = (shards.count + replicas.count - 1) / replicas.count
        var mine = shards.indices.filter { shards[$0].owner == me }
        for index in shards.indices where mine.count < share && shards[index].owner == nil {
            shards[index].owner = me
            shards[index].fence += 1
            mine.append(index)
        }
        let others = replicas.filter { $0.key != me }.values.min()
        return ReplicaLease.Beat(
            shards: Dictionary(uniqueKeysWithValues: mine.map { ($0, shards[$0].fence) }),
            surplus: Set(mine.sorted().dropFirst(share)),
            nextLapse: others.map { now.duration(to: $0) }
        )
    }

    /// Releases some shards of a queue, or all of them with its lease.
    mutating func leave(_ me: Int, _ some: Set<Int>? = nil) {
        for index in shards.indices where shards[index].owner == me && some?.contains(index) ?? true {
            shards[index].owner = nil
            shards[index].fence += 1
        }
        if some == nil { replicas[me] = nil }
    }

    /// Returns whether a shard belongs to a queue that knows its fence.
    func isOwned(_ shard: Int, by me: Int, _ fence: Int64?) -> Bool {
        shards[shard].owner == me && shards[shard].fence == fence
    }

    // MARK: Entries

    mutating func append(_ addition: OfflineAddition, within bounds: OfflineBounds) throws -> OfflineAppendResult {
        let request = addition.request
        if let row = rows[request.id] { return try known(row, request) }
        var entry = OfflineEntry(request, position: tally.lastPosition + 1, byteCount: addition.byteCount)
        entry.shard = shard(of: request.lane)
        let lane = ExactText(entry.lane)
        var replaced: [OfflineEntry] = []
        if let key = key(of: entry), request.coalescing != .append {
            let identity = identity(of: entry)
            replaced = (shards[entry.shard].lanes[lane] ?? []).compactMap { rows[$0] }
                .filter { row in
                    self.key(of: row.entry) == key && self.identity(of: row.entry) == identity && isFree(row)
                }
                .map(\.entry)
            if request.coalescing == .keep, let last = replaced.last { return .kept(last.id) }
        }
        let dropped = try makeRoom(for: entry, replacing: replaced, bounds)
        for other in replaced + dropped { remove(other.id) }
        tally.add(entry)
        rows[entry.id] = Row(entry: entry, stored: StoredRequest(request: request))
        shards[entry.shard].lanes[lane, default: []].append(entry.id)
        return .added(entry, replaced: replaced, dropped: dropped)
    }

    /// Returns the result for an identifier that exists, if the same request was added before.
    private func known(_ row: Row, _ request: QueuedRequest) throws -> OfflineAppendResult {
        let stored = row.stored.request
        guard stored.isSame(as: request, body: request.body?.bytes) else {
            throw NetKitError.entryExists(request.id)
        }
        guard stored.idempotencyKey == request.idempotencyKey else { return .kept(request.id) }
        return .added(row.entry, replaced: [], dropped: [])
    }

    private func key(of entry: OfflineEntry) -> ExactText? { entry.coalescingKey.map { ExactText($0) } }

    private func identity(of entry: OfflineEntry) -> ExactText? { entry.identity.map { ExactText($0) } }

    private func isFree(_ row: Row) -> Bool { row.entry.state == .waiting && !row.isBegun && !row.isToBeRemoved }

    private func makeRoom(
        for entry: OfflineEntry,
        replacing replaced: [OfflineEntry],
        _ bounds: OfflineBounds
    ) throws -> [OfflineEntry] {
        if let most = bounds.maxDeadLetters, tally.deadLetterCount >= most { throw bounds.refusal(tally) }
        var count = tally.count + 1 - replaced.count
        var bytes = tally.byteCount + entry.byteCount - replaced.reduce(0) { $0 + $1.byteCount }
        var dropped: [OfflineEntry] = []
        guard count > bounds.maxEntries || bytes > bounds.maxBytes else { return dropped }
        let leaving = Set(replaced.map(\.id))
        let identity = identity(of: entry)
        let others = rows.values.filter { self.identity(of: $0.entry) == identity && !leaving.contains($0.entry.id) }
        let candidates =
            others.filter { $0.entry.state == .deadLetter }.map(\.entry).sorted { $0.position < $1.position }
            + others.filter(isFree).map(\.entry).sorted { $0.position < $1.position }
        for other in candidates where bounds.dropsOldest && (count > bounds.maxEntries || bytes > bounds.maxBytes) {
            dropped.append(other)
            count -= 1
            bytes -= other.byteCount
        }
        guard count <= bounds.maxEntries, bytes <= bounds.maxBytes else { throw bounds.refusal(tally) }
        return dropped
    }

    @discardableResult
    mutating func remove(_ id: UUID) -> OfflineEntry? {
        guard let row = rows.removeValue(forKey: id) else { return nil }
        tally.add(row.entry, -1)
        if row.isInLine { leaveLine(row.entry) }
        return row.entry
    }

    mutating func update(_ id: UUID, _ update: OfflineUpdate) -> OfflineEntry? {
        guard var row = rows[id] else { return nil }
        tally.add(row.entry, -1)
        row.entry = row.entry.updated(by: update, at: clock.date)
        tally.add(row.entry)
        let isInLine = row.entry.state == .waiting || update.holdsUpLane
        if row.isInLine, !isInLine { leaveLine(row.entry) }
        if !row.isInLine, isInLine { enterLine(row.entry) }
        row.isInLine = isInLine
        if let request = update.request { row.stored.request = request }
        row.stored.detail = update.detail
        rows[id] = row
        return row.entry
    }

    /// Removes dead letters that are too old, and the oldest ones above a number.
    mutating func removeDeadLetters(olderThan age: Duration?, above maxCount: Int?, limit: Int) -> [OfflineRemovedEntry]
    {
        let letters = browse(OfflineFilter(states: [.deadLetter]), after: nil, limit: .max)
        let excess = maxCount.map { letters.count - max(0, $0) } ?? 0
        let (filter, date) = (OfflineFilter(olderThan: age), clock.date)
        let leaving = letters.enumerated().filter { index, entry in
            index < excess || age != nil && filter.matches(entry, at: date)
        }
        return leaving.prefix(max(0, limit)).compactMap { _, entry in
            guard let row = rows[entry.id] else { return nil }
            remove(entry.id)
            return OfflineRemovedEntry(entry, .success(row.stored.counting(entry)))
        }
    }

    mutating func set(_ id: UUID, isBegun: Bool) {
        rows[id]?.isBegun = isBegun
    }

    mutating func askToRemove(_ id: UUID) {
        rows[id]?.isToBeRemoved = true
    }

    private mutating func leaveLine(_ entry: OfflineEntry) {
        let lane = ExactText(entry.lane)
        shards[entry.shard].lanes[lane]?.removeAll { $0 == entry.id }
        if shards[entry.shard].lanes[lane]?.isEmpty == true { shards[entry.shard].lanes[lane] = nil }
    }

    private mutating func enterLine(_ entry: OfflineEntry) {
        let lane = ExactText(entry.lane)
        var line = shards[entry.shard].lanes[lane] ?? []
        let index = line.firstIndex { (rows[$0]?.entry.position ?? 0) > entry.position } ?? line.endIndex
        line.insert(entry.id, at: index)
        shards[entry.shard].lanes[lane] = line
    }

    // MARK: Reading

    mutating func pause(_ lane: String, until end: NetKitClock.Instant?, because reason: OfflinePauseReason?) {
        let (shard, name) = (shard(of: lane), ExactText(lane))
        if reason != nil, let other = shards[shard].pauses[name] {
            guard let otherEnd = other.end, end.map({ $0 > otherEnd }) ?? true else { return }
        }
        shards[shard].pauses[name] = Pause(end: end, reason: reason)
    }

    mutating func resume(_ lane: String) {
        shards[shard(of: lane)].pauses[ExactText(lane)] = nil
    }

    /// Ends the pauses with a reason, and returns the shards that had some.
    mutating func resumeLanes(pausedBecause reason: OfflinePauseReason) -> [Int] {
        let changed = shards.indices.filter { shards[$0].pauses.values.contains { $0.reason == reason } }
        for index in changed { shards[index].pauses = shards[index].pauses.filter { $0.value.reason != reason } }
        return changed
    }

    func listing(of some: Set<Int>, depth: Int) -> OfflineListing {
        var found: [Row] = []
        var pauses: [String: Duration?] = [:]
        let (now, depth) = (clock.now, max(0, depth))
        for index in some {
            for line in shards[index].lanes.values {
                let (front, rest) = (line.prefix(depth), line.dropFirst(depth))
                // Entries whose removal was requested are always listed.
                let asked = rest.filter { rows[$0]?.isToBeRemoved == true }
                found += (front + asked).compactMap { rows[$0] }
            }
            for (lane, pause) in shards[index].pauses {
                if let end = pause.end, end <= now { continue }
                pauses.updateValue(pause.end.map { now.duration(to: $0) }, forKey: lane.text)
            }
        }
        let date = clock.date
        let lines = found.sorted { $0.entry.position < $1.entry.position }.map { row in
            var line = OfflineListedEntry(row.entry, at: date)
            line.isToBeRemoved = row.isToBeRemoved
            return line
        }
        return OfflineListing(lines: lines, pauses: pauses)
    }

    func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) -> [OfflineEntry] {
        filter.page(of: rows.values.map(\.entry), at: clock.date, after: position, limit: limit)
    }
}
