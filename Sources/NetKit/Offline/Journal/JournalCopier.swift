import Foundation

/// A copier that writes existing records into a new segment, in large pieces.
struct JournalCopier {
    let segment: JournalSegment
    private let fileSystem: any DurableFileSystem
    private var buffer: [UInt8] = []
    /// The copied records of each entry: the request (`put`), and the latest state if there is one.
    private(set) var places: [(id: UUID, put: JournalPlace, state: JournalPlace?)] = []
    /// The copied records of a type that this version does not know.
    private(set) var opaque: [JournalPlace] = []
    /// The number of bytes that were written or are in the buffer.
    private(set) var written = 0

    init(into segment: JournalSegment, fileSystem: any DurableFileSystem) {
        self.segment = segment
        self.fileSystem = fileSystem
    }

    mutating func add(_ record: UnnumberedRecord, sequence: Int64) {
        let count = buffer.count
        record.write(to: &buffer, sequence: sequence, acknowledged: sequence - 1)
        written += buffer.count - count
    }

    mutating func add(_ slot: JournalIndex.Slot) throws(FileError) {
        let put = try copy(slot.put)
        var state: JournalPlace?
        if let place = slot.state { state = try copy(place) }
        places.append((slot.entry.id, put, state))
    }

    mutating func add(opaque place: JournalPlace) throws(FileError) {
        opaque.append(try copy(place))
    }

    mutating func flush() throws(FileError) {
        guard !buffer.isEmpty else { return }
        try fileSystem.writeAll(buffer, to: segment.current, at: Int64(written - buffer.count))
        buffer.removeAll(keepingCapacity: true)
    }

    /// Copies a record, and returns its place in the new segment.
    private mutating func copy(_ place: JournalPlace) throws(FileError) -> JournalPlace {
        let bytes = try place.bytes(fileSystem)
        let start = written
        buffer += bytes
        buffer.append(0x0A)
        written += bytes.count + 1
        if buffer.count > 1 << 20 { try flush() }
        return JournalPlace(segment: segment, offset: start, length: bytes.count, sequence: place.sequence)
    }
}
