import Foundation

/// The file of a token, and the file beside it with the lock and the lease.
///
/// The lock is held while the files are read or written, and at no other time. The token's file is replaced as a whole,
/// so that a crash or a full disk leaves the previous one. Only the user of the process can read it.
///
/// A token that a program other than a vault wrote has no version. It counts as newer than the last one that was saved.
/// So does a missing file.
struct TokenFile: Sendable {
    private struct Content: Codable {
        var version: Int64?
        var token: AccessToken?
        /// The name of the token's identity, unless it is random.
        var identity: String?
        /// The token and the name, if they are encrypted.
        var sealed: Data?
    }

    /// The content of the file with the lock.
    private struct Note: Codable {
        /// The last version that was saved or removed.
        var version: Int64 = 0
        var lease: Lease?
    }

    /// The right to refresh a version.
    ///
    /// The times are those of a clock that all processes of the machine share, and that begins with its start. After a
    /// restart of the machine, the beginning of a lease is in the future or its end in the past. At worst, it counts
    /// for its duration once more.
    private struct Lease: Codable {
        let version: Int64
        let holder: UUID
        let start: Int64
        let end: Int64
    }

    /// The longest wait for the lock, which other processes hold for moments.
    private static let patience = Duration.seconds(5)
    /// The size of a note, so that a new one always covers the previous one, on a full disk too.
    private static let noteSize = 512
    /// The number of bytes that are read of a file first, which is hardly ever longer, and in all.
    private static let (firstSize, maxSize) = (16 << 10, 1 << 20)

    let path: String
    let seal: RecordSeal?
    let clock: NetKitClock
    let fileSystem: any DurableFileSystem

    private var folder: String { path.folderAbove }
    private var lockPath: String { path + ".lock" }

    // MARK: - The vault's operations

    func read() throws -> SharedToken {
        let note = try note(of: nil)
        // A token with a version needs no lock. Neither does a place where nothing was saved, or a read-only folder.
        guard note.version > 0, try content()?.version == nil else { return try current(note) }
        do {
            return try withLock { try current(self.note(of: $0)) }
        } catch is FileError {
            return try current(note)
        }
    }

    func lease(_ version: Int64, by holder: UUID, for duration: Duration) throws -> TokenLease {
        try withLock { file in
            var note = try note(of: file)
            let current = try current(note)
            guard current.version <= version else { return .newer(current) }
            let now = clock.now.nanoseconds
            if let lease = note.lease, lease.version == current.version, lease.holder != holder,
                lease.start <= now, now < lease.end
            {
                return .held(for: .nanoseconds(lease.end - now))
            }
            let end = now.addingSaturated(max(0, duration.clampedNanoseconds))
            note.lease = Lease(version: current.version, holder: holder, start: now, end: end)
            try write(note, to: file)
            return .granted(current)
        }
    }

    func save(_ token: AccessToken?, for identity: String?, over version: Int64?) throws -> Int64? {
        try withLock { file in
            var note = try note(of: file)
            let current = try self.version(note, evenIfDamaged: version == nil)
            guard version == nil || version == current else { return nil }
            // The lease is for the version that is replaced here, so that it ends with it.
            guard let token else {
                // Without an earlier token, the version rises as well, which ends the lease of a first refresh.
                note.version = max(1, current, timeOfDay)
                try write(note, to: file)
                try fileSystem.remove(path)
                try fileSystem.removeUnfinished(path)
                try fileSystem.syncFolder(folder)
                return Self.version(ofMissing: note)
            }
            let (next, overflow) = current.addingReportingOverflow(1)
            guard !overflow else { throw damage() }
            let newer = max(next, timeOfDay)
            let bytes = try bytes(of: TokenRecord(token: token, identity: identity), version: newer)
            let previous = note
            note.version = newer
            try write(note, to: file)
            do {
                _ = try fileSystem.replaceFile(path) { file throws(FileError) in
                    try fileSystem.writeAll(bytes, to: file, at: 0)
                }
            } catch {
                // Otherwise a missing file would have another version, and the save could not be repeated.
                try? write(previous, to: file)
                throw error
            }
            try fileSystem.syncFolder(folder)
            return newer
        }
    }

    func release(_ version: Int64, by holder: UUID) throws {
        try withLock { file in
            var note = try note(of: file)
            guard let lease = note.lease, lease.holder == holder, lease.version <= version else { return }
            note.lease = nil
            try write(note, to: file)
        }
    }

    // MARK: - The token

    private func current(_ note: Note) throws -> SharedToken {
        guard let content = try content() else { return SharedToken(version: Self.version(ofMissing: note)) }
        let version = content.version ?? note.version.addingSaturated(1)
        guard let sealed = content.sealed else {
            return SharedToken(version: version, token: content.token, identity: content.identity)
        }
        let hint = "Give the vault the seal with which the file was written, or remove the file."
        guard let seal else { throw NetKitError(.file, "\"\(path)\" is encrypted. \(hint)") }
        do {
            let record = try TokenRecord(sealed, sealedBy: seal)
            return SharedToken(version: version, token: record.token, identity: record.identity)
        } catch {
            throw NetKitError(.file, "\"\(path)\" cannot be decrypted. \(hint)", cause: error)
        }
    }

