// Names that newcomers guess: tests. Each line with a comment has to be refused with that text; every other line
// compiles. `guesses.py` compares.

import Foundation
import FoundationNetworking
import NetKit
import NetKitPostgres
import NetKitTesting

private struct Person: Codable, Sendable, Identifiable, Equatable { var id: Int }
private struct PersonPage: Codable, Sendable { var items: [Person]; var next: String? }

// Mocks, tests, replay.
private func tests1(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    mock.stub(.get, "/x", response: .json(user))  // error: 'stub(_:_:response:)' is unavailable: Pass the response without a label: stub(.get, "/users/42", .json(user)).
    mock.stub(.get, "/x", returning: .json(user))  // error: 'stub(_:_:returning:)' is unavailable: Pass the response without a label: stub(.get, "/users/42", .json(user)).
    mock.stub(.get, "/x", status: 404)  // error: 'stub(_:_:status:)' is unavailable: Pass a response: stub(.get, path, .status(404)).
    mock.stub(.get, "/x", [.json(user), .status(500)])  // error: 'stub' is unavailable: Pass the responses one after the other, without brackets: stub(.get, path, .status(503), .json(value)).
    mock.stub(.get, url, .json(user))  // error: 'stub' is unavailable: Write the path below the base URL: stub(.get, "/users/42", .json(user)).
    mock.stub(.get, path: "/x", .json(user))  // error: 'stub(_:path:_:)' has been renamed to 'stub(_:_:query:headers:body:_:)'
    mock.stub(.get, "/x", times: 2, .json(user))  // error: 'stub(_:_:times:_:)' is unavailable: Each response is used once, and the last one from then on: stub(.get, path, .status(503), .json(value)).
    mock.stub(.get, "/x", .json(user, status: 201, headers: ["a": "b"]))  // error: 'json(_:status:headers:)' is unavailable: Add the fields to the response: .json(value).header(name, value).
    mock.stub(.get, "/x", .json(user).delay(.seconds(1)))  // error: 'delay' has been renamed to 'delayed(by:)'
    mock.stub(.get, "/x", .status(.ok, headers: ["a": "b"]))  // error: 'status(_:headers:)' is unavailable: Add the fields to the response: .status(204).header(name, value).
    mock.stub(.get, "/x", .status(404, body: "x"))  // error: 'status(_:body:)' is unavailable: Write .text(text, status: 404).
    mock.stub(.get, "/x", .response(status: 200))  // error: 'response(status:)' has been renamed to 'status(_:)'
    mock.stub(.get, "/x", .success(user))  // error: 'success' has been renamed to 'json(_:status:)'
    mock.stub(.get, "/x", .error(404))  // error: 'error' has been renamed to 'status(_:)'
    mock.stub(.get, "/x", .error(.timeout))  // error: 'error' is unavailable: Write .failure(NetKitError(.timeout, "text")), or .failure(URLError(.timedOut)).
    mock.stub(.get, "/x", .failure(.timeout))  // error: 'failure' is unavailable: Write .failure(NetKitError(.timeout, "text")), or .failure(URLError(.timedOut)).
    mock.stub(.get, "/x", .failure(NetKitError(.timeout)))  // error: 'init(_:)' is unavailable: Say what happened: NetKitError(code, "text").
    mock.stub(.get, "/x", .failure(NetKitError.Code.timeout))  // error: 'failure' is unavailable: Write .failure(NetKitError(.timeout, "text")), or .failure(URLError(.timedOut)).
    mock.stub(.get, "/x", .networkError)  // error: 'networkError' is unavailable: Write .failure(URLError(.notConnectedToInternet)).
    mock.stub(.get, "/x", .offline)  // error: 'offline' is unavailable: Write .failure(URLError(.notConnectedToInternet)).
    mock.stub(.get, "/x", .empty)  // error: 'empty' is unavailable: Write .status(.noContent), or .status(204).
    mock.stub(.get, "/x", .noContent)  // error: 'noContent' is unavailable: Write .status(.noContent), or .status(204).
    mock.stub(.get, "/x", .bytes([1]))  // error: 'bytes' is unavailable: Write .data(Data(bytes)).
    mock.stub(.get, "/x", .html("x"))  // error: 'html' is unavailable: Write .data(Data(text.utf8), contentType: "text/html").
    mock.stub(.get, "/x", .respond { request in .json(user) })  // error: 'respond' is unavailable: The closure takes the request and the context: .respond { request, context in .json(value) }.
    mock.stub(.get, "/x", .sequence([.json(user)]))  // error: 'sequence' is unavailable: Pass the responses one after the other, without brackets: stub(.get, path, .status(503), .json(value)).
    mock.response = .json(user)  // error: 'response' is unavailable: Name the request: stub(.get, "/users/42", .json(user)).
    mock.responses = [.json(user)]  // error: 'responses' is unavailable: Name the request: stub(.get, "/users/42", .json(user)).
    _ = mock.calls  // error: 'calls' has been renamed to 'requests'
    _ = mock.history  // error: 'history' has been renamed to 'requests'
    _ = mock.sentRequests  // error: 'sentRequests' has been renamed to 'requests'
    _ = mock.receivedRequests  // error: 'receivedRequests' has been renamed to 'requests'
    _ = mock.requestCount  // error: 'requestCount' has been renamed to 'requests.count'
    _ = mock.requests[0].json(as: Person.self)  // error: 'json(as:)' has been renamed to 'json(_:)'
    _ = mock.requests[0].bodyString  // error: 'bodyString' has been renamed to 'bodyText'
    _ = mock.requests[0].text  // error: 'text' has been renamed to 'bodyText'
    _ = mock.requests[0].httpMethod  // error: 'httpMethod' has been renamed to 'method'
    _ = mock.requests[0].queryItems  // error: 'queryItems' has been renamed to 'query(_:)'
    mock.assertAllStubsUsed()  // error: 'assertAllStubsUsed' is unavailable: Compare what was sent, transport.requests, and what was not used, transport.unused.
    _ = mock.unusedStubs  // error: 'unusedStubs' has been renamed to 'unused'
    mock.clear()  // error: 'clear' is unavailable: Create a transport for each test, or call removeAllRequests().
    mock.removeAll()  // error: 'removeAll' is unavailable: Create a transport for each test, or call removeAllRequests().
    _ = MockTransport(response: .json(user))  // error: 'init(response:)' is unavailable: Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, "/users/42", .json(user)).
    _ = MockTransport(.json(user))  // error: 'init(_:)' is unavailable: Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, "/users/42", .json(user)).
    _ = MockTransport(stubs: [.json(user)])  // error: 'init(stubs:)' is unavailable: Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, "/users/42", .json(user)).
    _ = HTTPResponse(200)  // error: 'init(_:)' has been renamed to 'init(status:headers:body:url:history:timings:)'
    _ = HTTPResponse(statusCode: 200)  // error: 'init(statusCode:headers:)' has been renamed to 'init(status:headers:body:url:history:timings:)'
    _ = HTTPResponse(status: 200, body: data)  // error: 'init(status:headers:body:)' is unavailable: Wrap the bytes: HTTPResponse(status: .ok, body: ResponseBody(data)).
    _ = HTTPResponse(status: 200, json: user)  // error: 'init(status:headers:json:)' is unavailable: In a handler, return MockResponse.json(value) from .respond { request, context in … }.
    _ = try MockServer.start()  // error: 'start()' is unavailable: A server listens from its creation: let server = try MockServer().
    _ = try await MockServer.start()  // error: 'start()' is unavailable: A server listens from its creation: let server = try MockServer().
    try server.start()  // error: 'start()' is unavailable: A server listens from its creation: let server = try MockServer().
    server.enqueue(.json(user))  // error: 'enqueue' is unavailable: Name the route: on(.get, "/users/42", .json(user)).
    server.get("/x", .json(user))  // error: 'get' is unavailable: Name the method: on(.get, path, reply).
    server.on("/x", .json(user))  // error: 'on' is unavailable: Name the method, or nil for each of them: on(.get, path, reply).
    server.on(.get, "/x", .json(user).delayed(by: .seconds(1)))  // error: 'delayed(by:)' has been renamed to 'pausing(_:at:)'
    server.on(.get, "/x", .json(user).delay(.seconds(1)))  // error: 'delay' has been renamed to 'pausing(_:at:)'
    _ = server.address  // error: 'address' has been renamed to 'baseURL'
    server.close()  // error: 'close()' has been renamed to 'stop()'
    server.shutdown()  // error: 'shutdown()' has been renamed to 'stop()'
    _ = server.takeRequest()  // error: 'takeRequest()' is unavailable: Read the requests in their order: server.requests.
    _ = server.requestCount  // error: 'requestCount' has been renamed to 'requests.count'
    _ = server.lastRequest  // error: 'lastRequest' has been renamed to 'requests.last'
    _ = TestClock(now: Date())  // error: 'init(now:)' is unavailable: Write TestClock(date: date).
    clock.advance(.seconds(3))  // error: 'advance' has been renamed to 'advance(by:)'
    clock.tick(.seconds(3))  // error: 'tick' has been renamed to 'advance(by:)'
    _ = try ReplayTransport(file: file)  // error: 'init(file:)' has been renamed to 'init(har:matching:)'
    _ = try ReplayTransport(file)  // error: 'init(_:)' has been renamed to 'init(har:matching:)'
    _ = try ReplayTransport(har: "/tmp/x.har")  // error: 'init(har:)' is unavailable: Pass a URL: ReplayTransport(har: URL(fileURLWithPath: path)).
    _ = try ReplayTransport(recording: file)  // error: 'init(recording:)' has been renamed to 'init(har:matching:)'
    _ = try ReplayTransport(har: file, matching: .strict)  // error: 'strict' is unavailable: Set its properties: var matching = ReplayTransport.Matching(); matching.isStrict = true.
    _ = try ReplayTransport(har: file, matching: .init(ignoresQuery: true))  // error: 'init(ignoresQuery:)' is unavailable: Set its properties: var matching = ReplayTransport.Matching(); matching.ignoresQuery = true.
    _ = HARRecorder(file: file)  // error: 'init(file:)' is unavailable: Write the entries when you have them: try await recorder.write(to: file).
    _ = HARRecorder(to: file)  // error: 'init(to:)' is unavailable: Write the entries when you have them: try await recorder.write(to: file).
    try await recorder.save(to: file)  // error: 'save' has been renamed to 'write(to:)'
    try recorder.write(file)  // error: 'write' has been renamed to 'write(to:)'
    try await recorder.write(file)  // error: 'write' has been renamed to 'write(to:)'
    _ = recorder.har  // error: 'har' has been renamed to 'data()'
    _ = recorder.json  // error: 'json' has been renamed to 'data()'
    _ = recorder.entries  // error: 'entries' has been renamed to 'data()'
}

