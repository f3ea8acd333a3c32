import Foundation

/// The result of opening a journal, and the repairs that it needs.
///
/// Reading changes nothing, so that a folder that cannot be written to can still be read.
struct JournalRecovery {
    private var damage: [(segment: JournalSegment, damage: JournalScan.Damage)] = []
    private var holes: [QuarantinedRecord] = []
    private var obsolete: [JournalSegment] = []
    /// The segment that was written to last; `nil` if no records can be added to it.
    private var last: JournalDisk.Active?
    /// The number of entries that were known before and that the folder lacks.
    private(set) var takenBackCount = 0

    /// Reads every segment, and gives the disk the entries and the numbers to continue with.
    ///
    /// `known` are the entries of a folder that was replaced, whose records are in files that are still open. Those
    /// that the folder lacks are taken back, unless it says that they were removed later.
    init(_ disk: JournalDisk, after known: [JournalIndex.Slot] = []) throws(FileError) {
        // Read first: a service that has the folder open may begin a segment meanwhile.
        let mark = try Self.mark(disk)
        var segments = try Self.segments(disk)
        let lastNumber = segments.last?.number ?? 0
        var base = 0
        for segment in segments { base = max(base, try Self.base(of: segment, disk.fileSystem)) }
        obsolete = segments.filter { $0.number <= base }
        segments.removeAll { $0.number <= base }
        var replay = JournalReplay()
        let lengths = try scan(segments, disk.fileSystem, into: &replay)
        let damage = damage
        holes = replay.holes(segments: lengths, mark: mark) { file, place in
            damage.contains { $0.segment.name == file && $0.damage.range.overlaps(place) }
        }
        var index = replay.index
        let takenBack = takeBack(known, into: &index, removed: replay.removed)
        let lastSequence = max(replay.lastSequence, mark?.sequence ?? 0, takenBack)
        disk.segments = segments
        disk.nextNumber = max(lastNumber, base, mark?.segment ?? 0) + 1
        disk.nextSequence = lastSequence + 1
        disk.mark = mark
        disk.writtenBytes = replay.byteCount
        disk.active = nil
        disk.shared.index.withLock { [index] old in
            let bookkeeping = old.bookkeeping
            old = index
            old.bookkeeping.takeOver(bookkeeping, of: index.slots.values.lazy.map(\.entry))
        }
    }

    /// Opens every segment, and again if a service that has the folder open has added or removed some meanwhile.
    @inline(never)
    private static func segments(_ disk: JournalDisk) throws(FileError) -> [JournalSegment] {
        var numbers = try numbers(disk)
        while true {
            let segments = Result { () throws(FileError) in try Self.open(numbers, disk) }
            let latest = try Self.numbers(disk)
            if latest == numbers { return try segments.get() }
            numbers = latest
        }
    }

    /// Returns the numbers of the segments in the folder, in order.
    static func numbers(_ disk: JournalDisk) throws(FileError) -> [Int] {
        try disk.fileSystem.names(inFolder: disk.folder)
            .compactMap { JournalSegment.number(in: $0) }.orderedByNumber { Int64($0) }
    }

    private static func open(_ numbers: [Int], _ disk: JournalDisk) throws(FileError) -> [JournalSegment] {
        var segments: [JournalSegment] = []
        for number in numbers {
            let file = try disk.fileSystem.openRegularFile(disk.path(JournalSegment.name(number)))
            segments.append(JournalSegment(number: number, file: file))
        }
        return segments
    }

    /// Scans segments into a replay, notes their damage and the last one, and returns their lengths.
    private mutating func scan(
        _ segments: [JournalSegment],
        _ fileSystem: any DurableFileSystem,
        into replay: inout JournalReplay
    ) throws(FileError) -> [(segment: JournalSegment, length: Int)] {
        var lengths: [(segment: JournalSegment, length: Int)] = []
        for segment in segments {
            let scan = try Self.scan(segment, fileSystem) { records in
                for record in records { replay.add(record, in: segment) }
            }
            damage += scan.damage.map { (segment, $0) }
            lengths.append((segment, scan.length))
            if segment === segments.last { noteLast(segment, scan, replay) }
        }
        return lengths
    }

