/// Writes a log record for every call and every attempt when it ends.
///
/// ```swift
/// LoggingInterceptor(.standardError, level: .info)
/// LoggingInterceptor(.jsonLines, level: .debug, showsHeaders: true)
/// LoggingInterceptor(level: .notice) { record in logger.log("\(record.message)") }
/// ```
/// | Event | Level |
/// |---|---|
/// | A call with a response | `info`; `notice` for 4xx, `warning` for 5xx |
/// | A call with an error | `error`; `info` if it was cancelled |
/// | An attempt with a response | `debug`; `notice` for 5xx |
/// | An attempt with an error | `notice`; `debug` if it was cancelled |
///
/// A call ends when its response's body has ended. Values that the client's `Redaction` names as secret are masked.
/// Headers and bodies are logged only on request.
public struct LoggingInterceptor: InspectableInterceptor, CallBound {
    /// The minimum level of the records that are written.
    public let level: LogLevel
    /// Whether header fields are logged.
    public let showsHeaders: Bool
    /// The maximum number of bytes logged of each body, or `nil` to log no bodies.
    ///
    /// Only bodies in memory are logged: buffered responses, and requests made of bytes. No body is logged for requests
    /// whose `requiresAuth` is `false`, because sign-in requests and their responses are secret.
    public let maxBodyBytes: Int?
    let sink: any LogSink
    private let notes: [String]

    /// Creates an interceptor that writes to a sink.
    ///
    /// - Parameters:
    ///   - sink: The destination of the records.
    ///   - level: The minimum level of the records that are written.
    ///   - showsHeaders: Whether header fields are logged, with secret values masked.
    ///   - maxBodyBytes: The maximum number of bytes logged of each body, or `nil` to log no bodies.
    public init(_ sink: some LogSink, level: LogLevel = .info, showsHeaders: Bool = false, maxBodyBytes: Int? = nil) {
        self.sink = sink
        self.level = level
        self.showsHeaders = showsHeaders
        var check = SettingCheck()
        self.maxBodyBytes = maxBodyBytes.map { check.count("maxBodyBytes", $0, in: 0 ... .max) }
        notes = check.notes
    }

    /// Creates an interceptor that passes each record to a closure.
    ///
    /// - Parameters:
    ///   - level: The minimum level of the records that are written.
    ///   - showsHeaders: Whether header fields are logged, with secret values masked.
    ///   - maxBodyBytes: The maximum number of bytes logged of each body, or `nil` to log no bodies.
    ///   - take: A closure that receives each record, on the task of the call.
    public init(
        level: LogLevel = .info,
        showsHeaders: Bool = false,
        maxBodyBytes: Int? = nil,
        _ take: @escaping @Sendable (LogRecord) -> Void
    ) {
        self.init(ClosureLogSink(take), level: level, showsHeaders: showsHeaders, maxBodyBytes: maxBodyBytes)
    }

    /// The `.observe` stage, which sees the call as its caller does.
    public var stage: Stage { .observe }

    /// A description of the level.
    public var summary: String { "log of calls, from level \(level)" }

    /// Returns diagnostics about a clamped limit.
    public func warnings(in client: ClientInspection) -> [String] {
        notes.map { "log: \($0)" }
    }

    /// The logs of calls and of attempts.
    public var parts: [any Interceptor] {
        // `notice` is the highest level of an attempt.
        level <= .notice ? [self, AttemptLogging(settings: self)] : [self]
    }

    /// Forwards the request and writes a record when the call has ended.
    public func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
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
            entry.write(atEndOf: response)
            return response
        } catch {
            entry.write(error)
            throw error
        }
    }
}

/// The log of attempts, at the `.wire` stage.
struct AttemptLogging: InspectableInterceptor, CallBound {
    let settings: LoggingInterceptor

    var stage: Stage { .wire }
    var summary: String { "log of attempts, from level \(max(settings.level, .debug))" }

    func intercept(_ request: HTTPRequest, context: RequestContext, next: Next) async throws -> HTTPResponse {
        try await settings.follow(request, context, isAttempt: true, next)
    }
}
