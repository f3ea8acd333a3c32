import Foundation

/// A replay that builds the index of a journal from its records as they are read, and detects missing ones.
///
/// The order of the records does not matter, because each has a number: of two records about an entry the one with the
/// higher number counts.
struct JournalReplay: ~Copyable {
    private(set) var index = JournalIndex()
    private(set) var lastSequence: Int64 = 0
    /// The number of bytes of all records.
    private(set) var byteCount = 0

    private struct Gap {
        var numbers: Range<Int64>
        let file: String
        /// The bytes between the records before and after them.
        let place: Range<Int>
    }

    private struct Base {
        let segment: JournalSegment
        let count: Int?
        var seen = 0
    }

    /// The expected number of the next record.
    private var next: Int64 = 1
    /// The end of the last record that was read.
    private var end: (segment: JournalSegment, offset: Int)?
    private var gaps: [Gap] = []
    private var bases: [Base] = []
    private var starts: [JournalSegmentStart] = []
    /// The length of each segment's file as it was stated last.
    private var rooms: [Int: Int] = [:]
    /// The entries that were removed, each with the number of that record.
    private(set) var removed: [UUID: Int64] = [:]
    /// Updates of entries whose own record was not read yet.
    private var early: [UUID: (update: OfflineUpdate, place: JournalPlace)] = [:]

    /// Returns the stated length of a segment's file; `nil` if there is none.
    func room(of segment: JournalSegment) -> Int? { rooms[segment.number] }

    /// Returns whether records can be added to a segment.
    func isContinuable(_ segment: JournalSegment) -> Bool {
        !bases.contains { $0.segment === segment } && rooms[segment.number] != nil
    }

    mutating func add(_ record: JournalRecord, in segment: JournalSegment) {
        count(record, in: segment)
        end = (segment, record.range.upperBound)
        lastSequence = max(lastSequence, record.sequence)
        byteCount += record.range.count + 1
        let place = JournalPlace(
            segment: segment,
            offset: record.range.lowerBound,
            length: record.range.count,
            sequence: record.sequence
        )
        switch record.effect {
        case nil: index.addOpaque(place)
        case .put(let entry): put(entry, place)
        case .state(let id, let update): set(id, update, place)
        case .remove(let id): remove(id, place)
        case .base(_, let count): bases.append(Base(segment: segment, count: count))
        case .segment(let start):
            starts.append(start)
            rooms[segment.number] = start.room
        case .room(let length): rooms[segment.number] = max(length, rooms[segment.number] ?? 0)
        }
    }

    // MARK: Entries

    private mutating func put(_ entry: OfflineEntry, _ place: JournalPlace) {
        if let number = removed[entry.id], number > place.sequence { return }
        var later = early.removeValue(forKey: entry.id)
        if let slot = index[entry.id] {
            guard place.sequence > slot.put.sequence else { return }
            if let state = slot.state, state.sequence > place.sequence {
                later = (OfflineUpdate(leadingTo: slot.entry), state)
            }
        }
        index.apply(.put(entry), at: place)
        if let later, later.place.sequence > place.sequence {
            index.apply(.state(entry.id, later.update), at: later.place)
        }
    }

    private mutating func set(_ id: UUID, _ update: OfflineUpdate, _ place: JournalPlace) {
        if let slot = index[id] {
            if place.sequence > slot.sequence { index.apply(.state(id, update), at: place) }
        } else if removed[id] ?? 0 < place.sequence, early[id]?.place.sequence ?? 0 < place.sequence {
            early[id] = (update, place)
        }
    }

    private mutating func remove(_ id: UUID, _ place: JournalPlace) {
        let number = place.sequence
        if let slot = index[id], slot.sequence > number { return }
        index.apply(.remove(id), at: place)
        removed[id] = max(number, removed[id] ?? 0)
        if let place = early[id]?.place, place.sequence < number { early[id] = nil }
    }

    // MARK: Missing records

