extension JournalDisk {
    /// Writes and syncs a batch, and reports the result to every write in it.
    func write(_ batch: [JournalWrite]) {
        var batch = batch
        do {
            try open()
            do throws(FileError) {
                try append(&batch)
            } catch {
                guard isLost else { throw error }
                try open()
                try append(&batch)
            }
            for write in batch { write.finish(.success(())) }
        } catch {
            // On a full disk, changes of entries may still have the room that additions leave free.
            let changes = batch.filter { !$0.addsEntry }
            guard error is FileError, !changes.isEmpty, changes.count < batch.count else {
                for write in batch { write.finish(.failure(error)) }
                return compactIfWorthIt()
            }
            for write in batch where write.addsEntry { write.finish(.failure(error)) }
            return write(changes)
        }
        compactIfWorthIt()
    }

    /// Appends the records of a batch, from which it takes the writes that fail because their files are missing.
    private func append(_ batch: inout [JournalWrite]) throws(FileError) {
        batch.removeAll(where: failsWithoutFiles)
        try append(batch.flatMap(\.records))
    }

    /// Fails a write whose files are missing, for example because the folder was moved away after they were made.
    ///
    /// The folder is still this queue's if the checks around the write that follows find it so.
    private func failsWithoutFiles(_ write: JournalWrite) -> Bool {
        for record in write.records {
            for name in record.files where (try? fileSystem.status(of: path("\(Self.bodiesName)/\(name)"))) == nil {
                let reason = "\"\(name)\" in it was removed before its entry was written"
                write.finish(.failure(FileError(operation: "write to", path: folder, code: 0, reason: reason)))
                return true
            }
        }
        return false
    }

    private func append(_ records: [UnnumberedRecord]) throws(FileError) {
        guard !records.isEmpty else { return }
        try rewriteActiveIfNeeded()
        try syncFolderIfNeeded()
        guard let active = try makeRoom(for: records) else { return }
        var records = records
        if let opening = openingRecord(of: active) { records.insert(opening, at: 0) }
        let (bytes, ranges) = text(of: records)
        // Another owner may write to the same file by now.
        try checkOwnership()
        try rewritingIfFailed { active throws(FileError) in
            try fileSystem.writeAll(bytes, to: active.segment.current, at: Int64(active.used))
            try fileSystem.syncData(active.segment.current)
        }
        try checkOwnership(of: active.segment)
        enter(records, at: ranges, of: active)
        // Without the note the records are just as safe, and it is made with the next ones.
        if mark?.segment != active.segment.number { try? note(segment: active.segment.number) }
    }

    /// Returns the active segment with room for records, or a new one if they do not fit into it.
    private func makeRoom(for records: [UnnumberedRecord]) throws(FileError) -> Active? {
        let bound = records.reduce(UnnumberedRecord.markBound) { $0 + $1.lengthBound }
        let reserve = reserve(for: records)
        let end = settings.segmentSize + reserve
        let limit = reserve > 0 ? settings.segmentSize : max(settings.segmentSize, active?.filled ?? 0)
        if let active, active.used == 0 || active.used + bound <= limit {
            try fill(upTo: active.used + bound + reserve, of: end)
        } else {
            active = try makeActive(upTo: bound + reserve, of: end)
        }
        return active
    }

    /// Returns the number of bytes that additions leave free for the changes of all entries.
    ///
    /// Otherwise, a queue that has filled the disk itself could not note what it has delivered, and would stop.
    private func reserve(for records: [UnnumberedRecord]) -> Int {
        let added = records.count { $0.addsEntry }
        guard added > 0 else { return 0 }
        let count = shared.index.withLock { $0.slots.count } + added
        return min(UnnumberedRecord.markBound + count * UnnumberedRecord.changeBound, settings.reserve)
    }

    /// Returns the record that comes before others: it begins a segment, or states that more of it was filled.
    private func openingRecord(of active: Active) -> UnnumberedRecord? {
        guard active.used == 0 else {
            return active.room < active.filled ? UnnumberedRecord(.room(active.filled)) : nil
        }
        let previous = segments.dropLast().last?.number ?? 0
        let number = active.segment.number
        return UnnumberedRecord(.segment(JournalSegmentStart(number: number, previous: previous, room: active.filled)))
    }

