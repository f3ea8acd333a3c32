import Foundation

@testable import NetKit

/// Files in memory, with calls that fail on command.
final class FakeFileSystem: FileSystem {
    enum Call: Sendable, CaseIterable {
        case status
        case openForReading
        case create
        case openForAppending
        case truncate
        case read
        case write
        case confirmWrites
        case link
        case rename
        case remove
    }

    private struct State {
        var files: [String: Data] = [:]
        var folders: Set<String> = []
        var calls: [Call] = []
        /// The number of calls that still succeed before one fails.
        var successesLeft: [Call: Int] = [:]
        /// The actions that are each performed once, at the beginning of a call.
        var actions: [Call: @Sendable () -> Void] = [:]
        /// The owners of files that are not those of the process.
        var foreignOwners: [String: UInt32] = [:]
        /// The owner of files that are made from now on; `nil` for the user of the process.
        var ownerOfNewFiles: UInt32?
        /// The system's error of a call that fails.
        var code = EIO
    }

    private let state = Locked(State())
    private let pieceSize: Int

    /// Reads and writes at most `pieceSize` bytes a call.
    init(pieceSize: Int = .max) {
        self.pieceSize = pieceSize
    }

    var calls: [Call] { state.withLock { $0.calls } }

    var paths: [String] { state.withLock { $0.files.keys.sorted() } }

    func content(of path: String) -> Data? {
        state.withLock { $0.files[path] }
    }

    func put(_ data: Data, at path: String) {
        state.withLock { $0.files[path] = data }
    }

    func makeFolder(_ path: String) {
        state.withLock { _ = $0.folders.insert(path) }
    }

    /// Makes a call fail from now on, after it has succeeded a number of times.
    func fail(_ call: Call, after successes: Int = 0, code: Int32 = EIO) {
        state.withLock { ($0.successesLeft[call], $0.code) = (successes, code) }
    }

    /// Performs an action at the beginning of the next such call.
    func before(_ call: Call, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions[call] = action }
    }

    /// Makes another user the owner of a file.
    func give(_ path: String, to owner: UInt32) {
        state.withLock { $0.foreignOwners[path] = owner }
    }

    func setOwnerOfNewFiles(_ owner: UInt32) {
        state.withLock { $0.ownerOfNewFiles = owner }
    }

    func status(of path: String) throws(FileError) -> FileStatus {
        try note(.status, path)
        let (isFolder, size, owner) = state.withLock { state in
            (state.folders.contains(path), state.files[path]?.count, state.foreignOwners[path])
        }
        if isFolder { return FileStatus(kind: .directory, size: 0) }
        guard let size else { throw Self.missing("look at", path) }
        return FileStatus(kind: .regular, size: Int64(size), foreignOwner: owner)
    }

    func status(of file: OpenFile) throws(FileError) -> FileStatus { try status(of: file.path) }

    func openForReading(_ path: String) throws(FileError) -> OpenFile {
        try note(.openForReading, path)
        guard content(of: path) != nil else { throw Self.missing("open", path) }
        return OpenFile(descriptor: -1, path: path)
    }

    func create(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        try note(.create, path)
        make(path)
        return OpenFile(descriptor: -1, path: path)
    }

    func openForAppending(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        try note(.openForAppending, path)
        if content(of: path) == nil { make(path) }
        return OpenFile(descriptor: -1, path: path)
    }

    func truncate(_ file: OpenFile) throws(FileError) {
        try note(.truncate, file.path)
        put(Data(), at: file.path)
    }

    func read(
        _ file: OpenFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileError) -> Int {
        try note(.read, file.path)
        let rest = (content(of: file.path) ?? Data()).dropFirst(Int(offset)).prefix(min(pieceSize, buffer.count))
        buffer.copyBytes(from: rest)
        return rest.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64?) throws(FileError) -> Int {
        try note(.write, file.path)
        let piece = Data(bytes.prefix(pieceSize))
        state.withLock { state in
            let end = state.files[file.path]?.count ?? 0
            let start = offset.map { Int($0) } ?? end
            state.files[file.path, default: Data()].replaceSubrange(start..<min(start + piece.count, end), with: piece)
        }
        return piece.count
    }

    func confirmWrites(to file: OpenFile) throws(FileError) { try note(.confirmWrites, file.path) }

    func link(_ source: String, to destination: String) throws(FileError) {
        try note(.link, source)
        guard let content = content(of: source) else { throw Self.missing("create", destination) }
        guard self.content(of: destination) == nil else {
            throw FileError(operation: "create", path: destination, code: EEXIST, reason: "File exists")
        }
        put(content, at: destination)
    }

    func rename(_ source: String, to destination: String) throws(FileError) {
        try note(.rename, source)
        guard let content = content(of: source) else { throw Self.missing("replace", destination) }
        state.withLock { state in
            state.files[source] = nil
            state.files[destination] = content
        }
    }

    func remove(_ path: String) throws(FileError) {
        try note(.remove, path)
        state.withLock { $0.files[path] = nil }
    }

    private func make(_ path: String) {
        put(Data(), at: path)
        state.withLock { $0.foreignOwners[path] = $0.ownerOfNewFiles }
    }

    private func note(_ call: Call, _ path: String) throws(FileError) {
        state.withLock { $0.actions.removeValue(forKey: call) }?()
        let code = state.withLock { state -> Int32? in
            state.calls.append(call)
            guard let left = state.successesLeft[call] else { return nil }
            state.successesLeft[call] = left - 1
            return left <= 0 ? state.code : nil
        }
        if let code { throw FileError(operation: "\(call)", path: path, code: code, reason: "the disk is on fire") }
    }

    private static func missing(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, path: path, code: ENOENT, reason: "No such file or directory")
    }
}
