import Foundation

/// What typed calls go by: bounds of what is collected, and how JSON is written and read.
public struct PayloadSettings: Sendable {
    /// How much of a body is collected in memory unless settings say otherwise: 64 MiB.
    public static let usualBufferLimit = 64 << 20

    /// How many bytes of a body are collected in memory at most.
    public var bufferLimit: Int
    /// How many bytes of a body an error carries at most.
    public var errorBodyLimit: Int
    /// How values become JSON and back.
    public var json: JSONCoder
    /// What the body of an error is, found as `error.body(as:)`.
    public var errorBody: (any (Decodable & Sendable).Type)?

    /// The base URL of the client, if it has one.
    var baseURL: URL?
    /// The clock that waits go by.
    var clock = NetKitClock.system
    /// Where randomness comes from.
    var random = RandomSource.system

    /// Makes settings; what is not named has its default.
    public init(
        bufferLimit: Int = Self.usualBufferLimit,
        errorBodyLimit: Int = NetKitError.Answer.usualBodyLimit,
        json: JSONCoder = .standard,
        errorBody: (any (Decodable & Sendable).Type)? = nil
    ) {
        self.bufferLimit = bufferLimit
        self.errorBodyLimit = errorBodyLimit
        self.json = json
        self.errorBody = errorBody
    }
}
