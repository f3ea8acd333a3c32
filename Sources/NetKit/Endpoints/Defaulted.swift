/// A value that has one where the payload has none, or one that cannot be read.
///
/// ```swift
/// enum Medium: DefaultValue { static let defaultValue = "medium" }
/// struct Item: Decodable {
///     @Defaulted<Medium> var size: String
///     @Defaulted<DefaultFalse> var isNew: Bool
/// }
/// ```
@propertyWrapper
public struct Defaulted<Source: DefaultValue> {
    /// The value.
    public var wrappedValue: Source.Value

    /// Creates a value.
    public init(wrappedValue: Source.Value = Source.defaultValue) {
        self.wrappedValue = wrappedValue
    }
}

/// The source of a ``Defaulted`` value if the payload has none.
public protocol DefaultValue {
    /// The type of the value.
    associatedtype Value
    /// The value.
    static var defaultValue: Value { get }
}

/// False if nothing is said.
public enum DefaultFalse: DefaultValue, Sendable {
    /// False.
    public static let defaultValue = false
}

/// True if nothing is said.
public enum DefaultTrue: DefaultValue, Sendable {
    /// True.
    public static let defaultValue = true
}

/// 0 where nothing is said.
public enum DefaultZero: DefaultValue, Sendable {
    /// 0.
    public static let defaultValue = 0
}

/// An empty text where nothing is said.
public enum DefaultEmptyText: DefaultValue, Sendable {
    /// The empty text.
    public static let defaultValue = ""
}

extension Defaulted: Sendable where Source.Value: Sendable {}

extension Defaulted: Equatable where Source.Value: Equatable {}

extension Defaulted: Hashable where Source.Value: Hashable {}

extension Defaulted: Decodable where Source.Value: Decodable {
    /// Reads the value, or takes the default.
    public init(from decoder: any Decoder) throws {
        // By the container: dates and the like are read as the decoder's strategy says.
        let value = try? decoder.singleValueContainer().decode(Source.Value.self)
        self.init(wrappedValue: value ?? Source.defaultValue)
    }
}

extension Defaulted: Encodable where Source.Value: Encodable {
    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// Reads a value that may be missing.
    public func decode<Source: DefaultValue>(
        _ type: Defaulted<Source>.Type,
        forKey key: Key
    ) throws -> Defaulted<Source> where Source.Value: Decodable {
        Defaulted(wrappedValue: (try? decodeIfPresent(Source.Value.self, forKey: key)) ?? Source.defaultValue)
    }
}
