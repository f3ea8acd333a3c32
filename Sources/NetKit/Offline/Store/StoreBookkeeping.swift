import Foundation

/// The entries of a store, which its bookkeeping searches.
///
/// They are passed as `any EntryTable`, so that the code of the bookkeeping is generated once.
protocol EntryTable {
    var bookkeeping: StoreBookkeeping { get set }
    var allEntries: [OfflineEntry] { get }

    func entry(_ id: UUID) -> OfflineEntry?
}

extension EntryTable {
    /// Finds room and a place for an entry, or returns a promise for which it has to wait first.
    ///
    /// Entries that waited for the same promise continue at the same time, so both happen under one lock. Not inlined,
    /// because the loop of a store that waits would have it twice.
    @inline(never)
    mutating func admitOrWait(
        _ addition: OfflineAddition,
        within bounds: OfflineBounds
    ) throws -> (admission: StoreBookkeeping.Admission?, writes: Promise<Void>?) {
        if let writes = bookkeeping.writes(before: addition) { return (nil, writes) }
        return (try admit(addition, within: bounds), nil)
    }

    /// Finds room and a place for an entry; `finish` or `withdraw` of the bookkeeping has to follow.
    mutating func admit(
        _ addition: OfflineAddition,
        within bounds: OfflineBounds
    ) throws -> StoreBookkeeping.Admission {
        // The bookkeeping is taken out meanwhile, because it changes while it reads the table.
        var bookkeeping = StoreBookkeeping()
        swap(&bookkeeping, &self.bookkeeping)
        defer { swap(&bookkeeping, &self.bookkeeping) }
        return try bookkeeping.admit(addition, within: bounds, self)
    }
}

/// The bookkeeping of a store with one shard, which finds room for new entries and the entries that they replace.
///
/// The entries themselves are in the store's table, which reports every change to the bookkeeping.
struct StoreBookkeeping {
    /// The properties that entries on the same subject have in common.
    fileprivate struct Subject: Hashable {
        let lane: ExactText
        let key: ExactText
        let identity: ExactText?

        init(lane: String, key: String, identity: ExactText?) {
            (self.lane, self.key, self.identity) = (ExactText(lane), ExactText(key), identity)
        }
    }

    /// The result of asking for room.
    enum Admission {
        /// An entry with the same coalescing key stays.
        case kept(UUID)
        case admitted(Plan)
    }

    /// An entry for which there is room, and those that leave when it is written.
    struct Plan {
        let entry: OfflineEntry
        let identity: ExactText?
        /// The subject of the entry; `nil` if it has none.
        fileprivate let subject: Subject?
        var replaced: [OfflineEntry] = []
        var dropped: [OfflineEntry] = []

        var leaving: [UUID] { replaced.map(\.id) + dropped.map(\.id) }
    }

    /// Entries on one subject that are being written.
    private struct WriteGroup {
        var count = 0
        /// Whether an addition waits for them; later additions to the subject then wait as well.
        var isAwaited = false
        /// A promise that ends with the last of them.
        let end = Promise<Void>()
    }

    /// The entries of an identity in the order in which they make room.
    private struct DropOrder {
        var deadLetters = EntryLine()
        var waiting = EntryLine()

        mutating func insert(_ entry: OfflineEntry) { change(entry) { $0.insert(entry.id, at: entry.position) } }

        mutating func remove(_ entry: OfflineEntry) { change(entry) { $0.remove(entry.id, at: entry.position) } }

        private mutating func change(_ entry: OfflineEntry, _ body: (inout EntryLine) -> Void) {
            switch entry.state {
            case .waiting: body(&waiting)
            case .deadLetter: body(&deadLetters)
            // A conflict waits for a person, and is never dropped.
            default: break
            }
        }
    }

    private(set) var tally = OfflineTally()
    private var subjects: [Subject: [UUID]] = [:]
    /// The identities without a persistent name, which the process alone remembers.
    private var temporaryIdentities: [UUID: String] = [:]
    /// The entries that are being sent, if the store was told.
    private var begun: Set<UUID> = []
    /// The entries that leave when a pending write is safe.
    private var leaving: Set<UUID> = []
    /// A promise that ends with the next write with which entries leave, if a removal waits for one.
    private var departure: Promise<Void>?
    /// The entries that are being written.
    private var beingWritten: [UUID: OfflineEntry] = [:]
    private var bytesBeingWritten = 0
    /// The entries on each subject that are being written.
    private var writeGroups: [Subject: WriteGroup] = [:]
    /// The order in which entries make room; made when an entry first finds no room, because most queues never need it.
    private var dropOrders: [ExactText?: DropOrder]?
    private var pauses: [String: NetKitClock.Instant?] = [:]

