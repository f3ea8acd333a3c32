/// The functions that a cache needs of a disk besides reading and writing files.
protocol CacheFileSystem: FileSystem {
    /// Makes a folder that only its owner may enter, and those above it; one that is there is none of its business.
    func makeCacheFolder(_ path: String) throws(FileError)
    /// The regular files in a folder.
    func cacheFiles(in folder: String) throws(FileError) -> [CacheFile]
    /// Opens a file that is there for reading, without waiting for anybody where it is a pipe.
    func openEntry(_ path: String) throws(FileError) -> OpenFile
    /// Opens a file that is there for adding to its end.
    func openForAdding(_ path: String) throws(FileError) -> OpenFile
    /// Opens a file that is there for reading and for writing anywhere in it.
    func openForChanging(_ path: String) throws(FileError) -> OpenFile
    /// Writes at a position; may write less than it was given.
    func write(_ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: Int64) throws(FileError) -> Int
    /// Returns the number of bytes in an open file.
    func size(of file: OpenFile) throws(FileError) -> Int64
    /// Says that a file, which is made where it is missing, is in use, until what comes back is dropped.
    func use(_ path: String) throws(FileError) -> OpenFile
    /// Whether nobody else says so.
    func isOnlyUser(of file: OpenFile) -> Bool
}

/// A file in a folder.
struct CacheFile: Sendable {
    var name: String
    var size: Int64
    /// The time of the last write, in seconds since 1970.
    var changed: Int64
}