    /// Counts records that are in a segment, and enters them into the index.
    private func enter(_ records: [UnnumberedRecord], at ranges: [Range<Int>], of active: Active) {
        let count = ranges.last?.upperBound ?? 0
        nextSequence += Int64(records.count)
        self.active?.used += count
        self.active?.room = active.filled
        writtenBytes += count
        shared.index.withLock { index in
            for (number, (record, range)) in zip(records, ranges).enumerated() {
                // Without its line break.
                let place = JournalPlace(
                    segment: active.segment,
                    offset: active.used + range.lowerBound,
                    length: range.count - 1,
                    sequence: nextSequence - Int64(records.count - number)
                )
                index.apply(record.effect, at: place)
            }
        }
    }

    /// Returns the text of records, numbered from `nextSequence` on.
    private func text(of records: [UnnumberedRecord]) -> (bytes: [UInt8], ranges: [Range<Int>]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.reduce(0) { $0 + $1.lengthBound })
        var ranges: [Range<Int>] = []
        for (number, record) in records.enumerated() {
            let start = bytes.count
            record.write(to: &bytes, sequence: nextSequence + Int64(number), acknowledged: nextSequence - 1)
            ranges.append(start..<bytes.count)
        }
        return (bytes, ranges)
    }

    /// Notes the journal's progress in the lock's file.
    func note(segment number: Int) throws(FileError) {
        guard let lock else { return }
        let mark = JournalMark(segment: number, sequence: nextSequence - 1)
        try fileSystem.writeAll(mark.line, to: lock, at: 0)
        try fileSystem.syncData(lock)
        self.mark = mark
    }

    /// Checks that the path still leads to the lock, and to the segment if there is one.
    func checkOwnership(of segment: JournalSegment? = nil) throws(FileError) {
        try check(lock, Self.lockName)
        if let segment { try check(segment.current, segment.name) }
    }

    private func check(_ file: OpenFile?, _ name: String) throws(FileError) {
        do throws(FileError) {
            if let file, try fileSystem.isFile(file, at: path(name)) { return }
        } catch {
            active?.needsRewrite = true
            throw error
        }
        relinquish()
        let reason = "\"\(name)\" in it was removed or replaced while the queue had it open"
        throw FileError(operation: "write to", path: folder, code: 0, reason: reason)
    }

    /// Performs a step on the active segment; if it fails, the segment has to be written again.
    private func rewritingIfFailed(_ body: (Active) throws(FileError) -> Void) throws(FileError) {
        guard let active else { return }
        do throws(FileError) {
            try body(active)
        } catch {
            self.active?.needsRewrite = true
            // Done at once, so that no unacknowledged bytes stay in the file. If there is no room for that, they are at
            // least overwritten with blanks.
            do throws(FileError) { try rewriteActiveIfNeeded() } catch { blankTail() }
            throw error
        }
    }

    private func blankTail() {
        guard let active, active.filled > active.used else { return }
        let blanks = [UInt8](repeating: 0x20, count: min(active.filled - active.used, settings.segmentSize))
        try? fileSystem.writeAll(blanks, to: active.segment.current, at: Int64(active.used))
        try? fileSystem.syncData(active.segment.current)
    }

    /// Returns the number of the next segment; throws if there is none, because it could not be found again.
    func freeNumber() throws(FileError) -> Int {
        guard nextNumber <= JournalSegment.maxNumber else {
            let reason = "no number is left after that of its last segment"
            throw FileError(operation: "write to", path: folder, code: 0, reason: reason)
        }
        return nextNumber
    }

    /// Makes the next segment, filled at least up to a length.
    ///
    /// It gets its name with its room: without both, the previous segment is continued, whose room may be all that a
    /// full disk has.
    private func makeActive(upTo length: Int, of end: Int) throws(FileError) -> Active {
        // In a folder that was replaced, the file with the next number may have records.
        try checkOwnership()
        let number = try freeNumber()
        let path = path(JournalSegment.name(number))
        var filled = goal(after: 0, upTo: length, of: end)
        let file = try fileSystem.replaceFile(path) { file throws(FileError) in
            do throws(FileError) {
                try fillBlanks(of: file, from: 0, to: filled)
            } catch {
                filled = length
                try fillBlanks(of: file, from: 0, to: filled)
            }
        }
        do throws(FileError) {
            // Nothing is written into it before its name is safe.
            try fileSystem.syncFolder(folder)
        } catch {
            try? fileSystem.remove(path)
            throw error
        }
        nextNumber += 1
        let segment = JournalSegment(number: number, file: file)
        segments.append(segment)
        return Active(segment: segment, used: 0, filled: filled)
    }

    /// Returns the length up to which a segment is to be filled: a step further towards its end than now.
    private func goal(after filled: Int, upTo length: Int, of end: Int) -> Int {
        let step = min(max(settings.fill.first, filled), settings.fill.most)
        return max(length, min(filled + step, end))
    }

    /// Fills the active segment with blanks up to a length, and beyond it if the disk has room.
    private func fill(upTo length: Int, of end: Int) throws(FileError) {
        guard let active, active.filled < length else { return }
        let goal = goal(after: active.filled, upTo: length, of: end)
        do throws(FileError) {
            try fillExactly(to: goal)
        } catch {
            guard goal > length, isOpen else { throw error }
            try fillExactly(to: length)
        }
    }

    /// The number of bytes that are filled with one call.
    ///
    /// If the kernel keeps a page in one larger piece, each later write and sync looks at every block of it. In pieces
    /// of one block, filling takes twice as long.
    private static let page = 16 << 10

    private func fillExactly(to length: Int) throws(FileError) {
        guard let active, active.filled < length else { return }
        // Partly written blanks are harmless. After a failed sync, the content of the disk is unknown.
        try fillBlanks(of: active.segment.current, from: active.filled, to: length)
        try rewritingIfFailed { active throws(FileError) in try fileSystem.sync(active.segment.current) }
        self.active?.filled = length
    }

    private func fillBlanks(of file: OpenFile, from start: Int, to length: Int) throws(FileError) {
        let blanks = [UInt8](repeating: 0x20, count: Self.page)
        var offset = start
        while offset < length {
            let end = min(length, offset - offset % Self.page + Self.page)
            let part = end - offset == Self.page ? blanks : Array(blanks[..<(end - offset)])
            try fileSystem.writeAll(part, to: file, at: Int64(offset))
            offset = end
        }
    }

    /// Writes the active segment again if something failed in it.
    func rewriteActiveIfNeeded() throws(FileError) {
        guard let active, active.needsRewrite else { return }
        // In a folder that was replaced, the file with this name is not the segment.
        try checkOwnership()
        let name = active.segment.name
        let file = try fileSystem.replaceFile(path(name)) { file throws(FileError) in
            var offset = 0
            while offset < active.used {
                let part = min(1 << 20, active.used - offset)
                let bytes = try fileSystem.readAll(active.segment.current, at: Int64(offset), count: part)
                guard bytes.count == part else {
                    throw FileError(operation: "read", path: path(name), code: 0, reason: "the file is shorter now")
                }
                try fileSystem.writeAll(bytes, to: file, at: Int64(offset))
                offset += part
            }
            try fillBlanks(of: file, from: active.used, to: active.room)
        }
        isFolderUnsynced = true
        active.segment.replace(file)
        self.active?.filled = max(active.used, active.room)
        self.active?.needsRewrite = false
        try syncFolderIfNeeded()
    }

    /// Syncs the folder if a file in it was renamed; before that, a power cut may remove the file with its content.
    func syncFolderIfNeeded() throws(FileError) {
        guard isFolderUnsynced else { return }
        try fileSystem.syncFolder(folder)
        isFolderUnsynced = false
    }
}
