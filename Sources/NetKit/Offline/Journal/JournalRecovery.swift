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
        var index = JournalIndex()
        var found: [(record: JournalRecord, segment: JournalSegment)] = []
        var base = 0
        var segments: [JournalSegment] = []
        let numbers = try disk.fileSystem.names(inFolder: disk.folder)
            .compactMap { JournalSegment.number(in: $0) }.sorted()
        for number in numbers {
            let path = disk.path(JournalSegment.name(number))
            let segment = JournalSegment(number: number, file: try disk.fileSystem.openForReading(path))
            let scan = try JournalScan { offset, count throws(FileError) in
                try disk.fileSystem.readAll(segment.current, at: Int64(offset), count: count)
            }
            found.reserveCapacity(found.count + scan.records.count)
            for record in scan.records {
                if case .effect(.base(let number)) = record.content { base = max(base, number) }
                found.append((record, segment))
            }
            damage += scan.damage.map { (segment, $0) }
            segments.append(segment)
            last = (segment, scan.end, scan.length, scan.isCleanBehind, scan.damage.isEmpty)
        }
        let isSorted = zip(found, found.dropFirst()).allSatisfy { $0.record.sequence < $1.record.sequence }
        if !isSorted { found.sort { $0.record.sequence < $1.record.sequence } }
        var sequence: Int64 = 0
        var written = 0
        for (record, segment) in found where segment.number > base {
            // The same record twice: a copy from before the original was removed.
            guard record.sequence > sequence else { continue }
            sequence = record.sequence
            written += record.range.count + 1
            let place = JournalPlace(segment: segment, offset: record.range.lowerBound, length: record.range.count)
            switch record.content {
            case .effect(let effect): index.apply(effect, at: place)
            case .opaque: index.addOpaque(place)
            }
        }
        damage.removeAll { $0.segment.number <= base }
        obsolete = segments.filter { $0.number <= base }
        disk.segments = segments.filter { $0.number > base }
        disk.nextNumber = max(numbers.last ?? 0, base) + 1
        disk.nextSequence = max(sequence, found.last?.record.sequence ?? 0) + 1
        disk.writtenBytes = written
        disk.active = nil
        disk.shared.index.withLock { $0 = index }
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
