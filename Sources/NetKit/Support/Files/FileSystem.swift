import Foundation

/// The calls on files that NetKit makes; tests replace it with a disk that fails on command.
protocol FileSystem: Sendable {
    /// Returns the status of a path.
    func status(of path: String) throws(FileError) -> FileStatus
    /// Returns the status of an open file.
    func status(of file: OpenFile) throws(FileError) -> FileStatus
    /// Opens a file for reading.
    func openForReading(_ path: String) throws(FileError) -> OpenFile
    /// Creates a new file for reading and writing, with permissions that the process's mask narrows, and fails if there
    /// is a file or a link.
    func create(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile
    /// Opens a file for appending, creates it if it is missing, and locks it against other openings of this kind.
    func openForAppending(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile
    /// Truncates a file to zero bytes.
    func truncate(_ file: OpenFile) throws(FileError)
    /// Reads up to the buffer's size from a position; 0 is the end.
    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int
    /// Writes at a position, or at the end without one; may write fewer bytes than it was given.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64?) throws(FileError) -> Int
    /// Throws the error of a write that was accepted and has failed since, as on a network drive without room.
    func confirmWrites(to file: OpenFile) throws(FileError)
    /// Gives a file a second name, and fails if that name exists.
    func link(_ source: String, to destination: String) throws(FileError)
    /// Renames a file, and replaces a file at the destination.
    func rename(_ source: String, to destination: String) throws(FileError)
    /// Removes a file; a missing file is not an error.
    func remove(_ path: String) throws(FileError)
}

/// The properties of a file or folder.
struct FileStatus: Sendable, Equatable {
    enum Kind: Sendable { case regular, directory, other }
    var kind: Kind
    var size: Int64
    /// The number of names of the file.
    var linkCount = 1
    /// The number of the user who owns the file, unless that is the user of the process.
    var foreignOwner: UInt32?
    /// The identity of the file; `nil` if it is not known.
    var identity: FileIdentity?
}

/// A failed call on a file.
struct FileError: Error, Equatable {
    let operation: String
    let path: String
    let code: Int32
    let reason: String

    var message: String { "Could not \(operation) \"\(path)\": \(reason)." }
}

extension FileSystem {
    func confirmWrites(to file: OpenFile) throws(FileError) {}

    /// Writes every byte at a position, or at the end without one, however many calls that takes.
    func writeAll(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64? = nil) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let written = try write(rest, to: file, at: offset.map { $0 + Int64(done) })
            guard written > 0 else {
                throw FileError(operation: "write", path: file.path, code: 0, reason: "no byte was accepted")
            }
            done += written
        }
    }

    /// Writes every byte at a position, or at the end without one, however many calls that takes.
    func writeAll(_ bytes: some ContiguousBytes, to file: OpenFile, at offset: Int64? = nil) throws(FileError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(FileError) in try writeAll(buffer, to: file, at: offset) }
        }
        try result.get()
    }

    /// Reads a part of a file, however many calls that takes; returns `nil` if the file ends before.
    func readExactly(_ count: Int, of file: OpenFile, at offset: Int64) throws(FileError) -> Data? {
        // Not `Data(count:)`, which fills the memory with zeros first: a third of the time of reading a megabyte.
        guard let start = malloc(count) else {
            throw FileError(operation: "read", path: file.path, code: ENOMEM, reason: "there is not enough memory")
        }
        var isKept = false
        defer { if !isKept { free(start) } }
        let buffer = UnsafeMutableRawBufferPointer(start: start, count: count)
        guard try readAll(file, into: buffer, at: offset) == count else { return nil }
        // Not before the read, because `Data` copies a few bytes and frees the memory at once.
        isKept = true
        return Data(bytesNoCopy: start, count: count, deallocator: .free)
    }

    /// Reads a part of a file, however many calls that takes; returns fewer bytes than there is room only if the file
    /// ends.
    func readAll(
        _ file: OpenFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = try read(file, into: rest, at: offset.addingSaturated(Int64(filled)))
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }
}
