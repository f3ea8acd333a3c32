/// What typed calls go by: bounds of what is collected, and how JSON is written and read.
public struct PayloadSettings: Sendable {
    /// How many bytes of a body are collected in memory at most.
    public var bufferLimit: Int
    /// How many bytes of a body an error carries at most.
    public var errorBodyLimit: Int
    /// How values become JSON and back.
    public var json: JSONCoder

    /// Makes settings; what is not named has its default.
    public init(bufferLimit: Int = 64 << 20, errorBodyLimit: Int = 64 << 10, json: JSONCoder = .standard) {
        self.bufferLimit = bufferLimit
        self.errorBodyLimit = errorBodyLimit
        self.json = json
    }
}
