// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other mocks use. None of them can be called: the compiler says what to write instead.

@available(*, unavailable, renamed: "stub(_:_:_:)")
extension MockTransport {
    public func when(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func on(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func register(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func mock(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
    public func get(_ path: String, _ responses: MockResponse...) {}
    public func post(_ path: String, _ responses: MockResponse...) {}
    public func expect(_ method: HTTPMethod?, _ path: String, _ responses: MockResponse...) {}
}

extension MockTransport {
    @available(*, unavailable, message: "Name the method, or nil for each of them: stub(.get, path, response).")
    public func stub(_ path: String, _ responses: MockResponse...) {}
    @available(*, unavailable, renamed: "requests.last")
    public var lastRequest: RecordedRequest? { nil }
    @available(*, unavailable, renamed: "requests")
    public var recordedRequests: [RecordedRequest] { [] }
    @available(*, unavailable, renamed: "requests.count")
    public var callCount: Int { 0 }
    @available(*, unavailable, message: "Create a transport for each test, or call removeAllRequests().")
    public var reset: OtherName { OtherName() }
}

extension RecordedRequest {
    @available(*, unavailable, renamed: "json(_:)")
    public var decode: OtherName { OtherName() }
}

extension MockResponse {
    @available(*, unavailable, renamed: "delayed(by:)")
    public func delay(_ delay: Duration) -> MockResponse { delayed(by: delay) }
    @available(*, unavailable, renamed: "failure(_:)")
    public static func error(_ error: any Error) -> MockResponse { .failure(error) }
    @available(*, unavailable, renamed: "failure(_:)")
    public static func fail(_ error: any Error) -> MockResponse { .failure(error) }
    @available(*, unavailable, message: "Write .failure(URLError(.timedOut)), or .stalled for no response.")
    public static var timeout: MockResponse { .stalled }
    @available(*, unavailable, message: "Write .status(.ok), or .status(200).")
    public static var ok: MockResponse { .status(.ok) }
    @available(*, unavailable, message: "Write .status(.notFound), or .status(404).")
    public static var notFound: MockResponse { .status(.notFound) }
    @available(*, unavailable, renamed: "json(_:status:)")
    public static func json(_ value: some Encodable, statusCode: Int) -> MockResponse { .status(.ok) }
    @available(*, unavailable, message: "Add the fields to the response: .json(value).header(name, value).")
    public static func json(_ value: some Encodable, headers: [String: String]) -> MockResponse { .status(.ok) }
    @available(*, unavailable, message: "Read the file: .data(try Data(contentsOf: file), contentType: type).")
    public static func file(_ file: URL) -> MockResponse { .status(.ok) }
    @available(
        *,
        unavailable,
        message: "Wrap the values: [\"name\": .string(name), \"age\": .integer(age)], or encode a type of your own."
    )
    @_disfavoredOverload
    public static func json(_ values: [String: Any], status: HTTPStatus = .ok) -> MockResponse { .status(status) }
}
