/// A file system with the functions that a journal needs: writes in place, syncs, folders and locks.
protocol DurableFileSystem: FileSystem {
    /// Opens a file for reading and writing; with permissions, a missing file is created.
    func openForUpdate(_ path: String, creating permissions: UInt32?) throws(FileError) -> OpenFile
    /// Returns the status of a path, without following a link.
    func status(ofLink path: String) throws(FileError) -> FileStatus
    /// Sets a file's permissions.
    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(FileError)
    /// Returns once content and attributes of a file would survive a power cut.
    func sync(_ file: OpenFile) throws(FileError)
    /// Returns once the content of a file would survive a power cut.
    func syncData(_ file: OpenFile) throws(FileError)
    /// Returns once the names in a folder would survive a power cut.
    func syncFolder(_ path: String) throws(FileError)
    /// Returns whether a path still leads to an open file.
    func isFile(_ file: OpenFile, at path: String) throws(FileError) -> Bool
    /// Returns the names in a folder, including hidden ones.
    func names(inFolder path: String) throws(FileError) -> [String]
    /// Creates a folder for the user alone; returns `false` if there is one already.
    func makeFolder(_ path: String) throws(FileError) -> Bool
    /// Locks a file while it is open, even across processes; returns `false` if another open file has the lock.
    func tryLock(_ file: OpenFile) throws(FileError) -> Bool
    /// Unlocks a file at once; closing alone keeps the lock until a child that was just started has closed its copy.
    func unlock(_ file: OpenFile)
    /// Returns whether a path is on the disk of another machine.
    func isRemote(_ path: String) throws(FileError) -> Bool
}

extension DurableFileSystem {
    /// Writes a temporary file and renames it, so that a partial file never appears under its final name.
    ///
    /// The file is safe after its folder was synced.
    func replaceFile(_ path: String, _ write: (OpenFile) throws(FileError) -> Void) throws(FileError) -> OpenFile {
        try removeUnfinished(path)
        let temporary = Self.temporaryPath(of: path)
        // Another user of the folder may have put a file or a link of theirs there meanwhile.
        let file = try create(temporary, permissions: 0o600)
        do throws(FileError) {
            try write(file)
            try sync(file)
            try rename(temporary, to: path)
        } catch {
            try? remove(temporary)
            throw error
        }
        return file
    }

    /// Removes the files of a process that was killed while it replaced a file.
    func removeUnfinished(_ path: String) throws(FileError) {
        try remove(Self.temporaryPath(of: path))
    }

    private static func temporaryPath(of path: String) -> String { "\(path).tmp" }

    /// Opens a file for reading, but nothing else that has its name: opening a pipe would wait for its other end.
    func openRegularFile(_ path: String) throws(FileError) -> OpenFile {
        guard try status(of: path).kind == .regular else {
            throw FileError(operation: "open", path: path, code: 0, reason: "it is not a regular file")
        }
        return try openForReading(path)
    }

    /// Reads a whole part of a file; returns fewer bytes if the file ends before.
    func readAll(_ file: OpenFile, at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try readAll(file, into: buffer, at: offset) }
        }
        let filled = try result.get()
        bytes.removeLast(bytes.count - filled)
        return bytes
    }
}

extension String {
    /// The path of the folder that a file or folder is in; the root and "." are in themselves.
    ///
    /// On Linux, the function of `NSString` for it traps if the path is one character.
    var folderAbove: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
