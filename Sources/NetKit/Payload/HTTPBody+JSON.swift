import Foundation

extension HTTPBody {
    /// A value as JSON, encoded when the call begins; an encoding error surfaces from `send`.
    public static func json(_ value: some Encodable & Sendable, coder: JSONCoder = .standard) -> HTTPBody {
        .deferred(contentType: "application/json") { try coder.encoder.encode(value) }
    }
}
