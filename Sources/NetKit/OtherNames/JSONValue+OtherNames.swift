// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that the errors and values of other clients have. The compiler says what to write.

extension NetKitError {
    @available(*, unavailable, message: "Catch the code .server, and compare the status: error.status == .notFound.")
    @_alwaysEmitIntoClient public static var notFound: NetKitError.Code { .server }
    @available(*, unavailable, renamed: "Code.connectionLost")
    @_alwaysEmitIntoClient public static var connectionLost: NetKitError.Code { .connectionLost }
    @available(*, unavailable, renamed: "Code.cacheMiss")
    @_alwaysEmitIntoClient public static var cacheMiss: NetKitError.Code { .cacheMiss }
    @available(*, unavailable, renamed: "Code.rateLimited")
    @_alwaysEmitIntoClient public static var rateLimited: NetKitError.Code { .rateLimited }
    @available(*, unavailable, renamed: "Code.circuitOpen")
    @_alwaysEmitIntoClient public static var circuitOpen: NetKitError.Code { .circuitOpen }
    @available(*, unavailable, renamed: "Code.connect")
    @_alwaysEmitIntoClient public static var connect: NetKitError.Code { .connect }
    @available(*, unavailable, renamed: "Code.dns")
    @_alwaysEmitIntoClient public static var dns: NetKitError.Code { .dns }
    @available(*, unavailable, renamed: "Code.tls")
    @_alwaysEmitIntoClient public static var tls: NetKitError.Code { .tls }
    @available(*, unavailable, message: "Say what happened: NetKitError(code, \"text\").")
    @_alwaysEmitIntoClient public init(_ code: Code) { self.init(code, "", timeoutPhase: nil) }
    @available(*, unavailable, message: "Write NetKitError(.custom, \"text\").")
    @_alwaysEmitIntoClient public init(_ message: String) { self.init(.custom, message, timeoutPhase: nil) }
    @available(*, unavailable, renamed: "init(_:_:outcome:cause:timeoutPhase:response:codingPath:timings:)")
    @_alwaysEmitIntoClient public init(code: Code, message: String) { self.init(code, message, timeoutPhase: nil) }
    @available(*, unavailable, message: "Write NetKitError(.custom, \"text\").")
    @_alwaysEmitIntoClient public static func custom(_ message: String) -> NetKitError {
        NetKitError(.custom, message, timeoutPhase: nil)
    }
    @available(
        *,
        unavailable,
        message: "Read the body of the response: error.response?.body, or error.body(as: Problem.self)."
    )
    @_alwaysEmitIntoClient public var responseData: Data? { nil }
    @available(
        *,
        unavailable,
        message: "Read the body of the response: error.response?.body, or error.body(as: Problem.self)."
    )
    @_alwaysEmitIntoClient public var responseBody: Data? { nil }
    @available(*, unavailable, renamed: "code")
    @_alwaysEmitIntoClient public var type: Code { code }
    @available(*, unavailable, renamed: "message")
    @_alwaysEmitIntoClient public var reason: String { message }
    @available(*, unavailable, renamed: "cause")
    @_alwaysEmitIntoClient public var underlying: (any Error)? { cause }
    @available(*, unavailable, renamed: "requestLine")
    @_alwaysEmitIntoClient public var request: String? { requestLine }
    @available(*, unavailable, message: "Read requestLine, a text with the method and the URL.")
    @_alwaysEmitIntoClient public var url: String? { requestLine }
    @available(*, unavailable, renamed: "isRetryable")
    @_alwaysEmitIntoClient public var isRetriable: Bool { isRetryable }
    @available(*, unavailable, message: "Compare the status: error.status?.isClientError == true.")
    @_alwaysEmitIntoClient public var isClientError: Bool { false }
    @available(*, unavailable, message: "Compare the status: error.status?.isServerError == true.")
    @_alwaysEmitIntoClient public var isServerError: Bool { false }
    @available(*, unavailable, message: "A call that is cancelled throws CancellationError.")
    @_alwaysEmitIntoClient public var isCancelled: Bool { false }
    @available(*, unavailable, message: "Compare the code with .offline, .dns, .connect, .tls and .connectionLost.")
    @_alwaysEmitIntoClient public var isConnectionError: Bool { false }
    @available(*, unavailable, message: "Compare the outcome: error.outcome != .notSent.")
    @_alwaysEmitIntoClient public var wasSent: Bool { false }
    @available(*, unavailable, message: "Read attempts, which counts the first attempt as well.")
    @_alwaysEmitIntoClient public var retryCount: Int { attempts }
    @available(*, unavailable, message: "Write error.response?.headers.")
    @_alwaysEmitIntoClient public var headers: HTTPHeaders? { response?.headers }
}