// Errors.
private func tests2(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    do { try await c.get("/x") } catch NetKitError.unauthorized { }  // error: 'unauthorized' has been renamed to 'Code.unauthorized'
    do { try await c.get("/x") } catch NetKitError.notFound { }  // error: 'notFound' is unavailable: Catch the code .server, and compare the status: error.status == .notFound.
    do { try await c.get("/x") } catch NetKitError.Code.notFound { }  // error: 'notFound' is unavailable: Compare the status: error.status == .notFound.
    do { try await c.get("/x") } catch NetKitError.connectionLost { }  // error: 'connectionLost' has been renamed to 'Code.connectionLost'
    do { try await c.get("/x") } catch let e as NetKitError where e.code == .timedOut { }  // error: 'timedOut' has been renamed to 'timeout'
    do { try await c.get("/x") } catch let e as NetKitError where e.code == .rateLimit { }  // error: 'rateLimit' has been renamed to 'rateLimited'
    do { try await c.get("/x") } catch let e as NetKitError where e.code == .serverError { }  // error: 'serverError' is unavailable: Compare the code with .server, and error.status with the status.
    do { try await c.get("/x") } catch let e as NetKitError where e.code == .http { }  // error: 'http' is unavailable: Compare the code with .server, and error.status with the status.
    do { try await c.get("/x") } catch let e as NetKitError where e.code == .noConnection { }  // error: 'noConnection' is unavailable: Compare the code with .offline, .dns, .connect, .tls and .connectionLost.
    do { try await c.get("/x") } catch let e as NetKitError where e.code == .connectionFailed { }  // error: 'connectionFailed' has been renamed to 'connect'
    do { try await c.get("/x") } catch let e as NetKitError where e.code == .invalidJSON { }  // error: 'invalidJSON' has been renamed to 'decoding'
    _ = error.responseData  // error: 'responseData' is unavailable: Read the body of the response: error.response?.body, or error.body(as: Problem.self).
    _ = error.responseBody  // error: 'responseBody' is unavailable: Read the body of the response: error.response?.body, or error.body(as: Problem.self).
    _ = error.type  // error: 'type' has been renamed to 'code'
    _ = error.reason  // error: 'reason' has been renamed to 'message'
    _ = error.request  // error: 'request' has been renamed to 'requestLine'
    _ = error.url  // error: 'url' is unavailable: Read requestLine, a text with the method and the URL.
    _ = error.underlying  // error: 'underlying' has been renamed to 'cause'
    _ = error.isRetriable  // error: 'isRetriable' has been renamed to 'isRetryable'
    _ = error.isClientError  // error: 'isClientError' is unavailable: Compare the status: error.status?.isClientError == true.
    _ = error.isServerError  // error: 'isServerError' is unavailable: Compare the status: error.status?.isServerError == true.
    _ = error.isCancelled  // error: 'isCancelled' is unavailable: A call that is cancelled throws CancellationError.
    _ = error.isConnectionError  // error: 'isConnectionError' is unavailable: Compare the code with .offline, .dns, .connect, .tls and .connectionLost.
    _ = error.wasSent  // error: 'wasSent' is unavailable: Compare the outcome: error.outcome != .notSent.
    _ = error.retryCount  // error: 'retryCount' is unavailable: Read attempts, which counts the first attempt as well.
    _ = error.headers  // error: 'headers' is unavailable: Write error.response?.headers.
    _ = error.response?.text  // error: 'text' is unavailable: Write excerpt(upTo:) for its beginning, or String(decoding: body, as: UTF8.self).
    _ = error.response?.statusCode  // error: 'statusCode' has been renamed to 'status.code'
    _ = error.problem?.message  // error: 'message' has been renamed to 'detail'
    _ = NetKitError(.timeout)  // error: 'init(_:)' is unavailable: Say what happened: NetKitError(code, "text").
    _ = NetKitError("x")  // error: 'init(_:)' is unavailable: Write NetKitError(.custom, "text").
    _ = NetKitError(code: .timeout, message: "x")  // error: 'init(code:message:)' has been renamed to 'init(_:_:outcome:cause:timeoutPhase:response:codingPath:timings:)'
    throw NetKitError.custom("x")  // error: 'custom' is unavailable: Write NetKitError(.custom, "text").
    _ = problem["a"]?.stringValue  // error: 'stringValue' has been renamed to 'string'
    _ = value.stringValue  // error: 'stringValue' has been renamed to 'string'
    _ = value.intValue  // error: 'intValue' has been renamed to 'int'
    _ = value.doubleValue  // error: 'doubleValue' has been renamed to 'double'
    _ = value.arrayValue  // error: 'arrayValue' has been renamed to 'array'
    _ = value.asString  // error: 'asString' has been renamed to 'string'
    _ = JSONValue(["a": 1])  // error: 'init(_:)' is unavailable: Write a literal, or try JSONValue(encoding: value).
    _ = JSONValue(n)  // error: 'init(_:)' is unavailable: Write a literal, or try JSONValue(encoding: value).
    _ = JSONValue.int(3)  // error: 'int' has been renamed to 'integer(_:)'
    _ = JSONValue.dictionary([:])  // error: 'dictionary' has been renamed to 'object(_:)'
    _ = JSONValue.double(3)  // error: 'double' has been renamed to 'number(_:)'
    _ = try JSONValue(data)  // error: 'init(_:)' has been renamed to 'init(parsing:)'
    _ = JSONCoder(decoder: JSONDecoder())  // error: 'init(decoder:)' is unavailable: Pass a function that sets up a fresh decoder: JSONCoder(encoder:decoder:), or .standard.with(decoder:).
    _ = JSONCoder.default  // error: 'default' has been renamed to 'standard'
}

