import Foundation

/// The real file system.
struct SystemFileSystem: FileSystem {
    func status(of path: String) throws(FileError) -> FileStatus {
        try status(path) { stat(path, &$0) }
    }

    func status(of file: OpenFile) throws(FileError) -> FileStatus {
        try status(file.path) { fstat(file.descriptor, &$0) }
    }

    func status(ofLink path: String) throws(FileError) -> FileStatus {
        try status(path) { lstat(path, &$0) }
    }

    private func status(_ path: String, _ look: (inout stat) -> Int32) throws(FileError) -> FileStatus {
        try check(path, "look at")
        var info = stat()
        guard look(&info) == 0 else { throw failure("look at", path) }
        let kind: FileStatus.Kind =
            switch info.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            default: .other
            }
        return FileStatus(
            kind: kind,
            size: Int64(info.st_size),
            linkCount: Int(clamping: info.st_nlink),
            foreignOwner: info.st_uid == geteuid() ? nil : UInt32(info.st_uid),
            identity: FileIdentity(
                inode: UInt64(truncatingIfNeeded: info.st_ino),
                device: UInt64(truncatingIfNeeded: info.st_dev)
            )
        )
    }

    func openForReading(_ path: String) throws(FileError) -> OpenFile {
        try open(path, O_RDONLY | O_CLOEXEC, "open", 0)
    }

    func create(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        try open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, "create", mode_t(truncatingIfNeeded: permissions))
    }

    func openForAppending(_ path: String, permissions: UInt32) throws(FileError) -> OpenFile {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC
        while true {
            let file = try open(path, flags, "open", mode_t(truncatingIfNeeded: permissions), isLockable: true)
            guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw failure("lock", path) }
            // The previous holder of the lock may have renamed the file, which is then no longer at this path.
            if try isFile(file, at: path) { return file }
        }
    }

    func truncate(_ file: OpenFile) throws(FileError) {
        guard ftruncate(file.descriptor, 0) == 0, lseek(file.descriptor, 0, SEEK_SET) == 0 else {
            throw failure("empty", file.path)
        }
    }

    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try repeating("read", file.path) { pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64?) throws(FileError) -> Int {
        try repeating("write", file.path) { () -> Int in
            guard let offset else { return systemWrite(file.descriptor, bytes.baseAddress, bytes.count) }
            return pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset))
        }
    }

    func confirmWrites(to file: OpenFile) throws(FileError) {
        // The system tells of such an error when a descriptor is closed. For the file's own one, that is too late.
        let copy = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 {
            // No descriptor is free, so the drive itself has to confirm them, which takes longer.
            try repeating("write", file.path) { fsync(file.descriptor) }
        } else if close(copy) != 0, errno != EINTR {
            throw failure("write", file.path)
        }
    }

    func rename(_ source: String, to destination: String) throws(FileError) {
        try check(destination, "replace")
        guard systemRename(source, destination) == 0 else { throw failure("replace", destination) }
    }

    func link(_ source: String, to destination: String) throws(FileError) {
        try check(destination, "create")
        guard systemLink(source, destination) == 0 else { throw failure("create", destination) }
    }

    @inline(never)
    func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
    }

    func open(
        _ path: String,
        _ flags: Int32,
        _ operation: String,
        _ mode: mode_t,
        isLockable: Bool = false
    ) throws(FileError) -> OpenFile {
        try check(path, operation)
        let descriptor = try repeating(operation, path) { systemOpen(path, flags, mode) }
        return OpenFile(descriptor: descriptor, path: path, isLockable: isLockable)
    }

    /// Throws if a path has a zero byte, at which the system would end it and find another file.
    private func check(_ path: String, _ operation: String) throws(FileError) {
        guard path.utf8.contains(0) else { return }
        throw FileError(operation: operation, path: path, code: ENOENT, reason: "no path has a zero byte")
    }

    /// Performs a system call, and repeats it if a signal interrupts it; a negative result is a failure.
    @discardableResult
    func repeating<Number: SignedInteger>(
        _ operation: String,
        _ path: String,
        _ call: () -> Number
    ) throws(FileError) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw failure(operation, path) }
        }
    }

    /// Returns the name that `readdir` has found.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    // Not inlined after every system call.
    @inline(never)
    func failure(_ operation: String, _ path: String) -> FileError {
        let code = errno
        return FileError(operation: operation, path: path, code: code, reason: String(cString: strerror(code)))
    }
}

// The calls whose names methods of the file system hide.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemRename(_ source: String, _ destination: String) -> Int32 { rename(source, destination) }

private func systemLink(_ source: String, _ destination: String) -> Int32 { link(source, destination) }