extension NetKitError.Response {
    @available(
        *,
        unavailable,
        message: "Write excerpt(upTo:) for its beginning, or String(decoding: body, as: UTF8.self)."
    )
    @_alwaysEmitIntoClient public var text: String { "" }
    @available(*, unavailable, renamed: "status.code")
    @_alwaysEmitIntoClient public var statusCode: Int { status.code }
}

extension NetKitError.Code {
    @available(*, unavailable, renamed: "timeout")
    @_alwaysEmitIntoClient public static var timedOut: NetKitError.Code { .timeout }
    @available(*, unavailable, renamed: "rateLimited")
    @_alwaysEmitIntoClient public static var rateLimit: NetKitError.Code { .rateLimited }
    @available(*, unavailable, renamed: "connect")
    @_alwaysEmitIntoClient public static var connectionFailed: NetKitError.Code { .connect }
    @available(*, unavailable, renamed: "decoding")
    @_alwaysEmitIntoClient public static var invalidJSON: NetKitError.Code { .decoding }
    @available(*, unavailable, renamed: "decoding")
    @_alwaysEmitIntoClient public static var decodingFailed: NetKitError.Code { .decoding }
    @available(*, unavailable, renamed: "dns")
    @_alwaysEmitIntoClient public static var dnsFailure: NetKitError.Code { .dns }
    @available(*, unavailable, message: "Compare the code with .server, and error.status with the status.")
    @_alwaysEmitIntoClient public static var http: NetKitError.Code { .server }
    @available(*, unavailable, message: "Compare the code with .server, and error.status with the status.")
    @_alwaysEmitIntoClient public static var serverError: NetKitError.Code { .server }
    @available(*, unavailable, message: "Compare the code with .server, and error.status with the status.")
    @_alwaysEmitIntoClient public static var clientError: NetKitError.Code { .server }
    @available(*, unavailable, message: "Compare the code with .server, and error.status with the status.")
    @_alwaysEmitIntoClient public static var badRequest: NetKitError.Code { .server }
    @available(*, unavailable, message: "Compare the code with .offline, .dns, .connect, .tls and .connectionLost.")
    @_alwaysEmitIntoClient public static var noConnection: NetKitError.Code { .offline }
}

extension APIProblem {
    @available(*, unavailable, renamed: "detail")
    @_alwaysEmitIntoClient public var message: String? { detail }
}

extension JSONValue {
    @available(*, unavailable, renamed: "string")
    @_alwaysEmitIntoClient public var stringValue: String? { string }
    @available(*, unavailable, renamed: "string")
    @_alwaysEmitIntoClient public var asString: String? { string }
    @available(*, unavailable, renamed: "int")
    @_alwaysEmitIntoClient public var intValue: Int? { int }
    @available(*, unavailable, renamed: "double")
    @_alwaysEmitIntoClient public var doubleValue: Double? { double }
    @available(*, unavailable, renamed: "bool")
    @_alwaysEmitIntoClient public var boolValue: Bool? { bool }
    @available(*, unavailable, renamed: "array")
    @_alwaysEmitIntoClient public var arrayValue: [JSONValue]? { array }
    @available(*, unavailable, renamed: "object")
    @_alwaysEmitIntoClient public var dictionaryValue: [String: JSONValue]? { object }
    @available(*, unavailable, renamed: "integer(_:)")
    @_alwaysEmitIntoClient public static func int(_ value: Int) -> JSONValue { .integer(value) }
    @available(*, unavailable, renamed: "number(_:)")
    @_alwaysEmitIntoClient public static func double(_ value: Double) -> JSONValue { .number(value) }
    @available(*, unavailable, renamed: "object(_:)")
    @_alwaysEmitIntoClient public static func dictionary(_ values: [String: JSONValue]) -> JSONValue { .object(values) }
    @available(*, unavailable, renamed: "init(parsing:)")
    @_alwaysEmitIntoClient public init(_ data: Data) throws { try self.init(parsing: data) }
    @available(*, unavailable, message: "Write a literal, or try JSONValue(encoding: value).")
    @_alwaysEmitIntoClient public init(_ value: some Encodable) throws { try self.init(encoding: value) }
}