    /// Returns the version alone.
    ///
    /// A login also replaces a token that cannot be read.
    private func version(_ note: Note, evenIfDamaged: Bool) throws -> Int64 {
        do {
            guard let content = try content() else { return Self.version(ofMissing: note) }
            return content.version ?? note.version.addingSaturated(1)
        } catch let error as NetKitError where !evenIfDamaged {
            throw error
        } catch is NetKitError {
            return note.version.addingSaturated(1)
        }
    }

    private static func version(ofMissing note: Note) -> Int64 {
        note.version > 0 ? note.version.addingSaturated(1) : 0
    }

    /// The date in milliseconds, which is the lowest new version.
    ///
    /// A version never returns then, even if both files were removed. Otherwise, a process that knows a version of
    /// before would take the next login for an older token.
    private var timeOfDay: Int64 {
        (Duration(clampingSeconds: clock.date.timeIntervalSince1970)?.clampedNanoseconds ?? 0) / 1_000_000
    }

    private func content() throws -> Content? {
        guard let bytes = try bytes(of: path) else { return nil }
        guard let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)),
            (content.token != nil) != (content.sealed != nil), content.version.map({ $0 > 0 }) ?? true
        else { throw damage() }
        return content
    }

    private func damage() -> NetKitError {
        let hint = "Remove the file so that a new token is fetched, or log in again."
        return NetKitError(.file, "\"\(path)\" is not a file that a token store wrote. \(hint)")
    }

    private func bytes(of record: TokenRecord, version: Int64) throws -> [UInt8] {
        var content = Content(version: version)
        if let seal {
            content.sealed = try record.data(sealedBy: seal)
        } else {
            (content.token, content.identity) = (record.token, record.identity)
        }
        return Array(try JSONEncoder().encode(content))
    }

    private func bytes(of path: String) throws(FileError) -> [UInt8]? {
        let file: OpenFile
        do throws(FileError) {
            file = try fileSystem.openRegularFile(path)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
        // Another process may replace the file meanwhile, so its path says nothing about the size of the open one.
        let start = try fileSystem.readAll(file, at: 0, count: Self.firstSize)
        guard start.count == Self.firstSize else { return start }
        let rest = Self.maxSize - Self.firstSize
        return start + (try fileSystem.readAll(file, at: Int64(Self.firstSize), count: rest))
    }

    // MARK: - The lock and the note

    /// Returns the note; a damaged one counts as empty, because it holds nothing that cannot be lost.
    private func note(of file: OpenFile?) throws(FileError) -> Note {
        let bytes =
            if let file { try fileSystem.readAll(file, at: 0, count: Self.noteSize) } else {
                try bytes(of: lockPath) ?? []
            }
        let note = try? JSONDecoder().decode(Note.self, from: Data(bytes))
        return note.map { $0.version >= 0 ? $0 : Note() } ?? Note()
    }

    private func write(_ note: Note, to file: OpenFile) throws {
        var bytes = Array(try JSONEncoder().encode(note))
        bytes += Array(repeating: UInt8(ascii: " "), count: max(0, Self.noteSize - bytes.count))
        try fileSystem.writeAll(bytes, to: file, at: 0)
    }

    private func withLock<Value>(_ body: (OpenFile) throws -> Value) throws -> Value {
        let file = try lockedFile()
        defer { fileSystem.unlock(file) }
        return try body(file)
    }

    private func lockedFile() throws -> OpenFile {
        _ = try fileSystem.makeFolder(folder)
        guard try !fileSystem.isRemote(folder) else {
            let hint = "Choose a folder on a disk of this machine, or a vault in a database."
            let problem = "is on a network file system, whose locks are unreliable."
            throw NetKitError(.unsupported, "\"\(folder)\" \(problem) \(hint)")
        }
        let end = ContinuousClock.now + Self.patience
        while true {
            if let status = try? fileSystem.status(ofLink: lockPath), status.kind != .regular {
                throw NetKitError(
                    .file,
                    "\"\(lockPath)\" is a link or a folder. Remove it: a vault makes its own file."
                )
            }
            let file = try fileSystem.openForUpdate(lockPath, creating: 0o600)
            while !(try fileSystem.tryLock(file)) {
                guard ContinuousClock.now < end else {
                    let hint = "The process may be suspended. Resume or end it."
                    let message = "Another process has locked \"\(lockPath)\" for \(Self.patience.shortText). \(hint)"
                    throw NetKitError(.storeUnavailable, message)
                }
                Thread.sleep(forTimeInterval: 0.002)
            }
            // The file may have been removed and replaced since.
            if try fileSystem.isFile(file, at: lockPath) { return file }
            fileSystem.unlock(file)
        }
    }
}
