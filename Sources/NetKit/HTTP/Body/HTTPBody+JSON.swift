public import Foundation

extension HTTPBody {
    /// A value as JSON, encoded when the call begins; an encoding error surfaces from `send`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - coder: The coder for the value; `nil` for the coder of the client that sends it.
    /// - Returns: The body.
    public static func json(_ value: some Encodable & Sendable, coder: JSONCoder? = nil) -> HTTPBody {
        HTTPBody(
            storage: .deferred { clientCoder in try (coder ?? clientCoder).encoder.encode(value) },
            contentType: "application/json"
        )
    }

    /// A JSON value as JSON, including a literal whose values differ in type: `.json(["name": "Ada", "age": 36])`.
    public static func json(_ value: JSONValue) -> HTTPBody { json(value, coder: nil) }

    /// Returns the body with its JSON encoded by a coder, unless it has a coder of its own.
    func encoded(with coder: JSONCoder) -> HTTPBody {
        switch storage {
        case .deferred(let make): HTTPBody(storage: .deferred { _ in try make(coder) }, contentType: contentType)
        case .joined(let parts):
            HTTPBody(storage: .joined(parts.map { $0.encoded(with: coder) }), contentType: contentType)
        case .bytes, .file, .stream: self
        }
    }
}

extension JSONValue {
    /// Reads JSON of any shape.
    ///
    /// - Parameter data: The text in UTF-8.
    /// - Throws: `.decoding` if it is not JSON.
    public init(parsing data: Data) throws {
        self = try JSONCoder.standard.value(JSONValue.self, of: data)
    }

    /// Returns the value as another type.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self, coder: JSONCoder = .standard) throws -> Value
    {
        try coder.value(type, of: JSONEncoder().encode(self))
    }
}
