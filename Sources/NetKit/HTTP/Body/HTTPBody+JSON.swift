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

    /// The body with JSON written in this way, unless it says so itself.
    func encoded(with coder: JSONCoder) -> HTTPBody {
        switch storage {
        case .deferred(let make): HTTPBody(storage: .deferred { _ in try make(coder) }, contentType: contentType)
        case .joined(let parts):
            HTTPBody(storage: .joined(parts.map { $0.encoded(with: coder) }), contentType: contentType)
        case .bytes, .file, .stream: self
        }
    }
}