    private mutating func count(_ record: JournalRecord, in segment: JournalSegment) {
        if let last = bases.indices.last, bases[last].segment === segment {
            // Copies keep their numbers; the records with the numbers between them are superseded.
            bases[last].seen += 1
            // Version 1 also added new records after them.
            next = max(next, record.sequence + 1)
            return
        }
        let number = record.sequence
        guard number >= next else { return close(number) }
        // Records that were written together with it and were not safe yet do not count as missing.
        let missed = next..<max(next, min(number, (record.acknowledged ?? 0) + 1))
        let isBase = if case .base? = record.effect { true } else { false }
        if !missed.isEmpty, !isBase {
            let start = end.flatMap { $0.segment === segment ? $0.offset : nil } ?? 0
            let place = min(start, record.range.lowerBound)..<record.range.lowerBound
            gaps.append(Gap(numbers: missed, file: segment.name, place: place))
        }
        next = number + 1
    }

    /// Closes the gap of a number, because a record at another place than expected is not missing.
    private mutating func close(_ number: Int64) {
        guard let index = gaps.firstIndex(where: { $0.numbers.contains(number) }) else { return }
        let gap = gaps.remove(at: index)
        for rest in [gap.numbers.lowerBound..<number, number + 1..<gap.numbers.upperBound] where !rest.isEmpty {
            gaps.append(Gap(numbers: rest, file: gap.file, place: gap.place))
        }
    }

    /// Returns the places where acknowledged records are missing, in no particular order, after everything was read.
    ///
    /// Each segment has the length of its file, and `mark` is the minimum progress of the journal. Damage in a part of
    /// a file explains missing records there.
    func holes(
        segments: [(segment: JournalSegment, length: Int)],
        mark: JournalMark?,
        isDamaged: (_ file: String, _ place: Range<Int>) -> Bool
    ) -> [QuarantinedRecord] {
        var holes: [QuarantinedRecord] = []
        func add(_ file: String, at offset: Int = 0, _ reason: String) {
            holes.append(QuarantinedRecord(file: file, offset: Int64(offset), byteCount: 0, reason: reason))
        }
        for gap in gaps where !isDamaged(gap.file, gap.place) {
            add(gap.file, at: gap.place.upperBound, Self.missing(gap.numbers))
        }
        for base in bases {
            guard let count = base.count, base.seen < count, !isDamaged(base.segment.name, 0..<Int.max) else {
                continue
            }
            add(base.segment.name, "\(count - base.seen) of \(count) records are missing")
        }
        let there = Set(segments.map(\.segment.number))
        let lowest = there.min() ?? 0
        var missing: Set<Int> = []
        for start in starts where start.previous >= lowest && !there.contains(start.previous) {
            missing.insert(start.previous)
        }
        // The first segment has none before it, and a segment that replaces others has a base record.
        if let first = starts.first(where: { $0.number == lowest }), first.previous > 0 {
            missing.insert(first.previous)
        }
        if let mark, !there.contains(mark.segment), mark.segment > lowest { missing.insert(mark.segment) }
        for number in missing.orderedByNumber({ Int64($0) }) {
            add(JournalSegment.name(number), "the file is missing")
        }
        if let (segment, length) = segments.last, let room = rooms[segment.number], length < room {
            add(segment.name, at: length, "the file has \(length) bytes instead of \(room)")
        }
        let behind = end.flatMap { $0.segment.number == mark?.segment ? $0.offset : nil } ?? 0
        if let mark, mark.sequence > lastSequence, !isDamaged(JournalSegment.name(mark.segment), behind..<Int.max) {
            add(JournalSegment.name(mark.segment), Self.missing(lastSequence + 1..<mark.sequence + 1))
        }
        return holes
    }

    private static func missing(_ numbers: Range<Int64>) -> String {
        numbers.count == 1
            ? "the record \(numbers.lowerBound) is missing"
            : "the records \(numbers.lowerBound) to \(numbers.upperBound - 1) are missing"
    }
}
