import Foundation

/// The folder of a store, with the files of the entries and those of the store itself.
///
/// As long as the files of the store cannot be made, as on a full disk, nothing is stored.
final class DiskFolder: Sendable {
    private static let leftover = "tmp-"
    private static let dayInSeconds: Int64 = 86_400

    let path: String
    let fileSystem: any CacheFileSystem
    let random: RandomSource
    private let keys: Locked<Keys>
    /// The prefix of the names of files that this store is writing.
    private let ownLeftover: String
    /// The files of the store itself, while they are known to be there.
    private let opened = Locked<Box<Files>?>(nil)

    /// The secret from which keys are made now.
    private struct Keys: Sendable {
        var secret: CacheHashKey
        /// Whether entries were to be removed while the folder was not in use, maybe under another secret than its own.
        var hasMissedRemoval = false
    }

    private struct Files: Sendable {
        /// The lock file, held open while the store exists; `nil` if it could not be opened.
        let mark: OpenFile?
        let generations: DiskGenerations
    }

    init(path: String, fileSystem: any CacheFileSystem, random: RandomSource) {
        self.path = path
        self.fileSystem = fileSystem
        self.random = random
        ownLeftover = Self.leftover + random.next().hexadecimal
        let own = CacheHashKey(random: random)
        try? fileSystem.makeCacheFolder(path)
        // Before a file is written, so that no other store takes it for that of a killed process.
        let mark = try? fileSystem.use(path + "/.lock")
        keys = Locked(Keys(secret: (try? DiskFolder.storedSecret(own, in: path, fileSystem, random)) ?? own))
        _ = try? files(mark)
    }

    /// Whether no other store uses the folder; `false` if that is unknown.
    var isOnlyUser: Bool { opened.withLock { $0 }?.value.mark.map(fileSystem.isOnlyUser) ?? false }

    /// The secret from which keys are made, which may become another one until the folder can be used.
    var secret: CacheHashKey { keys.withLock { $0.secret } }

    func path(of key: CacheKey) -> String { "\(path)/\(key)" }

    /// Creates a temporary file for an entry, in a new folder if the former one was removed.
    func makeLeftover() throws(FileError) -> OpenFile {
        // The lock file comes first, so that no other store takes this file for that of a killed process.
        _ = try files()
        let temporary = "\(path)/\(ownLeftover)\(random.next().hexadecimal)"
        do throws(FileError) {
            return try fileSystem.create(temporary, permissions: 0o600)
        } catch {
            guard error.isMissing else { throw error }
            // Unless another thread has made the folder again meanwhile.
            if !isIntact() { _ = try files() }
            return try fileSystem.create(temporary, permissions: 0o600)
        }
    }

    func remove(_ key: CacheKey) throws(FileError) {
        noteRemoval()
        do throws(FileError) {
            try fileSystem.remove(path(of: key))
        } catch {
            guard error.isFolder else { throw error }
            // A folder in the place of the file is no entry, and its content belongs to something else.
            try fileSystem.rename(path(of: key), to: "\(path)/\(random.next().hexadecimal)")
        }
    }

    /// Notes that entries are to be removed; first of all, because the first use of the folder may bring its secret.
    private func noteRemoval() {
        if opened.withLock({ $0 == nil }) { keys.withLock { $0.hasMissedRemoval = true } }
    }

    /// Lists the entries in the folder and their sizes, and removes the temporary files of killed processes.
    ///
    /// The entry written longest ago comes first. A folder that was removed has none.
    func scan() throws(FileError) -> [(key: CacheKey, size: Int64)] {
        let files: [CacheFile]
        do throws(FileError) {
            files = try fileSystem.cacheFiles(in: path)
        } catch {
            guard error.isMissing else { throw error }
            return []
        }
        // Checked after listing: a store that is writing one of these files already counts as a user.
        let (isOnlyUser, now) = (isOnlyUser, Int64(Date().timeIntervalSince1970))
        for file in files where Self.isLeftover(file.name) && !file.name.hasPrefix(ownLeftover) {
            if isOnlyUser || now - file.changed > Self.dayInSeconds { try? fileSystem.remove("\(path)/\(file.name)") }
        }
        return files.compactMap { file in CacheKey(file.name).map { (file, $0) } }
            .orderedByNumber { $0.0.changed }
            .map { ($0.1, $0.0.size) }
    }

    /// Returns whether a name is that of a temporary file of a store: hexadecimal numbers after the prefix.
    private static func isLeftover(_ name: String) -> Bool {
        guard name.hasPrefix(leftover) else { return false }
        let numbers = name.utf8.dropFirst(leftover.utf8.count)
        return numbers.count % 16 == 0 && !numbers.isEmpty && numbers.allSatisfy { $0.hexDigitValue != nil }
    }

    /// Returns the number that the entries of a URL have until they are invalidated.
    func generation(of resource: CacheResource) throws(FileError) -> UInt64 {
        try files().value.generations.current(of: resource)
    }

    /// Marks the entries of a URL as invalid, for every process.
    ///
    /// - Returns: The number of later ones; `nil` unless it was the given one before, and no other process has changed
    ///   it at the same time.
    func invalidate(_ resource: CacheResource, since generation: UInt64?) throws(FileError) -> UInt64? {
        noteRemoval()
        let number = try files().value.generations.change(resource, since: generation)
        // No other process reads a file that is no longer in the folder.
        guard !isIntact() else { return number }
        noteRemoval()
        return try files().value.generations.change(resource, since: generation)
    }