// Metrics, tracing.
private func tests3(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = collector.metrics  // error: 'metrics' has been renamed to 'snapshot()'
    _ = collector.requestCount  // error: 'requestCount' is unavailable: Read it from snapshot(): collector.snapshot().totalRequests.
    _ = collector.prometheusText  // error: 'prometheusText' is unavailable: Read it from snapshot(): collector.snapshot().prometheusText.
    _ = collector.prometheus()  // error: 'prometheus' is unavailable: Read it from snapshot(): collector.snapshot().prometheusText.
    _ = collector.snapshot().requestCount  // error: 'requestCount' has been renamed to 'totalRequests'
    _ = collector.snapshot().requests  // error: 'requests' has been renamed to 'totalRequests'
    _ = collector.snapshot().errorRate  // error: 'errorRate' is unavailable: Divide failedRequests by totalRequests.
    _ = collector.snapshot().p95  // error: 'p95' is unavailable: Write percentile(0.95).
    _ = collector.snapshot().averageLatency  // error: 'averageLatency' has been renamed to 'averageDuration'
    _ = collector.snapshot().prometheus  // error: 'prometheus' has been renamed to 'prometheusText'
    _ = TracingInterceptor(exporter: OTLPSpanExporter(serviceName: "a"))  // error: 'init(exporter:)' is unavailable: Write TracingInterceptor(exporter).
    _ = OTLPSpanExporter(service: "a")  // error: 'init(service:)' is unavailable: Write OTLPSpanExporter(serviceName: name).
    _ = OTLPSpanExporter("a")  // error: 'init(_:)' is unavailable: Write OTLPSpanExporter(serviceName: name).
    _ = OTLPSpanExporter(endpoint: url)  // error: 'init(endpoint:)' is unavailable: Name the service: OTLPSpanExporter(serviceName: name, endpoint: url).
    _ = OTLPSpanExporter(serviceName: "a", url: url)  // error: 'init(serviceName:url:)' is unavailable: Write OTLPSpanExporter(serviceName: name, endpoint: url).
    _ = TraceContext.current?.traceId  // error: 'traceId' has been renamed to 'traceID'
    _ = TraceContext.current?.parentID  // error: 'parentID' has been renamed to 'spanID'
    for await e in c.events() { print(e) }  // error: 'callAsFunction()' is unavailable: Read the property: for await event in client.events.
    for await e in c.events { if e.kind == .requestStarted { } }  // error: 'requestStarted' is unavailable: A call has .callStarted and .callEnded, and each attempt .attemptStarted and .attemptEnded.
    for await e in c.events { if e.kind == .request { } }  // error: 'request' is unavailable: A call has .callStarted and .callEnded, and each attempt .attemptStarted and .attemptEnded.
    for await e in c.events { print(e.url, e.statusCode) }  // error: 'statusCode' has been renamed to 'status'
    c.onEvent { print($0) }  // error: 'onEvent' is unavailable: Read the events: for await event in client.events.
    _ = c.stats  // error: 'stats' is unavailable: Add a MetricsCollector to the interceptors of the client, and read its snapshot().
    _ = c.inFlight  // error: 'inFlight' has been renamed to 'activeCalls'
    _ = c.activeRequests  // error: 'activeRequests' has been renamed to 'activeCalls'
}

