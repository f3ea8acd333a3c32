// Arguments and members that users of other clients guess. Each line with a comment has to be refused with that text;
// every other line compiles. `guesses.py` compares.

import Foundation
import NetKit
import NetKitPostgres

struct Person: Codable, Sendable, Identifiable { var id: Int }

func clients(_ c: HTTPClient, _ url: URL, _ tokens: TokenStore, _ mock: MockTransport) async throws {
    _ = HTTPClient(retry: .none)  // error: 'init(baseURL:retry:)' is unavailable: Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(policy)]).
    _ = HTTPClient(baseURL: url, retry: .none)  // error: 'init(baseURL:retry:)' is unavailable: Add a RetryInterceptor to the list: HTTPClient(baseURL: base, interceptors: [RetryInterceptor(policy)]).
    _ = HTTPClient(baseURL: url, timeout: .seconds(3))  // error: 'init(baseURL:timeout:)' is unavailable: Set configuration.timeouts, and pass it: HTTPClient(baseURL:configuration:).
    _ = HTTPClient(baseURL: url, headers: ["a": "b"])  // error: 'init(baseURL:headers:)' is unavailable: Add a HeadersInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [HeadersInterceptor(fields)]).
    _ = HTTPClient(baseURL: url, auth: AuthInterceptor(tokens))  // error: 'init(baseURL:auth:)' is unavailable: Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor(tokens)]).
    _ = HTTPClient(configuration: .default)  // error: 'default' is unavailable: Write HTTPClient.Configuration().
    _ = HTTPClient(baseURL: url, cache: MemoryCacheStore())  // error: 'init(baseURL:cache:)' is unavailable: Add a CacheInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [CacheInterceptor(store)]).
    _ = HTTPClient(baseURL: url, tokens: tokens)  // error: 'init(baseURL:tokens:)' is unavailable: Add an AuthInterceptor: HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor(tokens)]).
    _ = HTTPClient(mock: mock)  // error: 'init(baseURL:mock:)' is unavailable: Pass the mock as the transport: HTTPClient(baseURL: base, transport: mock).
    try await c.options("/x")  // error: 'options' is unavailable: Write send(HTTPRequest(.options, path)).
    for try await e in c.sse("/x") { print(e) }  // error: 'sse' is unavailable: Use eventStream(_:) with an Endpoint: eventStream(.get("/events")).
    for try await e in c.events("/x") { print(e) }  // error: 'callAsFunction' is unavailable: The events of a server are eventStream(.get(path)); these are those of the client.
    for try await e in c.eventStream("/x") { print(e) }  // error: 'eventStream' is unavailable: Pass an endpoint: eventStream(.get("/events")).
    for try await e in c.stream("/x", of: Person.self) { print(e) }  // error: 'stream(_:of:)' is unavailable: Pass an endpoint: stream(.get("/rows"), of: Row.self).
    for try await e in try await c.get("/x").lines { print(e) }  // error: 'lines' has been renamed to 'body.lines'
    for try await e in c.paginate(.get("/x")) { print(e) }  // error: 'paginate' is unavailable: Use pages(_:next:query:) with an Endpoint, or linkedPages(_:).
    _ = await c.metrics  // error: 'metrics' is unavailable: Add a MetricsCollector to the interceptors of the client, and read its snapshot().
    var r4 = HTTPRequest(url: url)  // error: 'init(url:method:headers:body:)' has been renamed to 'init(_:_:headers:body:)'
    r4.method = .post
    let r5 = HTTPRequest(url: url, method: .post)  // error: 'init(url:method:headers:body:)' has been renamed to 'init(_:_:headers:body:)'
    let r6 = HTTPRequest("/x")  // error: 'init(_:)' is unavailable: Name the method: HTTPRequest(.get, path).
    var r1 = HTTPRequest(.get, "/x")
    r1.query["a"] = "b"  // error: 'query' is unavailable: Pass the query when you create the request: HTTPRequest(.get, path, query:).
    var r2 = HTTPRequest(.get, "/x")
    r2.headers.authorization = "b"  // error: 'authorization' is unavailable: Add an AuthInterceptor to the client, or set headers["Authorization"].
    let r8 = try await c.get("/x")
    print(r8.status.rawValue, r8.data)  // error: 'rawValue' has been renamed to 'code'
    var t1 = Timeouts()
    t1.request = .seconds(3)  // error: 'request' has been renamed to 'total'
    t1.read = .seconds(3)  // error: 'read' has been renamed to 'idle'
    var cf2 = HTTPClient.Configuration()
    cf2.decoder.keyDecodingStrategy = .convertFromSnakeCase  // error: 'decoder' is unavailable: Set the coder: configuration.json = .snakeCase, or .standard.with(decoder:).
    var cf4 = HTTPClient.Configuration()
    cf4.baseURL = url  // error: 'baseURL' is unavailable: Pass the base to the client: HTTPClient(baseURL: base, configuration: …).
    var cf5 = HTTPClient.Configuration()
    cf5.userAgent = "x"  // error: 'userAgent' is unavailable: Add a HeadersInterceptor(["User-Agent": …]) to the interceptors of the client.
    var cf6 = HTTPClient.Configuration()
    cf6.maxResponseSize = 3  // error: 'maxResponseSize' has been renamed to 'maxBufferedBytes'
}

