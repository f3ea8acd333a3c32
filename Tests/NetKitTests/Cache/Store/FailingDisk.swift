import Synchronization

@testable import NetKit

/// The real disk, on which one operation fails, and later ones of the same kind as well.
final class FailingDisk: CacheFileSystem {
    private let base = SystemFileSystem()
    private let count = Atomic<Int>(0)
    private let reads = Atomic<Int>(0)
    private let failing: Int
    private let actions: Locked<[Moment: @Sendable () -> Void]>
    /// The number of removals that fail from now on.
    let failingRemovals = Locked(0)
    /// Whether files can be opened, but not read.
    let isUnreadable = Locked(false)
    /// Whether there is no room for another file or folder.
    let isFull = Locked(false)

    /// A moment at which something else may happen in the folder.
    enum Moment {
        case beforeCreating
        case beforeReading
        case beforeWriting
        case beforeListing
        case afterListing
    }

    /// Creates a disk that fails at the operation of a number, the first being 0, and at every seventh after it.
    ///
    /// - Parameters:
    ///   - failing: The number; without one, nothing fails.
    ///   - actions: The actions of other tasks and processes meanwhile, each run once.
    init(at failing: Int = .max, _ actions: [Moment: @Sendable () -> Void] = [:]) {
        self.failing = failing
        self.actions = Locked(actions)
    }

    /// Sets the action for the next time.
    func set(_ moment: Moment, _ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0[moment] = action }
    }

    /// The number of reads so far.
    var readCount: Int { reads.load(ordering: .relaxed) }

    private func pass(_ moment: Moment) {
        actions.withLock { $0.removeValue(forKey: moment) }?()
    }

    private func step(_ path: String) throws(FileError) {
        let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
        guard number >= failing, (number - failing) % 7 == 0 else { return }
        throw FileError(operation: "use", path: path, code: 5, reason: "the disk is broken")
    }

    private func needRoom(_ path: String) throws(FileError) {
        guard isFull.withLock({ $0 }) else { return }
        throw FileError(operation: "use", path: path, code: 28, reason: "the disk is full")
    }

    func status(of path: String) throws(FileError) -> FileStatus { try base.status(of: path) }

    func status(of file: OpenFile) throws(FileError) -> FileStatus { try base.status(of: file) }

    func openEntry(_ path: String) throws(FileError) -> OpenFile {
        try step(path)
        return try base.openEntry(path)
    }

    func create(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        pass(.beforeCreating)
        try step(path)
        try needRoom(path)
        return try base.create(path, permissions: permissions)
    }

    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        reads.wrappingAdd(1, ordering: .relaxed)
        pass(.beforeReading)
        try step(file.path)
        if isUnreadable.withLock({ $0 }) {
            throw FileError(operation: "read", path: file.path, code: 5, reason: "the disk is broken")
        }
        return try base.read(file, into: buffer, at: offset)
    }

    /// An operation at the end that fails has written a part.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64?) throws(FileError) -> Int {
        pass(.beforeWriting)
        do {
            try step(file.path)
        } catch {
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(bytes.count / 2))
            if offset == nil { _ = try base.write(part, to: file, at: nil) }
            throw error
        }
        return try base.write(bytes, to: file, at: offset)
    }

    func rename(_ source: String, to destination: String) throws(FileError) {
        try step(source)
        try base.rename(source, to: destination)
    }

    func remove(_ path: String) throws(FileError) {
        let fails = failingRemovals.withLock { left in
            defer { left = max(0, left - 1) }
            return left > 0
        }
        if fails {
            throw FileError(operation: "remove", path: path, code: 1, reason: "the disk keeps it")
        }
        try base.remove(path)
    }

    func link(_ source: String, to destination: String) throws(FileError) {
        try step(source)
        try base.link(source, to: destination)
    }

    func makeCacheFolder(_ path: String) throws(FileError) {
        try step(path)
        if (try? base.status(of: path)) == nil { try needRoom(path) }
        try base.makeCacheFolder(path)
    }

    func cacheFiles(in folder: String) throws(FileError) -> [CacheFile] {
        pass(.beforeListing)
        try step(folder)
        let files = try base.cacheFiles(in: folder)
        pass(.afterListing)
        return files
    }

    func openForAdding(_ path: String) throws(FileError) -> OpenFile {
        try step(path)
        return try base.openForAdding(path)
    }

    func openForChanging(_ path: String) throws(FileError) -> OpenFile {
        try step(path)
        return try base.openForChanging(path)
    }

    func size(of file: OpenFile) throws(FileError) -> Int64 {
        try step(file.path)
        return try base.size(of: file)
    }

    func isFile(_ file: OpenFile, at path: String) throws(FileError) -> Bool {
        try step(path)
        return try base.isFile(file, at: path)
    }

    func use(_ path: String) throws(FileError) -> OpenFile {
        try step(path)
        if (try? base.status(of: path)) == nil { try needRoom(path) }
        return try base.use(path)
    }

    func isOnlyUser(of file: OpenFile) -> Bool { base.isOnlyUser(of: file) }

    // Operations that a cache never uses.

    func openForReading(_ path: String) throws(FileError) -> OpenFile { throw unasked(path) }

    func openForAppending(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile { throw unasked(path) }

    func truncate(_ file: OpenFile) throws(FileError) { throw unasked(file.path) }

    private func unasked(_ path: String) -> FileError {
        FileError(operation: "use", path: path, code: 95, reason: "a cache does not do this")
    }
}