// Postgres.
private func tests4(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = try await Postgres(url: "postgres://x")  // error: 'init(url:)' is unavailable: Pass the connection string: try await Postgres("postgres://user@host:5432/database").
    _ = try await Postgres(url)  // error: 'init(_:)' is unavailable: Pass the connection string: try await Postgres("postgres://user@host:5432/database").
    _ = try await Postgres(connectionString: "postgres://x")  // error: 'init(connectionString:)' is unavailable: Pass the connection string: try await Postgres("postgres://user@host:5432/database").
    _ = try await Postgres(host: "x", port: 5432, database: "a", user: "b", password: "c")  // error: 'init(host:port:database:user:username:password:)' is unavailable: Pass the connection string: try await Postgres("postgres://user@host:5432/database").
    do { var f = Postgres.Configuration(); f.migrations = .automatic }  // error: 'automatic' has been renamed to 'migrate'
    do { var f = Postgres.Configuration(); f.migrations = .run }  // error: 'run' has been renamed to 'migrate'
    do { var f = Postgres.Configuration(); f.tls = .require }  // error: 'tls' has been renamed to 'encryption'
    do { var f = Postgres.Configuration(); f.encryption = .required }  // error: 'required' is unavailable: Write .verified, which verifies the certificate of the server as well.
    do { var f = Postgres.Configuration(); f.encryption = .none }  // error: 'none' is unavailable: Write .fromConnectionString, with sslmode=disable in the connection string.
    do { var f = Postgres.Configuration(); f.timeout = .seconds(3) }  // error: 'timeout' is unavailable: Set connectTimeout or statementTimeout.
    _ = Postgres.Configuration(schema: "x")  // error: 'init(schema:)' is unavailable: Set its properties: var configuration = Postgres.Configuration(); configuration.schema = "netkit".
    _ = db.outbox(name: "a")  // error: 'outbox(name:)' has been renamed to 'outbox(_:shards:spill:seal:)'
    _ = db.outbox()  // error: 'outbox()' is unavailable: Name the outbox: database.outbox("orders").
    _ = db.offlineStore("a")  // error: 'offlineStore' has been renamed to 'outbox(_:shards:spill:seal:)'
    _ = db.store("a")  // error: 'store' has been renamed to 'outbox(_:shards:spill:seal:)'
    _ = db.tokens("a")  // error: 'tokens' has been renamed to 'token(_:seal:)'
    _ = db.token(name: "a")  // error: 'token(name:)' has been renamed to 'token(_:seal:)'
    _ = TokenStore(vault: db.token("a"))  // error: 'init(vault:identity:refresh:)' has been renamed to 'init(shared:identity:refresh:)'
    _ = db.rate("a", permits: 3, per: .seconds(1))  // error: 'rate(_:permits:per:)' is unavailable: Share a limit: RateLimitInterceptor(permits: 10, per: .seconds(1), shared: database.rate(name)).
    _ = db.limit("a")  // error: 'limit' has been renamed to 'rate(_:)'
    _ = db.rateLimiter("a")  // error: 'rateLimiter' has been renamed to 'rate(_:)'
    _ = RateLimitInterceptor(db.rate("a"), permits: 3, per: .seconds(1))  // error: 'init(_:permits:per:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1), shared: rate).
    _ = RateLimitInterceptor(permits: 3, per: .seconds(1), rate: db.rate("a"))  // error: 'init(permits:per:rate:)' is unavailable: Write RateLimitInterceptor(permits: 10, per: .seconds(1), shared: rate).
    _ = try await db.cache("a")  // error: 'cache' is unavailable: A schema has one cache: database.cache(maxBytes: 1 << 30).
    _ = try await db.cacheStore()  // error: 'cacheStore()' has been renamed to 'cache(maxBytes:seal:)'
    _ = try await CacheInterceptor(store: db.cache())  // error: 'init(store:policy:)' has been renamed to 'init(_:policy:)'
    _ = try await OfflineQueue(outbox: db.outbox("a"), sender: c)  // error: 'init(outbox:sender:)' has been renamed to 'init(store:sender:monitor:configuration:)'
    try await db.runMigrations()  // error: 'runMigrations()' has been renamed to 'migrate()'
    _ = db.isConnected  // error: 'isConnected' has been renamed to 'health.isConnected'
    _ = try await db.ping()  // error: 'ping()' is unavailable: Read health.isConnected and health.problem.
    await db.disconnect()  // error: 'disconnect()' has been renamed to 'close(within:)'
}

// Repository.
private func tests5(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = try await repo.get("1")  // error: 'get' has been renamed to 'get(id:)'
    _ = try await repo.fetch(id: "1")  // error: 'fetch' has been renamed to 'get(id:)'
    try await repo.delete("1")  // error: 'delete' has been renamed to 'delete(id:)'
}