func calls(_ c: HTTPClient, _ url: URL, _ user: Person, _ name: String) async throws {
    _ = CallOptions(cache: .reload)  // error: 'init(cache:)' has been renamed to 'init(cachePolicy:)'
    _ = CallOptions(headers: ["a": "b"])  // error: 'init(headers:)' is unavailable: Header fields belong to the request: HTTPRequest(_:_:headers:), or headers: of a verb.
    _ = CallOptions(retries: 3)  // error: 'init(retries:)' is unavailable: Pass a policy: CallOptions(retry: RetryPolicy(maxRetries: 3)).
    _ = CallOptions(cachePolicy: .reloadIgnoringLocalCacheData)  // error: 'reloadIgnoringLocalCacheData' has been renamed to 'reload'
    let _: Person = try await c.get("/x", params: ["a": 1])  // error: 'get(_:params:headers:as:)' is unavailable: Pass the items of the query with query:.
    let _: Person = try await c.get("/x", parameters: ["a": 1])  // error: 'get(_:parameters:headers:as:)' is unavailable: Pass the items of the query with query:.
    let _: Person = try await c.get(url)  // error: 'get(_:as:)' is unavailable: Pass a whole URL with its method: send(HTTPRequest(.get, url)).
    _ = try await c.get(url)  // error: 'get' is unavailable: Pass a whole URL with its method: send(HTTPRequest(.get, url)).
    try await c.post("/x", user)  // error: 'post' is unavailable: Pass JSON with json:, a form with form:, and the items of the query with query:.
    try await c.post("/x", body: Data())  // error: 'post(_:query:headers:body:timeout:options:progress:)' is unavailable: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
    try await c.post("/x", body: "text")  // error: 'post(_:query:headers:body:timeout:options:progress:)' is unavailable: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
    try await c.post("/x", parameters: ["a": 1])  // error: 'post(_:parameters:)' is unavailable: Pass JSON with json:, a form with form:, and the items of the query with query:.
    try await c.post("/x", json: user, idempotencyKey: .automatic)  // error: 'post(_:body:json:form:idempotencyKey:)' is unavailable: Pass the key with the options: options: CallOptions(idempotencyKey: .automatic).
    try await c.send(.post("/x", json: user), idempotencyKey: .automatic)  // error: 'send(_:idempotencyKey:)' is unavailable: Pass the key with the options: options: CallOptions(idempotencyKey: .automatic).
    let _: Person = try await c.send(.get("/x"), retry: .none)  // error: 'send(_:retry:)' is unavailable: Pass the policy with the options: options: CallOptions(retry: …).
    try await c.put("/x", form: ["a": 1])  // error: 'put(_:form:multipart:)' is unavailable: Write the form as the body: body: .form(fields), or body: .multipart(form).
    try await c.patch("/x", form: ["a": 1])  // error: 'patch(_:form:multipart:)' is unavailable: Write the form as the body: body: .form(fields), or body: .multipart(form).
    try await c.put("/x", multipart: MultipartForm())  // error: 'put(_:form:multipart:)' is unavailable: Write the form as the body: body: .form(fields), or body: .multipart(form).
    try await c.download(url, to: url)  // error: 'download(_:to:)' is unavailable: Write the URL as a whole path: download("\(raw: url.absoluteString)", to: file).
    var f1 = MultipartForm()
    f1.add("a", "b")  // error: 'add' has been renamed to 'field(_:_:)'
    _ = QueryBuilder(["a": 1, "b": name])  // error: 'init(_:)' is unavailable: Pass a literal as the query, or call add(name, value) for each item.
    _ = HTTPBody.urlEncoded(["a": 1])  // error: 'urlEncoded' has been renamed to 'form(_:)'
    _ = HTTPBody.raw(Data())  // error: 'raw' has been renamed to 'data(_:)'
    _ = HTTPBody.empty  // error: 'empty' is unavailable: A request without a body has the body nil.
}

