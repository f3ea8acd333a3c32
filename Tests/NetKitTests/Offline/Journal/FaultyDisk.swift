import Foundation

@testable import NetKit

#if canImport(Glibc)
    import Glibc
#endif

/// The real disk, on which a call that changes something fails on command.
final class FaultyDisk: DurableFileSystem {
    enum Fault: Sendable, CaseIterable {
        case noSpace
        case error
        /// Half of the bytes are written, and then nothing more.
        case short
    }

    private struct State {
        var count = 0
        var failing: (number: Int, fault: Fault, stays: Bool)?
        var isFull = false
        var syncCount = 0
        var syncMicroseconds: UInt32 = 0
    }

    /// The paths of the files that were read, one for each call.
    let reads = Notebook<String>()
    private let disk = SystemFileSystem()
    private let state = Locked(State())
    private let unlocking = Locked<(@Sendable () -> Void)?>(nil)
    private let syncing = Locked<(@Sendable () -> Void)?>(nil)
    private let listing = Locked<(left: Int, action: @Sendable () -> Void)?>(nil)
    private let removing = Locked<(@Sendable () -> Void)?>(nil)
    private let renaming = Locked<(@Sendable () -> Void)?>(nil)
    private let opening = Locked<(@Sendable () -> Void)?>(nil)

    /// The number of calls that changed something.
    var count: Int { state.withLock { $0.count } }

    var syncCount: Int { state.withLock { $0.syncCount } }

    /// Makes a call fail, counted from now on and from 1, and those after it if the disk stays broken.
    func fail(_ number: Int, with fault: Fault = .error, stays: Bool = false) {
        state.withLock { state in
            state.count = 0
            state.failing = (number, fault, stays)
        }
    }

    /// Makes the disk full: no file can grow from now on.
    func fillUp() {
        state.withLock { $0.isFull = true }
    }

    /// Makes syncs take time, as on a real disk. Otherwise, no other call arrives while one runs.
    func slowSyncs(microseconds: UInt32) {
        state.withLock { $0.syncMicroseconds = microseconds }
    }

    /// Runs an action once, right before a lock is released.
    func beforeUnlocking(_ action: @escaping @Sendable () -> Void) {
        unlocking.withLock { $0 = action }
    }

    /// Runs something once, right before the next sync, which waits for it.
    func beforeSync(_ action: @escaping @Sendable () -> Void) {
        syncing.withLock { $0 = action }
    }

    /// Runs an action once, right after the names in a folder were read for the first time or a later one.
    func afterListing(_ number: Int = 1, _ action: @escaping @Sendable () -> Void) {
        listing.withLock { $0 = (left: number, action: action) }
    }

    /// Runs an action once, right after a file was removed.
    func afterRemoving(_ action: @escaping @Sendable () -> Void) {
        removing.withLock { $0 = action }
    }

    /// Runs an action once, right after a file was renamed.
    func afterRenaming(_ action: @escaping @Sendable () -> Void) {
        renaming.withLock { $0 = action }
    }

    /// Runs an action once, right before a file is opened for reading.
    func beforeOpening(_ action: @escaping @Sendable () -> Void) {
        opening.withLock { $0 = action }
    }

    func mend() {
        state.withLock { $0.failing = nil }
    }

    private func hit(_ operation: String, _ path: String) -> FileError? {
        let fault = state.withLock { state -> Fault? in
            state.count += 1
            guard let failing = state.failing else { return nil }
            return state.count == failing.number || failing.stays && state.count > failing.number ? failing.fault : nil
        }
        guard let fault else { return nil }
        let code = fault == .noSpace ? ENOSPC : EIO
        return FileError(operation: operation, path: path, code: code, reason: fault == .short ? "short" : "failed")
    }

    func status(of path: String) throws(FileError) -> FileStatus { try disk.status(of: path) }

    func status(of file: OpenFile) throws(FileError) -> FileStatus { try disk.status(of: file) }

    func openForReading(_ path: String) throws(FileError) -> OpenFile {
        let action = opening.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
        return try disk.openForReading(path)
    }

    func create(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        if let error = hit("create", path) { throw error }
        return try disk.create(path, permissions: permissions)
    }

    func read(
        _ file: OpenFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileError) -> Int {
        reads.add(file.path)
        return try disk.read(file, into: buffer, at: offset)
    }

    func rename(_ source: String, to destination: String) throws(FileError) {
        if let error = hit("rename", source) { throw error }
        try disk.rename(source, to: destination)
        let action = renaming.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    func remove(_ path: String) throws(FileError) {
        if let error = hit("remove", path) { throw error }
        try disk.remove(path)
        let action = removing.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }

    func openForUpdate(_ path: String, creating permissions: UInt32?) throws(FileError) -> OpenFile {
        if let error = hit("open", path) { throw error }
        return try disk.openForUpdate(path, creating: permissions)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64?) throws(FileError) -> Int {
        if let error = hit("write", file.path) {
            guard error.reason == "short", bytes.count > 1 else { throw error }
            return try disk.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), to: file, at: offset)
        }
        if state.withLock({ $0.isFull }), let offset, offset + Int64(bytes.count) > (try disk.status(of: file).size) {
            throw FileError(operation: "write", path: file.path, code: ENOSPC, reason: "full")
        }
        return try disk.write(bytes, to: file, at: offset)
    }

    func truncate(_ file: OpenFile) throws(FileError) {
        if let error = hit("truncate", file.path) { throw error }
        try disk.truncate(file)
    }

    func openForAppending(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        if let error = hit("open", path) { throw error }
        return try disk.openForAppending(path, permissions: permissions)
    }

    func sync(_ file: OpenFile) throws(FileError) {
        if let error = hit("sync", file.path) { throw error }
        let action = syncing.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
        // It does not sync for real, because the test is about the failure.
        let pause = state.withLock { state in
            state.syncCount += 1
            return state.syncMicroseconds
        }
        if pause > 0 { usleep(pause) }
    }

    func syncData(_ file: OpenFile) throws(FileError) { try sync(file) }

    func syncFolder(_ path: String) throws(FileError) {
        if let error = hit("sync", path) { throw error }
    }

    func status(ofLink path: String) throws(FileError) -> FileStatus { try disk.status(ofLink: path) }

    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(FileError) {
        if let error = hit("change", file.path) { throw error }
        try disk.setPermissions(permissions, of: file)
    }

    func isFile(_ file: OpenFile, at path: String) throws(FileError) -> Bool { try disk.isFile(file, at: path) }

    func names(inFolder path: String) throws(FileError) -> [String] {
        let names = try disk.names(inFolder: path)
        let action = listing.withLock { listing -> (@Sendable () -> Void)? in
            listing?.left -= 1
            guard let (left, action) = listing, left == 0 else { return nil }
            listing = nil
            return action
        }
        action?()
        return names
    }

    func makeFolder(_ path: String) throws(FileError) -> Bool {
        if let error = hit("make", path) { throw error }
        return try disk.makeFolder(path)
    }

    func link(_ source: String, to destination: String) throws(FileError) {
        if let error = hit("link", destination) { throw error }
        try disk.link(source, to: destination)
    }

    func tryLock(_ file: OpenFile) throws(FileError) -> Bool { try disk.tryLock(file) }

    func unlock(_ file: OpenFile) {
        let action = unlocking.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
        disk.unlock(file)
    }

    func isRemote(_ path: String) throws(FileError) -> Bool { try disk.isRemote(path) }
}
