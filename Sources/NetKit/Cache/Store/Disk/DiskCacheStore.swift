import Dispatch
public import Foundation

/// A store in a folder, bounded by bytes and by the number of entries, that persists between processes.
///
/// An entry is one file, with checksums over head and body. It is written under a temporary name and then renamed, so
/// that after a crash it is there whole or not at all. A damaged entry counts as absent. File names reveal nothing, and
/// files hold no secret header fields, no URLs and no tokens. Several processes may share the folder; other files in it
/// are left alone.
///
/// The store reads and writes entries on the task of its caller, so the folder should be on a local disk. Long
/// operations run on a thread of their own: listing the folder, removing everything, and comparing the body of an entry
/// of more than 1 MiB with its checksum. Until a folder from an earlier process has been listed, its files may exceed
/// the bounds.
public final class DiskCacheStore: PromptCacheStore {
    /// The folder.
    public let directory: URL
    /// The maximum number of bytes of all files.
    public let maxBytes: Int64
    /// The maximum number of files.
    public let maxEntries: Int
    /// The secret of the folder, which is stored in it; another one as long as the folder cannot be used.
    public var secret: CacheHashKey { folder.secret }

    let folder: DiskFolder
    private let state: Locked<DiskIndex>
    /// A lock that is held while an entry's file is placed or removed, so that the index agrees with the folder.
    private let placing = Locked(())
    /// The serial queue that lists the folder and removes its entries.
    private let queue = DispatchQueue(label: "netkit.cache")

    /// Creates a store, and the folder if it is missing.
    ///
    /// As long as the folder cannot be used, operations throw, and a cache works without the store. A folder that was
    /// removed is made again with the next write or invalidation.
    ///
    /// If another process is the first to use the folder meanwhile, or its secret could not be read when the store was
    /// created, the next operation that can read it throws once more, and the store uses it from then on. If entries
    /// were to be removed before, all entries of the folder are removed then, because their keys are not known.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - maxBytes: The maximum number of bytes of all files; an entry larger than a quarter of that is not kept.
    ///   - maxEntries: The maximum number of files.
    public convenience init(directory: URL, maxBytes: Int64 = 256 << 20, maxEntries: Int = 100_000) {
        self.init(directory: directory, maxBytes: maxBytes, maxEntries: maxEntries, fileSystem: SystemFileSystem())
    }

    init(
        directory: URL,
        maxBytes: Int64 = 256 << 20,
        maxEntries: Int = 100_000,
        fileSystem: any CacheFileSystem,
        random: RandomSource = .system
    ) {
        self.directory = directory
        self.maxBytes = max(0, maxBytes)
        self.maxEntries = max(0, maxEntries)
        folder = DiskFolder(path: directory.folderPath, fileSystem: fileSystem, random: random)
        state = Locked(DiskIndex(maxBytes: max(0, maxBytes), maxEntries: max(0, maxEntries)))
    }

    /// Returns the entry of a key; `nil` if there is none.
    ///
    /// A body of up to 1 MiB is read at once. A larger one is read while it is used.
    public func read(_ key: CacheKey) async throws -> CacheRecord? {
        scanIfNeeded()
        let isVerified = state.withLock { $0.use(key) }
        var entry: DiskEntry?
        do throws(DiskEntry.Problem) {
            let found = try DiskEntry(key, in: folder)
            entry = found
            guard try isCurrent(found, key) else { throw .damaged }
            if found.isLarge, !isVerified {
                try await DispatchQueue.global().run { () throws(DiskEntry.Problem) in try found.verify() }
            }
            // The next read compares the body with its checksum again.
            let body = try found.body { [self] in state.withLock { $0.set(key, isVerified: false) } }
            removeFiles(state.withLock { $0.noteRead(key, size: found.fileSize) })
            return CacheRecord(head: found.head, body: body)
        } catch {
            switch error {
            case .absent:
                // In most misses, the index has no such entry either.
                if state.withLock({ $0.contains(key) }) { try? discard(key, entry) }
                return nil
            case .damaged:
                try? discard(key, entry)
                return nil
            case .disk(let error): throw error
            }
        }
    }

