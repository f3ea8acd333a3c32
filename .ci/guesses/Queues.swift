// Names that newcomers guess: queues. Each line with a comment has to be refused with that text; every other line
// compiles. `guesses.py` compares.

import Foundation
import FoundationNetworking
import NetKit
import NetKitPostgres
import NetKitTesting

private struct Person: Codable, Sendable, Identifiable, Equatable { var id: Int }
private struct PersonPage: Codable, Sendable { var items: [Person]; var next: String? }

// Queue.
private func queues1(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = try await OfflineQueue(url: file, sender: c)  // error: 'init(url:sender:)' has been renamed to 'init(directory:sender:seal:configuration:)'
    _ = try await OfflineQueue(path: file, sender: c)  // error: 'init(path:sender:)' has been renamed to 'init(directory:sender:seal:configuration:)'
    _ = try await OfflineQueue(file: file, sender: c)  // error: 'init(file:sender:)' is unavailable: Name a folder: OfflineQueue(directory: folder, sender: client).
    _ = try await OfflineQueue(directory: "/tmp/q", sender: c)  // error: 'init(directory:sender:)' is unavailable: Pass a URL: OfflineQueue(directory: URL(fileURLWithPath: path), sender: client).
    _ = try await OfflineQueue(store: .memory, sender: c)  // error: 'memory' is unavailable: Create the store: InMemoryOfflineStore().
    _ = try await OfflineQueue(store: .inMemory, sender: c)  // error: 'inMemory' is unavailable: Create the store: InMemoryOfflineStore().
    _ = try await OfflineQueue(store: JSONOfflineStore(file), sender: c)  // error: 'init(_:)' has been renamed to 'init(directory:seal:)'
    _ = try await OfflineQueue(sender: c)  // error: 'init(sender:)' is unavailable: Name a folder or a store: OfflineQueue(directory: folder, sender: client).
    _ = try await OfflineQueue(c, directory: file)  // error: 'init(_:directory:)' is unavailable: Name the folder first: OfflineQueue(directory: folder, sender: client).
    try await queue.enqueue(.post("/x", json: user))  // error: 'enqueue' is unavailable: Pass a QueuedRequest: enqueue(QueuedRequest(.post("/orders", json: order), lane: "orders")).
    try await queue.enqueue(.post("/x", json: user), lane: "orders")  // error: 'enqueue(_:lane:)' is unavailable: Pass a QueuedRequest: enqueue(QueuedRequest(.post("/orders", json: order), lane: "orders")).
    _ = QueuedRequest(.post("/x", json: user), queue: "orders")  // error: 'init(_:queue:)' is unavailable: Name a lane: QueuedRequest(.post(path, json: value), lane: "orders").
    _ = QueuedRequest(.post("/x", json: user), key: "k")  // error: 'init(_:key:)' is unavailable: Write coalescingKey: for entries that replace each other, and idempotencyKey: for the key that the server sees.
    _ = QueuedRequest(.post("/x", json: user), expiresIn: .seconds(3))  // error: 'init(_:expiresIn:)' is unavailable: Name the date: QueuedRequest(.post(path, json: value), expiresAt: Date(timeIntervalSinceNow: 3600)).
    _ = QueuedRequest(.post("/x", json: user), expiresAfter: .seconds(3))  // error: 'init(_:expiresAfter:)' is unavailable: Name the date: QueuedRequest(.post(path, json: value), expiresAt: Date(timeIntervalSinceNow: 3600)).
    _ = QueuedRequest(.post("/x", json: user), ttl: .seconds(3))  // error: 'init(_:ttl:)' is unavailable: Name the date: QueuedRequest(.post(path, json: value), expiresAt: Date(timeIntervalSinceNow: 3600)).
    _ = QueuedRequest(.post("/x", json: user), maxRetries: 3)  // error: 'init(_:maxRetries:)' is unavailable: Write maxAttempts:, which counts the first attempt as well.
    _ = QueuedRequest(.post("/x", json: user), idempotencyKey: .automatic)  // error: 'init(_:idempotencyKey:)' is unavailable: Every entry has a key; pass a text for one of your own: idempotencyKey: key.
    _ = QueuedRequest(.post("/x", json: user), coalesce: "k")  // error: 'init(_:coalesce:)' is unavailable: Write coalescingKey: for entries that replace each other, and idempotencyKey: for the key that the server sees.
    await queue.pause()  // error: 'pause()' is unavailable: Name a lane, such as pause(lane: "orders"); lanes fail and wait independently.
    await queue.resume()  // error: 'resume()' is unavailable: Name a lane, such as pause(lane: "orders"); lanes fail and wait independently.
    await queue.pause("orders")  // error: 'pause' has been renamed to 'pause(lane:)'
    await queue.pauseAll()  // error: 'pauseAll' is unavailable: Name a lane, such as pause(lane: "orders"); lanes fail and wait independently.
    _ = await queue.size  // error: 'size' has been renamed to 'pendingCount'
    _ = await queue.length  // error: 'length' has been renamed to 'pendingCount'
    _ = await queue.all  // error: 'all' has been renamed to 'entries'
    _ = await queue.items  // error: 'items' has been renamed to 'entries'
    _ = await queue.requests  // error: 'requests' has been renamed to 'pending'
    _ = await queue.deadLetter  // error: 'deadLetter' has been renamed to 'deadLetters'
    _ = await queue.failedRequests  // error: 'failedRequests' has been renamed to 'deadLetters'
    _ = await queue.conflicts  // error: 'conflicts' has been renamed to 'unresolvedConflicts'
    try await queue.retryAll()  // error: 'retryAll' is unavailable: Name the entries: retry(where: OfflineFilter(states: [.deadLetter])).
    try await queue.retryDeadLetters()  // error: 'retryDeadLetters' is unavailable: Name the entries: retry(where: OfflineFilter(states: [.deadLetter])).
    try await queue.requeue(UUID())  // error: 'requeue' has been renamed to 'retry(_:)'
    try await queue.removeAll()  // error: 'removeAll' has been renamed to 'clear()'
    try await queue.cancel(UUID())  // error: 'cancel' has been renamed to 'remove(_:)'
    try await queue.delete(UUID())  // error: 'delete' has been renamed to 'remove(_:)'
    await queue.waitUntilEmpty()  // error: 'waitUntilEmpty' is unavailable: Await processQueue(), which returns when every entry that is due was tried.
    await queue.waitUntilIdle()  // error: 'waitUntilIdle' is unavailable: Await processQueue(), which returns when every entry that is due was tried.
    do { var f = OfflineQueue.Configuration(); f.maxRetries = 3 }  // error: 'maxRetries' is unavailable: Set maxAttempts, which counts the first attempt as well.
    do { var f = OfflineQueue.Configuration(); f.retryPolicy = .standard }  // error: 'retryPolicy' has been renamed to 'policy'
    do { var f = OfflineQueue.Configuration(); f.retry = .standard }  // error: 'retry' has been renamed to 'policy'
    do { var f = OfflineQueue.Configuration(); f.maxSize = 3 }  // error: 'maxSize' has been renamed to 'maxEntries'
    do { var f = OfflineQueue.Configuration(); f.maxCount = 3 }  // error: 'maxCount' has been renamed to 'maxEntries'
    do { var f = OfflineQueue.Configuration(); f.concurrency = 3 }  // error: 'concurrency' has been renamed to 'parallelLanes'
    do { var f = OfflineQueue.Configuration(); f.maxConcurrentLanes = 3 }  // error: 'maxConcurrentLanes' has been renamed to 'parallelLanes'
    do { var f = OfflineQueue.Configuration(); f.conflictStrategy = .lastWriteWins }  // error: 'lastWriteWins' has been renamed to 'newerWins'
    do { var f = OfflineQueue.Configuration(); f.overflow = .dropNewest }  // error: 'dropNewest' is unavailable: Write .refuse: enqueue throws .queueFull.
    do { var f = OfflineQueue.Configuration(); f.overflow = .reject }  // error: 'reject' has been renamed to 'refuse'
    _ = OfflineInterceptor(queue: queue)  // error: 'init(queue:)' is unavailable: Write OfflineInterceptor(queue).
    _ = Deferrable(queue: "a")  // error: 'init(queue:)' is unavailable: Name a lane: Deferrable(lane: "orders").
}

