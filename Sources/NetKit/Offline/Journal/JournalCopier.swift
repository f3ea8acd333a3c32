import Foundation

/// A copier that writes existing records into a new file, in large pieces.
struct JournalCopier {
    private struct Copy {
        let range: Range<Int>
        let sequence: Int64
    }

    private let fileSystem: any DurableFileSystem
    private let file: OpenFile
    private var buffer: [UInt8] = []
    /// The copied records of each entry: the request (`put`), and the latest state if there is one.
    private var places: [(id: UUID, put: Copy, state: Copy?)] = []
    /// The copied records of a type that this version does not know.
    private var opaque: [Copy] = []
    /// The number of bytes that were written or are in the buffer.
    private(set) var written = 0

    init(into file: OpenFile, fileSystem: any DurableFileSystem) {
        self.file = file
        self.fileSystem = fileSystem
    }

    mutating func add(_ record: UnnumberedRecord, sequence: Int64) {
        let count = buffer.count
        record.write(to: &buffer, sequence: sequence, acknowledged: sequence - 1)
        written += buffer.count - count
    }

    mutating func add(_ slot: JournalIndex.Slot) throws(FileError) {
        let put = try copy(slot.put)
        var state: Copy?
        if let place = slot.state { state = try copy(place) }
        places.append((slot.entry.id, put, state))
    }

    mutating func add(opaque place: JournalPlace) throws(FileError) {
        opaque.append(try copy(place))
    }

    mutating func flush() throws(FileError) {
        guard !buffer.isEmpty else { return }
        try fileSystem.writeAll(buffer, to: file, at: Int64(written - buffer.count))
        buffer.removeAll(keepingCapacity: true)
    }

    /// Returns the places of the copied records of each entry in the new file.
    func moved(to segment: JournalSegment) -> [(id: UUID, put: JournalPlace, state: JournalPlace?)] {
        places.map { id, put, state in (id, Self.place(put, segment), state.map { Self.place($0, segment) }) }
    }

    func movedOpaque(to segment: JournalSegment) -> [JournalPlace] {
        opaque.map { Self.place($0, segment) }
    }

    private mutating func copy(_ place: JournalPlace) throws(FileError) -> Copy {
        let bytes = try place.bytes(fileSystem)
        let start = written
        buffer += bytes
        buffer.append(0x0A)
        written += bytes.count + 1
        if buffer.count > 1 << 20 { try flush() }
        return Copy(range: start..<start + bytes.count, sequence: place.sequence)
    }

    private static func place(_ copy: Copy, _ segment: JournalSegment) -> JournalPlace {
        JournalPlace(segment: segment, offset: copy.range.lowerBound, length: copy.range.count, sequence: copy.sequence)
    }
}
