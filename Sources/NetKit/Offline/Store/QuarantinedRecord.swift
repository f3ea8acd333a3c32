/// A part of the journal that is no record any more; it is kept in `quarantine.jsonl`.
public struct QuarantinedRecord: Sendable, Hashable {
    /// The file it was in.
    public let file: String
    /// Where in the file it began.
    public let offset: Int64
    /// How long it was.
    public let byteCount: Int
    /// What is wrong with it.
    public let reason: String

    /// Makes a description of a damaged part.
    public init(file: String, offset: Int64, byteCount: Int, reason: String) {
        self.file = file
        self.offset = offset
        self.byteCount = byteCount
        self.reason = reason
    }
}
