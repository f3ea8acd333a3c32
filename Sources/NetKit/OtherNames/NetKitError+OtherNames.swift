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

    @available(*, unavailable, renamed: "none")
    public static var never: RetryPolicy { .none }
}

extension OfflineQueue {
    @available(*, unavailable, renamed: "enqueue(_:)")
    public nonisolated var add: OtherName { OtherName() }

    @available(*, unavailable, renamed: "enqueue(_:)")
    public nonisolated var push: OtherName { OtherName() }

    @available(*, unavailable, renamed: "enqueue(_:)")
    public nonisolated var submit: OtherName { OtherName() }

    @available(*, unavailable, renamed: "enqueue(_:)")
    public nonisolated var send: OtherName { OtherName() }

    @available(*, unavailable, renamed: "close(within:)")
    public nonisolated var shutdown: OtherName { OtherName() }
}

extension MockTransport {
    @available(*, unavailable, renamed: "stub(_:_:_:)")
    public func when(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}

    @available(*, unavailable, renamed: "stub(_:_:_:)")
    public func on(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}

    @available(*, unavailable, renamed: "stub(_:_:_:)")
    public func register(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}

    @available(*, unavailable, renamed: "stub(_:_:_:)")
    public func mock(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}

    @available(*, unavailable, renamed: "stub(_:_:_:)")
    public func expect(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
}
