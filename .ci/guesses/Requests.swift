// Names that newcomers guess: requests. Each line with a comment has to be refused with that text; every other line
// compiles. `guesses.py` compares.

import Foundation
import FoundationNetworking
import NetKit
import NetKitPostgres
import NetKitTesting

private struct Person: Codable, Sendable, Identifiable, Equatable { var id: Int }
private struct PersonPage: Codable, Sendable { var items: [Person]; var next: String? }

// Known.
private func requests1(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    mock.stub(.get, "/x") { request in .json(user) }  // error: 'stub' is unavailable: Compute the response: stub(.get, path, .respond { request, context in .json(value) }).
    mock.stub(.get, "/x") { request in HTTPResponse(status: .ok) }  // error: 'stub' is unavailable: Compute the response: stub(.get, path, .respond { request, context in .json(value) }).
    mock.stub("/x") { request in .json(user) }  // error: 'stub' is unavailable: Compute the response: stub(.get, path, .respond { request, context in .json(value) }).
    _ = MockTransport([.json(user)])  // error: 'init(_:)' is unavailable: Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, "/users/42", .json(user)).
    _ = MockTransport(["/x": .json(user)])  // error: 'init(_:)' is unavailable: Create the transport, and add stubs: let transport = MockTransport(); transport.stub(.get, "/users/42", .json(user)).
    for try await p in c.pages("/x", next: \PersonPage.next) { print(p) }  // error: 'pages(_:next:query:)' is unavailable: Pass an endpoint with its type, and the name of the query item: pages(Endpoint<UserPage>.get("/users"), next: \.cursor, query: "cursor").
    try await c.download("/x", to: file, resume: true)  // error: 'download(_:to:resume:)' is unavailable: Pass it with the rules: download(path, to: file, rules: DownloadRules(isResumable: true)).
    try await c.upload(file, to: "/x", timeout: .seconds(3))  // error: 'upload(_:to:method:headers:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    _ = AuthInterceptor.basic(username: "a", password: "b")  // error: 'basic(username:password:)' has been renamed to 'basic(user:password:identity:origins:)'
    _ = ConcurrencyLimitInterceptor(max: 4)  // error: 'init(max:)' is unavailable: Write maxPerHost: for each host, or maxTotal: for all: ConcurrencyLimitInterceptor(maxPerHost: 4).
    _ = RetryInterceptor(attempts: 3)  // error: 'init(attempts:)' is unavailable: Pass a policy: RetryInterceptor(RetryPolicy(maxAttempts: 3)).
}

