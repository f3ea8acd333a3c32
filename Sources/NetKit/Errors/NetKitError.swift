public import Foundation

/// The error of every public function of NetKit, besides `CancellationError`.
///
/// `code` is the kind of failure, `outcome` says whether the server may have acted on the request, and `cause` is the
/// underlying error. `description` is one line that says what to do, free of credentials and control characters. Of a
/// body, it quotes only a problem's title and detail, or the start of an unexpected page.
public struct NetKitError: Error, Sendable {
    /// The kind of failure.
    public let code: Code

    /// Whether the server may have received the request, or has responded to it.
    public var outcome: Outcome { box.value.outcome }

    /// The reason in a sentence that names the part at fault and what to do about it.
    public var message: String { box.value.message }

    /// The underlying error, if there is one, such as an error of your interceptor or of the system.
    public var cause: (any Error)? { box.value.cause }

    /// The method and URL of the request, with user info and sensitive query items masked.
    public var requestLine: String? { box.value.requestLine }

    /// The number of times the request, or a redirect of it, was passed to the transport.
    public var attempts: Int { box.value.attempts }

    /// Every attempt that retry made or refused to repeat, and why it stopped; `nil` if no retry was in the chain.
    public var attemptLog: AttemptLog? { box.value.attemptLog }

    /// The time limit that was exceeded, if `code` is `.timeout`.
    public var timeoutPhase: TimeoutPhase? { box.value.timeoutPhase }

    /// The server's response, if there is one: always for `.server`.
    public var response: Response? { box.value.response }

    /// The status of the server's response, if there is one.
    public var status: HTTPStatus? { box.value.response?.status }

    /// The status of the server's response as a number, if there is one.
    public var statusCode: Int? { status?.code }

    /// The place in the payload where decoding failed, such as `users[3].name`, if `code` is `.decoding`.
    public var codingPath: String? { box.value.codingPath }

    /// The durations of the parts of the exchange, if the transport reports them.
    public var timings: ExchangeTimings? { box.value.timings }

    /// The URL of the response, after redirects; `nil` without a response.
    var responseURL: URL? { box.value.responseURL }

    /// The redirects that led to the response, first one first.
    var history: [RedirectHop] { box.value.history }

    /// The details behind one pointer: errors travel through many frames and should be small.
    private var box: Box<Details>

    /// Creates an error; the client adds the properties that the caller does not know.
    public init(
        _ code: Code,
        _ message: String,
        outcome: Outcome = .notSent,
        cause: (any Error)? = nil,
        timeoutPhase: TimeoutPhase? = nil,
        response: Response? = nil,
        codingPath: String? = nil,
        timings: ExchangeTimings? = nil
    ) {
        self.code = code
        box = Box(
            Details(
                message: message,
                outcome: outcome,
                cause: cause,
                timeoutPhase: timeoutPhase,
                response: response,
                codingPath: codingPath,
                timings: timings
            )
        )
    }

    /// Creates an error without the rarer properties.
    ///
    /// Not inlined, or each place that creates an error would have the code that leaves them out.
    @inline(never)
    init(_ code: Code, _ message: String, outcome: Outcome = .notSent, cause: (any Error)? = nil) {
        self.init(code, message, outcome: outcome, cause: cause, timeoutPhase: nil)
    }

    /// All properties except the code.
    private struct Details {
        var message: String
        var outcome: Outcome
        var cause: (any Error)?
        var timeoutPhase: TimeoutPhase?
        var response: Response?
        var responseURL: URL?
        var history: [RedirectHop] = []
        var codingPath: String?
        var timings: ExchangeTimings?
        var requestLine: String?
        var attempts = 0
        var attemptLog: AttemptLog?
        var isOfRefresh = false
        /// The call that attached the properties of the boundary first; `nil` if there was none yet.
        var call: CallID?
        var isOfOtherCall = false
    }

    /// Returns the same error with another outcome, for a transport or interceptor that knows better.
    public func with(outcome: Outcome) -> NetKitError {
        changing { $0.outcome = outcome }
    }

    /// Returns the same error with another sentence after its message.
    func adding(_ sentence: String) -> NetKitError {
        changing { $0.message += " " + sentence }
    }

    /// Whether a refresh of the token failed, so that the response is not one to the request of the call.
    var isOfRefresh: Bool { box.value.isOfRefresh }

    /// Whether the error, with its response, is about another request than that of the call: a refresh of the token, or
    /// a call that an interceptor made or whose response is the body of this one.
    var isOfOtherRequest: Bool { isOfRefresh || box.value.isOfOtherCall }

    /// The status of the response to the request of the call; `nil` for the response to another request.
    var ownStatus: HTTPStatus? { isOfOtherRequest ? nil : status }

    /// Whether the deadline of the call has passed, and not that of another request, such as a refresh of the token.
    var isOfDeadline: Bool { timeoutPhase == .deadline && !isOfOtherRequest }

    /// Returns the same error as the error of a refresh that the call waited for.
    func ofRefresh(outcome: Outcome) -> NetKitError {
        changing { ($0.isOfRefresh, $0.outcome) = (true, outcome) }
    }

