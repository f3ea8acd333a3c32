extension CircuitBreakerPolicy {
    /// Returns the verdict on the server for the status of a response.
    func verdict(of status: HTTPStatus) -> Circuit.Verdict {
        failureStatusCodes.contains(status.code) ? .failure : .success
    }

    /// Returns the verdict on the server for an exchange that ended without a response.
    ///
    /// Only what came of the wire counts. A call that its caller has given up says nothing; one whose deadline has passed
    /// does, if the server had the request and was given some time.
    func verdict(of error: any Error, _ end: ExchangeEnd) -> Circuit.Verdict {
        let isStopped = error is CancellationError || (error as? NetKitError)?.timeoutPhase == .deadline
        guard isStopped else { return verdict(ofBroken: error) }
        return end.isPastDeadline && end.wasSent && end.elapsed >= patience ? .failure : .nothing
    }

    /// Returns the verdict on the server for a failed exchange, or for a body that failed after its head.
    func verdict(ofBroken error: any Error) -> Circuit.Verdict {
        guard let error = error as? NetKitError else { return .nothing }
        switch error.code {
        case .connect, .tls, .connectionLost, .invalidResponse: return .failure
        case .timeout: return error.timeoutPhase == .deadline || error.timeoutPhase == .queue ? .nothing : .failure
        default: return .nothing
        }
    }
}
