#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes records past the system's cache, each time into blocks of their own.
///
/// A sync then has nothing to look for in that cache, which on a quick disk is a fifth of the time. Since no block is written
/// to again, a write that the power cuts short cannot take along what was acknowledged before it.
final class JournalDirectWriter {
    /// With larger blocks there would be more blanks than records.
    private static let largestBlock = 1024

    private let direct: DirectFile
    private let buffer: UnsafeMutableRawBufferPointer

    /// Makes one for a file; nil where its file system has no such writes, or in large blocks only.
    init?(_ path: String, _ fileSystem: any DurableFileSystem, limit: Int) {
        guard limit > 0, let direct = try? fileSystem.openForDirectWrites(path),
            (1...Self.largestBlock).contains(direct.blockSize)
        else { return nil }
        self.direct = direct
        let size = Self.roundedUp(limit, direct.blockSize)
        buffer = .allocate(byteCount: size, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// The blocks that bytes take behind those that are used.
    func blocks(_ count: Int, behind used: Int) -> Range<Int> {
        let start = Self.roundedUp(used, direct.blockSize)
        return start..<Self.roundedUp(start + count, direct.blockSize)
    }

    /// Writes lines, the last one with blanks ahead of its end; false where the disk takes no such writes after all.
    func write(_ lines: [UInt8], to blocks: Range<Int>, _ fileSystem: any DurableFileSystem) throws(FileError) -> Bool {
        guard blocks.count <= buffer.count, lines.count <= blocks.count, let end = lines.last else { return false }
        let whole = UnsafeMutableRawBufferPointer(rebasing: buffer[..<blocks.count])
        whole.copyBytes(from: lines)
        UnsafeMutableRawBufferPointer(rebasing: whole[(lines.count - 1)...]).initializeMemory(
            as: UInt8.self,
            repeating: 0x20
        )
        whole[blocks.count - 1] = end
        do throws(FileError) {
            try fileSystem.writeAll(UnsafeRawBufferPointer(whole), to: direct.file, at: Int64(blocks.lowerBound))
            return true
        } catch {
            guard error.code == EINVAL else { throw error }
            return false
        }
    }

    private static func roundedUp(_ count: Int, _ blockSize: Int) -> Int {
        let rest = count % blockSize
        return rest == 0 ? count : count - rest + blockSize
    }
}
