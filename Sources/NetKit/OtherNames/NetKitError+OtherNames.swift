// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other HTTP clients use. None of them can be called: the compiler says what to write instead.

extension NetKitError {
    @available(*, unavailable, renamed: "cause")
    public var underlyingError: (any Error)? { cause }
    @available(*, unavailable, renamed: "statusCode")
    public var responseCode: Int? { statusCode }
    @available(*, unavailable, renamed: "code")
    public var kind: Code { code }
    @available(*, unavailable, message: "Compare the code: error.code == .timeout.")
    public var isTimeout: Bool { code == .timeout }
    @available(*, unavailable, message: "Read the body of the response: error.response?.body.")
    public var data: Data? { response?.body }
    @available(*, unavailable, message: "Write NetKitError.Code.server; error.status is the status of the response.")
    public static var server: Code { .server }
    @available(*, unavailable, renamed: "Code.timeout")
    public static var timeout: Code { .timeout }
    @available(*, unavailable, renamed: "Code.offline")
    public static var offline: Code { .offline }
    @available(*, unavailable, renamed: "Code.decoding")
    public static var decoding: Code { .decoding }
    @available(*, unavailable, renamed: "Code.unauthorized")
    public static var unauthorized: Code { .unauthorized }
}

extension RetryPolicy {
    @available(*, unavailable, renamed: "init(maxRetries:)")
    public init(retryLimit: Int) { self.init(maxRetries: retryLimit) }
    @available(*, unavailable, renamed: "init(maxRetries:)")
    public init(retries: Int) { self.init(maxRetries: retries) }
    @available(*, unavailable, message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential()).")
    public static var exponential: RetryPolicy { .standard }
    @available(*, unavailable, message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .fixed(.seconds(1))).")
    public static var fixed: RetryPolicy { .standard }
    @available(*, unavailable, renamed: "init(maxAttempts:backoffStrategy:)")
    public init(maxAttempts: Int = 3, backoff: BackoffStrategy) {
        self.init(maxAttempts: maxAttempts, backoffStrategy: backoff)
    }

    @available(*, unavailable, renamed: "none")
    public static var never: RetryPolicy { .none }
}

@available(*, unavailable, renamed: "enqueue(_:)")
extension OfflineQueue {
    public nonisolated var add: OtherName { OtherName() }
    public nonisolated var push: OtherName { OtherName() }
    public nonisolated var submit: OtherName { OtherName() }
    public nonisolated var send: OtherName { OtherName() }
}

extension OfflineQueue {
    @available(*, unavailable, message: "Pass a QueuedRequest: enqueue(QueuedRequest(request)).")
    @discardableResult
    public nonisolated func enqueue(_ request: HTTPRequest) async throws -> OfflineReceipt {
        try await enqueue(QueuedRequest(request))
    }

    @available(*, unavailable, renamed: "close(within:)")
    public nonisolated var shutdown: OtherName { OtherName() }
}

@available(*, unavailable, renamed: "stub(_:_:_:)")
extension MockTransport {
    public func when(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func on(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func register(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func mock(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func expect(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
}

extension MockResponse {
    @available(
        *,
        unavailable,
        message: "Wrap the values: [\"name\": .string(name), \"age\": .integer(age)], or encode a type of your own."
    )
    @_disfavoredOverload
    public static func json(_ values: [String: Any], status: HTTPStatus = .ok) -> MockResponse { .status(status) }
}
