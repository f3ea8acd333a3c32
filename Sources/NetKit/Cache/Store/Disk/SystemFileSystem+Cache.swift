#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension SystemFileSystem: CacheFileSystem {
    func makeCacheFolder(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
            throw cacheFailure("make the folder", path)
        }
        try makeCacheFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw cacheFailure("make the folder", path) }
    }

    func cacheFiles(in folder: String) throws(FileError) -> [CacheFile] {
        guard let stream = opendir(folder) else { throw cacheFailure("list", folder) }
        defer { closedir(stream) }
        var files: [CacheFile] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var info = stat()
            guard fstatat(dirfd(stream), name, &info, AT_SYMLINK_NOFOLLOW) == 0, info.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            #if canImport(Darwin)
                let changed = Int64(info.st_mtimespec.tv_sec)
            #else
                // Its first member, the seconds: by its name a release build takes it for another module's.
                let changed = withUnsafeBytes(of: info.st_mtim) { Int64($0.loadUnaligned(as: time_t.self)) }
            #endif
            files.append(CacheFile(name: name, size: Int64(info.st_size), changed: changed))
        }
        return files
    }

    func openForAdding(_ path: String) throws(FileError) -> OpenFile {
        try openForCache(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC, "open")
    }

    func size(of file: OpenFile) throws(FileError) -> Int64 {
        var info = stat()
        guard fstat(file.descriptor, &info) == 0 else { throw cacheFailure("look at", file.path) }
        return Int64(info.st_size)
    }

    func use(_ path: String) throws(FileError) -> OpenFile {
        let file = try openForCache(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, "open")
        guard flock(file.descriptor, LOCK_SH) == 0 else { throw cacheFailure("lock", path) }
        return file
    }

    func isOnlyUser(of file: OpenFile) -> Bool {
        let isAlone = flock(file.descriptor, LOCK_EX | LOCK_NB) == 0
        // Asking may have lost what was held; nobody holds the file alone for longer than this.
        _ = flock(file.descriptor, LOCK_SH)
        return isAlone
    }

    private func openForCache(_ path: String, _ flags: Int32, _ operation: String) throws(FileError) -> OpenFile {
        while true {
            #if canImport(Glibc)
                let descriptor = Glibc.open(path, flags, 0o600)
            #elseif canImport(Musl)
                let descriptor = Musl.open(path, flags, 0o600)
            #else
                let descriptor = Darwin.open(path, flags, 0o600)
            #endif
            if descriptor >= 0 { return OpenFile(descriptor: descriptor, path: path) }
            guard errno == EINTR else { throw cacheFailure(operation, path) }
        }
    }

    private func cacheFailure(_ operation: String, _ path: String) -> FileError {
        let code = errno
        return FileError(operation: operation, path: path, code: code, reason: String(cString: strerror(code)))
    }
}
