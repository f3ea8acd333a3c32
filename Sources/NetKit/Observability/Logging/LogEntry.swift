import Foundation

/// A running call or attempt, from which a log record is made at its end.
final class LogEntry: Sendable {
    /// The parts of a response that a record shows.
    struct Head: Sendable {
        let status: HTTPStatus
        let headers: HTTPHeaders
        let bytes: Data?
        let redirects: Int

        init(_ response: HTTPResponse) {
            (status, headers) = (response.status, response.headers)
            (bytes, redirects) = (response.body.buffered, response.history.count)
        }
    }

    private let settings: LoggingInterceptor
    private let request: HTTPRequest
    private let context: RequestContext
    private let isAttempt: Bool
    private let started: NetKitClock.Instant

    init(_ settings: LoggingInterceptor, _ request: HTTPRequest, _ context: RequestContext, isAttempt: Bool) {
        self.settings = settings
        self.request = request
        self.context = context
        self.isAttempt = isAttempt
        started = context.clock.now
    }

    /// Writes a record of a response once its body has ended.
    @inline(never)
    func write(atEndOf response: HTTPResponse) {
        // Keeping the response would keep its body alive until its end.
        let head = Head(response)
        response.onEnd { self.write(head, body: $0) }
    }

    /// Writes a record of a response whose body has ended.
    func write(_ head: Head, body: BodyEnd) {
        if let error = body.error { return write(observed(error), after: head, received: body.byteCount) }
        write(Self.level(of: head.status, isAttempt: isAttempt)) { record in
            let end = body.isAbandoned ? ", given up" : ""
            record.message += " -> \(head.status.code) in \(elapsed.shortText), \(body.byteCount) bytes\(end)"
            describe(head, received: body.byteCount, in: &record)
        }
    }

    /// Writes a record of a failure without a response.
    ///
    /// That of a call has the outcome of all its exchanges, as its caller sees it.
    func write(_ error: any Error) {
        write(isAttempt ? observed(error) : context.call.outward(error), after: nil, received: nil)
    }

    /// Returns the level of a response.
    static func level(of status: HTTPStatus, isAttempt: Bool) -> LogLevel {
        switch status.code {
        case 500...: isAttempt ? .notice : .warning
        case 400..<500: isAttempt ? .debug : .notice
        default: isAttempt ? .debug : .info
        }
    }

    /// Returns the level of an error.
    static func level(of error: any Error, isAttempt: Bool) -> LogLevel {
        if error is CancellationError { return isAttempt ? .debug : .info }
        return isAttempt ? .notice : .error
    }

    private func write(_ error: any Error, after head: Head?, received: Int64?) {
        write(Self.level(of: error, isAttempt: isAttempt)) { record in
            record.error = error
            if let head { describe(head, received: received ?? 0, in: &record) }
            if let status = head?.status ?? (error as? NetKitError)?.ownStatus {
                record.metadata["status"] = .integer(status.code)
                record.message += " -> \(status.code),"
            }
            guard let known = error as? NetKitError else {
                record.message += " was cancelled after \(elapsed.shortText)"
                record.metadata["outcome"] = .text(outcome.description)
                return
            }
            record.message += " failed after \(elapsed.shortText): \(known.message) [\(known.code), \(known.outcome)]"
            record.metadata["error_code"] = .text(known.code.description)
            record.metadata["outcome"] = .text(known.outcome.description)
            if let phase = known.timeoutPhase { record.metadata["timeout"] = .text(phase.description) }
        }
    }

    private func observed(_ error: any Error) -> any Error { context.call.observed(error, outcome: outcome) }

    private var outcome: NetKitError.Outcome { isAttempt ? context.attempt.outcome : context.call.outcome }

    private var elapsed: Duration { started.duration(to: context.clock.now) }

    /// Writes a record if its level is high enough.
    private func write(_ level: LogLevel, _ complete: (inout LogRecord) -> Void) {
        guard level >= settings.level else { return }
        let redaction = context.call.redaction
        let url = redaction.redacted(request.url)
        var record = LogRecord(level, "", callID: context.id, date: context.clock.date)
        record.metadata = [
            "method": .text(request.method.rawValue, maxLength: 40), "url": .text(url),
            "duration_ms": .decimal((elapsed.inSeconds * 1_000_000).rounded() / 1000),
        ]
        if isAttempt {
            record.metadata["attempt"] = .integer(context.attempt.number)
            record.message = "attempt \(context.attempt.number): "
        } else {
            record.metadata["attempts"] = .integer(context.call.attemptCount)
        }
        record.message += "\(request.method.rawValue) \(LogText.escaped(url, limit: 1000))"
        if let sent = request.body?.length { record.metadata["sent_bytes"] = .integer(sent) }
        if settings.showsHeaders { show(request.headers, as: "request", in: &record) }
        if let limit = settings.maxBodyBytes, let body = request.body {
            let type = request.headers["Content-Type"] ?? body.contentType
            record.metadata["request_body"] = excerpt(body.bytes, type, limit)
        }
        complete(&record)
        if !isAttempt, let log = context.call.attemptLog {
            record.metadata["attempt_log"] = .text(log.description)
            if let stop = log.stop, stop.tellsMore(than: record.error as? NetKitError) { record.message += ", \(stop)" }
        }
        record.message = LogText.escaped(record.message, limit: 4000)
        settings.sink.write(record)
    }

    private func describe(_ head: Head, received: Int64, in record: inout LogRecord) {
        record.metadata["status"] = .integer(head.status.code)
        record.metadata["received_bytes"] = .integer(received)
        if head.redirects > 0 { record.metadata["redirects"] = .integer(head.redirects) }
        if settings.showsHeaders { show(head.headers, as: "response", in: &record) }
        if let limit = settings.maxBodyBytes {
            record.metadata["response_body"] = excerpt(head.bytes, head.headers["Content-Type"], limit)
        }
    }

    private func excerpt(_ bytes: Data?, _ contentType: String?, _ limit: Int) -> LogValue {
        guard request.requiresAuth else { return "<not shown: requiresAuth is false>" }
        guard let bytes else { return "<streamed>" }
        let text = LogBody(limit: limit, redaction: context.call.redaction).excerpt(bytes, contentType: contentType)
        return .text(text, maxLength: .max)
    }

    /// Adds header fields to the metadata, at most 100 because the peer chooses the number.
    private func show(_ headers: HTTPHeaders, as side: String, in record: inout LogRecord) {
        for field in context.call.redaction.redacted(headers).fields.prefix(100) {
            let name = "\(side)_header.\(LogText.escaped(field.name.lowercased(), limit: 100))"
            let earlier = record.metadata[name].map { "\($0), " } ?? ""
            record.metadata[name] = .text(earlier + field.value, maxLength: 1000)
        }
    }
}
