#if canImport(Glibc)
    import CNetKitSystem
    import Glibc
#elseif canImport(Musl)
    import CNetKitSystem
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension SystemFileSystem: DurableFileSystem {
    func openForUpdate(_ path: String, creating permissions: UInt32?) throws(FileError) -> OpenFile {
        guard let permissions else { return try open(path, O_RDWR | O_CLOEXEC, "open", 0) }
        return try open(path, O_RDWR | O_CREAT | O_CLOEXEC, "create", mode_t(truncatingIfNeeded: permissions))
    }

    func setPermissions(_ permissions: UInt32, of file: OpenFile) throws(FileError) {
        try repeating("change the permissions of", file.path) {
            fchmod(file.descriptor, mode_t(truncatingIfNeeded: permissions))
        }
    }

    func sync(_ file: OpenFile) throws(FileError) {
        #if canImport(Darwin)
            // On this platform, `fsync` leaves the bytes in the drive's own memory.
            try repeating("sync", file.path) { fcntl(file.descriptor, F_FULLFSYNC) }
        #else
            try repeating("sync", file.path) { fsync(file.descriptor) }
        #endif
    }

    func syncData(_ file: OpenFile) throws(FileError) {
        #if canImport(Darwin)
            try sync(file)
        #else
            try repeating("sync", file.path) { fdatasync(file.descriptor) }
        #endif
    }

    func syncFolder(_ path: String) throws(FileError) {
        let folder = try open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, "open", 0)
        try repeating("sync", path) { fsync(folder.descriptor) }
    }

    func isFile(_ file: OpenFile, at path: String) throws(FileError) -> Bool {
        let own: FileIdentity
        if let known = file.identity.withLock({ $0 }) {
            own = known
        } else {
            guard let found = try identity(of: file, at: nil) else { throw failure("look at", file.path) }
            file.identity.withLock { $0 = found }
            own = found
        }
        return try identity(of: file, at: path) == own
    }

    /// Returns the identity of the file at a path, or of an open file without a path; `nil` if the path leads nowhere.
    private func identity(of file: OpenFile, at path: String?) throws(FileError) -> FileIdentity? {
        #if os(Linux)
            var found = nk_identity()
            let result = nk_file_identity(file.descriptor, path, &found)
            guard result >= 0 else { throw failure("look at", path ?? file.path) }
            return result == 1 ? FileIdentity(inode: found.inode, device: found.device) : nil
        #else
            var found = stat()
            let result = if let path { stat(path, &found) } else { fstat(file.descriptor, &found) }
            guard result == 0 else {
                guard path != nil, errno == ENOENT || errno == ENOTDIR else {
                    throw failure("look at", path ?? file.path)
                }
                return nil
            }
            return FileIdentity(
                inode: UInt64(truncatingIfNeeded: found.st_ino),
                device: UInt64(truncatingIfNeeded: found.st_dev)
            )
        #endif
    }

    func names(inFolder path: String) throws(FileError) -> [String] {
        guard let folder = opendir(path) else { throw failure("list", path) }
        defer { closedir(folder) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            let name = Self.name(of: entry)
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw failure("list", path) }
        return names.ordered()
    }

    func makeFolder(_ path: String) throws(FileError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw failure("make the folder", path) }
        return false
    }

    func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        #if os(Linux)
            let result = nk_try_lock(file.descriptor)
            guard result >= 0 else { throw failure("lock", file.path) }
            return result == 1
        #else
            if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK else { throw failure("lock", file.path) }
            return false
        #endif
    }

    func unlock(_ file: OpenFile) { FileLock.release(file.descriptor) }

    func isRemote(_ path: String) throws(FileError) -> Bool {
        #if os(Linux)
            let result = nk_is_remote(path)
            guard result >= 0 else { throw failure("look at", path) }
            return result == 1
        #else
            var info = statfs()
            guard statfs(path, &info) == 0 else { throw failure("look at", path) }
            return info.f_flags & UInt32(MNT_LOCAL) == 0
        #endif
    }
}
