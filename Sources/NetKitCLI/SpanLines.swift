import Foundation
import NetKit

/// Shows each span of a trace in a line when it has ended.
struct SpanLines: SpanExporter {
    let output: CommandOutput

    func export(_ span: Span) {
        let milliseconds = Duration.seconds(span.end.timeIntervalSince(span.start)).millisecondsText
        let parent = span.parentID.map { ", part of \($0)" } ?? ""
        let problem = span.problem.map { ", \($0)" } ?? ""
        output.note(
            "span \(span.context.spanID) of trace \(span.context.traceID)\(parent): \(span.name), \(milliseconds)\(problem)"
        )
    }
}
