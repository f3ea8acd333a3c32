import Foundation

/// Which entry comes next, and when: the queue's state without its actor, its store or its clock.
///
/// A lane is strictly in order: its first entry decides when the lane is ready, and no other is looked at before that one
/// is done with. Of the ready lanes the one with the highest priority comes first, then the one whose entry is older.
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

    enum Place: Equatable {
        /// Its append has not returned yet.
        case arriving
        case waiting
        /// Somebody sends it or decides about it.
        case busy
        /// A dead letter or a conflict.
        case aside
    }

    struct Item {
        var entry: OfflineEntry
        var place: Place
    }

    struct Rank: Comparable {
        let priority: Int
        let position: Int64

        static func < (left: Rank, right: Rank) -> Bool {
            left.priority != right.priority ? left.priority > right.priority : left.position < right.position
        }
    }

    private(set) var items: [UUID: Item] = [:]
    private var lanes: [String: LaneLine] = [:]
    private var ready = RankedHeap<String, Rank, Void>()
    private var later = RankedHeap<String, Date, Void>()
    private var expiries = RankedHeap<UUID, Date, Void>()
    private var options: [String: LaneOptions]
    private var nextPosition: Int64 = 1
    /// How many entries wait or are being sent.
    private(set) var pendingCount = 0
    /// How much room everything takes.
    private(set) var byteCount = 0
    private(set) var busyCount = 0

    init(options: [String: LaneOptions] = [:]) {
        self.options = options
    }

    var count: Int { items.count }

    subscript(_ id: UUID) -> Item? { items[id] }

    /// The entries of a state, in order.
    func entries(_ state: OfflineEntry.State) -> [OfflineEntry] {
        items.values.filter { $0.entry.state == state && $0.place != .arriving }.map(\.entry)
            .sorted { $0.position < $1.position }
    }

    func isPaused(_ lane: String) -> Bool { lanes[lane]?.pause != nil }

    var pausedLanes: [String] { lanes.filter { $0.value.pause != nil }.keys.sorted() }

    /// The next place in the queue.
    mutating func takePosition() -> Int64 {
        defer { nextPosition += 1 }
        return nextPosition
    }

    /// Takes in what a store holds.
    mutating func load(_ entries: [OfflineEntry]) {
        for entry in entries where items[entry.id] == nil {
            add(entry, entry.state == .waiting ? .waiting : .aside)
        }
    }

    /// Forgets what a store does not hold any more, and nobody here is busy with.
    mutating func keepOnly(_ ids: Set<UUID>) {
        for (id, item) in items where item.place == .waiting || item.place == .aside {
            if !ids.contains(id) { remove(id) }
        }
    }

    mutating func add(_ entry: OfflineEntry, _ place: Place) {
        items[entry.id] = Item(entry: entry, place: place)
        nextPosition = max(nextPosition, entry.position &+ 1)
        byteCount += entry.byteCount
        if place != .aside { pendingCount += 1 }
        if place == .busy { busyCount += 1 }
        lanes[entry.lane, default: LaneLine()].insert(entry.id, at: entry.position)
        if let expiresAt = entry.expiresAt, place == .waiting { expiries.insert(entry.id, rank: expiresAt, ()) }
        refresh(entry.lane)
    }

    mutating func remove(_ id: UUID) {
        guard let item = items.removeValue(forKey: id) else { return }
        byteCount -= item.entry.byteCount
        if item.place != .aside { pendingCount -= 1 }
        if item.place == .busy { busyCount -= 1 }
        expiries.remove(id)
        lanes[item.entry.lane]?.remove(id, at: item.entry.position)
        if lanes[item.entry.lane]?.isForgettable == true { lanes[item.entry.lane] = nil }
        refresh(item.entry.lane)
    }

    /// Puts an entry somewhere else, changed or not.
    mutating func set(_ id: UUID, _ place: Place, _ entry: OfflineEntry? = nil) {
        guard var item = items[id] else { return }
        if (item.place == .aside) != (place == .aside) { pendingCount += place == .aside ? -1 : 1 }
        busyCount += (place == .busy ? 1 : 0) - (item.place == .busy ? 1 : 0)
        item.place = place
        if let entry {
            byteCount += entry.byteCount - item.entry.byteCount
            item.entry = entry
        }
        items[id] = item
        if place == .waiting, let expiresAt = item.entry.expiresAt {
            expiries.insert(id, rank: expiresAt, ())
        } else {
            expiries.remove(id)
        }
        refresh(item.entry.lane)
    }

    /// The waiting entries of a lane and coalescing key, in order.
    func waiting(lane: String, key: String) -> [UUID] {
        guard let line = lanes[lane] else { return [] }
        return line.ids.filter { items[$0]?.place == .waiting && items[$0]?.entry.coalescingKey == key }
    }

    func hasPending(in lane: String) -> Bool {
        lanes[lane]?.ids.contains { items[$0].map { $0.place != .aside } ?? false } ?? false
    }

    /// What waits and may make room, oldest first.
    func droppable(_ excluded: [UUID]) -> [OfflineEntry] {
        items.values.filter { $0.place == .waiting && !excluded.contains($0.entry.id) }.map(\.entry)
            .sorted { $0.position < $1.position }
    }

    /// The last place that was taken.
    var lastPosition: Int64 { nextPosition - 1 }

    /// Whether an entry up to a place is being dealt with, or may be now.
    func hasWork(upTo position: Int64) -> Bool {
        if busyCount > 0, items.values.contains(where: { $0.place == .busy && $0.entry.position <= position }) {
            return true
        }
        return ready.contains { $0.position <= position }
    }

    /// Holds a lane up, until a time or until `resume`.
    mutating func pause(_ lane: String, until: Date?) {
        lanes[lane, default: LaneLine()].pause = until ?? .distantFuture
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
        items[id]?.entry.notBefore = nil
        refresh(item.entry.lane)
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
        return .wait(until: [isSending ? later.firstRank : nil, expiries.firstRank].compactMap { $0 }.min())
    }

    /// The entry that decides about a lane, if any may be sent before another is done with.
    private func head(of lane: String) -> UUID? {
        guard let line = lanes[lane] else { return nil }
        let options = options[lane] ?? LaneOptions()
        for id in line.ids {
            guard let item = items[id] else { continue }
            switch item.place {
            case .waiting: return id
            case .arriving, .busy: return nil
            case .aside:
                let isBlocking = item.entry.state == .conflict ? options.conflictsBlock : options.deadLettersBlock
                if isBlocking { return nil }
            }
        }
        return nil
    }

    /// Puts a lane where it belongs: ready, later or nowhere.
    private mutating func refresh(_ lane: String, now: Date? = nil) {
        ready.remove(lane)
        later.remove(lane)
        guard let id = head(of: lane), let entry = items[id]?.entry else { return }
        let times = [lanes[lane]?.pause, entry.notBefore].compactMap { $0 }
        if let time = times.max(), now.map({ time > $0 }) ?? true {
            later.insert(lane, rank: time, ())
        } else {
            ready.insert(lane, rank: Rank(priority: entry.priority, position: entry.position), ())
        }
    }
}