// Monitor.
private func queues2(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    _ = ConnectivityInterceptor(monitor: monitor)  // error: 'init(monitor:policy:)' is unavailable: Write ConnectivityInterceptor(monitor, .failFast), or .wait(upTo: .seconds(30)).
    _ = ConnectivityInterceptor(monitor, .wait(.seconds(3)))  // error: 'wait' has been renamed to 'wait(upTo:)'
    _ = ConnectivityInterceptor(monitor, policy: .failFast)  // error: 'init(_:policy:)' is unavailable: Write ConnectivityInterceptor(monitor, .failFast), or .wait(upTo: .seconds(30)).
    _ = await monitor.isOnline  // error: 'isOnline' has been renamed to 'isConnected'
    _ = await monitor.isReachable  // error: 'isReachable' has been renamed to 'isConnected'
    for await s in monitor.changes { print(s) }  // error: 'changes' has been renamed to 'updates'
    monitor.setConnected(false)  // error: 'setConnected' has been renamed to 'set(isConnected:connectionType:)'
}

// Streaming, uploads, multipart, downloads.
private func queues3(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    try await c.upload(data, to: "/x")  // error: 'upload(_:to:method:headers:options:progress:)' is unavailable: Pass bytes as .data(bytes), a text as .text(text), and a value as .json(value): upload(.data(bytes), to: path).
    try await c.upload("a", to: "/x")  // error: Pass bytes as .data(bytes), a text as .text(text), and a value as .json(value): upload(.data(bytes), to: path).
    try await c.upload(data, to: "/x", timeout: .seconds(3))  // error: 'upload(_:to:method:headers:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    try await c.upload(file, to: "/x", method: .put, timeout: .seconds(3)) { print($0) }  // error: 'upload(_:to:method:headers:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    try await c.upload(.data(data), to: "/x", timeout: .seconds(3))  // error: 'upload(_:to:method:headers:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    try await c.upload(MultipartForm(), to: "/x", timeout: .seconds(3))  // error: 'upload(_:to:method:headers:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    do { let u: Person = try await c.upload(file, to: "/x", timeout: .seconds(3)) }  // error: 'upload(_:to:as:method:headers:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    try await c.upload(data, to: url)  // error: 'upload(_:to:)' is unavailable: Write the URL as a whole path: upload(file, to: "\(raw: url.absoluteString)").
    try await c.upload(data, to: "/x", contentType: "a/b")  // error: 'upload(_:to:contentType:)' is unavailable: Pass a body: upload(.file(at: file, contentType: type), to: path), or .data(bytes, contentType: type).
    try await c.upload(file: file, to: "/x")  // error: 'upload(file:to:)' has been renamed to 'upload(_:to:method:headers:options:progress:)'
    try await c.upload("/x", file: file)  // error: 'upload(_:file:)' is unavailable: Name the file first: upload(file, to: path).
    try await c.upload(file, to: url)  // error: 'upload(_:to:)' is unavailable: Write the URL as a whole path: upload(file, to: "\(raw: url.absoluteString)").
    try await c.upload(file, to: "/x", contentType: "image/png")  // error: 'upload(_:to:contentType:)' is unavailable: Pass a body: upload(.file(at: file, contentType: type), to: path), or .data(bytes, contentType: type).
    try await c.upload(file, to: "/x") { print($0.fraction) }  // error: 'fraction' has been renamed to 'fractionCompleted'
    try await c.upload(multipart: MultipartForm(), to: "/x")  // error: 'upload(multipart:to:)' has been renamed to 'upload(_:to:method:headers:options:progress:)'
    try await c.download("/x")  // error: 'download' is unavailable: Name the file: download(path, to: file). For the bytes, use get(path) and response.data().
    try await c.download(from: "/x", to: file)  // error: 'download(from:to:)' has been renamed to 'download(_:to:headers:upTo:rules:options:progress:)'
    try await c.download("/x", destination: file)  // error: 'download(_:destination:)' has been renamed to 'download(_:to:headers:upTo:rules:options:progress:)'
    try await c.download("/x", to: file, resumable: true)  // error: 'download(_:to:resumable:)' is unavailable: Pass it with the rules: download(path, to: file, rules: DownloadRules(isResumable: true)).
    try await c.download("/x", to: file, timeout: .seconds(3))  // error: 'download(_:to:headers:rules:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    try await c.download("/x", to: file, headers: ["a": "b"], timeout: .seconds(3)) { print($0) }  // error: 'download(_:to:headers:rules:timeout:progress:)' is unavailable: Pass the limit with the options: options: CallOptions(timeout: .seconds(60)).
    try await c.download("/x", to: file, overwrite: true)  // error: 'download(_:to:overwrite:)' is unavailable: Pass it with the rules: download(path, to: file, rules: DownloadRules(existingFile: .replace)).
    try await c.download("/x", to: file, sha256: "x")  // error: 'download(_:to:sha256:)' is unavailable: Pass it with the rules: download(path, to: file, rules: DownloadRules(expectedSHA256: digest)).
    try await c.download("/x", to: file, rules: .resumable)  // error: 'resumable' is unavailable: Write DownloadRules(isResumable: true).
    try await c.download("/x", to: file, rules: DownloadRules(resume: true))  // error: 'init(resume:)' has been renamed to 'init(existingFile:isResumable:expectedSize:expectedSHA256:retry:)'
    try await c.download("/x", to: file, rules: DownloadRules(resumable: true))  // error: 'init(resumable:)' has been renamed to 'init(existingFile:isResumable:expectedSize:expectedSHA256:retry:)'
    try await c.download("/x", to: file, rules: DownloadRules(overwrite: true))  // error: 'init(overwrite:)' is unavailable: Write DownloadRules(existingFile: .replace).
    try await c.download("/x", to: file, rules: DownloadRules(existingFile: .overwrite))  // error: 'overwrite' has been renamed to 'replace'
    try await c.download("/x", to: file, rules: DownloadRules(sha256: "x"))  // error: 'init(sha256:)' has been renamed to 'init(existingFile:isResumable:expectedSize:expectedSHA256:retry:)'
    print(try await c.download("/x", to: file).path)  // error: 'path' has been renamed to 'url.path'
    print(try await c.download("/x", to: file).size)  // error: 'size' has been renamed to 'byteCount'
    print(try await c.download("/x", to: file).fileURL)  // error: 'fileURL' has been renamed to 'url'
    _ = HTTPBody.file(file)  // error: 'file' has been renamed to 'file(at:offset:length:contentType:)'
    _ = HTTPBody.file(url: file)  // error: 'file(url:)' has been renamed to 'file(at:offset:length:contentType:)'
    _ = HTTPBody(data)  // error: 'init(_:)' is unavailable: Write .data(bytes).
    _ = HTTPBody("x")  // error: 'init(_:)' is unavailable: Write .text(text).
    _ = HTTPBody(json: user)  // error: 'init(json:)' is unavailable: Write .json(value).
    do { var m = MultipartForm(); m.field(name: "a", value: "b") }  // error: 'field(name:value:)' has been renamed to 'field(_:_:)'
    do { var m = MultipartForm(); m.addField("a", "b") }  // error: 'addField' has been renamed to 'field(_:_:)'
    do { var m = MultipartForm(); m.addFile("a", at: file) }  // error: 'addFile' has been renamed to 'file(_:at:fileName:contentType:headers:)'
    do { var m = MultipartForm(); m.file("a", file) }  // error: 'file' has been renamed to 'file(_:at:fileName:contentType:headers:)'
    do { var m = MultipartForm(); m.file("a", data: data) }  // error: 'file(_:data:)' has been renamed to 'data(_:_:fileName:contentType:headers:)'
    do { var m = MultipartForm(); m.file("a", at: file, mimeType: "a/b") }  // error: 'file(_:at:fileName:mimeType:)' has been renamed to 'file(_:at:fileName:contentType:headers:)'
    do { var m = MultipartForm(); m.data("a", data, mimeType: "a/b") }  // error: 'data(_:_:fileName:mimeType:)' has been renamed to 'data(_:_:fileName:contentType:headers:)'
    do { var m = MultipartForm(); m.data("a", data, fileName: "b", mimeType: "a/b") }  // error: 'data(_:_:fileName:mimeType:)' has been renamed to 'data(_:_:fileName:contentType:headers:)'
    do { var m = MultipartForm(); m.part("a", data) }  // error: 'part' is unavailable: Use field(_:_:) for a text, data(_:_:) for bytes, and file(_:at:) for a file.
    do { var m = MultipartForm(); m.text("a", "b") }  // error: 'text' has been renamed to 'field(_:_:)'
    _ = MultipartForm(["a": "b"])  // error: 'init(_:)' is unavailable: Add each field: MultipartForm { form in form.field(name, value) }.
}