// Requests, responses.
private func requests2(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = HTTPRequest(path: "/x")  // error: 'init(path:method:)' is unavailable: Name the method first: HTTPRequest(.get, "/users"), or HTTPRequest(.get, url).
    _ = HTTPRequest(method: .get, path: "/x")  // error: 'init(method:path:headers:body:)' is unavailable: Name the method first: HTTPRequest(.get, "/users"), or HTTPRequest(.get, url).
    _ = HTTPRequest(method: .get, url: url)  // error: 'init(method:url:headers:body:)' is unavailable: Name the method first: HTTPRequest(.get, "/users"), or HTTPRequest(.get, url).
    _ = HTTPRequest(url)  // error: 'init(_:)' is unavailable: Name the method first: HTTPRequest(.get, "/users"), or HTTPRequest(.get, url).
    _ = HTTPRequest(.get, "/x", json: user)  // error: 'init(_:_:headers:json:)' is unavailable: Pass the value as the body: HTTPRequest(.post, path, body: .json(value)).
    _ = HTTPRequest(.get, "/x", params: ["a": 1])  // error: 'init(_:_:params:)' has been renamed to 'init(_:_:query:headers:body:)'
    _ = HTTPRequest.get("/x")  // error: 'get' is unavailable: Write HTTPRequest(.get, path).
    _ = HTTPRequest(.get, url, query: ["a": 1])  // error: 'init(_:_:query:headers:body:)' is unavailable: Put the items into the URL, or write the rest as a path: HTTPRequest(.get, "/users", query: items).
    _ = HTTPRequest(.get, url: url)  // error: 'init(_:url:)' is unavailable: Name the method first: HTTPRequest(.get, "/users"), or HTTPRequest(.get, url).
    do { var r = request; r.body = .json(user, encoder: JSONEncoder()) }  // error: 'json(_:encoder:)' is unavailable: Pass a coder: .json(value, coder: .snakeCase), or .standard.with(encoder:).
    do { var r = request; r.body = .file(file) }  // error: 'file' has been renamed to 'file(at:offset:length:contentType:)'
    do { var r = request; r.path = "/y" }  // error: 'path' is unavailable: Pass the path when you create the request: HTTPRequest(.get, path); its whole target is url.
    do { var r = request; r.queryItems = [] }  // error: 'queryItems' is unavailable: Pass the query when you create the request: HTTPRequest(.get, path, query:).
    do { var r = request; r.header("a", "b") }  // error: 'header' is unavailable: Set the field of a name: request.headers[name] = value.
    do { var r = request; r.headers.append(name: "a", value: "b") }  // error: 'append(name:value:)' is unavailable: Add another field: headers.add(name, value).
    do { var r = request; r.headers.bearerAuthorization = "x" }  // error: 'bearerAuthorization' is unavailable: Add AuthInterceptor.bearer(token) to the client, or set headers["Authorization"].
    do { var r = request; r.headers.contentType = "x" }  // error: 'contentType' is unavailable: Read or set headers["Content-Type"]; a body sets it for itself.
    do { var r = request; r.headers[.authorization] = "x" }  // error: 'subscript(_:)' is unavailable: Write the name as a text: headers["Content-Type"].
    _ = response.headers[.contentType]  // error: 'subscript(_:)' is unavailable: Write the name as a text: headers["Content-Type"].
    do { var r = request; r.headers.removeValue(forKey: "a") }  // error: 'removeValue(forKey:)' is unavailable: Remove the fields of a name: headers.remove(name), or headers[name] = nil.
    do { var r = request; r.headers.remove(name: "a") }  // error: 'remove(name:)' is unavailable: Remove the fields of a name: headers.remove(name), or headers[name] = nil.
    _ = request.headers.dictionary  // error: 'dictionary' is unavailable: Read the field of a name, headers[name], or all of them: headers.fields.
    _ = request.headers.contains(name: "a")  // error: 'contains(name:)' has been renamed to 'contains(_:)'
    _ = request.headers.get("a")  // error: 'get' is unavailable: Read the field of a name: headers[name].
    _ = request.headers.map { $0.key }  // error: 'key' has been renamed to 'name'
    _ = try await response.json(as: Person.self)  // error: 'json(as:)' has been renamed to 'json(_:upTo:)'
    _ = try await response.json(decoder: JSONDecoder()) as Person  // error: 'json(decoder:)' is unavailable: Pass a coder to the body: response.body.json(User.self, upTo: limit, coder: .snakeCase), or set configuration.json.
    _ = try await response.body.collect()  // error: 'collect()' is unavailable: Name a bound: collect(upTo: 1 << 20), or use response.data() with the default bound.
    _ = try await response.body.text()  // error: 'text()' is unavailable: Name a bound: text(upTo: 1 << 20), or use response.text() with the default bound.
    _ = try await response.body.json(Person.self)  // error: 'json' is unavailable: Name a bound: json(User.self, upTo: 1 << 20), or use response.json() with the default bound.
    _ = response.content  // error: 'content' has been renamed to 'data(upTo:)'
    _ = response.statusText  // error: 'statusText' has been renamed to 'status.reasonPhrase'
    _ = response.reasonPhrase  // error: 'reasonPhrase' has been renamed to 'status.reasonPhrase'
    _ = response.elapsed  // error: 'elapsed' has been renamed to 'timings.total'
    _ = response.cookies  // error: 'cookies' is unavailable: Read the fields: response.headers.values(of: "Set-Cookie").
    _ = response.isSuccess  // error: 'isSuccess' has been renamed to 'status.isSuccess'
    _ = response.status.isOK  // error: 'isOK' has been renamed to 'isSuccess'
    _ = response.body.isEmpty  // error: 'isEmpty' is unavailable: The length is known only if the server names it: body.length == 0.
    _ = response.body.count  // error: 'count' has been renamed to 'length'
    try response.raiseForStatus()  // error: 'raiseForStatus' is unavailable: A verb such as get throws for a status outside 200…299. After send(request), check response.status.isSuccess.
    try response.validate()  // error: 'validate' is unavailable: A verb such as get throws for a status outside 200…299. After send(request), check response.status.isSuccess.
    try await response.body.write(to: file)  // error: 'write' has been renamed to 'save(to:upTo:)'
    for try await chunk in response.chunks { print(chunk) }  // error: 'chunks' has been renamed to 'body'
    for try await chunk in response.stream { print(chunk) }  // error: 'stream' has been renamed to 'body'
    _ = response.history.first?.url  // error: 'url' has been renamed to 'to'
    _ = response.timings.duration  // error: 'duration' has been renamed to 'total'
}

