extension Call {
    /// The error of a call whose deadline has passed, which names what the call was waiting for.
    ///
    /// - Parameters:
    ///   - request: The call's request.
    ///   - budget: The time that the call had.
    ///   - timings: How far the exchange had come, if the transport told.
    /// - Returns: The error.
    func deadlineError(for request: HTTPRequest, after budget: Duration?, timings: ExchangeTimings?)
        -> NetKitError
    {
        let limit = budget.map { "The deadline of \($0.shortText)" } ?? "The deadline of the call"
        let phase =
            latestAttempt?.phase(of: request, timings: timings) ?? "before the first exchange began"
        return NetKitError(
            .timeout,
            "\(limit) passed \(phase). Raise `timeout`, or look at what took so long.",
            outcome: outcome,
            timeoutPhase: .deadline
        )
    }
}

extension Attempt {
    /// Returns the current step of the exchange as the end of a sentence.
    fileprivate func phase(of request: HTTPRequest, timings: ExchangeTimings?) -> String {
        let host = request.url.host(percentEncoded: false) ?? "the server"
        switch activity {
        case .waiting: return "before exchange \(number) began"
        case .resolving(let name): return "while the name `\(name)` was being resolved"
        case .connecting:
            let isSecuring = timings?.connected != nil && request.url.scheme?.lowercased() == "https"
            return isSecuring
                ? "while TLS was being negotiated with `\(host)`"
                : "while a connection to `\(host)` was being made"
        case .sending:
            let length = request.body?.length ?? 0
            return sentByteCount < length
                ? "while the request was being sent to `\(host)`" : "while `\(host)` had not answered"
        case .receiving: return "while the response of `\(host)` was being received"
        case .over: return "after exchange \(number) had ended, before another began"
        }
    }
}
