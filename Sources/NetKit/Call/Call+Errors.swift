extension Call {
    /// Translates an error of the pipeline into the error that the caller sees.
    ///
    /// The reason why the call was ended takes precedence over the error that this caused in the pipeline. Only the
    /// receipt of the offline queue is passed on, because the request is sent later.
    func outward(_ error: any Error) -> any Error {
        if let reason = cancellation.reason, (error as? NetKitError)?.code != .queued {
            let timings = (error as? NetKitError)?.timings
            let stopped = self.error(for: reason, timings: timings)
            guard let timings else { return stopped }
            return (stopped as? NetKitError)?.with(timings: timings) ?? stopped
        }
        let outward = ErrorBoundary.outward(error, outcome: outcome)
        guard var known = outward as? NetKitError else { return outward }
        // An exchange that sent nothing has noted so. Another error may concern a later step than the exchange.
        known = known.with(outcome: self.outcome(after: known))
        return attaching(known)
    }

    /// Returns an error of code outside NetKit, in which a cancellation that nothing asked for is a failure of that
    /// code.
    ///
    /// A mock may have been told to cancel the exchange. Then the code has only passed the error on.
    func failure(_ error: any Error, of part: @autoclosure () -> String) -> any Error {
        ErrorBoundary.failure(
            error,
            of: part(),
            isStopped: isStopped || latestAttempt?.wasCancelled ?? false,
            outcome: outcome
        )
    }

    /// Translates an error inside the pipeline to a `NetKitError` or a `CancellationError`, for an observer of one of
    /// its steps.
    ///
    /// Code that does not know the call only notices that its task is cancelled, whatever the reason is. `outcome` is
    /// that of the step, for an error without one.
    func observed(_ error: any Error, outcome: NetKitError.Outcome) -> any Error {
        let outward = ErrorBoundary.outward(error, outcome: outcome)
        guard outward is CancellationError, let reason = cancellation.reason else { return outward }
        return self.error(for: reason)
    }

    /// Returns the error of a call that was ended from outside, with the progress of the exchange if the transport
    /// reported it.
    func error(for reason: CallCancellation.Reason, timings: ExchangeTimings? = nil) -> any Error {
        switch reason {
        case .cancelled: CancellationError()
        case .deadline: attaching(deadlineError(timings))
        case .closed:
            attaching(NetKitError(.closed, "The client was shut down before the call was over.", outcome: outcome))
        }
    }

    /// Adds the times of the response's head to an error of its body, if the transport does not report any itself.
    func attaching(_ head: ExchangeTimings, at arrival: NetKitClock.Instant, to error: any Error) -> any Error {
        guard let known = error as? NetKitError, known.timings == nil else { return error }
        var timings = head
        timings.total = head.total.map { $0 + arrival.duration(to: clock.now) }
        return known.with(timings: timings)
    }

    private func attaching(_ error: NetKitError) -> NetKitError {
        error.attaching(
            requestLine: redaction.requestLine(for: request),
            attempts: attemptCount,
            attemptLog: attemptLog,
            call: id
        )
    }

    /// The time that the call has from its start; `nil` if there is no limit.
    var budget: Duration? { limit?.budget ?? deadline.map { max(.zero, start.duration(to: $0)) } }

    /// Returns the error of a call whose deadline has passed, with the step that it was waiting for.
    func deadlineError(_ timings: ExchangeTimings?) -> NetKitError {
        let name = limit?.name ?? "timeout"
        let text = budget.map { "The deadline of \($0.shortText)" } ?? "The deadline of the call"
        let phase = latestAttempt?.phase(of: request, timings: timings) ?? "before the first exchange began"
        return NetKitError(
            .timeout,
            "\(text) passed \(phase). \(CallLimit.advice(raising: name))",
            outcome: outcome,
            timeoutPhase: .deadline
        )
    }
}

extension Attempt {
    /// Returns the current step of the exchange as the end of a sentence.
    fileprivate func phase(of request: HTTPRequest, timings: ExchangeTimings?) -> String {
        let url = url ?? request.url
        let host = url.host(percentEncoded: false) ?? "the server"
        switch activity {
        case .waiting: return "before exchange \(number) began"
        case .resolving(let name): return "while the name `\(name)` was being resolved"
        case .connecting:
            let isSecuring = timings?.connected != nil && url.scheme?.lowercased() == "https"
            return isSecuring
                ? "while TLS was being negotiated with `\(host)`"
                : "while a connection to `\(host)` was being made"
        case .sending: return "while the request was being sent to `\(host)`"
        case .awaiting: return "while waiting for the response of `\(host)`"
        case .sendingOrAwaiting: return "while the request was being sent to `\(host)`, or its response was awaited"
        case .receiving: return "while the response of `\(host)` was being received"
        case .over: return "after exchange \(number) had ended, before another began"
        }
    }
}
