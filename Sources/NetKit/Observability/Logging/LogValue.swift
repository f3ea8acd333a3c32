/// A value in a log record: a text or a number, so that a sink for machines can keep them apart.
public struct LogValue: Hashable, Sendable, CustomStringConvertible {
    enum Storage: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        case decimal(Double)
    }

    let storage: Storage

    /// A text, with control characters escaped and cut at a length.
    public static func text(_ text: String, limit: Int = 2000) -> LogValue {
        LogValue(storage: .text(LogText.escaped(text, limit: limit)))
    }

    /// A whole number.
    public static func integer(_ number: some BinaryInteger) -> LogValue {
        LogValue(storage: .integer(Int64(clamping: number)))
    }

    /// A number.
    public static func decimal(_ number: Double) -> LogValue { LogValue(storage: .decimal(number)) }

    /// The value as a text.
    public var description: String {
        switch storage {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .decimal(let number): "\(number)"
        }
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// A whole number.
    public init(integerLiteral number: Int64) { self = .integer(number) }
    /// A number.
    public init(floatLiteral number: Double) { self = .decimal(number) }
}
