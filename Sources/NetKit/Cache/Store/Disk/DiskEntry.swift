import Foundation

/// An entry's file, opened and found to be one.
struct DiskEntry {
    enum Problem: Error {
        case absent
        case damaged
        case disk(FileError)
    }

    /// The longest body that is read at once.
    private static let wholeLimit = 1 << 20
    /// The longest head that is believed.
    private static let headLimit = 16 << 20
    /// The number of bytes of updated heads at which a file is given up.
    private static let updateLimit: Int64 = 256 << 10
    /// The number of bytes that are read first: footer and head of nearly every entry, and the whole of a small one.
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
            throw Self.isAbsence(error) ? .absent : .disk(error)
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
        let last = tail.withUnsafeBytes { bytes in
            DiskFooter(UnsafeRawBufferPointer(rebasing: bytes.suffix(DiskFooter.size)), key: key, fileSize: size)
        }
        guard let last, last.headLength <= UInt64(Self.headLimit) else { throw .damaged }
        footer = last
        let headLength = Int(last.headLength)
        let inTail = tail.dropLast(DiskFooter.size)
        let headStart = size - Int64(DiskFooter.size) - Int64(headLength)
        let bytes =
            headLength <= inTail.count
            ? Data(inTail.suffix(headLength))
            : try Self.bytes(of: file, fileSystem, from: headStart, count: headLength)
        guard bytes.count == headLength, bytes.withUnsafeBytes(FastChecksum.of) == last.headSum,
            let head = CacheHead(encoded: bytes)
        else { throw .damaged }
        self.head = head
    }

    /// The body: read and compared with its checksum, or to be read, where it is known to be whole.
    func body(isVerified: Bool) throws(Problem) -> CachedBody {
        let length = Int64(clamping: footer.bodyLength)
        if length <= Int64(Self.wholeLimit) {
            return .data(try whole(Int(length)))
        }
        if !isVerified { try verify(length) }
        return .stream(length: length) { [file, fileSystem, footer] part in
            DiskBodySource(
                file,
                fileSystem,
                part: part,
                checksum: part == 0..<length ? footer.bodySum : nil
            )
        }
    }

    /// The body in memory; each piece is summed up while the processor still has it at hand.
    private func whole(_ length: Int) throws(Problem) -> Data {
        var data = Data(count: length)
        let result = data.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in
                var sum = FastChecksum()
                var position = 0
                while position < length {
                    let piece = UnsafeMutableRawBufferPointer(
                        rebasing: buffer[position..<min(length, position + (256 << 10))]
                    )
                    guard try fileSystem.readAll(file, into: piece, at: Int64(position)) == piece.count else {
                        return false
                    }
                    sum.add(UnsafeRawBufferPointer(piece))
                    position += piece.count
                }
                return sum.value == footer.bodySum
            }
        }
        switch result {
        case .success(true): return data
        case .success(false): throw .damaged
        case .failure(let error): throw .disk(error)
        }
    }

    /// Puts a newer head behind everything, and gives the size that the file has then.
    func update(_ head: CacheHead, in folder: DiskFolder) throws(Problem) -> Int64 {
        guard fileSize - Int64(clamping: footer.bodyLength) < Self.updateLimit else { throw .damaged }
        let encoded = head.encoded
        var newer = footer
        newer.headLength = UInt64(encoded.count)
        newer.headSum = encoded.withUnsafeBytes(FastChecksum.of)
        let addition = encoded + newer.bytes
        do throws(FileError) {
            let target = try fileSystem.openForAdding(file.path)
            // Another file may have taken the place since: its body is not the one that this head belongs to.
            guard try fileSystem.size(of: target) == fileSize else { throw FileError.moved(file.path) }
            let result = addition.withUnsafeBytes { bytes in
                Result { () throws(FileError) in try fileSystem.writeAll(bytes, to: target) }
            }
            try result.get()
        } catch {
            throw Self.isAbsence(error) ? .absent : .disk(error)
        }
        return fileSize + Int64(addition.count)
    }

    private func verify(_ length: Int64) throws(Problem) {
        var sum = FastChecksum()
        var position: Int64 = 0
        while position < length {
            let bytes = try Self.bytes(
                of: file,
                fileSystem,
                from: position,
                count: Int(min(64 << 10, length - position))
            )
            guard !bytes.isEmpty else { break }
            bytes.withUnsafeBytes { sum.add($0) }
            position += Int64(bytes.count)
        }
        guard position == length, sum.value == footer.bodySum else { throw .damaged }
    }

    /// A part of a file; nothing where it ends before.
    private static func bytes(
        of file: OpenFile,
        _ fileSystem: any CacheFileSystem,
        from offset: Int64,
        count: Int
    ) throws(Problem) -> Data {
        guard count > 0 else { return Data() }
        var data = Data(count: count)
        let result = data.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try fileSystem.readAll(file, into: buffer, at: offset) == buffer.count }
        }
        switch result {
        case .success(let isWhole): return isWhole ? data : Data()
        case .failure(let error): throw .disk(error)
        }
    }

    private static func isAbsence(_ error: FileError) -> Bool { error.code == FileError.noEntry }
}

extension FileError {
    /// The system's error number for a missing file.
    fileprivate static let noEntry: Int32 = 2

    fileprivate static func moved(_ path: String) -> FileError {
        FileError(operation: "add to", path: path, code: noEntry, reason: "it was replaced")
    }
}
