import Foundation

/// The journal's files, and everything that is done to them; one at a time works with it.
///
/// Segments are written in order and synced in groups. What fails is not tried again in place, because a failed sync may
/// have thrown away what it did not write: the segment is written anew, without what was never acknowledged.
final class JournalDisk {
    let folder: String
    let fileSystem: any DurableFileSystem
    let settings: JournalSettings
    let shared: JournalShared

    var isOpen = false
    var segments: [JournalSegment] = []
    var active: Active?
    var nextSequence: Int64 = 1
    var nextNumber = 1
    /// How many bytes the records of all segments take.
    var writtenBytes = 0
    /// What became of entries while nothing could be written.
    var unwritten: [UUID: [JournalLine]] = [:]
    /// Whether a name in the folder may not survive a power cut yet.
    var isFolderUnsynced = false
    private var lock: OpenFile?

    /// The segment that is written to.
    struct Active {
        let segment: JournalSegment
        var file: OpenFile
        /// How far it is written and synced.
        var used: Int
        /// How far it is filled in advance.
        var filled: Int
        /// Whether it has to be written anew before anything is added.
        var isSpoilt = false
    }

    init(folder: String, fileSystem: any DurableFileSystem, settings: JournalSettings, shared: JournalShared) {
        self.folder = folder
        self.fileSystem = fileSystem
        self.settings = settings
        self.shared = shared
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    static let lockName = "lock"
    static let quarantineName = "quarantine.jsonl"
    static let bodiesName = "bodies"

    // MARK: Opening

    /// Opens the journal where it is not open yet.
    func open() throws {
        guard !isOpen else { return }
        try makeFolders()
        guard try !fileSystem.isRemote(folder) else {
            throw NetKitError(
                .unsupported,
                "\"\(folder)\" is on the disk of another machine, where locks and syncs cannot be relied on. "
                    + "Choose a folder on a disk of this machine."
            )
        }
        let file = try fileSystem.openForUpdate(path(Self.lockName), creating: 0o600)
        guard try fileSystem.tryLock(file) else {
            throw NetKitError(
                .queueLocked,
                "The queue in \"\(folder)\" is open already, in this process or in another one. Close it there first."
            )
        }
        let recovery = try JournalRecovery(self)
        lock = file
        isOpen = true
        recovery.mend(self)
    }

    private func makeFolders() throws(FileError) {
        if try fileSystem.makeFolder(folder, permissions: 0o700) {
            try? fileSystem.syncFolder((folder as NSString).deletingLastPathComponent)
        }
        if try fileSystem.makeFolder(path(Self.bodiesName), permissions: 0o700) { try fileSystem.syncFolder(folder) }
    }

    /// Reads what is there without a lock and without changing anything, for as long as nothing can be written.
    func readOnly() {
        guard !isOpen else { return }
        _ = try? JournalRecovery(self)
    }

    func close() {
        if isOpen, !unwritten.isEmpty { write([]) }
        active = nil
        if let lock { fileSystem.unlock(lock) }
        lock = nil
        isOpen = false
    }

    // MARK: Writing

    /// Writes a batch and syncs it; everyone in it is told how that ended.
    func write(_ batch: [JournalWrite]) {
        do {
            try open()
            if unwritten.isEmpty, batch.count == 1, let only = batch.first {
                try append(only.lines)
            } else {
                try append(unwritten.values.flatMap { $0 } + batch.flatMap(\.lines))
                unwritten.removeAll()
            }
            for write in batch { write.finish(.success(())) }
        } catch {
            for write in batch {
                if !write.isOptional { keep(write.lines) }
                write.finish(.failure(error))
            }
        }
        compactIfWorthIt()
    }

    /// Notes what became of entries, to be written as soon as that is possible; until then it holds in memory.
    private func keep(_ lines: [JournalLine]) {
        for line in lines {
            guard let id = line.id else { continue }
            // Of several states the last one counts, and none behind the end.
            let isState = if case .state = line.effect { true } else { false }
            unwritten[id] = (isState ? unwritten[id]?.filter(\.isPut) ?? [] : []) + [line]
            shared.index.withLock { $0.apply(line.effect, at: nil) }
        }
    }

    private func append(_ lines: [JournalLine]) throws {
        guard !lines.isEmpty else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lines.reduce(0) { $0 + $1.lengthBound })
        var ranges: [Range<Int>] = []
        for line in lines {
            let start = bytes.count
            line.write(to: &bytes, sequence: nextSequence)
            nextSequence += 1
            ranges.append(start..<bytes.count)
        }
        try mendActive()
        try syncFolderIfNeeded()
        if let active, active.used > 0, active.used + bytes.count > settings.segmentSize { self.active = nil }
        let active = try self.active ?? makeActive()
        self.active = active
        let start = try add(bytes, to: active)
        shared.index.withLock { index in
            for (line, range) in zip(lines, ranges) {
                // Without its line break.
                let place = JournalPlace(
                    segment: active.segment,
                    offset: start + range.lowerBound,
                    length: range.count - 1
                )
                index.apply(line.effect, at: place)
            }
        }
    }

