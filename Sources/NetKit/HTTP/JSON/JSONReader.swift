import Foundation

/// A reader of JSON of any shape in linear time.
///
/// A `JSONDecoder` has to be asked for one type after the other, and each refusal names the path to the value, which
/// takes the square of the value's depth: four kilobytes took a quarter of a minute.
struct JSONReader {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int?

        init(intValue index: Int) { (stringValue, intValue) = ("\(index)", index) }
        init(stringValue name: String) { (stringValue, intValue) = (name, nil) }
    }

    /// The maximum depth, which is that of `JSONDecoder`.
    private static let maxDepth = 512

    private var fields: JSONFields
    private var depth = 0

    /// Returns the value of a text in UTF-8, or in UTF-16, which `JSONDecoder` reads as well.
    static func value(of data: Data) throws -> JSONValue {
        let zero = data.count.isMultiple(of: 2) ? data.prefix(2).firstIndex(of: 0) : nil
        let isPlain = zero == nil && data.first.map { $0 < 0x80 } ?? true
        let charset = zero.map { $0 == data.startIndex ? "utf-16be" : "utf-16le" }
        let text = isPlain ? data : Data(TextEncoding.text(of: data, charset: charset).utf8)
        return try text.withUnsafeBytes { bytes in
            var reader = JSONReader(fields: JSONFields(bytes))
            let value = try reader.value()
            guard reader.fields.isAtEnd() else { throw notJSON() }
            return value
        }
    }

    private mutating func value() throws -> JSONValue {
        fields.skipBlanks()
        if let text = fields.string() { return .string(text) }
        if let flag = fields.bool() { return .bool(flag) }
        if fields.skip("null") { return .null }
        let isObject = fields.skip("{")
        guard isObject || fields.skip("[") else { return try number() }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { throw Self.notJSON() }
        return isObject ? .object(try members()) : .array(try elements())
    }

    private mutating func members() throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if skip("}") { return members }
        repeat {
            fields.skipBlanks()
            guard let name = fields.string(), skip(":") else { throw Self.notJSON() }
            let value = try value(at: Key(stringValue: name))
            // As for `JSONDecoder`, the first of two members with one name counts.
            if members[name] == nil { members[name] = value }
        } while skip(",")
        guard skip("}") else { throw Self.notJSON() }
        return members
    }

    private mutating func elements() throws -> [JSONValue] {
        var elements: [JSONValue] = []
        if skip("]") { return elements }
        repeat { elements.append(try value(at: Key(intValue: elements.count))) } while skip(",")
        guard skip("]") else { throw Self.notJSON() }
        return elements
    }

    /// Returns the value of a member or an element, whose place an error about a number names.
    private mutating func value(at key: @autoclosure () -> Key) throws -> JSONValue {
        do {
            return try value()
        } catch DecodingError.dataCorrupted(let context) where context.underlyingError is JSONValue.NumberOutOfRange {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [key()] + context.codingPath,
                    debugDescription: context.debugDescription,
                    underlyingError: context.underlyingError
                )
            )
        }
    }

    private mutating func number() throws -> JSONValue {
        let text = fields.number()
        if text.count == 1 || text.first != UInt8(ascii: "0"), let integer = Int(digits: text) {
            return .integer(integer)
        }
        return try JSONDecoder().decode(JSONValue.self, from: Data(text))
    }

    private mutating func skip(_ mark: StaticString) -> Bool {
        fields.skipBlanks()
        return fields.skip(mark)
    }

    private static func notJSON() -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "The text is not JSON."))
    }
}

/// A type whose values are read from JSON of any shape, without a `JSONDecoder`.
protocol JSONValueReadable {
    /// Creates a value; `nil` for JSON of another kind.
    init?(reading value: JSONValue)
}

extension JSONValue: JSONValueReadable {
    init?(reading value: JSONValue) { self = value }
}

extension Optional: JSONValueReadable where Wrapped: JSONValueReadable {
    init?(reading value: JSONValue) {
        let wrapped = Wrapped(reading: value)
        guard wrapped != nil || value == .null else { return nil }
        self = value == .null ? nil : wrapped
    }
}

extension Array: JSONValueReadable where Element: JSONValueReadable {
    init?(reading value: JSONValue) {
        guard let values = value.array else { return nil }
        let elements = values.compactMap { Element(reading: $0) }
        guard elements.count == values.count else { return nil }
        self = elements
    }
}

extension Dictionary: JSONValueReadable where Key == String, Value: JSONValueReadable {
    init?(reading value: JSONValue) {
        guard let values = value.object else { return nil }
        let members = values.compactMapValues { Value(reading: $0) }
        guard members.count == values.count else { return nil }
        self = members
    }
}

extension JSONDecoder {
    /// Decodes a value; JSON of any shape, a list or an object of it, and a problem in linear time.
    ///
    /// The decoder names the place of a value of another kind.
    func read<Value: Decodable>(_ type: Value.Type, of data: Data) throws -> Value {
        guard let readable = type as? any JSONValueReadable.Type, !allowsJSON5, !assumesTopLevelDictionary,
            let value = readable.init(reading: try JSONReader.value(of: data)) as? Value
        else { return try decode(type, from: data) }
        return value
    }
}
