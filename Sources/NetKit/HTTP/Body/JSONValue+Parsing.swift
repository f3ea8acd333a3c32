public import Foundation

extension JSONValue {
    /// Reads JSON of any shape.
    ///
    /// - Parameter data: The text in UTF-8.
    /// - Throws: `.decoding` where it is no JSON.
    public init(parsing data: Data) throws {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: data)
        } catch {
            throw DecodingProblem.error(for: error, expected: JSONValue.self, in: data)
        }
    }

    /// The value as another type.
    public func decode<Value: Decodable>(as type: Value.Type = Value.self, coder: JSONCoder = .standard) throws -> Value
    {
        let data = try JSONEncoder().encode(self)
        do {
            return try coder.decoder.decode(type, from: data)
        } catch {
            throw DecodingProblem.error(for: error, expected: type, in: data)
        }
    }
}