    /// Adds bytes to the active segment, syncs them, and returns where they begin.
    private func add(_ bytes: [UInt8], to active: Active) throws(FileError) -> Int {
        let end = active.used + bytes.count
        try fill(upTo: end)
        try spoiling { active throws(FileError) in
            try fileSystem.writeAll(bytes, to: active.file, at: Int64(active.used))
            try fileSystem.syncData(active.file)
        }
        self.active?.used = end
        writtenBytes += bytes.count
        return active.used
    }

    /// Does something to the active segment; where that fails, the segment has to be written anew.
    private func spoiling(_ body: (Active) throws(FileError) -> Void) throws(FileError) {
        guard let active else { return }
        do throws(FileError) {
            try body(active)
        } catch {
            self.active?.isSpoilt = true
            // At once, so that nothing stays in the file that was not acknowledged. Where there is no room for that, it is
            // written over at least.
            do throws(FileError) { try mendActive() } catch { blankTail() }
            throw error
        }
    }

    private func blankTail() {
        guard let active, active.filled > active.used else { return }
        let blanks = [UInt8](repeating: 0x20, count: min(active.filled - active.used, settings.segmentSize))
        try? fileSystem.writeAll(blanks, to: active.file, at: Int64(active.used))
        try? fileSystem.syncData(active.file)
    }

    private func makeActive() throws(FileError) -> Active {
        let number = nextNumber
        let path = path(JournalSegment.name(number))
        let file = try fileSystem.openForUpdate(path, creating: 0o600)
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
        return Active(segment: segment, file: file, used: 0, filled: 0)
    }

    /// Makes sure that a segment has room up to a length: more than that where the disk has it.
    private func fill(upTo length: Int) throws(FileError) {
        guard let active, active.filled < length else { return }
        let step = min(max(settings.fill.first, active.filled), settings.fill.most)
        let room = max(length, min(active.filled + step, max(length, settings.segmentSize)))
        do throws(FileError) {
            try fill(to: room)
        } catch {
            guard room > length else { throw error }
            try fill(to: length)
        }
    }

    /// How much is filled with one call: of a page that the kernel keeps in one large piece, each later write and sync looks
    /// at every block; and in pieces of one block it takes twice as long to fill.
    private static let page = 16 << 10

    private func fill(to length: Int) throws(FileError) {
        guard let active, active.filled < length else { return }
        let blanks = [UInt8](repeating: 0x20, count: Self.page)
        // Blanks that are written in part harm nobody; after a failed sync nobody knows what is on the disk.
        var offset = active.filled
        while offset < length {
            let end = min(length, offset - offset % Self.page + Self.page)
            let part = end - offset == Self.page ? blanks : Array(blanks[..<(end - offset)])
            try fileSystem.writeAll(part, to: active.file, at: Int64(offset))
            offset = end
        }
        try spoiling { active throws(FileError) in try fileSystem.sync(active.file) }
        self.active?.filled = length
    }

    /// Writes the active segment anew where something failed in it.
    private func mendActive() throws(FileError) {
        guard let active, active.isSpoilt else { return }
        let name = active.segment.name
        let file = try replaceFile(name) { file throws(FileError) in
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
        }
        active.segment.replace(file)
        self.active = Active(segment: active.segment, file: file, used: active.used, filled: active.used)
        try syncFolderIfNeeded()
    }

    /// Until the folder is synced, a file that was renamed into place may be gone after a power cut, and what was written
    /// into it.
    func syncFolderIfNeeded() throws(FileError) {
        guard isFolderUnsynced else { return }
        try fileSystem.syncFolder(folder)
        isFolderUnsynced = false
    }

    /// Writes a file beside its place and renames it there, so that it is there whole or not at all; the folder has to be
    /// synced before anybody may rely on it.
    func replaceFile(
        _ name: String,
        _ write: (OpenFile) throws(FileError) -> Void
    ) throws(FileError) -> OpenFile {
        let temporary = path("\(name).tmp")
        try fileSystem.remove(temporary)
        let file = try fileSystem.openForUpdate(temporary, creating: 0o600)
        do throws(FileError) {
            try write(file)
            try fileSystem.sync(file)
            try fileSystem.rename(temporary, to: path(name))
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
        isFolderUnsynced = true
        return file
    }
}
