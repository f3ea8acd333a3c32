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
