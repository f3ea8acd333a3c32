import Foundation

/// A log sink that writes each record as a readable line with time, level, message and metadata.
public struct TextLogSink: LogSink {
    private let output: LogOutput

    /// Creates a sink that writes to an output.
    public init(to output: LogOutput = .standardError) {
        self.output = output
    }

    /// Writes a record as one line.
    public func write(_ record: LogRecord) {
        output.write(Self.line(record))
    }

    /// The metadata that the message already contains.
    private static let toldByMessage: Set<String> = ["method", "url", "status", "duration_ms", "attempt"]

    static func line(_ record: LogRecord) -> String {
        let level = record.level.description
        var line = "\(LogTime.text(record.date)) \(level)\(String(repeating: " ", count: max(0, 8 - level.count)))"
        line += LogText.escaped(record.message, limit: 4000)
        line += " call=\(record.callID)"
        for (name, value) in record.metadata.orderedByKey where !toldByMessage.contains(name) {
            let name = LogText.escaped(name, limit: 100)
            line += " \(LogText.quotedIfNeeded(name))=\(LogText.quotedIfNeeded(value.description))"
        }
        return line
    }
}

/// A log sink that writes each record as one line of JSON.
///
/// The members `time`, `level`, `message`, `call` and `error` come from the record, and the others from its metadata.
public struct JSONLinesLogSink: LogSink {
    private let output: LogOutput

    /// Creates a sink that writes to an output.
    public init(to output: LogOutput = .standardError) {
        self.output = output
    }

    /// Writes a record as one line.
    public func write(_ record: LogRecord) {
        output.write(Self.line(record))
    }

    static func line(_ record: LogRecord) -> String {
        var members = [
            member("time", LogTime.text(record.date)), member("level", record.level.description),
            member("message", record.message), member("call", record.callID.description),
        ]
        if let error = record.error {
            members.append(member("error", (error as? NetKitError)?.code.description ?? "\(type(of: error))"))
        }
        let own: Set<String> = ["time", "level", "message", "call", "error"]
        for (name, value) in record.metadata.orderedByKey where !own.contains(name) {
            members.append("\(LogText.json(name)):\(json(value))")
        }
        return "{\(members.joined(separator: ","))}"
    }

    private static func member(_ name: String, _ text: String) -> String {
        "\"\(name)\":\(LogText.json(text))"
    }

    private static func json(_ value: LogValue) -> String {
        switch value.storage {
        case .text(let text): LogText.json(text)
        case .integer(let number): "\(number)"
        // JSON has neither infinity nor NaN.
        case .decimal(let number): number.isFinite ? "\(number)" : "null"
        }
    }
}

extension LogSink where Self == TextLogSink {
    /// A sink that writes readable lines to standard error.
    public static var standardError: TextLogSink { TextLogSink() }
}

extension LogSink where Self == JSONLinesLogSink {
    /// A sink that writes lines of JSON to standard error.
    public static var jsonLines: JSONLinesLogSink { JSONLinesLogSink() }

    /// Returns a sink that writes lines of JSON to an output.
    public static func jsonLines(to output: LogOutput) -> JSONLinesLogSink { JSONLinesLogSink(to: output) }
}

/// Times in RFC 3339 format, in UTC, with milliseconds.
enum LogTime {
    static func text(_ date: Date) -> String {
        let exact = date.timeIntervalSince1970
        let milliseconds = Int(exact.isNaN ? 0 : min(max((exact * 1000).rounded(), -1e16), 1e16))
        let day = CalendarDay(daysSinceEpoch: milliseconds.flooredDivision(by: 86_400_000))
        let ofDay = milliseconds.modulo(86_400_000)
        let (seconds, rest) = (ofDay / 1000, ofDay % 1000)
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))T\(time).\(padded(rest, 3))Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// An output for log lines: a standard stream of the process, or a closure.
public struct LogOutput: Sendable {
    private let take: @Sendable (String) -> Void

    private init(_ take: @escaping @Sendable (String) -> Void) {
        self.take = take
    }

    /// The standard error of the process.
    public static let standardError = stream(2, "standard error")

    /// The standard output of the process.
    public static let standardOutput = stream(1, "standard output")

    /// Returns an output that passes each line, without its line break, to a closure on any thread.
    public static func lines(_ take: @escaping @Sendable (String) -> Void) -> LogOutput { LogOutput(take) }

    func write(_ line: String) {
        take(line)
    }

    private static func stream(_ descriptor: Int32, _ name: String) -> LogOutput {
        // The closure of a static value keeps the file, so it is never closed.
        let file = OpenFile(descriptor: descriptor, path: name)
        let system = SystemFileSystem()
        return LogOutput { line in
            // Locked while writing, so that lines do not mix. A failure to write a log does not fail the call.
            lock.withLock { _ in
                _ = try? Array((line + "\n").utf8).withUnsafeBytes { try system.writeAll($0, to: file) }
            }
        }
    }

    private static let lock = Locked(())
}