    /// Returns the same error as that of another call, on which this one depends.
    func ofOtherCall(outcome: Outcome) -> NetKitError {
        changing { ($0.isOfOtherCall, $0.outcome) = (true, outcome) }
    }

    /// Returns the same error with the timings of the exchange.
    func with(timings: ExchangeTimings?) -> NetKitError {
        changing { $0.timings = timings }
    }

    /// Returns the same error with the properties that the boundary knows; those that inner code attached are kept.
    ///
    /// An error that already has those of another call becomes an error about another request.
    func attaching(
        requestLine: String,
        attempts: Int,
        attemptLog: AttemptLog? = nil,
        call: CallID? = nil
    ) -> NetKitError {
        changing { details in
            if details.requestLine == nil {
                details.call = call
            } else if details.call != call {
                details.isOfOtherCall = true
            }
            details.requestLine = details.requestLine ?? requestLine
            details.attempts = details.attempts > 0 ? details.attempts : attempts
            details.attemptLog = details.attemptLog ?? attemptLog
        }
    }

    /// Returns the same error with the URL of its response, unless inner code attached it, and with earlier redirects.
    func attaching(responseURL: URL? = nil, after hops: [RedirectHop] = []) -> NetKitError {
        guard response != nil else { return self }
        return changing { details in
            details.responseURL = details.responseURL ?? responseURL
            details.history = hops + details.history
        }
    }

    // Not inlined, or each place that changes a property would have the code that copies all.
    @inline(never)
    private func changing(_ change: (inout Details) -> Void) -> NetKitError {
        var (copy, details) = (self, box.value)
        change(&details)
        copy.box = Box(details)
        return copy
    }
}

extension NetKitError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// One line with the failure, its reason and its facts, without secrets and control characters.
    ///
    /// Of a body, it has only the title and the detail of a problem, and the beginning of an HTML page that came in
    /// place of JSON.
    public var description: String {
        var text = ""
        if let requestLine { text += "\(requestLine): " }
        text += message
        var facts = [code.description]
        if let timeoutPhase { facts.append("\(timeoutPhase.description) limit") }
        if let status { facts.append("status \(status.code)") }
        facts.append(outcome.description)
        if attempts > 1 { facts.append("\(attempts) attempts") }
        if let stop = attemptLog?.stop, stop.tellsMore(than: self) { facts.append(stop.description) }
        return Self.oneLine(text, limit: 900) + " [\(facts.joined(separator: ", "))]"
    }

    /// A mirror without the URL of the response, for `dump` and test reports.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "code": code, "outcome": outcome, "message": message, "requestLine": requestLine as Any,
            "attempts": attempts, "attemptLog": attemptLog as Any, "response": response as Any, "cause": cause as Any,
        ]
        return Mirror(self, children: children)
    }

    /// The same line, for code that prints `localizedDescription`.
    public var errorDescription: String? { description }

    /// Replaces characters that would break a log line or hide a part of it, and limits the length.
    ///
    /// Parts of the text may come from a peer.
    package static func oneLine(_ text: String, limit: Int) -> String {
        var line = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return line + "…" }
            line.unicodeScalars.append(scalar.isHarmful ? "\u{FFFD}" : scalar)
        }
        return line
    }
}

extension NetKitError {
    /// Whether the server may have acted on a request that failed.
    ///
    /// Retry, hedging and the offline queue depend on it: a request that was certainly not sent may always be sent
    /// again.
    public struct Outcome: Hashable, Sendable, CustomStringConvertible {
        /// A byte, where a string would be copied and compared.
        private enum Name: String {
            case notSent = "not sent"
            case unknown = "outcome unknown"
            case answered
        }

        private let name: Name

        /// The name of the outcome.
        public var description: String { name.rawValue }

        /// Not one byte of the request left this machine.
        public static let notSent = Outcome(name: .notSent)
        /// The request, or a part of it, may have arrived; no response was seen.
        public static let unknown = Outcome(name: .unknown)
        /// The server responded, even if the body did not arrive completely.
        public static let answered = Outcome(name: .answered)
    }

    /// A time limit that was exceeded.
    public struct TimeoutPhase: Hashable, Sendable, CustomStringConvertible {
        /// A byte, where a string would be copied and compared.
        private enum Name: String {
            case connect, firstByte, idle, attempt, queue, deadline
        }

        private let name: Name

        /// The name of the phase.
        public var description: String { name.rawValue }

        /// Making a connection took too long.
        public static let connect = TimeoutPhase(name: .connect)
        /// The first byte of the response did not arrive in time.
        public static let firstByte = TimeoutPhase(name: .firstByte)
        /// The time without a byte in either direction was too long.
        public static let idle = TimeoutPhase(name: .idle)
        /// One attempt took too long.
        public static let attempt = TimeoutPhase(name: .attempt)
        /// Waiting for a permit of this client's own limits took too long.
        public static let queue = TimeoutPhase(name: .queue)
        /// The deadline of the whole call passed.
        public static let deadline = TimeoutPhase(name: .deadline)
    }
}
