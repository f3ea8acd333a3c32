import Foundation

/// What opening a journal finds, and what has to be done about it.
///
/// Reading changes nothing, so that a folder that cannot be written to can be read all the same.
struct JournalRecovery {
    private var damage: [(segment: JournalSegment, damage: JournalScan.Damage)] = []
    private var obsolete: [JournalSegment] = []
    /// The segment that was written to last: how far its records go, how long it is, whether it is blank behind them, and
    /// whether it is undamaged.
    private var last: (segment: JournalSegment, used: Int, length: Int, isClean: Bool, isWhole: Bool)?

    /// Reads every segment, and gives the disk the entries and the numbers to go on with.
    init(_ disk: JournalDisk) throws(FileError) {
        let numbers = try disk.fileSystem.names(inFolder: disk.folder)
            .compactMap { JournalSegment.number(in: $0) }.orderedByNumber { Int64($0) }
        var segments: [JournalSegment] = []
        for number in numbers {
            let path = disk.path(JournalSegment.name(number))
            segments.append(JournalSegment(number: number, file: try disk.fileSystem.openForReading(path)))
        }
        var base = 0
        for segment in segments { base = max(base, try Self.base(of: segment, disk.fileSystem)) }
        obsolete = segments.filter { $0.number <= base }
        segments.removeAll { $0.number <= base }
        var replay = JournalReplay()
        var isInOrder = true
        for segment in segments {
            let scan = try Self.scan(segment, disk.fileSystem) { records in
                isInOrder = isInOrder && records.allSatisfy { replay.add($0, in: segment) }
            }
            damage += scan.damage.map { (segment, $0) }
            last = (segment, scan.end, scan.length, scan.isCleanBehind, scan.damage.isEmpty)
        }
        if !isInOrder {
            var found: [(record: JournalRecord, segment: JournalSegment)] = []
            for segment in segments {
                _ = try Self.scan(segment, disk.fileSystem) { records in found += records.map { ($0, segment) } }
            }
            replay = JournalReplay(sorting: found)
        }
        disk.segments = segments
        disk.nextNumber = max(numbers.last ?? 0, base) + 1
        disk.nextSequence = replay.lastSequence + 1
        disk.writtenBytes = replay.byteCount
        disk.active = nil
        let index = replay.index
        disk.shared.index.withLock { $0 = index }
    }

    /// Called once for each segment: inside `init` the compiler would spread it out three times.
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

    /// Up to which segment this one replaces all others, as its first record says; 0 where it does not.
    @inline(never)
    private static func base(of segment: JournalSegment, _ fileSystem: any DurableFileSystem) throws(FileError) -> Int {
        let bytes = try fileSystem.readAll(segment.current, at: 0, count: 256)
        return bytes.withUnsafeBytes { bytes in
            let line = bytes.prefix { $0 != 0x0A }
            let record = JournalRecord(bytes, in: line.startIndex..<line.endIndex)
            guard case .effect(.base(let number))? = record?.content else { return 0 }
            return number
        }
    }

    /// Sets damage aside, and sweeps away what an earlier end left behind; what fails here is done at the next opening.
    func mend(_ disk: JournalDisk) {
        let hasGaps = !damage.isEmpty || disk.shared.index.withLock { !$0.opaque.isEmpty }
        if !damage.isEmpty, (try? quarantine(disk)) != nil { try? disk.compact() }
        if !obsolete.isEmpty, (try? disk.fileSystem.syncFolder(disk.folder)) != nil {
            for segment in obsolete { try? disk.fileSystem.remove(disk.path(segment.name)) }
        }
        sweep(disk, keepsBodies: hasGaps)
        goOn(disk)
    }

    /// Goes on where the last segment ends, so that a process that is started often leaves no crowd of segments.
    private func goOn(_ disk: JournalDisk) {
        guard let last, last.isWhole, disk.segments.last === last.segment, last.used < disk.settings.segmentSize else {
            return
        }
        guard let file = try? disk.fileSystem.openForUpdate(disk.path(last.segment.name), creating: nil) else { return }
        disk.active = JournalDisk.Active(
            segment: last.segment,
            file: file,
            used: last.used,
            filled: last.isClean ? last.length : last.used,
            isSpoilt: !last.isClean
        )
    }

    /// What is damaged.
    var quarantined: [QuarantinedRecord] {
        damage.map { segment, damage in
            QuarantinedRecord(
                file: segment.name,
                offset: Int64(damage.range.lowerBound),
                byteCount: damage.bytes.count,
                reason: damage.reason
            )
        }
    }

    private func quarantine(_ disk: JournalDisk) throws {
        let path = disk.path(JournalDisk.quarantineName)
        let file = try disk.fileSystem.openForUpdate(path, creating: 0o600)
        var text: [UInt8] = []
        for (segment, damage) in damage {
            var line = JSONText(capacity: 256 + damage.bytes.count * 4 / 3)
            line.begin()
            line.add("file", segment.name)
            line.add("offset", Int64(damage.range.lowerBound))
            line.add("reason", damage.reason)
            line.add(text: "text", orBytes: "base64", Data(damage.bytes))
            line.end()
            text += line.bytes + [0x0A]
        }
        let end = try disk.fileSystem.status(of: path).size
        try disk.fileSystem.writeAll(text, to: file, at: end)
        try disk.fileSystem.sync(file)
        try disk.fileSystem.syncFolder(disk.folder)
        let records = quarantined
        disk.shared.quarantined.withLock { $0 += records }
    }

    private func sweep(_ disk: JournalDisk, keepsBodies: Bool) {
        let fileSystem = disk.fileSystem
        for name in (try? fileSystem.names(inFolder: disk.folder)) ?? [] where name.hasSuffix(".tmp") {
            try? fileSystem.remove(disk.path(name))
        }
        let bodies = disk.path(JournalDisk.bodiesName)
        for name in (try? fileSystem.names(inFolder: bodies)) ?? [] {
            let id = UUID(uuidString: (name as NSString).deletingPathExtension)
            let isNeeded = id.map { id in disk.shared.index.withLock { $0[id] != nil } } ?? false
            // Where a record was damaged or is not understood, a body without an entry may be its body.
            guard name.hasSuffix(".tmp") || !isNeeded && !keepsBodies else { continue }
            try? fileSystem.remove("\(bodies)/\(name)")
        }
    }
}
