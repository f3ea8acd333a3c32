import Foundation

extension JSONValue: Codable {
    /// Reads any value, except a number outside the range of `Double`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try Self.number(in: container) {
            self = .number(value)
        } else if var container = try? decoder.unkeyedContainer() {
            // An error inside is not one of the whole.
            var elements: [JSONValue] = []
            elements.reserveCapacity(container.count ?? 0)
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// The error of a number that is too large or too small for `Double`.
    struct NumberOutOfRange: Error {}

    /// Reads a number; `nil` if it is something else.
    private static func number(in container: any SingleValueDecodingContainer) throws -> Double? {
        do {
            return try container.decode(Double.self)
        } catch DecodingError.typeMismatch, DecodingError.valueNotFound {
            return nil
        } catch let error where "\(error)".hasPrefix("numberIsNotRepresentableInSwift") {
            // Foundation's own error has no public type, and others of that type say that the text is not a number.
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: container.codingPath,
                    debugDescription: "The number is outside the range of Double.",
                    underlyingError: NumberOutOfRange()
                )
            )
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value):
            // With the fewest digits of the `Double`, it would be read as another integer.
            if let integer = Int(exactly: value) { try container.encode(integer) } else { try container.encode(value) }
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// Creates a value from any value that can be written as JSON.
    public init(encoding value: some Encodable, coder: JSONCoder = .standard) throws {
        self = try JSONReader.value(of: coder.encoder.encode(value))
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates a list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object; if a name occurs twice, the last member counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
