import Foundation

/// Writes a record for every call when it ends, and one for every attempt.
///
/// ```swift
/// LoggingInterceptor(.standardError, level: .info)
/// LoggingInterceptor(.jsonLines, level: .debug, showsHeaders: true)
/// LoggingInterceptor(level: .notice) { record in logger.log("\(record.message)") }
/// ```
/// | what ended | level |
/// |---|---|
/// | a call with an answer | `info`; `notice` for 4xx, `warning` for 5xx |
/// | a call with an error | `error`; `info` where it was cancelled |
/// | an attempt with an answer | `debug`; `notice` for 5xx |
/// | an attempt with an error | `notice`; `debug` where it was cancelled |
///
/// A call ends when its body does. What the client's `Redaction` knows as secret is masked; headers and bodies are shown
/// only where that is asked for.
public struct LoggingInterceptor: InspectableInterceptor, EndsWithCall {
    /// What is written: nothing below this level.
    public let level: LogLevel
    /// Whether header fields are shown.
    public let showsHeaders: Bool
    /// How many bytes of a body are shown; nil for none.
    ///
    /// Only bodies that are in memory are: those of buffered calls, and requests made of bytes. Those of requests whose
    /// `requiresAuth` is false are not, because what signs in is secret on both ways.
    public let bodyLimit: Int?
    let sink: any LogSink
    private let notes: [String]

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - sink: Where the records go.
    ///   - level: What is written: nothing below this level.
    ///   - showsHeaders: Whether header fields are shown, secret values masked.
    ///   - bodyLimit: How many bytes of a body are shown; nil for none.
    public init(
        _ sink: some LogSink,
        level: LogLevel = .info,
        showsHeaders: Bool = false,
        bodyLimit: Int? = nil
    ) {
        self.sink = sink
        self.level = level
        self.showsHeaders = showsHeaders
        var check = SettingCheck()
        self.bodyLimit = bodyLimit.map { check.count("bodyLimit", $0, in: 0 ... .max) }
        notes = check.notes
    }

    /// Makes an interceptor that hands each record to a function.
    ///
    /// - Parameters:
    ///   - level: What is written: nothing below this level.
    ///   - showsHeaders: Whether header fields are shown, secret values masked.
    ///   - bodyLimit: How many bytes of a body are shown; nil for none.
    ///   - take: Takes a record, on the task of the call.
    public init(
        level: LogLevel = .info,
        showsHeaders: Bool = false,
        bodyLimit: Int? = nil,
        _ take: @escaping @Sendable (LogRecord) -> Void
    ) {
        self.init(ClosureLogSink(take), level: level, showsHeaders: showsHeaders, bodyLimit: bodyLimit)
    }

    /// Outside everything: it sees the call as its caller does.
    public var stage: Stage { .observe }

    /// From which level on.
    public var summary: String { "log of calls, from level \(level)" }

    /// Names a limit that was moved into its range.
    public func warnings(in client: ClientInspection) -> [String] {
        notes.map { "log: \($0)" }
    }

    /// The log of calls, and that of attempts beside the wire.
    public var parts: [any Interceptor] {
        // The highest level that an attempt has; above it there is nothing to write.
        level <= .notice ? [self, AttemptLogging(settings: self)] : [self]
    }

    /// Passes the request on, and writes a record when the call has ended.
    public func intercept(
        _ request: HTTPRequest,
        context: RequestContext,
        next: Next
    ) async throws -> HTTPResponse {
        try await follow(request, context, isAttempt: false, next)
    }

    func follow(
        _ request: HTTPRequest,
        _ context: RequestContext,
        isAttempt: Bool,
        _ next: Next
    ) async throws -> HTTPResponse {
        let entry = LogEntry(self, request, context, isAttempt: isAttempt)
        do {
            let response = try await next(request, context)
            response.onEnd { entry.write(response.head, body: $0) }
            return response
        } catch {
            entry.write(error)
            throw error
        }
    }
}

/// The log of attempts, right beside the wire.
struct AttemptLogging: InspectableInterceptor, EndsWithCall {
    let settings: LoggingInterceptor

    var stage: Stage { .wire }
    var summary: String { "log of attempts, from level \(max(settings.level, .debug))" }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await settings.follow(request, context, isAttempt: true, next)
    }
}

extension HTTPResponse {
    /// What a record needs, without the body: that must not be kept alive by who waits for its end.
    fileprivate var head: LogEntry.Head {
        LogEntry.Head(status: status, headers: headers, bytes: body.buffered, redirects: history.count)
    }
}
