import Foundation

/// The files of a journal and every operation on them, for one user at a time.
///
/// Segments are written in order and synced in groups. A failed write is not repeated in place, because a failed sync
/// may have discarded unwritten bytes. Instead, the segment is written again, without the unacknowledged records.
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
    /// The progress of the journal that the lock's file states.
    var mark: JournalMark?
    /// The number of bytes of the records in all segments.
    var writtenBytes = 0
    /// The running compaction, if there is one.
    var compaction: Compaction?
    /// The damage that could not be set aside yet.
    var unrecordedDamage: JournalRecovery?
    /// Whether a power cut could still remove a name in the folder.
    var isFolderUnsynced = false
    var lock: OpenFile?
    /// Whether the folder was removed or replaced while it was open.
    var isLost = false

    /// The segment that is written to.
    struct Active {
        let segment: JournalSegment
        /// The end of the part that was written and synced.
        var used: Int
        /// The end of the part that was filled in advance.
        var filled: Int
        /// The length of the file that its records state.
        var room = 0
        /// Whether the segment has to be written again before anything is added.
        var needsRewrite = false
    }

    init(folder: String, fileSystem: any DurableFileSystem, settings: JournalSettings, shared: JournalShared) {
        self.folder = folder
        self.fileSystem = fileSystem
        self.settings = settings
        self.shared = shared
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    static let lockName = "lock"
    /// The files for damage.
    ///
    /// Without the second one, a folder or a protected file with the name of the first would keep the journal from
    /// being compacted.
    static let quarantineNames = ["quarantine.jsonl", "quarantine-2.jsonl"]
    static let bodiesName = "bodies"

    // MARK: Opening

    /// Opens the journal if it is not open yet.
    func open() throws {
        guard !isOpen else { return }
        try makeFolders()
        guard try !fileSystem.isRemote(folder) else {
            throw NetKitError(
                .unsupported,
                "\"\(folder)\" is on a network file system, whose locks and syncs are unreliable. "
                    + "Choose a folder on a disk of this machine."
            )
        }
        let file = try fileSystem.openForUpdate(path(Self.lockName), creating: 0o600)
        guard try lockPatiently(file) else {
            throw NetKitError(
                .queueLocked,
                "The queue in \"\(folder)\" is open already, in this process or in another one. Close it there first."
            )
        }
        if isLost, try JournalRecovery.numbers(self).isEmpty {
            // Its content was removed. Every entry is written again, from the files that are still open.
            lock = file
            isOpen = true
            try compactOrRelinquish()
            isLost = false
            return
        }
        let known = isLost ? shared.index.withLock { $0.orderedSlots } : []
        // Until everything is in the folder, it counts as lost.
        let recovery = try JournalRecovery(self, after: known)
        lock = file
        isOpen = true
        recovery.setDamageAside(on: self)
        if recovery.takenBackCount > 0 { try compactOrRelinquish() }
        if isLost { shared.notify.withLock { $0 }?(.work([0])) }
        // It was replaced again if it is not open any more.
        isLost = !isOpen
    }

    /// Opens the journal, also again if its folder was removed or replaced meanwhile.
    func openIfLost() throws {
        try open()
        do throws(FileError) {
            try checkOwnership()
        } catch {
            guard isLost else { throw error }
            try open()
        }
    }

    /// Returns whether the lock was acquired, after a wait for one that is about to be released.
    ///
    /// A queue without references, or a process that ends, releases its lock a moment later.
    private func lockPatiently(_ file: OpenFile) throws(FileError) -> Bool {
        for _ in 0..<settings.lockTries {
            if try fileSystem.tryLock(file) { return true }
            Thread.sleep(forTimeInterval: 0.005)
        }
        return try fileSystem.tryLock(file)
    }

    private func compactOrRelinquish() throws(FileError) {
        do throws(FileError) {
            try compact()
        } catch {
            relinquish()
            throw error
        }
    }

    /// Releases a folder that another owner may have taken.
    ///
    /// Nothing is written to it before it was opened again.
    func relinquish() {
        active = nil
        compaction = nil
        lock = nil
        isOpen = false
        isLost = true
    }

    private func makeFolders() throws(FileError) {
        try makeWithParents(folder)
        if try fileSystem.makeFolder(path(Self.bodiesName)) { try fileSystem.syncFolder(folder) }
    }

    /// Makes a folder and those above it that are missing.
    ///
    /// Not recursive, because a path may have more of them than the stack of the journal's thread has room for.
    private func makeWithParents(_ path: String) throws(FileError) {
        var missing: [String] = []
        var next = path
        repeat {
            missing.append(next)
            next = next.folderAbove
        } while next != missing.last && isMissing(next)
        for path in missing.reversed() where try fileSystem.makeFolder(path) {
            try? fileSystem.syncFolder(path.folderAbove)
        }
    }

    private func isMissing(_ path: String) -> Bool {
        do throws(FileError) {
            _ = try fileSystem.status(of: path)
            return false
        } catch {
            return error.isMissing
        }
    }

    /// Reads the folder without a lock and without changes, while it cannot be written to.
    func readOnly() {
        // After the folder was removed, the entries in memory count, and not the files.
        guard !isOpen, !isLost else { return }
        _ = try? JournalRecovery(self)
        // Only an opening that may write lists the files; until then, any entry may have some.
        let all = shared.index.withLock { $0.slots.keys }
        shared.entriesWithFiles.withLock { $0.formUnion(all) }
    }

    func close() {
        // The number of the last record lets the next opening detect missing records.
        if isOpen, let mark, mark.sequence < nextSequence - 1 { try? note(segment: mark.segment) }
        active = nil
        // Its partial copy is removed at the next opening.
        compaction = nil
        if let lock { fileSystem.unlock(lock) }
        lock = nil
        isOpen = false
    }
}

/// The part of the journal's state that other threads use: entries are read from any thread.
final class JournalShared: Sendable {
    let index = Locked(JournalIndex())
    /// The damaged parts that were set aside and not reported yet.
    let quarantined = Locked<[QuarantinedRecord]>([])
    /// The entries that may have files beside the journal.
    let entriesWithFiles = Locked<Set<UUID>>([])
    /// The closure that takes notices for the queue.
    let notify = Locked<(@Sendable (OfflineNotice) -> Void)?>(nil)

    /// Forgets everything, before the folder is opened by another queue.
    func empty() {
        index.withLock { $0 = JournalIndex() }
        quarantined.withLock { $0 = [] }
        entriesWithFiles.withLock { $0 = [] }
    }
}

/// The layout of a journal on disk.
package struct JournalSettings: Sendable {
    /// The length of a segment at which the next one begins.
    package var segmentSize = 16 << 20
    /// The initial and the maximum number of bytes of a segment that are filled in advance.
    ///
    /// Overwriting these bytes needs no new blocks, and a sync then waits only for the file's content.
    package var fill = (first: 64 << 10, most: 4 << 20)
    /// The maximum number of bytes that additions leave free for changes.
    var reserve = 4 << 20
    /// The minimum number of superseded bytes for a compaction.
    package var garbage = 4 << 20
    /// The number of bytes that a compaction copies between two batches.
    package var piece = 512 << 10
    /// The number of further attempts, 5 ms apart, at a lock that another owner holds.
    var lockTries = 100
    /// The number of bytes that are written and synced at once.
    var batch = 4 << 20

    package init() {}
}
