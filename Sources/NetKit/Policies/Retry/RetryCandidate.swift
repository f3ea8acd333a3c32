/// A failed attempt, as a policy's `shouldRetry` sees it.
public struct RetryCandidate: Sendable {
    /// The request as it was sent on.
    public let request: HTTPRequest
    /// The number of the failed attempt, from 1.
    public let attempt: Int
    /// The status of the answer, where there is one.
    public let status: HTTPStatus?
    /// The header fields of the answer; empty where there is none.
    public let headers: HTTPHeaders
    /// The error; `nil` if there is a response.
    public let error: NetKitError?
    /// Whether the policy's lists name the status or the failure.
    public let isRetryable: Bool
}
