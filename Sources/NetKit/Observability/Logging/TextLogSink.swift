/// A log sink that writes each record as a readable line with time, level, message and metadata.
public struct TextLogSink: LogSink {
    private let output: LogOutput

    /// Creates a sink that writes to an output.
    public init(to output: LogOutput = .standardError) { self.output = output }

    /// Writes a record as one line.
    public func write(_ record: LogRecord) { output.write(Self.line(record)) }

    /// The metadata that the message already contains.
    private static let toldByMessage: Set<String> = ["method", "url", "status", "duration_ms", "attempt"]

    static func line(_ record: LogRecord) -> String {
        let level = record.level.description
        let time = ISO8601Date.format(record.date, fraction: true)
        var line = "\(time) \(level)\(String(repeating: " ", count: max(0, 8 - level.count)))"
        line += LogText.escaped(record.message, limit: 4000)
        line += " call=\(record.callID)"
        for (name, value) in record.metadata.orderedByKey where !toldByMessage.contains(name) {
            let name = LogText.escaped(name, limit: 100)
            line += " \(LogText.quotedIfNeeded(name))=\(LogText.quotedIfNeeded(value.description))"
        }
        return line
    }
}

extension LogSink where Self == TextLogSink {
    /// A sink that writes readable lines to standard error.
    public static var standardError: TextLogSink { TextLogSink() }
}