    /// Adds the known entries that the folder lacks and that were not removed, and returns the highest of their
    /// numbers.
    private mutating func takeBack(
        _ known: [JournalIndex.Slot],
        into index: inout JournalIndex,
        removed: [UUID: Int64]
    ) -> Int64 {
        var highest: Int64 = 0
        // An identifier may be used again after its entry was removed.
        for slot in known where removed[slot.entry.id] ?? 0 <= slot.sequence && index.add(slot) {
            highest = max(highest, slot.sequence)
            takenBackCount += 1
        }
        return highest
    }

    private mutating func noteLast(_ segment: JournalSegment, _ scan: JournalScan, _ replay: borrowing JournalReplay) {
        let room = replay.room(of: segment) ?? 0
        // A write that a power cut interrupts leaves blanks, because the room was blank and safe before.
        if let torn = scan.torn, torn.range.lowerBound < room, torn.bytes.isEmpty || torn.bytes.contains(0) {
            damage.append((segment, torn))
        } else if scan.damage.isEmpty, replay.isContinuable(segment) {
            last = JournalDisk.Active(
                segment: segment,
                used: scan.end,
                filled: scan.isTailBlank ? scan.length : scan.end,
                room: room,
                needsRewrite: !scan.isTailBlank
            )
        }
    }

    /// Reads the mark in the lock's file; a folder without that file has none.
    @inline(never)
    private static func mark(_ disk: JournalDisk) throws(FileError) -> JournalMark? {
        let path = disk.path(JournalDisk.lockName)
        guard (try? disk.fileSystem.status(of: path)) != nil else { return nil }
        return JournalMark(try disk.fileSystem.readAll(disk.fileSystem.openRegularFile(path), at: 0, count: 256))
    }

    /// Scans a segment; it is not inlined, because the compiler would copy it into its caller three times.
    @inline(never)
    private static func scan(
        _ segment: JournalSegment,
        _ fileSystem: any DurableFileSystem,
        _ onRecords: ([JournalRecord]) -> Void
    ) throws(FileError) -> JournalScan {
        let file = segment.current
        return try JournalScan(
            { offset, count throws(FileError) in try fileSystem.readAll(file, at: Int64(offset), count: count) },
            onRecords: onRecords
        )
    }

    /// Returns the number up to which a segment replaces all others, as its first record states; 0 if it replaces none.
    @inline(never)
    private static func base(of segment: JournalSegment, _ fileSystem: any DurableFileSystem) throws(FileError) -> Int {
        let bytes = try fileSystem.readAll(segment.current, at: 0, count: 256)
        return bytes.withUnsafeBytes { bytes in
            let line = bytes.prefix { $0 != 0x0A }
            let record = JournalRecord(bytes, in: line.startIndex..<line.endIndex)
            guard case .base(let number, _)? = record?.effect else { return 0 }
            return min(number, JournalSegment.maxNumber)
        }
    }

    /// Sets damage aside, and removes the remains of an earlier process.
    ///
    /// A step that fails is done at the next opening; damage is set aside before the next compaction.
    func setDamageAside(on disk: JournalDisk) {
        let isWhole = damage.isEmpty && holes.isEmpty
        let hasGaps = !isWhole || disk.shared.index.withLock { !$0.opaque.isEmpty }
        disk.unrecordedDamage = isWhole ? nil : self
        if !isWhole { try? disk.compact() }
        // In a folder that was replaced meanwhile, the files are those of another owner.
        try? disk.checkOwnership()
        guard disk.isOpen else { return }
        if !obsolete.isEmpty, (try? disk.fileSystem.syncFolder(disk.folder)) != nil {
            for segment in obsolete { try? disk.fileSystem.remove(disk.path(segment.name)) }
        }
        removeUnneededFiles(disk, keepsBodies: hasGaps)
        if isWhole { continueLastSegment(disk) }
    }

