/// A list that skips elements that cannot be decoded, so that one bad element does not fail the whole page.
///
/// ```swift
/// struct Page: Decodable {
///     @LossyArray var items: [Item]
///     var next: String?
/// }
/// page.$items.failures                             // [Failure(index: 3, reason: "name: expected String, …")]
/// ```
/// A list that is missing, `null`, or no list at all is empty.
@propertyWrapper
public struct LossyArray<Element> {
    /// An element that could not be read.
    public struct Failure: Sendable, Hashable {
        /// The position in the list.
        public let index: Int
        /// The place inside the element and the reason, without its value.
        public let reason: String
    }

    /// The elements that could be read.
    public var wrappedValue: [Element]
    /// The elements that could not be read.
    public private(set) var failures: [Failure] = []

    /// The wrapper itself, for its `failures`.
    public var projectedValue: LossyArray { self }

    /// Creates a list.
    public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }
}

extension LossyArray: Sendable where Element: Sendable {}

extension LossyArray: Equatable where Element: Equatable {
    /// Returns whether the elements are equal; failures are not compared.
    public static func == (left: LossyArray, right: LossyArray) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension LossyArray: Hashable where Element: Hashable {
    /// Hashes the elements.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

extension LossyArray: Decodable where Element: Decodable {
    /// Any element, which is read only to skip it.
    private struct Skipped: Decodable {}

    /// Reads the elements that can be read.
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: [])
        guard var container = try? decoder.unkeyedContainer() else { return }
        while !container.isAtEnd {
            let index = container.currentIndex
            do {
                wrappedValue.append(try container.decode(Element.self))
            } catch {
                failures.append(
                    Failure(index: index, reason: DecodingProblem.text(of: error, below: decoder.codingPath.count + 1))
                )
                // The container does not skip a failed element by itself, and an empty type cannot read a null.
                if container.currentIndex == index {
                    if (try? container.decodeNil()) != true { _ = try? container.decode(Skipped.self) }
                    if container.currentIndex == index { _ = try? container.decode(JSONValue.self) }
                }
                guard container.currentIndex > index else { return }
            }
        }
    }
}

extension LossyArray: Encodable where Element: Encodable {
    /// Writes the elements as a list.
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// Reads a list that may be missing.
    public func decode<Element: Decodable>(
        _ type: LossyArray<Element>.Type,
        forKey key: Key
    ) throws -> LossyArray<Element> {
        (try? decodeIfPresent(type, forKey: key)) ?? LossyArray(wrappedValue: [])
    }
}
