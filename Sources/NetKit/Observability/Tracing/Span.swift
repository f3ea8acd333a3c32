public import Foundation

/// One step of a trace that has ended: a call, or one of its attempts.
public struct Span: Sendable {
    /// What kind of step it is.
    public struct Kind: Sendable, Hashable {
        let code: Int

        /// A step inside the program: a call with all its attempts.
        public static let `internal` = Kind(code: 1)
        /// A request to another program: an attempt.
        public static let client = Kind(code: 3)
    }

    /// Something that happened meanwhile.
    public struct Event: Sendable {
        /// What it was.
        public let name: String
        /// When.
        public let date: Date
    }

    /// Method and path, without values.
    public let name: String
    /// What kind of step it is.
    public let kind: Kind
    /// Its trace and its own name.
    public let context: TraceContext
    /// The name of the step that it is a part of.
    public let parentID: String?
    /// When it began.
    public let start: Date
    /// When it ended; for a call or an attempt, with the end of the body.
    public internal(set) var end: Date
    /// What is known of it, by names of OpenTelemetry's conventions; secrets are masked.
    public internal(set) var attributes: [String: LogValue] = [:]
    /// What happened meanwhile, in order.
    public internal(set) var events: [Event] = []
    /// What went wrong, in a word or two; nil where nothing did.
    public internal(set) var problem: String?
}

/// What takes spans, to show or to send them.
public protocol SpanExporter: Sendable {
    /// A span begins; its end is its beginning, and nothing is known of it yet.
    func begin(_ span: Span)

    /// Takes a span that has ended, on the task of the call: it keeps it, and returns.
    func export(_ span: Span)

    /// Sends what it has kept, for at most so long, and takes no more.
    ///
    /// - Parameter bound: How long that may take.
    /// - Returns: Whether everything was sent.
    @discardableResult
    func shutdown(within bound: Duration) async -> Bool
}

extension SpanExporter {
    /// Nothing.
    public func begin(_ span: Span) {}

    /// Nothing is kept.
    @discardableResult
    public func shutdown(within bound: Duration = .seconds(5)) async -> Bool { true }
}
