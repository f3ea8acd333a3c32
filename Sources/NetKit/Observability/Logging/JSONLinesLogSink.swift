/// A log sink that writes each record as one line of JSON.
///
/// The members `time`, `level`, `message`, `call` and `error` come from the record, and the others from its metadata.
public struct JSONLinesLogSink: LogSink {
    private let output: LogOutput

    /// Creates a sink that writes to an output.
    public init(to output: LogOutput = .standardError) { self.output = output }

    /// Writes a record as one line.
    public func write(_ record: LogRecord) { output.write(Self.line(record)) }

    static func line(_ record: LogRecord) -> String {
        var members = [
            member("time", ISO8601Date.format(record.date, fraction: true)),
            member("level", record.level.description), member("message", record.message),
            member("call", record.callID.description),
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

extension LogSink where Self == JSONLinesLogSink {
    /// A sink that writes lines of JSON to standard error.
    public static var jsonLines: JSONLinesLogSink { JSONLinesLogSink() }

    /// Returns a sink that writes lines of JSON to an output.
    public static func jsonLines(to output: LogOutput) -> JSONLinesLogSink { JSONLinesLogSink(to: output) }
}
