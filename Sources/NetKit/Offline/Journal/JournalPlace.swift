/// The position of a record.
struct JournalPlace: Sendable {
    let segment: JournalSegment
    let offset: Int
    let length: Int
    /// The record's number.
    let sequence: Int64

    func bytes(_ fileSystem: any DurableFileSystem) throws(FileError) -> [UInt8] {
        try fileSystem.readAll(segment.current, at: Int64(offset), count: length)
    }
}
