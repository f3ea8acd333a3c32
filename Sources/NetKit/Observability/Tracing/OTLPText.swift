import Foundation

/// Spans as the JSON of OTLP (OpenTelemetry's protocol): identifiers as hexadecimal digits, 64-bit numbers as texts.
enum OTLPText {
    static func document(_ spans: [Span], resource: String) -> String {
        let list = spans.map(text).joined(separator: ",")
        return "{\"resourceSpans\":[{\"resource\":{\"attributes\":\(resource)},"
            + "\"scopeSpans\":[{\"scope\":{\"name\":\"NetKit\"},\"spans\":[\(list)]}]}]}"
    }

    static func attributes(_ values: [String: LogValue]) -> String {
        let list = values.map { name, value in "{\"key\":\(LogText.json(name)),\"value\":\(text(value))}" }
        return "[\(list.joined(separator: ","))]"
    }

    private static func text(_ value: LogValue) -> String {
        switch value.storage {
        case .text(let text): "{\"stringValue\":\(LogText.json(text))}"
        case .integer(let number): "{\"intValue\":\"\(number)\"}"
        case .decimal(let number): "{\"doubleValue\":\(number.isFinite ? number : 0)}"
        }
    }

    private static func text(_ span: Span) -> String {
        var parts = ["\"traceId\":\"\(span.context.traceID)\"", "\"spanId\":\"\(span.context.spanID)\""]
        if let parent = span.parentID { parts.append("\"parentSpanId\":\"\(parent)\"") }
        if !span.context.state.isEmpty {
            parts.append("\"traceState\":\(LogText.json(span.context.state.description))")
        }
        parts += [
            "\"name\":\(LogText.json(span.name))", "\"kind\":\(span.kind.code)",
            "\"startTimeUnixNano\":\"\(nanoseconds(span.start))\"", "\"endTimeUnixNano\":\"\(nanoseconds(span.end))\"",
            "\"attributes\":\(attributes(span.attributes))",
        ]
        if !span.events.isEmpty {
            let events = span.events.map {
                "{\"timeUnixNano\":\"\(nanoseconds($0.date))\",\"name\":\(LogText.json($0.name))}"
            }
            parts.append("\"events\":[\(events.joined(separator: ","))]")
        }
        if let problem = span.problem { parts.append("\"status\":{\"code\":2,\"message\":\(LogText.json(problem))}") }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func nanoseconds(_ date: Date) -> UInt64 {
        let seconds = max(0, date.timeIntervalSince1970)
        return UInt64(exactly: (seconds * 1e9).rounded()) ?? 0
    }
}
