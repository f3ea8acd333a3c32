import Foundation

/// Which entry comes next, and when: the queue's state without its actor, its store or its clock.
///
/// A lane is strictly in order: its first entry decides when the lane is ready, and no other is looked at before that one
/// is done with. Entries whose identity is not the client's are passed over: they wait, and hold up no others. Of the ready
/// lanes the one with the highest priority comes first, then the one whose entry is older.
struct QueueBook {
    /// What is to be done now.
    enum Step: Equatable {
        /// Lease and send an entry.
        case send(UUID)
        /// The time of an entry is over: it becomes a dead letter.
        case expire(UUID)
        /// Nothing before a time; nil where only an event can change that.
        case wait(until: Date?)
    }

    enum Place: Equatable, Sendable {
        /// Its append has not returned yet.
        case arriving
        case waiting
        /// Somebody sends it or decides about it.
        case busy
        /// A dead letter or a conflict.
        case aside
    }

    /// An object, because a dictionary keeps room for more values than it has.
    final class Item: Sendable {
        let entry: OfflineEntry
        let place: Place

        var isSettled: Bool { place == .waiting || place == .aside }

        init(entry: OfflineEntry, place: Place) {
            self.entry = entry
            self.place = place
        }
    }

    struct Rank: Comparable {
        let priority: Int
        let position: Int64

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.position < right.position
        }
    }

    /// What entries have to have in common to be about the same thing.
    private struct Subject: Hashable {
        let lane: String
        let key: String
        let owner: EntryOwner?
    }

    private(set) var items: [UUID: Item] = [:]
    /// What is on its way or blocks the way; other dead letters and conflicts are in no line.
    private var lanes: [String: Lane] = [:]
    private(set) var owners = OwnerTable()
    private var subjects: [Subject: Set<UUID>] = [:]
    private var ready = RankedHeap<String, Rank, Void>()
    private var later = RankedHeap<String, Date, Void>()
    private var expiries = RankedHeap<UUID, Date, Void>()
    private var options: [String: LaneOptions]
    private var nextPosition: Int64 = 1
    /// How many entries wait or are being sent.
    private(set) var pendingCount = 0
    /// How much room everything takes.
    private(set) var byteCount = 0
    private(set) var deadLetterCount = 0
    private var busy: Set<UUID> = []

    init(options: [String: LaneOptions] = [:]) {
        self.options = options
    }

    var count: Int { items.count }

    var busyCount: Int { busy.count }

    subscript(_ id: UUID) -> Item? { items[id] }

    /// The entries of a state, in order.
    func entries(_ state: OfflineEntry.State) -> [OfflineEntry] {
        items.values.filter { $0.entry.state == state && $0.place != .arriving }.map(\.entry)
            .orderedByNumber(\.position)
    }

    func isPaused(_ lane: String) -> Bool { lanes[lane]?.pause != nil }

    var pausedLanes: [String] { lanes.filter { $0.value.pause != nil }.keys.ordered() }

    /// The next place in the queue.
    mutating func takePosition() -> Int64 {
        defer { nextPosition += 1 }
        return nextPosition
    }

    /// Takes in what a store holds.
    mutating func load(_ entries: some Sequence<OfflineEntry>) {
        var touched: Set<String> = []
        for entry in entries where items[entry.id] == nil {
            insert(entry, entry.state == .waiting ? .waiting : .aside)
            touched.insert(entry.lane)
        }
        for lane in touched { refresh(lane) }
    }

    /// The entries that nobody is busy with and that are in the store.
    var settledIDs: Set<UUID> { Set(items.values.filter(\.isSettled).map(\.entry.id)) }

    /// Forgets entries that a store does not hold any more, unless somebody is busy with them by now.
    mutating func forget(_ ids: Set<UUID>) {
        for id in ids where items[id]?.isSettled == true { remove(id) }
    }

    mutating func add(_ entry: OfflineEntry, _ place: Place, of owner: EntryOwner? = nil) {
        owners.note(owner, of: entry.id)
        insert(entry, place)
        if first(of: entry.lane) == entry.id { refresh(entry.lane) }
    }

    private mutating func insert(_ entry: OfflineEntry, _ place: Place) {
        nextPosition = max(nextPosition, entry.position &+ 1)
        let item = Item(entry: entry, place: place)
        items[entry.id] = item
        if let subject = subject(entry) { subjects[subject, default: []].insert(entry.id) }
        enter(item)
    }

    mutating func remove(_ id: UUID) {
        guard let item = items.removeValue(forKey: id) else { return }
        leave(item)
        if let subject = subject(item.entry) {
            subjects[subject]?.remove(id)
            if subjects[subject]?.isEmpty == true { subjects[subject] = nil }
        }
        owners.forget(id)
        refresh(item.entry.lane)
    }

    /// Puts an entry somewhere else, changed or not.
    mutating func set(_ id: UUID, _ place: Place, _ entry: OfflineEntry? = nil) {
        guard let old = items[id] else { return }
        let wasFirst = first(of: old.entry.lane) == id
        let item = Item(entry: entry ?? old.entry, place: place)
        items[id] = item
        leave(old, staysInLine: isInLine(item))
        enter(item, isInLine: isInLine(old))
        // Who comes behind another does not change when that one's turn is.
        if wasFirst || first(of: item.entry.lane) == id { refresh(item.entry.lane) }
    }

    /// Counts an item, and puts it wherever its place says.
    private mutating func enter(_ item: Item, isInLine isThere: Bool = false) {
        let entry = item.entry
        byteCount += entry.byteCount
        if item.place != .aside { pendingCount += 1 }
        if item.place == .aside, entry.state == .deadLetter { deadLetterCount += 1 }
        if item.place == .busy { busy.insert(entry.id) }
        if item.place == .waiting, let expiresAt = entry.expiresAt { expiries.insert(entry.id, rank: expiresAt, ()) }
        let group = owners.group(of: entry)
        if let group, item.place == .waiting { owners.enter(entry.id, group) }
        guard !isThere, isInLine(item) else { return }
        lanes[entry.lane, default: Lane()].insert(entry.id, at: entry.position, of: group)
    }

    private mutating func leave(_ item: Item, staysInLine: Bool = false) {
        let entry = item.entry
        byteCount -= entry.byteCount
        if item.place != .aside { pendingCount -= 1 }
        if item.place == .aside, entry.state == .deadLetter { deadLetterCount -= 1 }
        if item.place == .busy { busy.remove(entry.id) }
        if entry.expiresAt != nil { expiries.remove(entry.id) }
        let group = owners.group(of: entry)
        if let group, item.place == .waiting { owners.leave(group) }
        guard !staysInLine, isInLine(item) else { return }
        lanes[entry.lane]?.remove(entry.id, at: entry.position, of: group)
        if lanes[entry.lane]?.isForgettable == true { lanes[entry.lane] = nil }
    }

    /// Whether an item may have others wait for it.
    private func isInLine(_ item: Item) -> Bool {
        guard item.place == .aside else { return true }
        let options = options[item.entry.lane] ?? LaneOptions()
        return item.entry.state == .conflict ? options.conflictsBlock : options.deadLettersBlock
    }

    private func subject(_ entry: OfflineEntry) -> Subject? {
        entry.coalescingKey.map { Subject(lane: entry.lane, key: $0, owner: owners.owner(of: entry)) }
    }

    /// The waiting entries of a lane, coalescing key and owner, in order.
    func waiting(lane: String, key: String, of owner: EntryOwner? = nil) -> [UUID] {
        let waiting = (subjects[Subject(lane: lane, key: key, owner: owner)] ?? []).compactMap { items[$0] }
        return waiting.filter { $0.place == .waiting }.map(\.entry).orderedByNumber(\.position).map(\.id)
    }

    /// Whether a lane has entries that a call of an identity must not overtake: those of the same one, and those of none.
    func hasPending(in lane: String, for identity: CredentialIdentity? = nil) -> Bool {
        lanes[lane]?.parts.contains { part in
            if let group = part.group {
                guard identity?.continues(group.owner.identity) ?? !owners.isHeld(group) else { return false }
            }
            return part.line.ids.contains { items[$0].map { $0.place != .aside } ?? false }
        } ?? false
    }

    /// The oldest entry of an owner that waits, without some.
    func oldestWaiting(of owner: EntryOwner?, without excluded: Set<UUID>) -> OfflineEntry? {
        lanes.values.lazy.flatMap(\.parts).filter { $0.group?.owner == owner }.compactMap { part in
            part.line.ids.first { items[$0]?.place == .waiting && !excluded.contains($0) }.flatMap { items[$0]?.entry }
        }
        .min { $0.position < $1.position }
    }

    /// The last place that was taken.
    var lastPosition: Int64 { nextPosition - 1 }

    /// Whether an entry up to a place is being dealt with, or may be now.
    func hasWork(upTo position: Int64) -> Bool {
        busy.contains { items[$0].map { $0.entry.position <= position } ?? false }
            || ready.contains { $0.position <= position }
    }

    /// Holds a lane up, until a time or until `resume`.
    mutating func pause(_ lane: String, until: Date?) {
        lanes[lane, default: Lane()].pause = until ?? .distantFuture
        refresh(lane)
    }

    mutating func resume(_ lane: String) {
        lanes[lane]?.pause = nil
        if lanes[lane]?.isForgettable == true { lanes[lane] = nil }
        refresh(lane)
    }

    /// Has an entry wait for nothing but its turn.
    mutating func forgetWait(_ id: UUID) {
        guard let item = items[id], item.place == .waiting else { return }
        var entry = item.entry
        entry.notBefore = nil
        items[id] = Item(entry: entry, place: .waiting)
        refresh(entry.lane)
    }

    /// What is to be done now; `isSending` is false while nothing can be sent, though time goes on.
    mutating func next(now: Date, isSending: Bool) -> Step {
        if let due = expiries.firstRank, due <= now, let (id, _) = expiries.popFirst() { return .expire(id) }
        while let due = later.firstRank, due <= now, let (lane, _) = later.popFirst() {
            if let pause = lanes[lane]?.pause, pause <= now { lanes[lane]?.pause = nil }
            refresh(lane, now: now)
        }
        if isSending, let (lane, _) = ready.popFirst() {
            guard let id = head(of: lane) else { return next(now: now, isSending: isSending) }
            return .send(id)
        }
        guard isSending, let due = later.firstRank else { return .wait(until: expiries.firstRank) }
        return .wait(until: min(due, expiries.firstRank ?? due))
    }

    /// The entry that decides about a lane, if any may be sent before another is done with.
    private func head(of lane: String) -> UUID? {
        first(of: lane).flatMap { items[$0]?.place == .waiting ? $0 : nil }
    }

    private func first(of lane: String) -> UUID? { lanes[lane]?.first(owners) }

    // MARK: Identity

    /// Whether an entry waits until its identity is the client's.
    func isHeld(_ item: Item) -> Bool { item.place == .waiting && owners.isHeld(owners.group(of: item.entry)) }

    /// Has the entries of a group wait, or go on.
    mutating func set(_ group: OwnerGroup, isHeld: Bool) {
        guard isHeld ? owners.hold(group) : owners.release(group) else { return }
        if isHeld {
            let waiting = items.values.filter { $0.place == .waiting && owners.group(of: $0.entry) == group }
            owners.noteHeld(waiting.map(\.entry).orderedByNumber(\.position).map(\.id))
        }
        for (lane, content) in lanes where content.contains(group) { refresh(lane) }
    }

    /// Puts an entry that the client refused to send as its owner into a group of its own.
    mutating func separate(_ id: UUID, host: String) {
        guard let item = items[id] else { return }
        leave(item)
        owners.setHost(host, of: id)
        enter(item)
        refresh(item.entry.lane)
    }

    mutating func takeNewlyHeld() -> [UUID] { owners.takeNewlyHeld() }

    /// Puts a lane where it belongs: ready, later or nowhere.
    private mutating func refresh(_ lane: String, now: Date? = nil) {
        ready.remove(lane)
        later.remove(lane)
        guard let id = head(of: lane), let entry = items[id]?.entry else { return }
        let pause = lanes[lane]?.pause
        if let time = entry.notBefore.map({ max($0, pause ?? $0) }) ?? pause, now.map({ time > $0 }) ?? true {
            later.insert(lane, rank: time, ())
        } else {
            ready.insert(lane, rank: Rank(priority: entry.priority, position: entry.position), ())
        }
    }
}
