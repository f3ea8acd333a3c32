public import Foundation

/// A log record, with a message and the same facts as metadata.
///
/// The texts contain no control characters, and no values that the client's `Redaction` names as secret. The error is
/// the original one, whose texts may contain both.
public struct LogRecord: Sendable {
    /// The level of the record.
    public var level: LogLevel
    /// The message, in one line.
    public var message: String
    /// The facts of the message as values by name.
    public var metadata: [String: LogValue]
    /// The error, if the call or attempt failed.
    public var error: (any Error)?
    /// The identifier of the call.
    public var callID: CallID
    /// The time of the record.
    public var date: Date

    /// Creates a record, in whose message control characters are escaped.
    public init(
        _ level: LogLevel,
        _ message: String,
        metadata: [String: LogValue] = [:],
        error: (any Error)? = nil,
        callID: CallID,
        date: Date
    ) {
        self.level = level
        self.message = LogText.escaped(message, limit: 4000)
        self.metadata = metadata
        self.error = error
        self.callID = callID
        self.date = date
    }
}

/// A destination for log records.
///
/// It is called for every record, on the task of the call. Write quickly, or queue the record.
public protocol LogSink: Sendable {
    /// Writes a record.
    func write(_ record: LogRecord)
}

/// A log sink that passes each record to a closure, such as one that calls your logging library.
///
/// ```swift
/// LoggingInterceptor(level: .debug) { record in logger.log("\(record.message)") }
/// ```
public struct ClosureLogSink: LogSink {
    private let take: @Sendable (LogRecord) -> Void

    /// Creates a sink from a closure.
    public init(_ take: @escaping @Sendable (LogRecord) -> Void) { self.take = take }

    /// Calls the closure.
    public func write(_ record: LogRecord) { take(record) }
}

/// The severity of a log record.
public struct LogLevel: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name of the level.
    public let description: String
    private let rank: Int

    private init(_ rank: Int, _ name: String) {
        self.rank = rank
        description = name
    }

    /// The level for the finest details.
    public static let trace = LogLevel(10, "trace")
    /// The level for details that help to find a fault, such as each attempt.
    public static let debug = LogLevel(20, "debug")
    /// The level for normal operation, such as each call.
    public static let info = LogLevel(30, "info")
    /// The level for notable events, such as a failed attempt or a call that the server rejected.
    public static let notice = LogLevel(40, "notice")
    /// The level for problems, such as a call that ended with a server error.
    public static let warning = LogLevel(50, "warning")
    /// The level for failures, such as a call without a response.
    public static let error = LogLevel(60, "error")
    /// The level for failures that stop the service, which NetKit itself never uses.
    public static let critical = LogLevel(70, "critical")

    /// All levels, from the least to the most severe.
    public static let all: [LogLevel] = [.trace, .debug, .info, .notice, .warning, .error, .critical]

    /// Returns whether one level is less severe than another.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}

/// A text or a number in a log record.
public struct LogValue: Hashable, Sendable, CustomStringConvertible {
    enum Storage: Hashable, Sendable {
        case text(String)
        case integer(Int64)
        case decimal(Double)
    }

    let storage: Storage

    /// Returns a text value, with control characters escaped, truncated to a maximum length.
    public static func text(_ text: String, maxLength: Int = 2000) -> LogValue {
        LogValue(storage: .text(LogText.escaped(text, limit: maxLength)))
    }

    /// Returns an integer value.
    public static func integer(_ number: some BinaryInteger) -> LogValue {
        LogValue(storage: .integer(Int64(clamping: number)))
    }

    /// Returns a floating-point value.
    public static func decimal(_ number: Double) -> LogValue { LogValue(storage: .decimal(number)) }

    /// The value as text.
    public var description: String {
        switch storage {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .decimal(let number): "\(number)"
        }
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Creates a text value.
    public init(stringLiteral text: String) { self = .text(text) }
    /// Creates an integer value.
    public init(integerLiteral number: Int64) { self = .integer(number) }
    /// Creates a floating-point value.
    public init(floatLiteral number: Double) { self = .decimal(number) }
}
