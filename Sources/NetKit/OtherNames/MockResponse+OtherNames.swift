// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Names that other mocks use. The compiler says what to write.

extension MockTransport {
    @available(
        *,
        unavailable,
        message: "Compute the response: stub(.get, path, .respond { request, context in .json(value) })."
    )
    @_alwaysEmitIntoClient public func stub(
        _ method: HTTPMethod?,
        _ path: String,
        _ handler: @escaping @Sendable (HTTPRequest) async throws -> MockResponse
    ) {}
    @available(
        *,
        unavailable,
        message: "Compute the response: stub(.get, path, .respond { request, context in .json(value) })."
    )
    @_alwaysEmitIntoClient public func stub(
        _ method: HTTPMethod?,
        _ path: String,
        _ handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {}
    @available(
        *,
        unavailable,
        message: "Compute the response: stub(.get, path, .respond { request, context in .json(value) })."
    )
    @_alwaysEmitIntoClient public func stub(
        _ path: String,
        _ handler: @escaping @Sendable (HTTPRequest) async throws -> MockResponse
    ) {}
    @available(
        *,
        unavailable,
        message:
            "Pass the responses one after the other, without brackets: stub(.get, path, .status(503), .json(value))."
    )
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ path: String, _ responses: [MockResponse]) {}
    @available(*, unavailable, message: "Pass a response: stub(.get, path, .status(404)).")
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ path: String, status: HTTPStatus) {}
    @available(*, unavailable, message: "Pass the response without a label: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ path: String, response: MockResponse) {}
    @available(*, unavailable, message: "Pass the response without a label: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ path: String, returning: MockResponse) {}
    @available(*, unavailable, message: "Pass the response without a label: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ path: String, with response: MockResponse) {}
    @available(*, unavailable, renamed: "stub(_:_:query:headers:body:_:)")
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, path: String, _ responses: MockResponse...) {}
    @available(*, unavailable, message: "Write the path below the base URL: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func stub(_ method: HTTPMethod?, _ url: URL, _ responses: MockResponse...) {}
    @available(
        *,
        unavailable,
        message:
            "Each response is used once, and the last one from then on: stub(.get, path, .status(503), .json(value))."
    )
    @_alwaysEmitIntoClient public func stub(
        _ method: HTTPMethod?,
        _ path: String,
        times: Int,
        _ responses: MockResponse...
    ) {}
    @available(*, unavailable, message: "Name the method: stub(.put, path, response).")
    @_alwaysEmitIntoClient public func put(_ path: String, _ responses: MockResponse...) {}
    @available(*, unavailable, message: "Name the method: stub(.delete, path, response).")
    @_alwaysEmitIntoClient public func delete(_ path: String, _ responses: MockResponse...) {}
    @available(*, unavailable, message: "Name the method: stub(.patch, path, response).")
    @_alwaysEmitIntoClient public func patch(_ path: String, _ responses: MockResponse...) {}
    @available(*, unavailable, message: "Name the request: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func stubAll(_ response: MockResponse) {}
    @available(*, unavailable, message: "Name the request: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func enqueue(_ response: MockResponse) {}
    @available(*, unavailable, message: "Name the request: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func addResponse(_ response: MockResponse) {}
    @available(*, unavailable, message: "Name the request: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public func respond(with response: MockResponse) {}
    @available(*, unavailable, message: "Name the request: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public var response: MockResponse? {
        get { nil }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Name the request: stub(.get, \"/users/42\", .json(user)).")
    @_alwaysEmitIntoClient public var responses: [MockResponse] {
        get { [] }
        set { _ = newValue }
    }

    @available(*, unavailable, renamed: "requests")
    @_alwaysEmitIntoClient public var calls: [RecordedRequest] { [] }
    @available(*, unavailable, renamed: "requests")
    @_alwaysEmitIntoClient public var history: [RecordedRequest] { [] }
    @available(*, unavailable, renamed: "requests")
    @_alwaysEmitIntoClient public var sentRequests: [RecordedRequest] { [] }
    @available(*, unavailable, renamed: "requests")
    @_alwaysEmitIntoClient public var receivedRequests: [RecordedRequest] { [] }
    @available(*, unavailable, renamed: "requests.count")
    @_alwaysEmitIntoClient public var requestCount: Int { 0 }
    @available(
        *,
        unavailable,
        message: "Compare what was sent, transport.requests, and what was not used, transport.unused."
    )
    @_alwaysEmitIntoClient public func verify(_ method: HTTPMethod?, _ path: String) {}
    @available(
        *,
        unavailable,
        message: "Compare what was sent, transport.requests, and what was not used, transport.unused."
    )
    @_alwaysEmitIntoClient public var assertAllStubsUsed: OtherName { OtherName() }
    @available(*, unavailable, renamed: "unused")
    @_alwaysEmitIntoClient public var unusedStubs: [String] { unused }
    @available(*, unavailable, message: "Create a transport for each test, or call removeAllRequests().")
    @_alwaysEmitIntoClient public var clear: OtherName { OtherName() }
    @available(*, unavailable, message: "Create a transport for each test, or call removeAllRequests().")
    @_alwaysEmitIntoClient public var removeAll: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message:
            "Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, \"/users/42\", .json(user))."
    )
    @_alwaysEmitIntoClient public convenience init(_ responses: [MockResponse]) { self.init() }
    @available(
        *,
        unavailable,
        message:
            "Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, \"/users/42\", .json(user))."
    )
    @_alwaysEmitIntoClient public convenience init(_ response: MockResponse) { self.init() }
    @available(
        *,
        unavailable,
        message:
            "Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, \"/users/42\", .json(user))."
    )
    @_alwaysEmitIntoClient public convenience init(_ responses: [String: MockResponse]) { self.init() }
    @available(
        *,
        unavailable,
        message:
            "Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, \"/users/42\", .json(user))."
    )
    @_alwaysEmitIntoClient public convenience init(stubs: [MockResponse]) { self.init() }
    @available(
        *,
        unavailable,
        message:
            "Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, \"/users/42\", .json(user))."
    )
    @_alwaysEmitIntoClient public convenience init(response: MockResponse) { self.init() }
}

extension RecordedRequest {
    @available(*, unavailable, renamed: "json(_:)")
    @_alwaysEmitIntoClient public func json<Value: Decodable>(as type: Value.Type) throws -> Value {
        throw CancellationError()
    }
    @available(*, unavailable, renamed: "bodyText")
    @_alwaysEmitIntoClient public var bodyString: String { bodyText }
    @available(*, unavailable, renamed: "bodyText")
    @_alwaysEmitIntoClient public var text: String { bodyText }
    @available(*, unavailable, renamed: "method")
    @_alwaysEmitIntoClient public var httpMethod: HTTPMethod { method }
    @available(*, unavailable, renamed: "query(_:)")
    @_alwaysEmitIntoClient public var queryItems: OtherName { OtherName() }
}

extension MockResponse {
    @available(*, unavailable, message: "Add the fields to the response: .json(value).header(name, value).")
    @_alwaysEmitIntoClient public static func json(
        _ value: some Encodable,
        status: HTTPStatus,
        headers: [String: String]
    ) -> MockResponse { .status(status) }
    @available(*, unavailable, message: "Add the fields to the response: .status(204).header(name, value).")
    @_alwaysEmitIntoClient public static func status(_ status: HTTPStatus, headers: [String: String]) -> MockResponse {
        .status(status)
    }
    @available(*, unavailable, message: "Write .text(text, status: 404).")
    @_alwaysEmitIntoClient public static func status(_ status: HTTPStatus, body: String) -> MockResponse {
        .status(status)
    }
    @available(*, unavailable, renamed: "status(_:)")
    @_alwaysEmitIntoClient public static func response(status: HTTPStatus) -> MockResponse { .status(status) }
    @available(*, unavailable, renamed: "json(_:status:)")
    @_alwaysEmitIntoClient public static func success(_ value: some Encodable) -> MockResponse { .status(.ok) }
    @available(
        *,
        unavailable,
        message: "Write .failure(NetKitError(.timeout, \"text\")), or .failure(URLError(.timedOut))."
    )
    @_alwaysEmitIntoClient public static func failure(_ code: NetKitError.Code) -> MockResponse { .stalled }
    @available(*, unavailable, renamed: "status(_:)")
    @_alwaysEmitIntoClient public static func error(_ status: HTTPStatus) -> MockResponse { .status(status) }
    @available(
        *,
        unavailable,
        message: "Write .failure(NetKitError(.timeout, \"text\")), or .failure(URLError(.timedOut))."
    )
    @_alwaysEmitIntoClient public static func error(_ code: NetKitError.Code) -> MockResponse { .stalled }
    @available(*, unavailable, message: "Write .failure(URLError(.notConnectedToInternet)).")
    @_alwaysEmitIntoClient public static var offline: MockResponse { .stalled }
    @available(*, unavailable, message: "Write .failure(URLError(.notConnectedToInternet)).")
    @_alwaysEmitIntoClient public static var networkError: MockResponse { .stalled }
    @available(*, unavailable, message: "Write .status(.noContent), or .status(204).")
    @_alwaysEmitIntoClient public static var empty: MockResponse { .status(.noContent) }
    @available(*, unavailable, message: "Write .status(.noContent), or .status(204).")
    @_alwaysEmitIntoClient public static var noContent: MockResponse { .status(.noContent) }
    @available(*, unavailable, message: "Write .data(Data(bytes)).")
    @_alwaysEmitIntoClient public static func bytes(_ bytes: [UInt8]) -> MockResponse { .status(.ok) }
    @available(*, unavailable, message: "Write .data(Data(text.utf8), contentType: \"text/html\").")
    @_alwaysEmitIntoClient public static func html(_ text: String) -> MockResponse { .status(.ok) }
    @available(
        *,
        unavailable,
        message:
            "Pass the responses one after the other, without brackets: stub(.get, path, .status(503), .json(value))."
    )
    @_alwaysEmitIntoClient public static func sequence(_ responses: [MockResponse]) -> MockResponse { .status(.ok) }
    @available(
        *,
        unavailable,
        message: "The closure takes the request and the context: .respond { request, context in .json(value) }."
    )
    @_alwaysEmitIntoClient public static func respond(
        _ make: @escaping @Sendable (HTTPRequest) async throws -> MockResponse
    ) -> MockResponse { .stalled }
}

extension HARRecorder {
    @available(*, unavailable, message: "Write the entries when you have them: try await recorder.write(to: file).")
    @_alwaysEmitIntoClient public convenience init(file: URL) { self.init() }
    @available(*, unavailable, message: "Write the entries when you have them: try await recorder.write(to: file).")
    @_alwaysEmitIntoClient public convenience init(to file: URL) { self.init() }
    @available(*, unavailable, renamed: "write(to:)")
    @_alwaysEmitIntoClient public var save: OtherName { OtherName() }
    @available(*, unavailable, renamed: "write(to:)")
    @_alwaysEmitIntoClient public func write(_ file: URL) async throws {}
    @available(*, unavailable, renamed: "data()")
    @_alwaysEmitIntoClient public var har: OtherName { OtherName() }
    @available(*, unavailable, renamed: "data()")
    @_alwaysEmitIntoClient public var json: OtherName { OtherName() }
    @available(*, unavailable, renamed: "data()")
    @_alwaysEmitIntoClient public var entries: OtherName { OtherName() }
}

extension MetricsCollector {
    @available(*, unavailable, renamed: "snapshot()")
    @_alwaysEmitIntoClient public var metrics: OtherName { OtherName() }
    @available(*, unavailable, message: "Read it from snapshot(): collector.snapshot().totalRequests.")
    @_alwaysEmitIntoClient public var requestCount: Int { 0 }
    @available(*, unavailable, message: "Read it from snapshot(): collector.snapshot().prometheusText.")
    @_alwaysEmitIntoClient public var prometheusText: OtherName { OtherName() }
    @available(*, unavailable, message: "Read it from snapshot(): collector.snapshot().prometheusText.")
    @_alwaysEmitIntoClient public var prometheus: OtherName { OtherName() }
}

extension NetworkMetrics {
    @available(*, unavailable, renamed: "totalRequests")
    @_alwaysEmitIntoClient public var requestCount: Int { totalRequests }
    @available(*, unavailable, renamed: "totalRequests")
    @_alwaysEmitIntoClient public var requests: Int { totalRequests }
    @available(*, unavailable, message: "Divide failedRequests by totalRequests.")
    @_alwaysEmitIntoClient public var errorRate: Double { 0 }
    @available(*, unavailable, message: "Write percentile(0.5).")
    @_alwaysEmitIntoClient public var p50: Duration? { nil }
    @available(*, unavailable, message: "Write percentile(0.95).")
    @_alwaysEmitIntoClient public var p95: Duration? { nil }
    @available(*, unavailable, message: "Write percentile(0.99).")
    @_alwaysEmitIntoClient public var p99: Duration? { nil }
    @available(*, unavailable, renamed: "averageDuration")
    @_alwaysEmitIntoClient public var averageLatency: Duration { averageDuration }
    @available(*, unavailable, renamed: "prometheusText")
    @_alwaysEmitIntoClient public var prometheus: String { "" }
}

extension TracingInterceptor {
    @available(*, unavailable, message: "Write TracingInterceptor(exporter).")
    @_alwaysEmitIntoClient public init(exporter: some SpanExporter) { self.init(exporter) }
}

extension OTLPSpanExporter {
    @available(*, unavailable, message: "Write OTLPSpanExporter(serviceName: name).")
    @_alwaysEmitIntoClient public convenience init(service: String) { self.init(serviceName: service) }
    @available(*, unavailable, message: "Write OTLPSpanExporter(serviceName: name).")
    @_alwaysEmitIntoClient public convenience init(_ service: String) { self.init(serviceName: service) }
    @available(*, unavailable, message: "Name the service: OTLPSpanExporter(serviceName: name, endpoint: url).")
    @_alwaysEmitIntoClient public convenience init(endpoint: URL) { self.init(serviceName: "") }
    @available(*, unavailable, message: "Write OTLPSpanExporter(serviceName: name, endpoint: url).")
    @_alwaysEmitIntoClient public convenience init(serviceName: String, url: URL) {
        self.init(serviceName: serviceName, endpoint: url)
    }
}

extension TraceContext {
    @available(*, unavailable, renamed: "traceID")
    @_alwaysEmitIntoClient public var traceId: String { traceID }
    @available(*, unavailable, renamed: "spanID")
    @_alwaysEmitIntoClient public var parentID: String { spanID }
}

extension ClientEvents {
    @available(*, unavailable, message: "Read the property: for await event in client.events.")
    @_alwaysEmitIntoClient public func callAsFunction() -> ClientEvents { self }
}

extension ClientEvent {
    @available(*, unavailable, renamed: "status")
    @_alwaysEmitIntoClient public var statusCode: Int? { nil }
}

extension ClientEvent.Kind {
    @available(
        *,
        unavailable,
        message: "A call has .callStarted and .callEnded, and each attempt .attemptStarted and .attemptEnded."
    )
    @_alwaysEmitIntoClient public static var requestStarted: ClientEvent.Kind { .callStarted }
    @available(
        *,
        unavailable,
        message: "A call has .callStarted and .callEnded, and each attempt .attemptStarted and .attemptEnded."
    )
    @_alwaysEmitIntoClient public static var request: ClientEvent.Kind { .callStarted }
}

extension HTTPClient {
    @available(*, unavailable, message: "Read the events: for await event in client.events.")
    @_alwaysEmitIntoClient public nonisolated var onEvent: OtherName { OtherName() }
    @available(
        *,
        unavailable,
        message: "Add a MetricsCollector to the interceptors of the client, and read its snapshot()."
    )
    @_alwaysEmitIntoClient public nonisolated var stats: OtherName { OtherName() }
    @available(*, unavailable, renamed: "activeCalls")
    @_alwaysEmitIntoClient public nonisolated var inFlight: OtherName { OtherName() }
    @available(*, unavailable, renamed: "activeCalls")
    @_alwaysEmitIntoClient public nonisolated var activeRequests: OtherName { OtherName() }
}
