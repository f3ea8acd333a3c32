/// A part of the journal that is no record any more; it is kept in `quarantine.jsonl`.
public struct QuarantinedRecord: Sendable, Hashable {
    /// The file it was in.
    public let file: String
    /// The position in the file.
    public let offset: Int64
    /// The length in bytes.
    public let byteCount: Int
    /// The kind of damage.
    public let reason: String

    /// Makes a description of a damaged part.
    public init(file: String, offset: Int64, byteCount: Int, reason: String) {
        self.file = file
        self.offset = offset
        self.byteCount = byteCount
        self.reason = reason
    }
}
