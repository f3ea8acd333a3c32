public import Foundation

/// A store in a folder, bounded by bytes, that is there again in the next process.
///
/// An entry is one file, written beside its place and renamed into it, with checksums over head and body: after a crash it
/// is there whole or not at all, and what was damaged is not there. Files have no telling names and hold no secret header
/// fields, no URLs and no tokens. Several processes may share the folder; what else lies in it is left alone.
public final class DiskCacheStore: PromptCacheStore {
    /// The folder.
    public let directory: URL
    /// The maximum number of bytes of all files.
    public let maxBytes: Int64
    /// The maximum number of files.
    public let maxEntries: Int
    /// The secret of the folder, which lies in it.
    public let secret: CacheHashKey

    let folder: DiskFolder
    private let state: Locked<DiskIndex>
    /// Held while an entry gets its place or loses it, so that what the index says of it is so.
    private let placing = Locked(())

    /// Makes a store; the folder is made where it is missing.
    ///
    /// A folder that cannot be used makes every operation throw, which a cache overlooks.
    ///
    /// - Parameters:
    ///   - directory: The folder.
    ///   - maxBytes: How many bytes the files may take; an entry larger than a quarter of that is not kept.
    ///   - maxEntries: How many files there may be.
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
        folder = DiskFolder(path: directory.path(percentEncoded: false), fileSystem: fileSystem, random: random)
        secret = folder.secret
        state = Locked(DiskIndex(maxBytes: max(0, maxBytes), maxEntries: max(0, maxEntries)))
    }

    /// The entry of a key, or nil.
    ///
    /// A body of up to 1 MiB is read at once; a larger one is read while it is used.
    public func read(_ key: CacheKey) throws -> CacheRecord? {
        scanIfNeeded()
        let isVerified = state.withLock { $0.use(key) }
        do throws(DiskEntry.Problem) {
            let entry = try DiskEntry(key, in: folder)
            guard try isCurrent(entry, key) else { throw .damaged }
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

    /// Whether nothing has made the URL's entries invalid since the exchange began that brought this one.
    private func isCurrent(_ entry: DiskEntry, _ key: CacheKey) throws(DiskEntry.Problem) -> Bool {
        do throws(FileError) {
            return try folder.generation(of: key.resource) == entry.generation
        } catch {
            throw .disk(error)
        }
    }

    /// A token for an exchange that begins now.
    public func token(for key: CacheKey) throws -> CacheWriteToken {
        let number = state.withLock { $0.order.begin() }
        return CacheWriteToken(number: number, generation: try folder.generation(of: key.resource))
    }

    /// Begins to write an entry; nil for a body that is known to be too large, and for what cannot be kept without a secret.
    ///
    /// Then what it would replace is removed.
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

    /// Writes an entry, and returns whether it is kept; one that is too large removes what it would replace.
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
        let size: Int64
        do throws(DiskEntry.Problem) {
            let entry = try DiskEntry(key, in: folder)
            // An entry that was made invalid stays so: it keeps its generation.
            guard entry.head.bodyID == head.bodyID, state.withLock({ $0.admits(key, token) }) else { return }
            size = try entry.update(head, in: folder)
        } catch {
            switch error {
            case .absent: return
            case .damaged: return try remove(key, token: token)
            case .disk(let error): throw error
            }
        }
        try act(on: state.withLock { $0.resize(key, to: size, exchange: token?.number) })
    }

    /// Removes the entry of a key, unless a later exchange than the token's has written it.
    public func remove(_ key: CacheKey, token: CacheWriteToken? = nil) throws {
        try inPlace { () throws(FileError) in
            let isNewer = state.withLock { state in
                if let token {
                    state.order.replace(key, by: token.number)
                    if state.isNewer(key, than: token) { return true }
                }
                state.remove(key)
                return false
            }
            if !isNewer { try folder.remove(key) }
        }
    }

    /// Removes all entries of a URL, also those that other processes wrote or are writing.
    public func invalidate(_ resource: CacheResource) throws {
        try inPlace { () throws(FileError) in
            let known = state.withLock { $0.invalidate(resource) }
            let result = Result { () throws(FileError) in try folder.invalidate(resource) }
            for key in known { try? folder.remove(key) }
            try result.get()
        }
    }

    /// Moves a file that is whole into the place of its entry, unless something newer was learnt meanwhile.
    ///
    /// - Returns: Whether it is there.
    func place(_ file: OpenFile, _ key: CacheKey, size: Int64, token: CacheWriteToken?) throws(FileError) -> Bool {
        let placed = try inPlace { () throws(FileError) -> (gone: [CacheKey], isDue: Bool)? in
            guard state.withLock({ $0.admits(key, token) }) else { return nil }
            try folder.fileSystem.rename(file.path, to: folder.path(of: key))
            return state.withLock { $0.insert(key, size: size, exchange: token?.number ?? 0) }
        }
        guard let placed else { return false }
        try act(on: placed.gone)
        if placed.isDue, !folder.isOnlyUser { scan() }
        return !placed.gone.contains(key)
    }

    private func inPlace<Success: Sendable>(
        _ body: () throws(FileError) -> Success
    ) throws(FileError) -> Success {
        try placing.withLock { _ throws(FileError) in try body() }
    }

    /// Forgets everything.
    public func removeAll() throws {
        state.withLock { $0.removeAll() }
        for (key, _) in try folder.scan(removesLeftovers: false) { try folder.remove(key) }
    }

    /// The size of the store, and the number of evictions.
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