    /// Returns whether the store's own files are still in the folder; if not, they are made again with the next use.
    ///
    /// The folder may have been removed, and another process may have made a new one.
    func isIntact() -> Bool {
        guard let files = opened.withLock({ $0 }) else { return false }
        let file = files.value.generations.file
        if (try? fileSystem.isFile(file, at: file.path)) == true { return true }
        opened.withLock { if $0 === files { $0 = nil } }
        return false
    }

    /// Returns the files of the store itself, and makes those that are missing.
    ///
    /// A store without the secret of its folder would not reach the entries of other processes when it invalidates
    /// them. It is without it if another process was the first to store one, or if the secret could not be read when
    /// the store was created. It then takes the folder's, and throws, because the key of the caller was made with the
    /// former one. The lock file is given if it is open already.
    private func files(_ mark: OpenFile? = nil) throws(FileError) -> Box<Files> {
        if let opened = opened.withLock({ $0 }) { return opened }
        try fileSystem.makeCacheFolder(path)
        let mark = mark ?? (try? fileSystem.use(path + "/.lock"))
        let own = secret
        if let stored = try Self.storedSecret(own, in: path, fileSystem, random), stored != own {
            try take(stored)
            let reason = "its secret is not that of this store, which uses it from now on"
            throw FileError(operation: "use", path: path, code: 0, reason: reason)
        }
        let origin = try Self.lasting(
            ".generations",
            CacheHashKey(random: random).bytes.prefix(8),
            isExact: false,
            in: path,
            fileSystem,
            random
        )
        let generations = DiskGenerations(
            file: try fileSystem.openForChanging(path + "/.generations"),
            fileSystem: fileSystem,
            random: random,
            origin: UInt64(littleEndianBytes: origin)
        )
        let files = Box(Files(mark: mark, generations: generations))
        return opened.withLock { opened in
            // Another thread may have been faster.
            let first = opened ?? files
            opened = first
            return first
        }
    }

    /// Makes keys from the secret of the folder from now on.
    ///
    /// Entries that were to be removed before had other keys. As it is unknown which ones they are, all are removed,
    /// and those that other processes are writing are refused.
    private func take(_ stored: CacheHashKey) throws(FileError) {
        while true {
            let hasMissed = keys.withLock { $0.hasMissedRemoval }
            if hasMissed {
                // An exchange of another process may have begun before the change. Its generation ends with the file.
                try fileSystem.remove(path + "/.generations")
                for (key, _) in try scan() { try fileSystem.remove(path(of: key)) }
            }
            let isTaken = keys.withLock { keys in
                guard keys.hasMissedRemoval == hasMissed else { return false }
                keys = Keys(secret: stored)
                return true
            }
            if isTaken { return }
        }
    }

    /// Returns the secret of the folder, which is the given one if there was none before.
    private static func storedSecret(
        _ own: CacheHashKey,
        in path: String,
        _ fileSystem: any CacheFileSystem,
        _ random: RandomSource
    ) throws(FileError) -> CacheHashKey? {
        CacheHashKey(bytes: try lasting(".secret", own.bytes[...], in: path, fileSystem, random))
    }

    /// Returns the bytes in a file of the folder, to which the first process writes its own.
    ///
    /// A file that is there and cannot be read stays as it is, because other processes may use it.
    private static func lasting(
        _ name: String,
        _ own: ArraySlice<UInt8>,
        isExact: Bool = true,
        in folder: String,
        _ fileSystem: any CacheFileSystem,
        _ random: RandomSource
    ) throws(FileError) -> [UInt8] {
        let path = "\(folder)/\(name)"
        func read() throws(FileError) -> [UInt8]? {
            try Self.bytes(own.count, of: path, isExact: isExact, fileSystem)
        }
        if let bytes = try read() { return bytes }
        let temporary = "\(folder)/\(leftover)\(random.next().hexadecimal)"
        let new = try fileSystem.create(temporary, permissions: 0o600)
        do throws(FileError) {
            try fileSystem.writeAll(own, to: new)
            // If two processes create one at the same time, the first counts for both: a name that is taken stays.
            try? fileSystem.link(temporary, to: path)
            if let bytes = try read() {
                try? fileSystem.remove(temporary)
                return bytes
            }
            // The name belongs to something else, or the disk does not support hard links.
            try fileSystem.rename(temporary, to: path)
        } catch {
            try? fileSystem.remove(temporary)
            throw error
        }
        if let bytes = try read() { return bytes }
        throw FileError(operation: "use", path: path, code: 0, reason: "it does not keep what was written to it")
    }

    /// Returns the first bytes of a file; `nil` if it is missing, or has fewer or, if that counts, more of them.
    private static func bytes(
        _ count: Int,
        of path: String,
        isExact: Bool,
        _ fileSystem: any CacheFileSystem
    ) throws(FileError) -> [UInt8]? {
        let file: OpenFile
        do throws(FileError) {
            file = try fileSystem.openEntry(path)
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: count + 1)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try fileSystem.readAll(file, into: buffer, at: 0) }
        }
        let found = try result.get()
        guard found == count || (found > count && !isExact) else { return nil }
        return Array(bytes.prefix(count))
    }
}
