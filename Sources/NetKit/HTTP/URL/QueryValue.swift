public import Foundation

/// A value in a query: a text, a date, a list, or no value.
public struct QueryValue: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case nothing
        case text(String)
        case date(Date)
        case list([QueryValue])
        /// A value that cannot be written, and the reason.
        case problem(String)
    }

    let kind: Kind

    /// A string.
    public static func text(_ text: String) -> QueryValue { QueryValue(kind: .text(text)) }

    /// A date, written in the builder's format.
    public static func date(_ date: Date) -> QueryValue {
        guard date.timeIntervalSince1970.isFinite else { return .problem("the date is not a finite number of seconds") }
        return QueryValue(kind: .date(date))
    }

    /// Several values, written in the builder's format.
    public static func list(_ values: [QueryValue]) -> QueryValue { QueryValue(kind: .list(values)) }

    /// No value: the item is left out.
    public static let nothing = QueryValue(kind: .nothing)

    static func problem(_ text: String) -> QueryValue { QueryValue(kind: .problem(text)) }
}

/// A type whose values can be in a query; a type of your own returns its `queryValue`.
///
/// An enumeration with texts or numbers as raw values only has to name the protocol:
/// `enum Sort: String, QueryConvertible`.
public protocol QueryConvertible {
    /// The query representation of the value.
    var queryValue: QueryValue { get }
}

extension QueryConvertible where Self: CustomStringConvertible {
    /// The value's description.
    public var queryValue: QueryValue { .text(description) }
}

extension QueryConvertible where Self: RawRepresentable, RawValue: QueryConvertible {
    /// The query representation of the raw value.
    public var queryValue: QueryValue { rawValue.queryValue }
}

extension QueryValue {
    /// Returns the shortest text for a number; whole numbers have no decimal point.
    fileprivate static func number(_ number: Double, _ text: String) -> QueryValue {
        guard number.isFinite else { return .problem("\(text) is not a finite number") }
        return .text(Int64(exactly: number).map { String($0) } ?? text)
    }
}

extension String: QueryConvertible {
    /// The text itself.
    public var queryValue: QueryValue { .text(self) }
}

extension Substring: QueryConvertible {}
extension Character: QueryConvertible {}
extension Bool: QueryConvertible {}
extension Int: QueryConvertible {}
extension Int8: QueryConvertible {}
extension Int16: QueryConvertible {}
extension Int32: QueryConvertible {}
extension Int64: QueryConvertible {}
extension UInt: QueryConvertible {}
extension UInt8: QueryConvertible {}
extension UInt16: QueryConvertible {}
extension UInt32: QueryConvertible {}
extension UInt64: QueryConvertible {}
extension UUID: QueryConvertible {}

extension Decimal: QueryConvertible {
    /// All digits of the number.
    public var queryValue: QueryValue { isFinite ? .text(description) : .problem("\(self) is not a finite number") }
}

extension Double: QueryConvertible {
    /// The shortest text for the number; whole numbers have no decimal point.
    public var queryValue: QueryValue { .number(self, description) }
}

extension Float: QueryConvertible {
    /// The shortest text for the number; whole numbers have no decimal point.
    public var queryValue: QueryValue { .number(Double(self), description) }
}

extension URL: QueryConvertible {
    /// The whole URL, including its base.
    public var queryValue: QueryValue { .text(absoluteString) }
}

extension Date: QueryConvertible {
    /// The date, written in the builder's format.
    public var queryValue: QueryValue { .date(self) }
}

extension Optional: QueryConvertible where Wrapped: QueryConvertible {
    /// The value, or no value for `nil`.
    public var queryValue: QueryValue { self?.queryValue ?? .nothing }
}

extension Array: QueryConvertible where Element: QueryConvertible {
    /// The list of the values.
    public var queryValue: QueryValue { .list(map(\.queryValue)) }
}
