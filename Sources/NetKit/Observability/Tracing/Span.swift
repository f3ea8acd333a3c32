public import Foundation

/// A step of a trace: a call or one of its attempts.
public struct Span: Sendable {
    /// The kind of a span.
    public struct Kind: Sendable, Hashable {
        let code: Int

        /// A step inside the program, which is a call with all its attempts.
        public static let `internal` = Kind(code: 1)
        /// A request to another program, which is an attempt.
        public static let client = Kind(code: 3)
    }

    /// An event during a span.
    public struct Event: Sendable {
        /// The name of the event.
        public let name: String
        /// The time of the event.
        public let date: Date
    }

    /// The method and the path template.
    public let name: String
    /// The kind of the span.
    public let kind: Kind
    /// The identifiers of the trace and the span.
    public let context: TraceContext
    /// The identifier of the parent span, if there is one.
    public let parentID: String?
    /// The start of the span.
    public let start: Date
    /// The end of the span, which is the end of the response's body.
    public internal(set) var end: Date
    /// The attributes by the names of OpenTelemetry's conventions, with secrets masked.
    public internal(set) var attributes: [String: LogValue] = [:]
    /// The events during the span, in order.
    public internal(set) var events: [Event] = []
    /// The error code, the status code of an error response, or `cancelled`.
    ///
    /// It is `nil` if the step succeeded.
    public internal(set) var errorType: String?
}

/// A destination for spans.
public protocol SpanExporter: Sendable {
    /// Receives a span that has just begun, whose end is not known yet.
    ///
    /// The default implementation ignores it.
    func begin(_ span: Span)

    /// Receives a span that has ended, on the task of the call.
    ///
    /// Queue the span and return quickly.
    func export(_ span: Span)

    /// Sends the queued spans and accepts no more.
    ///
    /// - Parameter bound: The longest time that this may take.
    /// - Returns: Whether all spans were processed in time.
    @discardableResult
    func shutdown(within bound: Duration) async -> Bool
}

extension SpanExporter {
    /// Ignores the span.
    public func begin(_ span: Span) {}

    /// Returns `true`, because nothing is queued.
    @discardableResult
    public func shutdown(within bound: Duration = .seconds(5)) async -> Bool { true }
}
