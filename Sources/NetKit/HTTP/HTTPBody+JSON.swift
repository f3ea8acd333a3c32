import Foundation

extension HTTPBody {
    /// A value as JSON, encoded when the call begins; an encoding error surfaces from `send`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - coder: How it is written; nil leaves that to the client that sends it.
    /// - Returns: The body.
    public static func json(_ value: some Encodable & Sendable, coder: JSONCoder? = nil) -> HTTPBody {
        HTTPBody(
            storage: .deferred { clientCoder in try (coder ?? clientCoder).encoder.encode(value) },
            contentType: "application/json"
        )
    }
}
