public import Foundation

/// One entry of a log: what happened, as a sentence and as values.
///
/// Texts hold no control characters and nothing that the client's `Redaction` knows as secret, whatever a peer sent. The
/// error is the original one, whose own texts may hold both.
public struct LogRecord: Sendable {
    /// How much it matters.
    public var level: LogLevel
    /// What happened, in one line.
    public var message: String
    /// The same as values, by name.
    public var metadata: [String: LogValue]
    /// The error, where something failed.
    public var error: (any Error)?
    /// The call that it belongs to.
    public var callID: CallID
    /// The time of day.
    public var date: Date

    /// Makes a record; control characters in texts are escaped.
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

/// Where log records go.
///
/// It is called for every record, on the task of the call: write quickly, or hand the record on.
public protocol LogSink: Sendable {
    /// Takes a record.
    func write(_ record: LogRecord)
}

/// Hands each record to a function, such as one that calls your logging library.
///
/// ```swift
/// LoggingInterceptor(level: .debug) { record in logger.log("\(record.message)") }
/// ```
public struct ClosureLogSink: LogSink {
    private let take: @Sendable (LogRecord) -> Void

    /// Makes a sink from a function.
    public init(_ take: @escaping @Sendable (LogRecord) -> Void) {
        self.take = take
    }

    /// Calls the function.
    public func write(_ record: LogRecord) {
        take(record)
    }
}

/// How much a log record matters.
public struct LogLevel: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The level's name.
    public let description: String
    private let rank: Int

    private init(_ rank: Int, _ name: String) {
        self.rank = rank
        description = name
    }

    /// Everything there is.
    public static let trace = LogLevel(10, "trace")
    /// What helps in looking for a fault: each attempt.
    public static let debug = LogLevel(20, "debug")
    /// What goes as it should: each call.
    public static let info = LogLevel(30, "info")
    /// What is worth a look: an attempt that failed, a call that the server refused.
    public static let notice = LogLevel(40, "notice")
    /// What should not be: a call that the server failed.
    public static let warning = LogLevel(50, "warning")
    /// What went wrong: a call without an answer.
    public static let error = LogLevel(60, "error")
    /// What stops the service; NetKit itself never writes it.
    public static let critical = LogLevel(70, "critical")

    /// Every level, from the least important.
    public static let all: [LogLevel] = [.trace, .debug, .info, .notice, .warning, .error, .critical]

    /// Whether one level matters less than another.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}

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