    /// Removes an entry that was found absent or damaged, unless another file has taken its place since.
    private func discard(_ key: CacheKey, _ entry: DiskEntry?) throws {
        try inPlace { () throws(FileError) in
            if let present = try? DiskEntry(key, in: folder), entry.map({ !present.isSame($0) }) ?? true { return }
            try folder.remove(key)
            state.withLock { $0.remove(key) }
        }
    }

    /// Returns whether the URL's entries have not been invalidated since the exchange of this one began.
    private func isCurrent(_ entry: DiskEntry, _ key: CacheKey) throws(DiskEntry.Problem) -> Bool {
        do throws(FileError) {
            return try folder.generation(of: key.resource) == entry.generation
        } catch {
            throw .disk(error)
        }
    }

    /// Returns a token for an exchange that begins now.
    public func token(for key: CacheKey) throws -> CacheWriteToken {
        let number = state.withLock { $0.order.begin() }
        return CacheWriteToken(number: number, generation: try folder.generation(of: key.resource))
    }

    /// Begins to write an entry.
    ///
    /// Returns `nil` if the body is known to be too large or the head is useless without its secret fields, and removes
    /// the entry that it would replace.
    public func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken? = nil
    ) throws -> (any CacheWriter)? {
        guard length ?? 0 <= maxBytes / 4, head.isUsefulWithoutSecrets else {
            try remove(key, token: token)
            return nil
        }
        scanIfNeeded()
        return try DiskWriter(store: self, key: key, head: head, token: token)
    }

    /// Writes an entry, and returns whether it is kept; one that is too large removes the entry that it would replace.
    @discardableResult
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken? = nil) throws -> Bool {
        guard let writer = try write(key, head, length: Int64(body.count), token: token) as? DiskWriter else {
            return false
        }
        do {
            try writer.append(body)
            return try writer.commit()
        } catch {
            writer.abort()
            throw error
        }
    }

    /// Replaces the head of an entry that still has the body that the head belongs to.
    public func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken? = nil) throws {
        guard head.isUsefulWithoutSecrets else { return try remove(key, token: token) }
        do {
            let gone = try inPlace { () throws(DiskEntry.Problem) -> [DiskIndex.File] in
                let entry = try DiskEntry(key, in: folder)
                // An invalidated entry stays invalid, because it keeps its generation.
                guard entry.head.bodyID == head.bodyID, state.withLock({ $0.admits(key, token) }) else { return [] }
                let size = try entry.update(head)
                return state.withLock { $0.resize(key, to: size, exchange: token?.number) }
            }
            removeFiles(gone)
        } catch DiskEntry.Problem.absent {
            return
        } catch DiskEntry.Problem.damaged {
            try remove(key, token: token)
        } catch DiskEntry.Problem.disk(let error) {
            throw error
        }
    }

    /// Removes the entry of a key, unless a later exchange than the token's has written it.
    public func remove(_ key: CacheKey, token: CacheWriteToken? = nil) throws {
        try inPlace { () throws(FileError) in
            let isNewer = state.withLock { state in
                guard let token else { return false }
                state.order.replace(key, by: token.number)
                return state.isNewer(key, than: token)
            }
            if isNewer { return }
            try folder.remove(key)
            state.withLock { $0.remove(key) }
        }
    }

    /// Removes all entries of a URL, including those that other processes wrote or are writing.
    public func invalidate(_ resource: CacheResource) async throws { _ = try await invalidate(resource, since: nil) }

    /// Removes all entries of a key's URL, and returns a token for an entry that takes their place.
    ///
    /// It is `nil` if the URL was invalidated, or this process removed all entries, after the token was issued. If
    /// another process invalidates the URL at the very same moment, neither keeps a valid token.
    public func invalidate(_ key: CacheKey, since token: CacheWriteToken) async throws -> CacheWriteToken? {
        try await invalidate(key.resource, since: token)
    }

    private func invalidate(_ resource: CacheResource, since token: CacheWriteToken?) async throws -> CacheWriteToken? {
        let (isMarked, renewed) = inPlace { () -> (Bool, CacheWriteToken?) in
            let (isUnchanged, known) = state.withLock { state -> (Bool, [CacheKey]) in
                let isUnchanged = if let token { state.order.isUnchanged(resource, since: token.number) } else { false }
                return (isUnchanged, state.invalidate(resource))
            }
            defer { for key in known { try? folder.remove(key) } }
            do throws(FileError) {
                let since = isUnchanged ? token?.generation : nil
                guard let generation = try folder.invalidate(resource, since: since) else { return (true, nil) }
                return (true, CacheWriteToken(number: state.withLock { $0.order.begin() }, generation: generation))
            } catch {
                return (false, nil)
            }
        }
        if isMarked { return renewed }
        // The mark could not be written, so remove the entries that other processes have written.
        try await queue.run { [self] in
            for (key, _) in try folder.scan() where key.resource == resource {
                try inPlace { () throws(FileError) in
                    state.withLock { $0.remove(key) }
                    try folder.remove(key)
                }
            }
        }
        return nil
    }

    /// Moves a complete file to the place of its entry, and returns whether the entry is there.
    ///
    /// An entry that has become outdated meanwhile is not moved, nor is one whose folder was removed meanwhile:
    /// invalidations by the processes that use a new folder would not reach it.
    func place(_ file: OpenFile, _ key: CacheKey, size: Int64, token: CacheWriteToken?) throws(FileError) -> Bool {
        guard folder.isIntact() else { return false }
        let placed = try inPlace { () throws(FileError) -> (gone: [DiskIndex.File], needsScan: Bool)? in
            guard state.withLock({ $0.admits(key, token) }) else { return nil }
            try folder.fileSystem.rename(file.path, to: folder.path(of: key))
            return state.withLock { $0.insert(key, size: size, exchange: token?.number ?? 0) }
        }
        guard let placed else { return false }
        removeFiles(placed.gone)
        if placed.needsScan, !folder.isOnlyUser { queue.async { [self] in scan() } }
        return !placed.gone.contains { $0.key == key }
    }

    private func inPlace<Success: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        try placing.withLock { _ throws(Failure) in try body() }
    }

    /// Removes all entries.
    ///
    /// If some of them cannot be removed, the others are, and the first error is thrown.
    public func removeAll() async throws {
        try await queue.run { [self] in
            inPlace { state.withLock { $0.beginRemovingAll() } }
            defer { state.withLock { $0.endRemovingAll() } }
            var failure: FileError?
            for file in try folder.scan() {
                do throws(FileError) { try remove(file) } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    /// The size of the store, and the number of evictions.
    public var statistics: CacheStoreStatistics {
        get async {
            scanIfNeeded()
            return await queue.run { [self] in state.withLock { $0.statistics } }
        }
    }

    /// Reserves room for bytes that are being written; returns `false` if there is none.
    func reserve(_ count: Int) -> Bool {
        guard let gone = state.withLock({ $0.reserve(Int64(count)) }) else { return false }
        removeFiles(gone)
        return true
    }

    func release(_ count: Int64) {
        state.withLock { $0.release(count) }
    }

    /// Removes the files of entries that have left the index; those that cannot be removed are tried again later.
    private func removeFiles(_ gone: [DiskIndex.File]) {
        for file in gone { try? remove(file) }
    }

    /// Removes the file of an entry that the index no longer has, unless a new one has taken its place.
    ///
    /// If that fails, the entry gets its place in the index again, so that the bounds include it.
    private func remove(_ file: DiskIndex.File) throws(FileError) {
        try inPlace { () throws(FileError) in
            if state.withLock({ $0.contains(file.key) }) { return }
            do throws(FileError) {
                try folder.remove(file.key)
            } catch {
                state.withLock { $0.restore(file) }
                throw error
            }
        }
    }

    private func scanIfNeeded() {
        if state.withLock({ $0.takeFirstScan() }) { queue.async { [self] in scan() } }
    }

    /// The number of changes that are kept while the folder is being listed.
    var keptChanges: Int { state.withLock { $0.keptChanges } }

    /// Lists the folder at the beginning, and from time to time if other processes write into it too.
    private func scan() {
        inPlace { state.withLock { $0.beginScan() } }
        guard let found = try? folder.scan() else { return state.withLock { $0.abandonScan() } }
        removeFiles(state.withLock { $0.merge(found) })
    }
}
