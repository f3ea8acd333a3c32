import Foundation

/// The opened file of an entry, with its head and footer checked.
struct DiskEntry {
    enum Problem: Error {
        case absent, damaged
        case disk(FileError)
    }

    /// The longest body that is kept in memory, and the number of bytes of a longer one that are read at a time.
    private static let maxBodyInMemory: Int64 = 1 << 20
    /// The longest head that is accepted.
    private static let maxHeadLength = 16 << 20
    /// The number of bytes after the body from which a file is discarded instead of updated.
    private static let maxLengthAfterBody: Int64 = 256 << 10
    /// The number of bytes that are read first.
    ///
    /// They hold footer and head of nearly every entry, and all of a small one.
    private static let tailSize: Int64 = 4096

    let head: CacheHead
    let fileSize: Int64
    /// The generation of the URL's entries when the exchange for this one began.
    var generation: UInt64 { footer.generation }
    private let footer: DiskFooter
    private let file: OpenFile
    private let fileSystem: any CacheFileSystem

    init(_ key: CacheKey, in folder: DiskFolder) throws(Problem) {
        fileSystem = folder.fileSystem
        do throws(FileError) {
            file = try fileSystem.openEntry(folder.path(of: key))
        } catch {
            throw error.isMissing ? .absent : .disk(error)
        }
        let size: Int64
        do throws(FileError) {
            size = try fileSystem.size(of: file)
        } catch {
            throw .disk(error)
        }
        fileSize = size
        let tailStart = max(0, size - Self.tailSize)
        let tail = try Self.bytes(of: file, fileSystem, from: tailStart, count: Int(size - tailStart))
        let last = tail.withUnsafeBytes { DiskFooter(atEndOf: $0, key: key, fileSize: size) }
        guard let last, last.headLength <= UInt64(Self.maxHeadLength) else { throw .damaged }
        footer = last
        let headLength = Int(last.headLength)
        let inTail = tail.dropLast(DiskFooter.size)
        let headStart = size - Int64(DiskFooter.size) - Int64(headLength)
        let bytes =
            headLength <= inTail.count
            ? inTail.suffix(headLength)
            : try Self.bytes(of: file, fileSystem, from: headStart, count: headLength)
        guard bytes.count == headLength, bytes.fastChecksum == last.headSum,
            let head = CacheHead(encoded: bytes)
        else { throw .damaged }
        self.head = head
    }

    /// The number of bytes of the body.
    private var length: Int64 { Int64(clamping: footer.bodyLength) }

    /// Whether the body is read while it is used, after `verify()`.
    var isLarge: Bool { length > Self.maxBodyInMemory }

    /// Returns whether another entry has the same footer.
    func isSame(_ other: DiskEntry) -> Bool { footer == other.footer }

    /// Returns the body: a small one is read and compared with its checksum; a large one needs `verify()` first.
    ///
    /// `onDamage` is called if a large one turns out to be damaged later.
    func body(onDamage: @escaping @Sendable () -> Void) throws(Problem) -> CachedBody {
        let length = length
        guard isLarge else {
            var data = Data()
            // A body that is kept in memory is a single piece, so it is not copied.
            try verify { data = $0 }
            return .data(data)
        }
        return .stream(length: length) { [file, fileSystem, footer] part in
            let checksum = part == 0..<length ? footer.bodySum : nil
            return DiskBodySource(file, fileSystem, part: part, checksum: checksum, onDamage: onDamage)
        }
    }

    /// Appends a newer head, and returns the new size of the file.
    func update(_ head: CacheHead) throws(Problem) -> Int64 {
        guard fileSize - length < Self.maxLengthAfterBody else { throw .damaged }
        let encoded = head.encoded
        var newer = footer
        newer.headLength = UInt64(encoded.count)
        newer.headSum = encoded.fastChecksum
        let addition = encoded + newer.bytes
        do throws(FileError) {
            let target = try fileSystem.openForAdding(file.path)
            // Another file may have taken the place since, and this head does not belong to its body.
            guard try fileSystem.size(of: target) == fileSize else { throw FileError.replaced(file.path) }
            try fileSystem.writeAll(addition, to: target)
        } catch {
            throw error.isMissing ? .absent : .disk(error)
        }
        return fileSize + Int64(addition.count)
    }

    /// Reads the body in pieces, passes each one on, and compares the whole with its checksum.
    ///
    /// A piece is added to the checksum while the processor still has it in its cache.
    func verify(_ take: (Data) -> Void = { _ in }) throws(Problem) {
        let length = length
        var sum = FastChecksum()
        var position: Int64 = 0
        while position < length {
            let count = Int(min(Self.maxBodyInMemory, length - position))
            let piece = try Self.bytes(of: file, fileSystem, from: position, count: count)
            guard !piece.isEmpty else { throw .damaged }
            piece.withUnsafeBytes { sum.add($0) }
            position += Int64(count)
            take(piece)
        }
        guard sum.value == footer.bodySum else { throw .damaged }
    }

    /// Returns a part of a file; empty if the file ends earlier.
    private static func bytes(
        of file: OpenFile,
        _ fileSystem: any CacheFileSystem,
        from offset: Int64,
        count: Int
    ) throws(Problem) -> Data {
        do throws(FileError) {
            return try fileSystem.readExactly(count, of: file, at: offset) ?? Data()
        } catch {
            throw error.isFolder ? .damaged : .disk(error)
        }
    }
}

extension FileError {
    fileprivate static func replaced(_ path: String) -> FileError {
        FileError(operation: "add to", path: path, code: ENOENT, reason: "it was replaced")
    }
}

/// The last bytes of an entry's file, with the lengths and checksums of head and body.
///
/// A file is the body, then the head, then the footer. A newer head is appended with a footer of its own, and the last
/// footer counts; the body stays in place. A file with a wrong checksum was cut short or damaged, and is not an entry.
struct DiskFooter: Equatable {
    static let size = 72
    private static let magic: UInt64 = 0x3248_4341_434B_4E2E

    var headLength: UInt64
    var bodyLength: UInt64
    var bodySum: UInt64
    var headSum: UInt64
    var key: CacheKey
    /// The generation of the URL's entries when the exchange for this one began.
    var generation: UInt64

    var bytes: [UInt8] {
        let words = [Self.magic, headLength, bodyLength, bodySum, headSum, key.high, key.low, generation]
        let bytes = words.flatMap(\.littleEndianBytes)
        return bytes + bytes.withUnsafeBytes(FastChecksum.of).littleEndianBytes
    }
}

extension DiskFooter {
    /// Reads the footer from the last bytes of a file; `nil` if they are not those of an entry of the key.
    init?(atEndOf tail: UnsafeRawBufferPointer, key: CacheKey, fileSize: Int64) {
        let bytes = UnsafeRawBufferPointer(rebasing: tail.suffix(Self.size))
        guard bytes.count == Self.size, fileSize >= Int64(Self.size) else { return nil }
        let words = (0..<9).map {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self))
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[..<(Self.size - 8)])
        guard words[0] == Self.magic, words[8] == FastChecksum.of(content), words[5] == key.high, words[6] == key.low
        else {
            return nil
        }
        let (room, overflow) = words[1].addingReportingOverflow(words[2])
        guard !overflow, room <= UInt64(fileSize) - UInt64(Self.size) else { return nil }
        self.init(
            headLength: words[1],
            bodyLength: words[2],
            bodySum: words[3],
            headSum: words[4],
            key: key,
            generation: words[7]
        )
    }
}
