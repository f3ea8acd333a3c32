extension JournalDisk {
    /// A running compaction: every entry as it was at the beginning is written into one new segment.
    ///
    /// Records that are written meanwhile go to segments with higher numbers, which stay.
    struct Compaction {
        /// The records that only a newer version understands.
        let opaque: [JournalPlace]
        /// The entries that are still to be copied, last ones first.
        var rest: [JournalIndex.Slot]
        var copier: JournalCopier
        /// The number of bytes of all records at the beginning.
        let writtenBefore: Int
        /// The segment that was written to before, which is continued after a compaction that has failed.
        var previous: Active?

        /// Copies entries up to a number of bytes, and returns whether everything is copied.
        mutating func copy(_ byteCount: Int) throws(FileError) -> Bool {
            let start = copier.written
            while copier.written - start < byteCount, let slot = rest.popLast() { try copier.add(slot) }
            if rest.isEmpty { for place in opaque { try copier.add(opaque: place) } }
            try copier.flush()
            return rest.isEmpty
        }
    }

    /// Begins a compaction if more than half of the bytes are superseded, so that each byte is copied about once.
    func compactIfWorthIt() {
        guard isOpen, compaction == nil else { return }
        let live = shared.index.withLock { $0.liveBytes }
        guard writtenBytes - live > max(settings.garbage, live) else { return }
        let hadDamage = unrecordedDamage != nil
        do {
            try beginCompaction()
        } catch {
            // It is tried again when as much has been superseded once more.
            giveUpCompaction()
        }
        // The next listing reports what was set aside, even if no compaction has begun.
        if hadDamage, unrecordedDamage == nil { shared.notify.withLock { $0 }?(.work([0])) }
    }

    /// Writes every entry into one new segment, which replaces all others.
    func compact() throws(FileError) {
        compaction = nil
        // The unacknowledged bytes in the active segment disappear with it.
        active = nil
        do throws(FileError) {
            try beginCompaction()
            while try copyPiece() {}
        } catch {
            giveUpCompaction()
            throw error
        }
    }

    /// Continues a compaction by one piece.
    func compactFurther() {
        do { _ = try copyPiece() } catch { giveUpCompaction() }
    }

    private func beginCompaction() throws(FileError) {
        try checkOwnership()
        // At its end, the damaged parts disappear with their segments.
        try unrecordedDamage?.quarantine(self)
        unrecordedDamage = nil
        try rewriteActiveIfNeeded()
        // The index itself is not kept, because each later write would copy all of it.
        let (slots, opaque, recordCount) = shared.index.withLock { ($0.orderedSlots, $0.opaque, $0.recordCount) }
        let number = try freeNumber()
        let temporary = path("\(JournalSegment.name(number)).tmp")
        try fileSystem.remove(temporary)
        let file = try fileSystem.create(temporary, permissions: 0o600)
        var copier = JournalCopier(into: JournalSegment(number: number, file: file), fileSystem: fileSystem)
        // It has the number of the last record that it replaces, so that no number is missing before it is there.
        let base = UnnumberedRecord(.base(upTo: number - 1, count: recordCount))
        copier.add(base, sequence: nextSequence - 1)
        nextNumber += 1
        compaction = Compaction(
            opaque: opaque,
            rest: slots.reversed(),
            copier: copier,
            writtenBefore: writtenBytes,
            previous: active
        )
        active = nil
    }

    /// Returns whether there is more to copy.
    private func copyPiece() throws(FileError) -> Bool {
        // In place, so that the buffer is not copied, and a failure leaves the name of the file to remove.
        guard let isCopied = try self.compaction?.copy(settings.piece), let compaction else { return false }
        // A piece at a time, so that no sync takes long.
        try fileSystem.sync(compaction.copier.segment.current)
        if isCopied { try finishCompaction(compaction) }
        return !isCopied
    }

    private func finishCompaction(_ compaction: Compaction) throws(FileError) {
        let segment = compaction.copier.segment
        // In a folder that was replaced, a copy with this name is not the one that was written.
        try checkOwnership()
        // If the new segment has its name despite an error, it would hide what is added to the previous one.
        self.compaction?.previous = nil
        try fileSystem.rename(path("\(segment.name).tmp"), to: path(segment.name))
        isFolderUnsynced = true
        self.compaction = nil
        shared.index.withLock { index in
            for copy in compaction.copier.places { index.move(copy.id, put: copy.put, state: copy.state) }
            index.moveOpaque(compaction.copier.opaque)
        }
        let old = segments.filter { $0.number < segment.number }
        segments = [segment] + segments.filter { $0.number > segment.number }
        writtenBytes = compaction.copier.written + writtenBytes - compaction.writtenBefore
        // The new segment is valid from here on. The old ones are removed once its name is safe. If that fails, the new
        // segment's first record makes them obsolete, and they are removed at the next opening.
        try syncFolderIfNeeded()
        try note(segment: segments.last?.number ?? segment.number)
        for segment in old { try? fileSystem.remove(path(segment.name)) }
        try? fileSystem.syncFolder(folder)
    }

    private func giveUpCompaction() {
        if let compaction {
            try? fileSystem.remove(path("\(compaction.copier.segment.name).tmp"))
            // Its room may be all that a full disk has.
            if active == nil { active = compaction.previous }
        }
        compaction = nil
        writtenBytes = shared.index.withLock { $0.liveBytes }
    }
}

/// A copier that writes existing records into a new segment, in large pieces.
struct JournalCopier {
    let segment: JournalSegment
    private let fileSystem: any DurableFileSystem
    private var buffer: [UInt8] = []
    /// The copied records of each entry: the request (`put`), and the latest state if there is one.
    private(set) var places: [(id: UUID, put: JournalPlace, state: JournalPlace?)] = []
    /// The copied records of a type that this version does not know.
    private(set) var opaque: [JournalPlace] = []
    /// The number of bytes that were written or are in the buffer.
    private(set) var written = 0

    init(into segment: JournalSegment, fileSystem: any DurableFileSystem) {
        self.segment = segment
        self.fileSystem = fileSystem
    }

    mutating func add(_ record: UnnumberedRecord, sequence: Int64) {
        let count = buffer.count
        record.write(to: &buffer, sequence: sequence, acknowledged: sequence - 1)
        written += buffer.count - count
    }

    mutating func add(_ slot: JournalIndex.Slot) throws(FileError) {
        let put = try copy(slot.put)
        var state: JournalPlace?
        if let place = slot.state { state = try copy(place) }
        places.append((slot.entry.id, put, state))
    }

    mutating func add(opaque place: JournalPlace) throws(FileError) {
        opaque.append(try copy(place))
    }

    mutating func flush() throws(FileError) {
        guard !buffer.isEmpty else { return }
        try fileSystem.writeAll(buffer, to: segment.current, at: Int64(written - buffer.count))
        buffer.removeAll(keepingCapacity: true)
    }

    /// Copies a record, and returns its place in the new segment.
    private mutating func copy(_ place: JournalPlace) throws(FileError) -> JournalPlace {
        let bytes = try place.bytes(fileSystem)
        let start = written
        buffer += bytes
        buffer.append(0x0A)
        written += bytes.count + 1
        if buffer.count > 1 << 20 { try flush() }
        return JournalPlace(segment: segment, offset: start, length: bytes.count, sequence: place.sequence)
    }
}
