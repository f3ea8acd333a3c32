import Foundation

/// The entries of a journal and the places of their records, without the requests themselves.
struct JournalIndex: EntryTable, Sendable {
    /// An entry with the places of its records.
    ///
    /// It is an object, because a dictionary reserves room for more values than it has.
    final class Slot: Sendable {
        let entry: OfflineEntry
        let put: JournalPlace
        /// The latest record of the entry's state, if there is one after the entry's own.
        let state: JournalPlace?

        /// The number of its latest record.
        var sequence: Int64 { state?.sequence ?? put.sequence }

        init(_ entry: OfflineEntry, put: JournalPlace, state: JournalPlace? = nil) {
            self.entry = entry
            self.put = put
            self.state = state
        }
    }

    private(set) var slots: [UUID: Slot] = [:]
    var bookkeeping = StoreBookkeeping()
    /// The records that only a newer version understands; they are kept.
    private(set) var opaque: [JournalPlace] = []
    /// The number of bytes of all entries, without superseded records.
    private(set) var liveBytes = 0

    subscript(_ id: UUID) -> Slot? { slots[id] }

    func entry(_ id: UUID) -> OfflineEntry? { slots[id]?.entry }

    /// Returns whether no entry has an identifier, and none is being written with it.
    func isFree(_ id: UUID) -> Bool { slots[id] == nil && !bookkeeping.isBeingWritten(id) }

    var allEntries: [OfflineEntry] { slots.values.map(\.entry) }

    /// The number of records that are not superseded.
    var recordCount: Int { slots.values.reduce(opaque.count) { $0 + ($1.state == nil ? 1 : 2) } }

    /// The slots in the order of their entries.
    var orderedSlots: [Slot] {
        slots.values.sorted { left, right in
            let (left, right) = (left.entry, right.entry)
            return left.position != right.position
                ? left.position < right.position : left.id.uuidString < right.id.uuidString
        }
    }

    /// Applies a record that is at a place.
    mutating func apply(_ effect: UnnumberedRecord.Effect, at place: JournalPlace) {
        switch effect {
        case .put(let entry):
            let old = slots.updateValue(Slot(entry, put: place), forKey: entry.id)
            release(old)
            liveBytes += place.length
            if let old { bookkeeping.change(old.entry, to: entry) } else { bookkeeping.insert(entry) }
        case .state(let id, let update):
            guard let slot = slots[id] else { return }
            liveBytes += place.length - (slot.state?.length ?? 0)
            let entry = slot.entry.updated(by: update)
            slots[id] = Slot(entry, put: slot.put, state: place)
            bookkeeping.change(slot.entry, to: entry)
        case .remove(let id):
            guard let slot = slots.removeValue(forKey: id) else { return }
            release(slot)
            bookkeeping.remove(slot.entry)
        case .base, .segment, .room:
            break
        }
    }

    /// Adds an entry with its records in other files, and returns `false` if it is there already.
    mutating func add(_ slot: Slot) -> Bool {
        guard slots[slot.entry.id] == nil else { return false }
        slots[slot.entry.id] = slot
        liveBytes += slot.put.length + (slot.state?.length ?? 0)
        bookkeeping.insert(slot.entry)
        return true
    }

    mutating func addOpaque(_ place: JournalPlace) {
        opaque.append(place)
        liveBytes += place.length
    }

    /// Notes the places of an entry's records after a compaction.
    mutating func move(_ id: UUID, put: JournalPlace, state: JournalPlace?) {
        // A record that was written since then keeps its place.
        guard let slot = slots[id], slot.put.sequence == put.sequence else { return }
        let isLatest = slot.state?.sequence == state?.sequence
        slots[id] = Slot(slot.entry, put: put, state: isLatest ? state : slot.state)
    }

    mutating func moveOpaque(_ places: [JournalPlace]) { opaque = places }

    private mutating func release(_ slot: Slot?) {
        guard let slot else { return }
        liveBytes -= slot.put.length + (slot.state?.length ?? 0)
    }
}
