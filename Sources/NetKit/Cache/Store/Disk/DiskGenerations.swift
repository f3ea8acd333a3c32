/// The current generation of each URL's entries on disk, in a file that processes share.
///
/// A change writes a new number at the place of its URL, and an entry with another one is no entry any more: so a change
/// reaches what other processes have written, or are writing, without anyone looking through the folder. Two URLs with the
/// same place lose their entries together. The file has holes where nothing was changed, and takes 4 MiB at most.
struct DiskGenerations: Sendable {
    private static let count: UInt32 = 1 << 19

    let file: OpenFile
    let fileSystem: any CacheFileSystem
    let random: RandomSource
    /// Made with the file, so that entries do not outlive it.
    let origin: UInt64

    /// The number that the entries of a URL have now.
    func current(of resource: CacheResource) throws(FileError) -> UInt64 {
        var word: UInt64 = 0
        let result = withUnsafeMutableBytes(of: &word) { bytes in
            Result { () throws(FileError) in
                try fileSystem.readAll(file, into: bytes, at: Self.position(of: resource))
            }
        }
        // Beyond the end nothing was ever changed.
        return try result.get() == 8 ? origin ^ UInt64(littleEndian: word) : origin
    }

    /// Gives the entries of a URL another number.
    func change(_ resource: CacheResource) throws(FileError) {
        let word = random.next().littleEndian
        let result = withUnsafeBytes(of: word) { bytes in
            Result { () throws(FileError) in
                try fileSystem.write(bytes, to: file, at: Self.position(of: resource))
            }
        }
        guard try result.get() == 8 else {
            throw FileError(operation: "write", path: file.path, code: 0, reason: "not every byte was accepted")
        }
    }

    /// Behind the origin.
    private static func position(of resource: CacheResource) -> Int64 {
        8 + 8 * Int64(resource.number & (count - 1))
    }
}