// Pagination.
private func queues4(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    for try await p in c.pages("/x") { print(p) }  // error: 'pages' is unavailable: Pass an endpoint with its type, and the name of the query item: pages(Endpoint<UserPage>.get("/users"), next: \.cursor, query: "cursor").
    for try await p in c.pages("/x", next: { $0.next }) { print(p) }  // error: 'pages(_:query:next:)' is unavailable: Pass an endpoint with its type, and the name of the query item: pages(Endpoint<UserPage>.get("/users"), next: \.cursor, query: "cursor").
    for try await p in c.pages(Endpoint<PersonPage>.get("/x"), next: \.next) { print(p) }  // error: 'pages(_:next:)' is unavailable: Name the query item of the cursor: pages(endpoint, next: \.cursor, query: "cursor").
    for try await p in c.linkedPages("/x") { print(p) }  // error: 'linkedPages' is unavailable: Pass an endpoint with its type: linkedPages(Endpoint<[User]>.get("/users")).
    for try await p in c.paginate("/x") { print(p) }  // error: 'paginate' is unavailable: Use pages(_:next:query:) with an Endpoint, or linkedPages(_:).
}

// Sse.
private func queues5(_ c: HTTPClient, _ url: URL, _ file: URL, _ id: String, _ n: Int, _ user: Person, _ mock: MockTransport, _ server: MockServer, _ queue: OfflineQueue, _ tokens: TokenStore, _ vault: FileTokenVault, _ db: Postgres, _ monitor: ManualNetworkMonitor, _ collector: MetricsCollector, _ recorder: HARRecorder, _ error: NetKitError, _ response: HTTPResponse, _ request: HTTPRequest, _ urlRequest: URLRequest, _ data: Data, _ store: DiskCacheStore, _ values: CacheService, _ breaker: CircuitBreakerInterceptor, _ clock: TestClock, _ event: ServerSentEvent, _ repo: RemoteRepository<Person>, _ cache: CacheInterceptor, _ problem: APIProblem, _ value: JSONValue, _ recorded: RecordedRequest) async throws {
    for try await e in c.serverSentEvents("/x") { print(e) }  // error: 'serverSentEvents' is unavailable: Pass an endpoint: eventStream(.get("/events")).
    for try await e in c.eventSource("/x") { print(e) }  // error: 'eventSource' is unavailable: Pass an endpoint: eventStream(.get("/events")).
    for try await e in c.eventStream(.get("/x"), headers: [:]) { print(e) }  // error: 'eventStream(_:headers:)' is unavailable: Pass the fields with the endpoint: eventStream(.get("/events", headers: fields)).
    for try await e in c.eventStream(url) { print(e) }  // error: 'eventStream' is unavailable: Pass an endpoint: eventStream(.get("\(raw: url.absoluteString)")).
    _ = try event.json(Person.self)  // error: 'json' has been renamed to 'decode(as:coder:)'
    _ = try event.json()  // error: 'json()' is unavailable: Name the type: event.decode(as: User.self).
    _ = try event.json(as: Person.self)  // error: 'json(as:)' has been renamed to 'decode(as:coder:)'
    _ = try event.decode(Person.self)  // error: 'decode' has been renamed to 'decode(as:coder:)'
    for try await row in c.stream("/x", of: Person.self) { print(row) }  // error: 'stream(_:of:)' is unavailable: Pass an endpoint: stream(.get("/rows"), of: Row.self).
    for try await row in c.stream(.get("/x"), as: Person.self) { print(row) }  // error: 'stream(_:as:)' has been renamed to 'stream(_:of:maxLineBytes:options:)'
    for try await row in c.jsonLines("/x", of: Person.self) { print(row) }  // error: 'jsonLines(_:of:)' is unavailable: Pass an endpoint: stream(.get("/rows"), of: Row.self).
}
