/// The current generation of each URL's entries on disk, in a file that processes share.
///
/// A change writes a new number at the place of its URL, and entries with another number are no longer valid. A change
/// therefore reaches the entries that other processes have written, or are writing, without a search of the folder. Two
/// URLs with the same place lose their entries together. The file is sparse, and takes little more than 4 MiB at most.
struct DiskGenerations: Sendable {
    private static let count: UInt32 = 1 << 19
    /// The number of places for announcements; those of different URLs seldom come at the same time.
    private static let announcementCount: UInt32 = 1 << 9

    let file: OpenFile
    let fileSystem: any CacheFileSystem
    let random: RandomSource
    /// A number that is made with the file, so that entries do not outlive it.
    let origin: UInt64

    /// Returns the current number of a URL's entries.
    func current(of resource: CacheResource) throws(FileError) -> UInt64 {
        // Nothing beyond the end was ever changed.
        guard let word = try word(at: Self.position(of: resource)) else { return origin }
        return origin ^ word
    }

    /// Changes the number of a URL's entries, which invalidates them.
    ///
    /// No lock orders the changes of several processes, because a process that is stopped would keep it. Instead, a
    /// change announces itself before it compares, and checks after it has written whether its announcement is still
    /// there. If it is not, another change may have compared before and be about to replace the number, unaware. The
    /// number is therefore announced and written once more: the other change either finds its announcement gone, or has
    /// written before, and then its number is replaced.
    ///
    /// - Returns: The new number; `nil` unless the earlier one was current, and no other change came at the same time.
    func change(_ resource: CacheResource, since earlier: UInt64?) throws(FileError) -> UInt64? {
        let (number, place) = (random.next(), Self.position(of: resource))
        let announcement = Self.announcement(of: resource)
        try? write(number, at: announcement)
        let isUnchanged = earlier != nil && (try? current(of: resource)) == earlier
        try write(number, at: place)
        if (try? word(at: announcement)) == number { return isUnchanged ? origin ^ number : nil }
        let second = random.next()
        try? write(second, at: announcement)
        try write(second, at: place)
        return nil
    }

    /// Returns the number at a position; `nil` after the end.
    private func word(at position: Int64) throws(FileError) -> UInt64? {
        guard let bytes = try fileSystem.readExactly(8, of: file, at: position) else { return nil }
        return UInt64(littleEndianBytes: bytes)
    }

    private func write(_ number: UInt64, at position: Int64) throws(FileError) {
        try fileSystem.writeAll(number.littleEndianBytes, to: file, at: position)
    }

    /// Returns the position of a URL's number, after the origin.
    private static func position(of resource: CacheResource) -> Int64 {
        8 + 8 * Int64(resource.number & (count - 1))
    }

    /// Returns the position at which a change of a URL announces itself, after all numbers.
    private static func announcement(of resource: CacheResource) -> Int64 {
        8 + 8 * Int64(count + resource.number & (announcementCount - 1))
    }
}