func policies(_ c: HTTPClient, _ url: URL, _ tokens: TokenStore, _ vault: FileTokenVault, _ error: NetKitError) async throws {
    _ = TokenStore(vault: vault)  // error: 'init(vault:identity:refresh:)' has been renamed to 'init(shared:identity:refresh:)'
    _ = TokenStore(vault: vault) { _ in AccessToken("x") }  // error: 'init(vault:identity:refresh:)' has been renamed to 'init(shared:identity:refresh:)'
    _ = AccessToken("x", expiresAt: Date())  // error: 'init(_:expiresAt:refreshToken:)' has been renamed to 'init(_:expiry:refreshToken:)'
    _ = TokenStore { _ in AccessToken("x") }  // error: 'init(refresh:)' is unavailable: Name the first token, or nil: TokenStore(initial: nil) { current in … }.
    _ = TokenStore(refresh: { _ in AccessToken("x") })  // error: 'init(refresh:)' is unavailable: Name the first token, or nil: TokenStore(initial: nil) { current in … }.
    _ = TokenStore(token: "x")  // error: 'init(token:)' is unavailable: Write TokenStore(initial: token), or AuthInterceptor.bearer(token).
    await tokens.logout()  // error: 'logout' has been renamed to 'clear()'
    _ = HTTPClient(baseURL: url, interceptors: [RetryInterceptor(maxRetries: 3)])  // error: 'init(maxRetries:)' is unavailable: Pass a policy: RetryInterceptor(RetryPolicy(maxRetries: 3)).
    _ = RetryInterceptor(maxRetries: 3)  // error: 'init(maxRetries:)' is unavailable: Pass a policy: RetryInterceptor(RetryPolicy(maxRetries: 3)).
    _ = RetryInterceptor(maxAttempts: 3)  // error: 'init(maxAttempts:)' is unavailable: Pass a policy: RetryInterceptor(RetryPolicy(maxAttempts: 3)).
    _ = RetryPolicy(maxRetries: 3, delay: .seconds(1))  // error: 'init(maxRetries:delay:)' has been renamed to 'init(maxRetries:baseDelay:)'
    _ = RetryPolicy.default  // error: 'default' has been renamed to 'standard'
    _ = BackoffStrategy.constant(.seconds(1))  // error: 'constant' has been renamed to 'fixed(interval:)'
    _ = AuthInterceptor.token("x")  // error: 'token' has been renamed to 'bearer(_:identity:origins:)'
    _ = AuthInterceptor.apiKey("x", name: "X-API-Key")  // error: 'apiKey(_:name:)' has been renamed to 'apiKey(_:header:identity:origins:)'
    _ = AuthInterceptor(bearer: "x")  // error: 'init(bearer:)' is unavailable: Write AuthInterceptor.bearer(token).
    _ = HeadersInterceptor("a", "b")  // error: 'init(_:_:)' is unavailable: Pass the fields together: HeadersInterceptor([name: value]).
    _ = LoggingInterceptor()  // error: 'init(level:)' is unavailable: Name a sink: LoggingInterceptor(.standardError), or .jsonLines.
    _ = LoggingInterceptor(level: .debug)  // error: 'init(level:)' is unavailable: Name a sink: LoggingInterceptor(.standardError), or .jsonLines.
    _ = CircuitBreakerInterceptor(failureThreshold: 5, resetTimeout: .seconds(30))  // error: 'init(failureThreshold:resetTimeout:)' is unavailable: Pass a policy: CircuitBreakerInterceptor(CircuitBreakerPolicy(failureRatio: 0.5)).
    _ = HedgeInterceptor(after: .seconds(1))  // error: 'seconds' is unavailable: Write .fixed(.seconds(1)).
    _ = error.code == .notFound  // error: 'notFound' is unavailable: Compare the status: error.status == .notFound.
    _ = error.code == .network  // error: 'network' is unavailable: Compare the code with .offline, .dns, .connect, .tls and .connectionLost.
    _ = error.code == .cancelled  // error: 'cancelled' is unavailable: A call that is cancelled throws CancellationError.
    for try await e in c.eventStream(.get("/x")) { print(e.name, e.event) }  // error: 'name' has been renamed to 'type'
}

