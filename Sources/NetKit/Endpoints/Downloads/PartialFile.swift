import Foundation

/// The partial file of a download, and the known properties of the whole file.
///
/// A resumable part has a name that a later process finds again, and a note beside it with the server's validator and
/// size.
struct PartialFile {
    /// The properties of the whole file.
    struct Note: Codable, Equatable {
        /// The server's validator, which must match before the rest is appended to the part.
        var validator: String
        /// The size of the whole, which must match as well.
        var total: Int64
        /// The name that the response with the beginning gave the file.
        var name: String?

        var hasETag: Bool { validator.hasPrefix("\"") }
    }

    let path: String
    let notePath: String?
    let fileSystem: any FileSystem
    private let folder: String
    private let random: RandomSource
    private(set) var size: Int64 = 0
    private(set) var note: Note?
    private var file: OpenFile?

    /// Creates a part in a folder, whose path ends with a slash.
    ///
    /// A resumable part has a key that identifies it.
    init(folder: String, key: String?, fileSystem: any FileSystem, random: RandomSource) {
        (self.fileSystem, self.folder, self.random) = (fileSystem, folder, random)
        let name = key.map { ".netkit-\(Self.hash(of: $0))" } ?? ".netkit-\(random.next() >> 16)"
        path = folder + name + ".part"
        notePath = key == nil ? nil : folder + name + ".json"
    }

    /// Opens the part of an earlier call, or starts with an empty file if it cannot be continued.
    ///
    /// If an error is thrown, the part stays as it is. A part that is not resumable is not opened. A file that another
    /// user has placed at the path is removed, not continued.
    mutating func reopen() throws {
        guard let notePath else { return }
        var (opened, status) = try openPart()
        if try !isOwn(status) {
            // Or the process of a finished download ended before it removed this name of the file.
            try fileSystem.remove(path)
            (opened, status) = try openPart()
            guard try isOwn(status) else {
                let hint = "Download to a folder that no other user may write to, or without `isResumable`."
                throw NetKitError(.file, "The part \"\(path)\" of the download is another user's. \(hint)")
            }
        }
        note = try readNote(notePath).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
        (file, size) = (opened, status.size)
        let canContinue = note.map { size > 0 && size <= $0.total } ?? false
        if !canContinue { try restart() }
    }

    /// Returns whether a file can only be one that this user has created.
    private func isOwn(_ status: FileStatus) throws(FileError) -> Bool {
        guard status.kind == .regular, status.linkCount == 1 else { return false }
        guard let owner = status.foreignOwner else { return true }
        // A network drive may give all files of a user another owner.
        let probe = try fileSystem.create("\(folder).netkit-\(random.next() >> 16).part", permissions: 0o600)
        defer { try? fileSystem.remove(probe.path) }
        return try fileSystem.status(of: probe).foreignOwner == owner
    }

    private func openPart() throws -> (OpenFile, FileStatus) {
        do throws(FileError) {
            let file = try fileSystem.openForAppending(path, permissions: 0o666)
            return (file, try fileSystem.status(of: file))
        } catch {
            guard error.isLocked else { throw error }
            let message = "Another download to the same place is under way: \"\(path)\" is in use."
            throw NetKitError(.file, message, cause: error)
        }
    }

    /// Starts again with an empty file.
    mutating func restart() throws {
        note = nil
        if let notePath { try fileSystem.remove(notePath) }
        guard let file else {
            self.file = try fileSystem.create(path, permissions: 0o666)
            return
        }
        if size > 0 || notePath != nil { try fileSystem.truncate(file) }
        size = 0
    }

    /// Records the properties that the rest has to match.
    mutating func remember(_ note: Note) throws {
        guard note != self.note else { return }
        self.note = note
        guard let notePath else { return }
        try fileSystem.remove(notePath)
        let noteFile = try fileSystem.create(notePath, permissions: 0o600)
        try fileSystem.writeAll(JSONEncoder().encode(note), to: noteFile)
    }

    /// Adds bytes to the end.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard let file else { return }
        try fileSystem.writeAll(bytes, to: file)
        size += Int64(bytes.count)
    }

    /// Throws if bytes that were added have been lost since.
    func confirmWrites() throws(FileError) {
        if let file { try fileSystem.confirmWrites(to: file) }
    }

    /// Throws unless the path still leads to this file, with the bytes that were added and no others.
    func checkPlace() throws(FileError) {
        guard let file else { return }
        let (own, present) = (try fileSystem.status(of: file), try fileSystem.status(of: path))
        guard present.identity == own.identity, own.size == size else {
            throw FileError(operation: "complete", path: path, code: 0, reason: "another program has changed it")
        }
    }

    /// Passes the bytes of the file to a closure, piece by piece.
    func read(_ body: (UnsafeRawBufferPointer) -> Void) throws {
        let file = try fileSystem.openForReading(path)
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var offset: Int64 = 0
        while true {
            let count = try buffer.withUnsafeMutableBytes { bytes in
                let count = try fileSystem.read(file, into: bytes, at: offset)
                body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
                return count
            }
            guard count > 0 else { return }
            offset += Int64(count)
        }
    }

    /// Removes the part and its note, if this download opened them and no other file has taken the part's place.
    mutating func remove() {
        guard let file else { return }
        let present = try? fileSystem.status(of: path).identity
        if present == nil || present == (try? fileSystem.status(of: file).identity) {
            if let notePath { try? fileSystem.remove(notePath) }
            try? fileSystem.remove(path)
        }
        // The lock ends last: another download that took it earlier would take this file for its own.
        self.file = nil
    }

    /// Moves the file to its destination, and replaces an existing file.
    mutating func move(to destination: String) throws(FileError) {
        try fileSystem.rename(path, to: destination)
        if let notePath { try? fileSystem.remove(notePath) }
        file = nil
    }

    /// Moves the file to its destination.
    ///
    /// Returns `false` if there is already a file.
    mutating func moveUnlessTaken(to destination: String) throws(FileError) -> Bool {
        do throws(FileError) {
            try fileSystem.link(path, to: destination)
        } catch {
            guard !error.alreadyExists else { return false }
            return try takeName(destination)
        }
        remove()
        return true
    }

    /// Takes a name by creating the file, on a disk without hard links.
    private mutating func takeName(_ destination: String) throws(FileError) -> Bool {
        do throws(FileError) {
            _ = try fileSystem.create(destination, permissions: 0o666)
        } catch {
            guard error.alreadyExists else { throw error }
            return false
        }
        do throws(FileError) {
            try move(to: destination)
        } catch {
            try? fileSystem.remove(destination)
            throw error
        }
        return true
    }

    /// Returns a hash that is the same in every process, and for which no two texts can be found.
    private static func hash(of text: String) -> String {
        var hash = SHA256()
        Array(text.utf8).withUnsafeBytes { hash.add($0) }
        return String(hash.value.prefix(32))
    }

    /// Returns the content of the note; `nil` if there is none, or if another user has placed it.
    private func readNote(_ path: String) throws -> Data? {
        let file: OpenFile
        do throws(FileError) {
            // Before it is opened, because opening a pipe would block.
            guard try fileSystem.status(of: path).kind == .regular else { return nil }
            file = try fileSystem.openForReading(path)
            // Of the open file, because another may have taken its place meanwhile.
            guard try isOwn(fileSystem.status(of: file)) else { return nil }
        } catch {
            guard error.isMissing else { throw error }
            return nil
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = try buffer.withUnsafeMutableBytes { try fileSystem.read(file, into: $0, at: 0) }
        return Data(buffer[..<count])
    }
}