    // MARK: Changes of the table

    mutating func insert(_ entry: OfflineEntry) {
        endWriting(entry.id)
        tally.add(entry)
        if let subject = subject(of: entry) { subjects[subject, default: []].append(entry.id) }
        let identity = identity(of: entry)
        dropOrders?[identity, default: DropOrder()].insert(entry)
    }

    mutating func remove(_ entry: OfflineEntry) {
        tally.add(entry, -1)
        if let subject = subject(of: entry) {
            subjects[subject]?.removeAll { $0 == entry.id }
            if subjects[subject]?.isEmpty == true { subjects[subject] = nil }
        }
        let identity = identity(of: entry)
        dropOrders?[identity]?.remove(entry)
        begun.remove(entry.id)
        leaving.remove(entry.id)
        if !temporaryIdentities.isEmpty { temporaryIdentities[entry.id] = nil }
    }

    /// Notes that an entry was changed; its lane, key and identity stay the same.
    mutating func change(_ old: OfflineEntry, to new: OfflineEntry) {
        tally.add(old, -1)
        tally.add(new)
        begun.remove(old.id)
        guard dropOrders != nil else { return }
        let identity = identity(of: old)
        dropOrders?[identity]?.remove(old)
        dropOrders?[identity, default: DropOrder()].insert(new)
    }

    // MARK: Adding

    /// Returns a promise for which an entry has to wait, because others are being written that it may replace, or that
    /// may stay instead.
    ///
    /// Once an entry waits, all later ones on its subject do, so that their number falls to zero.
    fileprivate mutating func writes(before addition: OfflineAddition) -> Promise<Void>? {
        guard !writeGroups.isEmpty, let key = addition.request.coalescingKey else { return nil }
        let subject = Subject(lane: addition.request.lane, key: key, identity: addition.identity.map { ExactText($0) })
        guard let group = writeGroups[subject], group.isAwaited || addition.request.coalescing != .append else {
            return nil
        }
        writeGroups[subject]?.isAwaited = true
        return group.end
    }

    fileprivate mutating func admit(
        _ addition: OfflineAddition,
        within bounds: OfflineBounds,
        _ table: any EntryTable
    ) throws -> Admission {
        let id = addition.request.id
        guard table.entry(id) == nil, !isBeingWritten(id) else { throw NetKitError.entryExists(id) }
        let lastPosition = tally.lastPosition + 1
        let entry = OfflineEntry(addition.request, position: lastPosition, byteCount: addition.byteCount)
        let identity = addition.identity.map { ExactText($0) }
        let subject = entry.coalescingKey.map { Subject(lane: entry.lane, key: $0, identity: identity) }
        var plan = Plan(entry: entry, identity: identity, subject: subject)
        if let subject, addition.request.coalescing != .append {
            let waiting = (subjects[subject] ?? []).compactMap { table.entry($0) }.filter { isWaiting($0) }
                .orderedByNumber(\.position)
            if addition.request.coalescing == .keep, let last = waiting.last { return .kept(last.id) }
            plan.replaced = waiting
        }
        try makeRoom(&plan, within: bounds, table)
        tally.lastPosition = lastPosition
        if let name = addition.identity, entry.identity == nil { temporaryIdentities[entry.id] = name }
        beingWritten[entry.id] = entry
        bytesBeingWritten += entry.byteCount
        if let subject = plan.subject { writeGroups[subject, default: WriteGroup()].count += 1 }
        leaving.formUnion(plan.leaving)
        return .admitted(plan)
    }

    func isBeingWritten(_ id: UUID) -> Bool { beingWritten[id] != nil }

    /// Ends an admission after which the entry is in the table and those that leave are not.
    ///
    /// - Returns: The promises to end, for which other additions and removals wait.
    @discardableResult
    mutating func finish(_ plan: Plan) -> [Promise<Void>] {
        endWriting(plan.entry.id)
        var ended: [Promise<Void>] = []
        if let departure = endLeaving(plan.leaving) { ended.append(departure) }
        guard let subject = plan.subject, let group = writeGroups[subject] else { return ended }
        writeGroups[subject]?.count -= 1
        if group.count == 1 {
            writeGroups[subject] = nil
            ended.append(group.end)
        }
        return ended
    }

    private mutating func endWriting(_ id: UUID) {
        guard let entry = beingWritten.removeValue(forKey: id) else { return }
        bytesBeingWritten -= entry.byteCount
    }

    /// Ends an admission without a change, and returns the same promises as `finish`.
    mutating func withdraw(_ plan: Plan) -> [Promise<Void>] {
        temporaryIdentities[plan.entry.id] = nil
        return finish(plan)
    }

