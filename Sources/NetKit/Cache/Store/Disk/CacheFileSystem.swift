import Foundation

/// The file operations that a cache needs, besides reading and writing files.
protocol CacheFileSystem: FileSystem {
    /// Creates a folder that only its owner may enter, and the folders above it; an existing one is left as it is.
    func makeCacheFolder(_ path: String) throws(FileError)
    /// Returns the regular files in a folder.
    func cacheFiles(in folder: String) throws(FileError) -> [CacheFile]
    /// Opens an existing file for reading, without blocking if it is a pipe.
    func openEntry(_ path: String) throws(FileError) -> OpenFile
    /// Opens an existing file for appending.
    func openForAdding(_ path: String) throws(FileError) -> OpenFile
    /// Opens an existing file for reading, and for writing at any position.
    func openForChanging(_ path: String) throws(FileError) -> OpenFile
    /// Returns the number of bytes in an open file.
    func size(of file: OpenFile) throws(FileError) -> Int64
    /// Returns whether a path still leads to an open file.
    func isFile(_ file: OpenFile, at path: String) throws(FileError) -> Bool
    /// Marks a file as in use until the returned file is released; creates the file if it is missing.
    func use(_ path: String) throws(FileError) -> OpenFile
    /// Returns whether the file is in use by the caller alone.
    func isOnlyUser(of file: OpenFile) -> Bool
}

/// A file in a folder.
struct CacheFile: Sendable {
    var name: String
    var size: Int64
    /// The time of the last write, in seconds since 1970.
    var changed: Int64
}

extension SystemFileSystem: CacheFileSystem {
    func makeCacheFolder(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.dropLast().lastIndex(of: "/"), slash > path.startIndex else {
            throw failure("make the folder", path)
        }
        try makeCacheFolder(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make the folder", path) }
    }

    func cacheFiles(in folder: String) throws(FileError) -> [CacheFile] {
        guard let stream = opendir(folder) else { throw failure("list", folder) }
        defer { closedir(stream) }
        var files: [CacheFile] = []
        errno = 0
        while let entry = readdir(stream) {
            defer { errno = 0 }
            let name = Self.name(of: entry)
            var info = stat()
            guard fstatat(dirfd(stream), name, &info, AT_SYMLINK_NOFOLLOW) == 0, info.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            #if canImport(Darwin)
                let changed = Int64(info.st_mtimespec.tv_sec)
            #else
                // Reads the first member, the seconds: a release build takes its name for another module's.
                let changed = withUnsafeBytes(of: info.st_mtim) { Int64($0.loadUnaligned(as: time_t.self)) }
            #endif
            files.append(CacheFile(name: name, size: Int64(info.st_size), changed: changed))
        }
        guard errno == 0 else { throw failure("list", folder) }
        return files
    }

    func openEntry(_ path: String) throws(FileError) -> OpenFile {
        try open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, "open", 0)
    }

    func openForAdding(_ path: String) throws(FileError) -> OpenFile {
        try open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, "open", 0)
    }

    func openForChanging(_ path: String) throws(FileError) -> OpenFile {
        try open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, "open", 0)
    }

    func size(of file: OpenFile) throws(FileError) -> Int64 {
        var info = stat()
        guard fstat(file.descriptor, &info) == 0 else { throw failure("look at", file.path) }
        return Int64(info.st_size)
    }

    func use(_ path: String) throws(FileError) -> OpenFile {
        let file = try open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, "open", 0o600, isLockable: true)
        guard FileLock.share(file.descriptor) else { throw failure("lock", path) }
        return file
    }

    func isOnlyUser(of file: OpenFile) -> Bool { FileLock.isOnlyHolder(file.descriptor) }
}
