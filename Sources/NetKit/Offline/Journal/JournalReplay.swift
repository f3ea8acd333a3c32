import Foundation

/// Makes an index of the records of a journal as they are read, which keeps none of them.
///
/// A segment that replaces others begins with a record that says so, and has each entry's records side by side; in all
/// others the numbers rise. Where that is not so, because somebody has moved lines about, everything is read again and
/// sorted by the numbers.
struct JournalReplay {
    private(set) var index = JournalIndex()
    private(set) var lastSequence: Int64 = 0
    /// How many bytes all records take.
    private(set) var byteCount = 0

    /// The segment that replaces others, while it is read.
    private var base: JournalSegment?
    private var lastPut: UUID?

    init() {}

    /// Takes in records that were not in order.
    init(sorting records: [(record: JournalRecord, segment: JournalSegment)]) {
        for (record, segment) in records.orderedByNumber(\.record.sequence) {
            // The same record twice: a copy from before the original was removed.
            if record.sequence > lastSequence { take(record, segment) }
        }
    }

    /// Takes the next record in; false where it is out of order, and everything has to be sorted.
    mutating func add(_ record: JournalRecord, in segment: JournalSegment) -> Bool {
        if base === segment {
            guard record.sequence < lastSequence, isBesideItsLike(record) else { return false }
            let highest = lastSequence
            take(record, segment)
            lastSequence = highest
            return true
        }
        guard record.sequence > lastSequence else { return false }
        if case .effect(.base) = record.content, byteCount == 0 { base = segment }
        take(record, segment)
        return true
    }

    /// Whether a record that was copied stands where it belongs: an entry's state right behind the entry.
    private mutating func isBesideItsLike(_ record: JournalRecord) -> Bool {
        switch record.content {
        case .opaque: return true
        case .effect(.put(let entry)):
            lastPut = entry.id
            return index[entry.id] == nil
        case .effect(.state(let id, _)): return id == lastPut
        case .effect: return false
        }
    }

    private mutating func take(_ record: JournalRecord, _ segment: JournalSegment) {
        lastSequence = record.sequence
        byteCount += record.range.count + 1
        let place = JournalPlace(segment: segment, offset: record.range.lowerBound, length: record.range.count)
        switch record.content {
        case .effect(let effect): index.apply(effect, at: place)
        case .opaque: index.addOpaque(place)
        }
    }
}