    private mutating func makeRoom(_ plan: inout Plan, within bounds: OfflineBounds, _ table: any EntryTable) throws {
        if let most = bounds.maxDeadLetters, tally.deadLetterCount >= most { throw bounds.refusal(tally) }
        var count = tally.count + beingWritten.count + 1 - leaving.count - plan.replaced.count
        var bytes = tally.byteCount + bytesBeingWritten + plan.entry.byteCount
        let departing = plan.replaced + leaving.compactMap { table.entry($0) }
        for entry in departing { bytes -= entry.byteCount }
        var isOver: Bool { count > bounds.maxEntries || bytes > bounds.maxBytes }
        guard isOver else { return }
        guard bounds.dropsOldest else { throw bounds.refusal(tally) }
        let taken = leaving.union(plan.replaced.map(\.id))
        let order = dropOrder(of: plan.identity, table)
        for line in [order.deadLetters, order.waiting] {
            for id in line.ids {
                guard isOver else { return }
                guard !taken.contains(id), !begun.contains(id), let entry = table.entry(id) else { continue }
                plan.dropped.append(entry)
                count -= 1
                bytes -= entry.byteCount
            }
        }
        if isOver { throw bounds.refusal(tally) }
    }

    /// Returns the order in which entries make room for one of their identity.
    ///
    /// No entry is dropped for one of another identity.
    private mutating func dropOrder(of identity: ExactText?, _ table: any EntryTable) -> DropOrder {
        if dropOrders == nil {
            var orders: [ExactText?: DropOrder] = [:]
            for entry in table.allEntries { orders[self.identity(of: entry), default: DropOrder()].insert(entry) }
            dropOrders = orders
        }
        return dropOrders?[identity] ?? DropOrder()
    }

    private func isWaiting(_ entry: OfflineEntry) -> Bool {
        entry.state == .waiting && !begun.contains(entry.id) && !leaving.contains(entry.id)
    }

    private func identity(of entry: OfflineEntry) -> ExactText? {
        (entry.identity ?? (temporaryIdentities.isEmpty ? nil : temporaryIdentities[entry.id])).map { ExactText($0) }
    }

    private func subject(of entry: OfflineEntry) -> Subject? {
        entry.coalescingKey.map { Subject(lane: entry.lane, key: $0, identity: identity(of: entry)) }
    }

    // MARK: Sending

    /// Notes that an entry is being sent, or returns `false` if it is about to leave.
    mutating func begin(_ id: UUID) -> Bool {
        guard !leaving.contains(id) else { return false }
        begun.insert(id)
        return true
    }

    mutating func endBegin(_ id: UUID) { begun.remove(id) }

    // MARK: Removing

    /// Notes that entries are about to leave, or returns a promise for which their removal has to wait first.
    ///
    /// It waits if one of them leaves with another write, which may still fail.
    mutating func beginLeaving(_ ids: [UUID]) -> Promise<Void>? {
        guard leaving.isDisjoint(with: ids) else {
            let promise = departure ?? Promise()
            departure = promise
            return promise
        }
        leaving.formUnion(ids)
        return nil
    }

    /// Ends a write with which entries were to leave, and returns the promise to end if a removal waits for one.
    mutating func endLeaving(_ ids: [UUID]) -> Promise<Void>? {
        guard !ids.isEmpty else { return nil }
        leaving.subtract(ids)
        return exchange(&departure, with: nil)
    }

    /// Takes over the state of an earlier bookkeeping, after the same entries were read from the disk again.
    mutating func takeOver(_ old: StoreBookkeeping, of entries: some Sequence<OfflineEntry>) {
        (begun, pauses, temporaryIdentities) = (old.begun, old.pauses, old.temporaryIdentities)
        (leaving, departure) = (old.leaving, old.departure)
        (beingWritten, bytesBeingWritten, writeGroups) = (old.beingWritten, old.bytesBeingWritten, old.writeGroups)
        tally.lastPosition = max(tally.lastPosition, old.tally.lastPosition)
        guard !temporaryIdentities.isEmpty else { return }
        // The entries were counted before their identities were known.
        subjects = [:]
        for entry in entries {
            if let subject = subject(of: entry) { subjects[subject, default: []].append(entry.id) }
        }
    }

    // MARK: Pauses

    mutating func pause(_ lane: String, until end: NetKitClock.Instant?) {
        pauses.updateValue(end, forKey: lane)
    }

    mutating func resume(_ lane: String) { pauses.removeValue(forKey: lane) }

    /// Returns the rest of each pause.
    mutating func pauses(at now: NetKitClock.Instant) -> [String: Duration?] {
        pauses = pauses.filter { $0.value.map { $0 > now } ?? true }
        return pauses.mapValues { $0.map { now.duration(to: $0) } }
    }
}