// Calls.
private func requests3(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    do { let u: Person = try await c.get("/x", queryItems: [URLQueryItem(name: "a", value: "b")]) }  // error: 'get(_:queryItems:)' is unavailable: Pass the items of the query with query:; for URLQueryItems write QueryBuilder(items).
    do { let u: Person = try await c.get("/x", decoder: JSONDecoder()) }  // error: 'get(_:decoder:)' is unavailable: Set configuration.json of the client, or the coder of an Endpoint: Endpoint(path: path, json: .snakeCase).
    do { let u = try await c.get("/x", Person.self) }  // error: 'get' is unavailable: Name the type with as:, such as get("/users/1", as: User.self).
    do { let u = try await c.get("/x", of: Person.self) }  // error: 'get(_:of:)' is unavailable: Name the type with as:, such as get("/users/1", as: User.self).
    do { let u: Person = try await c.get("/x", cachePolicy: .reload) }  // error: 'get(_:cachePolicy:)' is unavailable: Pass the policy with the options: options: CallOptions(cachePolicy: .reload).
    do { let u: Person = try await c.get("/x", cache: .reload) }  // error: 'get(_:cache:)' is unavailable: Pass the policy with the options: options: CallOptions(cachePolicy: .reload).
    _ = try await c.send(urlRequest)  // error: 'send' is unavailable: Use data(for:) with a URLRequest, or send(try HTTPRequest(request)).
    _ = try await c.send(url)  // error: 'send' is unavailable: Pass a whole URL with its method: send(HTTPRequest(.get, url)).
    _ = try await c.data(for: request)  // error: 'data(for:)' is unavailable: Use send(request), and response.data().
    _ = try await c.send(request, deadline: .now)  // error: 'send(_:deadline:)' is unavailable: Pass a limit, send(request, timeout: .seconds(10)), or call it in withDeadline(.seconds(10)) { … }.
    _ = try await c.send(request, as: Person.self)  // error: 'send(_:as:)' is unavailable: Send an Endpoint, which checks the status: send(.get(path)). Or read the response: try await send(request).json().
    _ = try await c.send(request).json(as: Person.self)  // error: 'json(as:)' has been renamed to 'json(_:upTo:)'
    _ = try await c.stream(request)  // error: 'stream' is unavailable: Use send(request), and read response.body as it arrives.
    _ = try await c.stream("/x")  // error: 'stream' is unavailable: Use send(HTTPRequest(.get, path)), and read response.body as it arrives.
    _ = try await c.stream(.get("/x"))  // error: 'stream' is unavailable: Use send(request), and read response.body as it arrives.
    _ = try await c.sendAll([request])  // error: 'sendAll' is unavailable: Pass endpoints: sendAll([Endpoint<User>.get("/users/1")]).
    c.cancel()  // error: 'cancel()' has been renamed to 'cancelAll()'
    c.cancelAllRequests()  // error: 'cancelAllRequests' has been renamed to 'cancelAll()'
    c.cancel(request)  // error: 'cancel' is unavailable: Cancel the task that awaits the call, or name the call: CallOptions(id: id), and cancel(id).
    await c.shutdown(timeout: .seconds(3))  // error: 'shutdown(timeout:)' has been renamed to 'shutdown(within:)'
    await c.shutdown(.seconds(3))  // error: 'shutdown' has been renamed to 'shutdown(within:)'
    try await c.warmUp()  // error: 'warmUp' has been renamed to 'connect(to:count:timeout:)'
    _ = CallOptions(idempotencyKey: "abc")  // error: 'init(idempotencyKey:)' is unavailable: Write .automatic, or .value(key): CallOptions(idempotencyKey: .value(key)).
    _ = CallOptions(principal: "ada")  // error: 'init(principal:)' is unavailable: Write CallOptions(principal: Principal(identity)).
    _ = CallOptions(user: "ada")  // error: 'init(user:)' is unavailable: Write CallOptions(principal: Principal(identity)).
    _ = CallOptions(deadline: .now)  // error: 'init(deadline:)' is unavailable: Pass a limit, CallOptions(timeout: .seconds(10)), or call in withDeadline(.seconds(10)) { … }.
    _ = CallOptions(requiresAuth: false)  // error: 'init(requiresAuth:)' is unavailable: Set it on the request or the endpoint: request.requiresAuth = false.
    _ = CallOptions(retry: 3)  // error: 'init(retry:)' is unavailable: Pass a policy: CallOptions(retry: RetryPolicy(maxRetries: 3)).
    _ = CallOptions(stream: true)  // error: 'init(stream:)' is unavailable: Write CallOptions(delivery: .streamed).
    _ = CallOptions(delivery: .streaming)  // error: 'streaming' has been renamed to 'streamed'
    _ = IdempotencyKey("abc")  // error: 'init(_:)' is unavailable: Write .value(key).
    _ = IdempotencyKey()  // error: 'init()' is unavailable: Write .automatic.
    _ = Endpoint<Person>.post("/x", body: data)  // error: 'post(_:query:headers:body:)' is unavailable: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
}