func queuesAndValues(_ c: HTTPClient, _ queue: OfflineQueue, _ url: URL, _ repo: RemoteRepository<Person>, _ values: CacheService) async throws {
    await queue.flush()  // error: 'flush' has been renamed to 'processQueue()'
    await queue.sync()  // error: 'sync' has been renamed to 'processQueue()'
    await queue.drain()  // error: 'drain' has been renamed to 'processQueue()'
    await queue.start()  // error: 'start' is unavailable: A queue sends by itself from the time at which it has a sender: attach(client).
    await queue.process()  // error: 'process' has been renamed to 'processQueue()'
    await queue.stop()  // error: 'stop' has been renamed to 'close(within:)'
    _ = await queue.count  // error: 'count' has been renamed to 'pendingCount'
    _ = await queue.isEmpty  // error: 'isEmpty' is unavailable: Compare the number of entries: await queue.pendingCount == 0.
    _ = await queue.pendingRequests  // error: 'pendingRequests' has been renamed to 'pending'
    _ = await queue.failed  // error: 'failed' has been renamed to 'deadLetters'
    _ = try await OfflineQueue(client: c)  // error: 'init(client:)' is unavailable: Name a folder or a store: OfflineQueue(directory: folder, sender: client).
    _ = try await OfflineQueue(folder: url, sender: c)  // error: 'init(folder:sender:)' has been renamed to 'init(directory:sender:seal:configuration:)'
    _ = try await OfflineQueue(directory: url, client: c)  // error: 'init(directory:client:)' has been renamed to 'init(directory:sender:seal:configuration:)'
    _ = try await OfflineQueue(store: InMemoryOfflineStore(), client: c)  // error: 'init(store:client:)' has been renamed to 'init(store:sender:monitor:configuration:)'
    _ = QueuedRequest(method: .post, path: "/x")  // error: 'init(method:path:body:)' is unavailable: Pass an endpoint: QueuedRequest(.post(path, json: value), lane: "orders").
    _ = try await repo.find("1")  // error: 'find' has been renamed to 'get(id:)'
    _ = try await repo.all()  // error: 'all' has been renamed to 'list()'
    try await repo.create(Person(id: 1))  // error: 'create' has been renamed to 'save(_:)'
    try await repo.update(Person(id: 1))  // error: 'update' has been renamed to 'save(_:)'
    try await values.delete(key: "k")  // error: 'delete(key:)' has been renamed to 'remove(key:)'
}

func mocks(_ mock: MockTransport, _ user: Person, _ url: URL) async throws {
    _ = MockResponse.json(["a": 1]).delay(.seconds(1))  // error: 'delay' has been renamed to 'delayed(by:)'
    mock.stub("/x", .json(user))  // error: 'stub' is unavailable: Name the method, or nil for each of them: stub(.get, path, response).
    mock.get("/x", .json(user))  // error: 'get' has been renamed to 'stub(_:_:_:)'
    mock.stub(.get, "/x", .error(URLError(.timedOut)))  // error: 'error' has been renamed to 'failure(_:)'
    mock.stub(.get, "/x", .fail(URLError(.timedOut)))  // error: 'fail' has been renamed to 'failure(_:)'
    mock.stub(.get, "/x", .json(user, statusCode: 201))  // error: 'json(_:statusCode:)' has been renamed to 'json(_:status:)'
    mock.stub(.get, "/x", .ok)  // error: 'ok' is unavailable: Write .status(.ok), or .status(200).
    mock.stub(.get, "/x", .notFound)  // error: 'notFound' is unavailable: Write .status(.notFound), or .status(404).
    mock.stub(.get, "/x", .json(user, headers: ["a": "b"]))  // error: 'json(_:headers:)' is unavailable: Add the fields to the response: .json(value).header(name, value).
    mock.stub(.get, "/x", .file(url))  // error: 'file' is unavailable: Read the file: .data(try Data(contentsOf: file), contentType: type).
    mock.stub(.get, "/x", .timeout)  // error: 'timeout' is unavailable: Write .failure(URLError(.timedOut)), or .stalled for no response.
    mock.stub(.any, "/users/*", .json(user))  // error: 'any' is unavailable: Pass nil for each method.
    mock.reset()  // error: 'reset' is unavailable: Create a transport for each test, or call removeAllRequests().
    _ = mock.lastRequest  // error: 'lastRequest' has been renamed to 'requests.last'
    _ = mock.recordedRequests  // error: 'recordedRequests' has been renamed to 'requests'
    _ = mock.callCount  // error: 'callCount' has been renamed to 'requests.count'
    _ = try mock.requests.first?.decode(Person.self)  // error: 'decode' has been renamed to 'json(_:)'
}

// Names that are not wrong.
func stillRight(_ mock: MockTransport) {
    _ = mock.requests.first?.path
}

func databases(_ db: Postgres) async throws {
    _ = try await db.queue("orders")  // error: 'queue' is unavailable: Pass the store to a queue: OfflineQueue(store: database.outbox(name), sender: client).
    _ = db.tokenVault("x")  // error: 'tokenVault' has been renamed to 'token(_:seal:)'
    _ = db.vault("x")  // error: 'vault' has been renamed to 'token(_:seal:)'
    await db.shutdown()  // error: 'shutdown()' has been renamed to 'close(within:)'
    _ = db.rateLimit("x", limit: 3, per: .seconds(1))  // error: 'rateLimit(_:limit:per:)' is unavailable: Share a limit: RateLimitInterceptor(permits: 10, per: .seconds(1), shared: database.rate(name)).
}
