public import Foundation

/// A store in a folder, bounded by bytes, that is there again in the next process.
///
/// An entry is one file, written beside its place and renamed into it, with checksums over head and body: after a crash it
/// is there whole or not at all, and what was damaged is not there. Files have no telling names and hold no secret header
/// fields, no URLs and no tokens. Several processes may share the folder; what else lies in it is left alone.
public final class DiskCacheStore: PromptCacheStore {
    /// The folder.
    public let directory: URL
    /// How many bytes the files may take.
    public let byteLimit: Int64
    /// How many files there may be.
    public let entryLimit: Int
    /// The secret of the folder, which lies in it.
    public let secret: CacheHashKey

    let folder: DiskFolder
    private let state: Locked<DiskIndex>

    /// Makes a store; the folder is made where it is missing.
    ///
    /// A folder that cannot be used makes every operation throw, which a cache overlooks.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - byteLimit: How many bytes the files may take; an entry larger than a quarter of that is not kept.
    ///   - entryLimit: How many files there may be.
    public convenience init(directory: URL, byteLimit: Int64 = 256 << 20, entryLimit: Int = 100_000) {
        self.init(directory: directory, byteLimit: byteLimit, entryLimit: entryLimit, fileSystem: SystemFileSystem())
    }

    init(
        directory: URL,
        byteLimit: Int64 = 256 << 20,
        entryLimit: Int = 100_000,
        fileSystem: any CacheFileSystem,
        random: RandomSource = .system
    ) {
        self.directory = directory
        self.byteLimit = max(0, byteLimit)
        self.entryLimit = max(0, entryLimit)
        folder = DiskFolder(path: directory.path(percentEncoded: false), fileSystem: fileSystem, random: random)
        secret = folder.secret
        state = Locked(DiskIndex(byteLimit: max(0, byteLimit), entryLimit: max(0, entryLimit)))
    }

    /// The entry of a key, or nil.
    ///
    /// A body of up to 1 MiB is read at once; a larger one is read while it is used.
    public func read(_ key: CacheKey) throws -> CacheRecord? {
        scanIfNeeded()
        let isVerified = state.withLock { $0.use(key) }
        do throws(DiskEntry.Problem) {
            let entry = try DiskEntry(key, in: folder)
            let body = try entry.body(isVerified: isVerified)
            try? act(on: state.withLock { $0.noteRead(key, size: entry.fileSize) })
            return CacheRecord(head: entry.head, body: body)
        } catch {
            state.withLock { $0.remove(key) }
            switch error {
            case .absent: return nil
            case .damaged:
                try? folder.remove(key)
                return nil
            case .disk(let error): throw error
            }
        }
    }

    /// Begins to write an entry; nil for a body that is known to be too large, and for what cannot be kept without a secret.
    public func write(_ key: CacheKey, _ head: CacheHead, length: Int64?) throws -> (any CacheWriter)? {
        if let length, length > byteLimit / 4 { return nil }
        guard head.isUsefulWithoutSecrets else {
            try remove(key)
            return nil
        }
        scanIfNeeded()
        return try DiskWriter(store: self, key: key, head: head)
    }

    /// Writes an entry.
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data) throws {
        guard Int64(body.count) <= byteLimit / 4 else { return }
        guard head.isUsefulWithoutSecrets else { return try remove(key) }
        scanIfNeeded()
        let writer = try DiskWriter(store: self, key: key, head: head)
        do {
            try writer.append(body)
            try writer.commit()
        } catch {
            writer.abort()
            throw error
        }
    }

    /// Replaces the head of an entry that still has the body that the head belongs to.
    public func update(_ key: CacheKey, _ head: CacheHead) throws {
        guard head.isUsefulWithoutSecrets else { return try remove(key) }
        let size: Int64
        do throws(DiskEntry.Problem) {
            let entry = try DiskEntry(key, in: folder)
            guard entry.head.bodyID == head.bodyID else { return }
            size = try entry.update(head, in: folder)
        } catch {
            switch error {
            case .absent: return
            case .damaged: return try remove(key)
            case .disk(let error): throw error
            }
        }
        try act(on: state.withLock { $0.resize(key, to: size) })
    }

    /// Forgets the entry of a key.
    public func remove(_ key: CacheKey) throws {
        state.withLock { $0.remove(key) }
        try folder.remove(key)
    }

    /// Forgets everything.
    public func removeAll() throws {
        state.withLock { $0.removeAll() }
        for (key, _) in try folder.scan(removesLeftovers: false) { try folder.remove(key) }
    }

    /// How much is kept, and how much had to go.
    public var statistics: CacheStoreStatistics {
        scanIfNeeded()
        return state.withLock { $0.statistics }
    }

    /// Sets room aside for bytes that are being written; false where there is none.
    func reserve(_ count: Int) throws(FileError) -> Bool {
        guard let gone = state.withLock({ $0.reserve(Int64(count)) }) else { return false }
        try act(on: gone)
        return true
    }

    func release(_ count: Int64) {
        state.withLock { $0.release(count) }
    }

    /// Counts an entry that has just got its place.
    func noteWritten(_ key: CacheKey, size: Int64) throws(FileError) {
        let (gone, isDue) = state.withLock { $0.insert(key, size: size) }
        try act(on: gone)
        if isDue, !folder.isOnlyUser { scan() }
    }

    private func act(on gone: [CacheKey]) throws(FileError) {
        for key in gone { try folder.remove(key) }
    }

    private func scanIfNeeded() {
        if state.withLock({ $0.takeFirstScan() }) { scan() }
    }

    /// Looks at what is in the folder: at the beginning, and now and then where others write into it too.
    private func scan() {
        // What others are writing is no leftover.
        guard let found = try? folder.scan(removesLeftovers: folder.isOnlyUser) else { return }
        try? act(on: state.withLock { $0.merge(found) })
    }
}