    /// Continues the last segment, so that a process that is started often does not leave many segments.
    private func continueLastSegment(_ disk: JournalDisk) {
        guard let last, disk.segments.last === last.segment, last.used < max(last.filled, disk.settings.segmentSize)
        else { return }
        let path = disk.path(last.segment.name)
        // If the folder was replaced meanwhile, the entries are only in the file that was read.
        guard let file = try? disk.fileSystem.openForUpdate(path, creating: nil),
            (try? disk.fileSystem.isFile(last.segment.current, at: path)) == true
        else { return }
        last.segment.replace(file)
        disk.active = last
    }

    /// The damaged or missing parts.
    var quarantined: [QuarantinedRecord] {
        let damaged = damage.map { segment, damage in
            QuarantinedRecord(
                file: segment.name,
                offset: Int64(damage.range.lowerBound),
                byteCount: damage.range.count,
                reason: damage.reason
            )
        }
        return damaged + holes
    }

    /// Adds the damage to the first of the files for it that can be written.
    func quarantine(_ disk: JournalDisk) throws(FileError) {
        do throws(FileError) {
            try quarantine(disk, in: JournalDisk.quarantineNames[0])
        } catch {
            try quarantine(disk, in: JournalDisk.quarantineNames[1])
        }
        let records = quarantined
        disk.shared.quarantined.withLock { $0 += records }
    }

    /// Adds the damage to a file, which is replaced as a whole, so that a full disk leaves no half line.
    private func quarantine(_ disk: JournalDisk, in name: String) throws(FileError) {
        let path = disk.path(name)
        var text: [UInt8] = []
        do throws(FileError) {
            let size = try disk.fileSystem.status(of: path).size
            text = try disk.fileSystem.readAll(disk.fileSystem.openRegularFile(path), at: 0, count: Int(clamping: size))
        } catch {
            guard error.isMissing else { throw error }
        }
        func add(_ file: String, _ offset: Int64, _ reason: String, _ bytes: [UInt8]? = nil) {
            var line = JSONText(capacity: 256 + (bytes?.count ?? 0) * 4 / 3)
            line.begin()
            line.add("file", file)
            line.add("offset", offset)
            line.add("reason", reason)
            if let bytes { line.add(text: "text", orBytes: "base64", Data(bytes)) }
            line.end()
            text += line.bytes + [0x0A]
        }
        for (segment, damage) in damage {
            add(segment.name, Int64(damage.range.lowerBound), damage.reason, damage.bytes)
        }
        for hole in holes { add(hole.file, hole.offset, hole.reason) }
        let lines = text
        _ = try disk.fileSystem.replaceFile(path) { file throws(FileError) in
            try disk.fileSystem.writeAll(lines, to: file, at: 0)
        }
        try disk.fileSystem.syncFolder(disk.folder)
    }

    /// Removes partial copies and the files of entries that are gone, and notes the entries that have files.
    private func removeUnneededFiles(_ disk: JournalDisk, keepsBodies: Bool) {
        let fileSystem = disk.fileSystem
        for name in (try? fileSystem.names(inFolder: disk.folder)) ?? [] where name.hasSuffix(".tmp") {
            try? fileSystem.remove(disk.path(name))
        }
        let bodies = disk.path(JournalDisk.bodiesName)
        guard let names = try? fileSystem.names(inFolder: bodies) else {
            // As the folder cannot be listed, any entry may have files.
            let all = disk.shared.index.withLock { $0.slots.keys }
            return disk.shared.entriesWithFiles.withLock { $0.formUnion(all) }
        }
        for name in names {
            let entry = BodiesFolder.entry(ofFile: name)
            let isNeeded = entry.map { Self.mayHaveFiles($0, disk.shared) } ?? false
            // If a record was damaged or is not understood, a body without an entry may belong to it.
            if !name.hasSuffix(".tmp"), isNeeded || keepsBodies {
                if let entry { disk.shared.entriesWithFiles.withLock { _ = $0.insert(entry) } }
            } else {
                try? fileSystem.remove("\(bodies)/\(name)")
            }
        }
    }

    /// Returns whether an entry exists, or is about to be added after its files.
    private static func mayHaveFiles(_ id: UUID, _ shared: JournalShared) -> Bool {
        shared.index.withLock { $0[id] != nil } || shared.entriesWithFiles.withLock { $0.contains(id) }
    }
}
