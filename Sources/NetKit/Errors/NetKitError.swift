import Foundation

/// What every public call of NetKit throws, unless it throws `CancellationError`.
///
/// Ask `code` what happened, `outcome` whether the server may have acted on the request, and `cause` for what lies
/// beneath. `description` is one line that says what to do, free of credentials, control characters and body text.
public struct NetKitError: Error, Sendable {
    /// What happened.
    public let code: Code

    /// Whether the server may have seen, or did answer, the request.
    public var outcome: Outcome { details.outcome }

    /// What went wrong, in a sentence that names the part at fault and what to do about it.
    public var message: String { details.message }

    /// The error beneath, if there is one: what an interceptor of yours threw, or what the system reported.
    public var cause: (any Error)? { details.cause }

    /// Method and URL of the request, with user info and sensitive query items masked.
    public var requestLine: String? { details.requestLine }

    /// How many times the request, or a redirect of it, was handed to the transport.
    public var attempts: Int { details.attempts }

    /// Every attempt that retry made or refused to repeat, and why it stopped; nil where no retry was in the chain.
    public var attemptLog: AttemptLog? { details.attemptLog }

    /// Which limit in time ran out, where `code` is `.timeout`.
    public var timeoutPhase: TimeoutPhase? { details.timeoutPhase }

    /// The server's answer, where there is one: always for `.server`.
    public var answer: Answer? { details.answer }

    /// The status of the server's answer, where there is one.
    public var status: HTTPStatus? { details.answer?.status }

    /// Where in the payload decoding failed, such as `users[3].name`, where `code` is `.decoding`.
    public var codingPath: String? { details.codingPath }

    /// How far the exchange came and how long that took, where the transport can tell: what did not happen is nil.
    public var timings: ExchangeTimings? { details.timings }

    private var details: Details

    /// Makes an error; what the caller does not know is added by the client.
    public init(
        _ code: Code,
        _ message: String,
        outcome: Outcome = .notSent,
        cause: (any Error)? = nil,
        timeoutPhase: TimeoutPhase? = nil,
        answer: Answer? = nil,
        codingPath: String? = nil,
        timings: ExchangeTimings? = nil
    ) {
        self.code = code
        details = Details(
            message: message,
            outcome: outcome,
            cause: cause,
            timeoutPhase: timeoutPhase,
            answer: answer,
            codingPath: codingPath,
            timings: timings
        )
    }

    /// Everything but the code, in one box: errors travel through many frames and should be small.
    private final class Details: Sendable {
        let message: String
        let outcome: Outcome
        let cause: (any Error)?
        let timeoutPhase: TimeoutPhase?
        let answer: Answer?
        let codingPath: String?
        let timings: ExchangeTimings?
        let requestLine: String?
        let attempts: Int
        let attemptLog: AttemptLog?

        init(
            message: String,
            outcome: Outcome,
            cause: (any Error)?,
            timeoutPhase: TimeoutPhase?,
            answer: Answer?,
            codingPath: String?,
            timings: ExchangeTimings?,
            requestLine: String? = nil,
            attempts: Int = 0,
            attemptLog: AttemptLog? = nil
        ) {
            self.message = message
            self.outcome = outcome
            self.cause = cause
            self.timeoutPhase = timeoutPhase
            self.answer = answer
            self.codingPath = codingPath
            self.timings = timings
            self.requestLine = requestLine
            self.attempts = attempts
            self.attemptLog = attemptLog
        }
    }

    /// The same error with another outcome, for a transport or interceptor that knows better.
    public func with(outcome: Outcome) -> NetKitError {
        copy(
            outcome: outcome,
            timings: timings,
            requestLine: requestLine,
            attempts: attempts,
            attemptLog: attemptLog
        )
    }

    /// The same error with what is known of the exchange.
    func with(timings: ExchangeTimings?) -> NetKitError {
        copy(
            outcome: outcome,
            timings: timings,
            requestLine: requestLine,
            attempts: attempts,
            attemptLog: attemptLog
        )
    }

    /// The same error with what the boundary knows; what an inner place attached is kept.
    func attaching(requestLine: String, attempts: Int, attemptLog: AttemptLog? = nil) -> NetKitError {
        copy(
            outcome: outcome,
            timings: timings,
            requestLine: self.requestLine ?? requestLine,
            attempts: self.attempts > 0 ? self.attempts : attempts,
            attemptLog: self.attemptLog ?? attemptLog
        )
    }

    private func copy(
        outcome: Outcome,
        timings: ExchangeTimings?,
        requestLine: String?,
        attempts: Int,
        attemptLog: AttemptLog?
    ) -> NetKitError {
        var copy = self
        copy.details = Details(
            message: message,
            outcome: outcome,
            cause: cause,
            timeoutPhase: timeoutPhase,
            answer: answer,
            codingPath: codingPath,
            timings: timings,
            requestLine: requestLine,
            attempts: attempts,
            attemptLog: attemptLog
        )
        return copy
    }
}
