import Foundation

/// The settings for typed calls: bounds for bodies in memory, and the encoding of JSON.
public struct PayloadSettings: Sendable {
    /// The default maximum number of bytes of a body that is collected in memory: 64 MiB.
    public static let defaultMaxBufferedBytes = 64 << 20

    /// The maximum number of bytes of a body that is collected in memory.
    public var maxBufferedBytes: Int
    /// The maximum number of bytes of a body that a ``DynamicResponse`` writes to a file: 1 GiB by default.
    public var maxFileBytes: Int64 = 1 << 30
    /// The maximum number of bytes of a body that an error carries.
    public var maxErrorBodyBytes: Int
    /// The encoding and decoding of JSON.
    public var json: JSONCoder
    /// The type of an error's body, which `error.body(as:)` returns.
    public var errorBody: (any (Decodable & Sendable).Type)?

    /// The base URL of the client, if it has one.
    var baseURL: URL?
    /// The client's limit for a whole call.
    var totalTimeout: Duration?
    /// The clock for delays.
    var clock = NetKitClock.system
    /// The source of randomness.
    var random = RandomSource.system
    /// The settings that all calls of the client share; `nil` for another sender.
    var callSettings: Call.Settings?

    /// Creates settings; a setting that is not named has its default.
    public init(
        maxBufferedBytes: Int = Self.defaultMaxBufferedBytes,
        maxErrorBodyBytes: Int = NetKitError.Response.defaultMaxBodyBytes,
        json: JSONCoder = .standard,
        errorBody: (any (Decodable & Sendable).Type)? = nil
    ) {
        self.maxBufferedBytes = maxBufferedBytes
        self.maxErrorBodyBytes = maxErrorBodyBytes
        self.json = json
        self.errorBody = errorBody
    }

    /// Returns a request with the URL that the client sends it to, or unchanged if it cannot be resolved.
    func resolved(_ request: HTTPRequest) -> HTTPRequest {
        let base = baseURL.flatMap { try? BaseURL($0) }
        return (try? request.resolved(against: base)) ?? request
    }
}

extension PayloadSettings: CustomReflectable {
    /// A mirror without the base URL, for `dump` and test reports.
    public var customMirror: Mirror {
        Mirror(self, children: ["maxBufferedBytes": maxBufferedBytes, "maxErrorBodyBytes": maxErrorBodyBytes])
    }
}
