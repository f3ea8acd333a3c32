// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other mocks use. None of them can be called: the compiler says what to write instead.

@available(*, unavailable, renamed: "stub(_:_:_:)")
extension MockTransport {
    @_alwaysEmitIntoClient public func when(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    @_alwaysEmitIntoClient public func on(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    @_alwaysEmitIntoClient public func register(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    @_alwaysEmitIntoClient public func mock(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    @_alwaysEmitIntoClient public func get(_ path: String, _ responses: MockResponse...) {}
    @_alwaysEmitIntoClient public func post(_ path: String, _ responses: MockResponse...) {}
    @_alwaysEmitIntoClient public func expect(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
}

extension MockTransport {
    @available(*, unavailable, message: "Name the method, or nil for each of them: stub(.get, path, response).")
    @_alwaysEmitIntoClient public func stub(_ path: String, _ responses: MockResponse...) {}
    @available(*, unavailable, renamed: "requests.last")
    @_alwaysEmitIntoClient public var lastRequest: RecordedRequest? { nil }
    @available(*, unavailable, renamed: "requests")
    @_alwaysEmitIntoClient public var recordedRequests: [RecordedRequest] { [] }
    @available(*, unavailable, renamed: "requests.count")
    @_alwaysEmitIntoClient public var callCount: Int { 0 }
    @available(*, unavailable, message: "Create a transport for each test, or call removeAllRequests().")
    @_alwaysEmitIntoClient public var reset: OtherName { OtherName() }
}

extension RecordedRequest {
    @available(*, unavailable, renamed: "json(_:)")
    @_alwaysEmitIntoClient public var decode: OtherName { OtherName() }
}

extension MockResponse {
    @available(*, unavailable, renamed: "delayed(by:)")
    @_alwaysEmitIntoClient public func delay(_ delay: Duration) -> MockResponse { delayed(by: delay) }
    @available(*, unavailable, renamed: "failure(_:)")
    @_alwaysEmitIntoClient public static func error(_ error: any Error) -> MockResponse { .failure(error) }
    @available(*, unavailable, renamed: "failure(_:)")
    @_alwaysEmitIntoClient public static func fail(_ error: any Error) -> MockResponse { .failure(error) }
    @available(*, unavailable, message: "Write .failure(URLError(.timedOut)), or .stalled for no response.")
    @_alwaysEmitIntoClient public static var timeout: MockResponse { .stalled }
    @available(*, unavailable, message: "Write .status(.ok), or .status(200).")
    @_alwaysEmitIntoClient public static var ok: MockResponse { .status(.ok) }
    @available(*, unavailable, message: "Write .status(.notFound), or .status(404).")
    @_alwaysEmitIntoClient public static var notFound: MockResponse { .status(.notFound) }
    @available(*, unavailable, renamed: "json(_:status:)")
    @_alwaysEmitIntoClient
    public static func json(_ value: some Encodable, statusCode: Int) -> MockResponse { .status(.ok) }
    @available(*, unavailable, message: "Add the fields to the response: .json(value).header(name, value).")
    @_alwaysEmitIntoClient
    public static func json(_ value: some Encodable, headers: [String: String]) -> MockResponse { .status(.ok) }
    @available(*, unavailable, message: "Read the file: .data(try Data(contentsOf: file), contentType: type).")
    @_alwaysEmitIntoClient public static func file(_ file: URL) -> MockResponse { .status(.ok) }
    @available(
        *,
        unavailable,
        message: "Wrap the values: [\"name\": .string(name), \"age\": .integer(age)], or encode a type of your own."
    )
    @_disfavoredOverload
    @_alwaysEmitIntoClient
    public static func json(_ values: [String: Any], status: HTTPStatus = .ok) -> MockResponse { .status(status) }
}
