// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other HTTP clients use. None of them can be called: the compiler says what to write instead.

extension NetKitError {
    @available(*, unavailable, renamed: "cause")
    @_alwaysEmitIntoClient public var underlyingError: (any Error)? { cause }
    @available(*, unavailable, renamed: "statusCode")
    @_alwaysEmitIntoClient public var responseCode: Int? { statusCode }
    @available(*, unavailable, renamed: "code")
    @_alwaysEmitIntoClient public var kind: Code { code }
    @available(*, unavailable, message: "Compare the code: error.code == .timeout.")
    @_alwaysEmitIntoClient public var isTimeout: Bool { code == .timeout }
    @available(*, unavailable, message: "Read the body of the response: error.response?.body.")
    @_alwaysEmitIntoClient public var data: Data? { response?.body }
    @available(*, unavailable, message: "Write NetKitError.Code.server; error.status is the status of the response.")
    @_alwaysEmitIntoClient public static var server: Code { .server }
    @available(*, unavailable, renamed: "Code.timeout")
    @_alwaysEmitIntoClient public static var timeout: Code { .timeout }
    @available(*, unavailable, renamed: "Code.offline")
    @_alwaysEmitIntoClient public static var offline: Code { .offline }
    @available(*, unavailable, renamed: "Code.decoding")
    @_alwaysEmitIntoClient public static var decoding: Code { .decoding }
    @available(*, unavailable, renamed: "Code.unauthorized")
    @_alwaysEmitIntoClient public static var unauthorized: Code { .unauthorized }
}

extension NetKitError.Code {
    @available(*, unavailable, message: "A call that is cancelled throws CancellationError.")
    @_alwaysEmitIntoClient public static var cancelled: NetKitError.Code { .custom }
    @available(*, unavailable, message: "Compare the status: error.status == .notFound.")
    @_alwaysEmitIntoClient public static var notFound: NetKitError.Code { .server }
    @available(*, unavailable, message: "Compare the code with .offline, .dns, .connect, .tls and .connectionLost.")
    @_alwaysEmitIntoClient public static var network: NetKitError.Code { .offline }
}

extension RetryPolicy {
    @available(*, unavailable, renamed: "init(maxRetries:)")
    @_alwaysEmitIntoClient public init(retryLimit: Int) { self.init(maxRetries: retryLimit) }
    @available(*, unavailable, renamed: "init(maxRetries:)")
    @_alwaysEmitIntoClient public init(retries: Int) { self.init(maxRetries: retries) }
    @available(*, unavailable, message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential()).")
    @_alwaysEmitIntoClient public static var exponential: RetryPolicy { .standard }
    @available(
        *,
        unavailable,
        message: "Write RetryPolicy(maxAttempts: 3, backoffStrategy: .fixed(interval: .seconds(1)))."
    )
    @_alwaysEmitIntoClient public static var fixed: RetryPolicy { .standard }
    @available(*, unavailable, renamed: "init(maxAttempts:backoffStrategy:)")
    @_alwaysEmitIntoClient public init(maxAttempts: Int = 3, backoff: BackoffStrategy) {
        self.init(maxAttempts: maxAttempts, backoffStrategy: backoff)
    }

    @available(*, unavailable, renamed: "init(maxRetries:baseDelay:)")
    @_alwaysEmitIntoClient
    public init(maxRetries: Int, delay: Duration) { self.init(maxRetries: maxRetries, baseDelay: delay) }
    @available(*, unavailable, renamed: "standard")
    @_alwaysEmitIntoClient public static var `default`: RetryPolicy { .standard }
    @available(*, unavailable, renamed: "none")
    @_alwaysEmitIntoClient public static var never: RetryPolicy { .none }
}
