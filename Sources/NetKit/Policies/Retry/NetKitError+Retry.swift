extension NetKitError {
    /// Whether the same request may succeed later: the standard policy would retry this failure.
    ///
    /// It does not say whether a repetition is safe; `outcome` tells whether the server may have acted on the request.
    public var isRetryable: Bool {
        guard code == .server, let status else { return RetryPolicy.standard.retryableErrorCodes.contains(code) }
        return RetryPolicy.standard.retryableStatusCodes.contains(status.code)
    }
}
