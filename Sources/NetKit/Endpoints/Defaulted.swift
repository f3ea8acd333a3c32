/// A value with a default, for a payload without a readable value.
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

/// A default of `false`.
public enum DefaultFalse: DefaultValue, Sendable {
    /// False.
    public static let defaultValue = false
}

/// A default of `true`.
public enum DefaultTrue: DefaultValue, Sendable {
    /// True.
    public static let defaultValue = true
}

/// A default of 0.
public enum DefaultZero: DefaultValue, Sendable {
    /// 0.
    public static let defaultValue = 0
}

/// A default of the empty text.
public enum DefaultEmptyString: DefaultValue, Sendable {
    /// The empty text.
    public static let defaultValue = ""
}

extension Defaulted: Sendable where Source.Value: Sendable {}

extension Defaulted: Equatable where Source.Value: Equatable {}

extension Defaulted: Hashable where Source.Value: Hashable {}

extension Defaulted: Decodable where Source.Value: Decodable {
    /// Reads the value, or takes the default.
    public init(from decoder: any Decoder) throws {
        // Decode through the container, so that the decoder's strategies apply, such as the one for dates.
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
