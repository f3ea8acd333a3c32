// Names that users of other clients type first. Each line with a comment has to be refused with that text; every other
// line compiles. `guesses.py` compares.

import Foundation
import NetKit
import NetKitTesting

struct User: Codable, Sendable { var id: Int }
struct Opaque: Sendable { var id: Int }

func client(_ c: HTTPClient) async throws {
    let a: User = try await c.request("/users/1")  // error: 'request' is unavailable: Use get(_:as:), post(_:json:as:), or send(_:) with an Endpoint or an HTTPRequest.
    let a2 = try await c.request("/users/1").validate().serializingDecodable(User.self).value  // error: 'request' is unavailable: Use get(_:as:), post(_:json:as:), or send(_:) with an Endpoint or an HTTPRequest.
    c.request("/users/1").responseDecodable(of: User.self) { response in print(response) }  // error: 'request' is unavailable: Use get(_:as:), post(_:json:as:), or send(_:) with an Endpoint or an HTTPRequest.
    let b: User = try await c.fetch("/users/1", as: User.self)  // error: 'fetch' is unavailable: Use get(_:as:), post(_:json:as:), or send(_:) with an Endpoint or an HTTPRequest.
    let d = try await c.execute(HTTPRequest(.get, "/users/1"), timeout: .seconds(3))  // error: 'execute(_:timeout:)' has been renamed to 'send(_:timeout:)'
    let e = try await HTTPClient.shared.send(HTTPRequest(.get, "/"))  // error: 'shared' is unavailable: Create a client once, and pass it on: HTTPClient(baseURL: URL(string: "https://api.example.com")).
    let f = c.dataTask(with: URL(fileURLWithPath: "/")) { _, _, _ in }  // error: 'dataTask(with:completionHandler:)' is unavailable: Use data(for:) with a URLRequest, or send(_:) with an HTTPRequest.
    try await c.downloadTask(with: "/x")  // error: 'downloadTask' has been renamed to 'download(_:to:)'
    try await c.uploadTask(with: "/x")  // error: 'uploadTask' has been renamed to 'upload(_:to:)'
    let (g, h) = try await c.bytes(from: URL(fileURLWithPath: "/x"))  // error: 'bytes(from:)' is unavailable: Use send(_:) with an HTTPRequest, and read response.body as it arrives.
    c.invalidateAndCancel()  // error: 'invalidateAndCancel' has been renamed to 'shutdown(within:)'
    c.finishTasksAndInvalidate()  // error: 'finishTasksAndInvalidate' has been renamed to 'shutdown(within:)'
    try await c.syncShutdown()  // error: 'syncShutdown' has been renamed to 'shutdown(within:)'
    c.newCall(HTTPRequest(.get, "/")).enqueue()  // error: 'newCall' is unavailable: Use send(_:) with an HTTPRequest; to cancel it, cancel the task that awaits it.
    c.addInterceptor(RetryInterceptor())  // error: 'addInterceptor' is unavailable: Pass interceptors when you create the client: HTTPClient(interceptors: .standard + [mine]).
    _ = HTTPClient(baseURL: "https://api.example.com")  // error: 'init(baseURL:)' is unavailable: Pass a URL: HTTPClient(baseURL: URL(string: text)).
    print(a, a2, b, d, e, f, g, h)
}

func settings() {
    var configuration = HTTPClient.Configuration()
    configuration.timeout = .seconds(10)  // error: 'timeout' has been renamed to 'timeouts.total'
    configuration.timeoutIntervalForRequest = 10  // error: 'timeoutIntervalForRequest' has been renamed to 'timeouts.idle'
    configuration.retryPolicy = .standard  // error: 'retryPolicy' is unavailable: Add a RetryInterceptor with the policy to the interceptors of the client.
    configuration.headers = [:]  // error: 'headers' is unavailable: Add a HeadersInterceptor to the interceptors of the client.
    var options = CallOptions()
    options.headers = [:]  // error: 'headers' is unavailable: Header fields belong to the request: HTTPRequest(_:_:headers:) or endpoint.headers.
    options.retryPolicy = .none  // error: 'retryPolicy' has been renamed to 'retry'
    options.timeoutInterval = 3  // error: 'timeoutInterval' has been renamed to 'timeout'
    _ = RetryPolicy(retryLimit: 3)  // error: 'init(retryLimit:)' has been renamed to 'init(maxRetries:)'
    _ = RetryPolicy.exponential  // error: 'exponential' is unavailable: Write RetryPolicy(maxAttempts: 3, backoffStrategy: .exponential()).
    print(configuration, options)
}

func messages(_ response: HTTPResponse) async throws {
    var request = HTTPRequest(.GET, "/")  // error: 'GET' has been renamed to 'get'
    request.httpMethod = "POST"  // error: 'httpMethod' has been renamed to 'method'
    request.httpBody = Data()  // error: 'httpBody' has been renamed to 'body'
    request.setValue("a", forHTTPHeaderField: "b")  // error: 'setValue' is unavailable: Set the field of a name: request.headers[name] = value.
    request.addValue("a", forHTTPHeaderField: "b")  // error: 'addValue' has been replaced by 'headers.add(_:_:)'
    request.timeoutInterval = 3  // error: 'timeoutInterval' is unavailable: Pass the limit to the call: send(request, timeout: .seconds(10)).
    request.headers.replaceOrAdd(name: "a", value: "b")  // error: 'replaceOrAdd(name:value:)' is unavailable: Set the field of a name: headers[name] = value.
    request.headers.add(name: "a", value: "b")  // error: 'add(name:value:)' has been renamed to 'add(_:_:)'
    request.body = .bytes([1])  // error: 'bytes' has been renamed to 'data(_:)'
    request.body = .string("x")  // error: 'string' has been renamed to 'text(_:)'
    if response.statusCode == 200 { print(response.allHeaderFields) }  // error: 'statusCode' has been renamed to 'status.code'
    if response.isSuccessful { print(response.value(forHTTPHeaderField: "a")) }  // error: 'isSuccessful' has been renamed to 'status.isSuccess'
    print(response.headers.first(name: "a") ?? "")  // error: 'first(name:)' is unavailable: Read the field of a name: headers[name].
    print(try await response.body.string())  // error: 'string' has been renamed to 'text(upTo:)'
    let user = try response.decode(User.self)  // error: 'decode' has been renamed to 'json(_:)'
    print(request, user)
}

func errors(_ error: NetKitError) {
    print(error.underlyingError as Any, error.responseCode as Any, error.isTimeout)  // error: 'underlyingError' has been renamed to 'cause'
}

func queues(_ queue: OfflineQueue, _ mock: MockTransport, _ server: MockServer, _ request: QueuedRequest) async throws {
    server.stub(.get, "/x", .text("a"), .status(204))  // error: 'stub' has been renamed to 'on(_:_:_:)'
    try await queue.add(request)  // error: 'add' has been renamed to 'enqueue(_:)'
    try await queue.submit(request)  // error: 'submit' has been renamed to 'enqueue(_:)'
    mock.when(.get, "/x")  // error: 'when' has been renamed to 'stub(_:_:_:)'
    mock.register(.get, "/x")  // error: 'register' has been renamed to 'stub(_:_:_:)'
}

func results(_ c: HTTPClient) async throws {
    let x: Opaque = try await c.send(.get("/u"))  // error: 'get(_:query:headers:)' is unavailable: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let y: Opaque = try await c.send(.post("/u", json: 3))  // error: 'post(_:query:headers:body:json:form:multipart:)' is unavailable: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let z = try await c.send(Endpoint<Opaque>.get("/u"))  // error: 'get(_:query:headers:)' is unavailable: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let w: [Opaque] = try await c.get("/u")  // error: requires that 'Opaque' conform to 'Decodable'
    let v = try await c.post("/u", json: 3, as: Opaque.self)  // error: requires that 'Opaque' conform to 'Decodable'
    let deleted = try await c.delete("/u", as: Opaque.self)  // error: requires that 'Opaque' conform to 'Decodable'
    let replaced: Opaque = try await c.put("/u", json: 3)  // error: requires that 'Opaque' conform to 'Decodable'
    let changed: Opaque = try await c.patch("/u", body: .text("a"))  // error: requires that 'Opaque' conform to 'Decodable'
    let form: Opaque = try await c.send(.post("/u", form: ["a": 1]))  // error: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let put = try await c.send(Endpoint<Opaque>.put("/u", json: 3))  // error: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let patch: Opaque = try await c.send(.patch("/u", body: .text("a")))  // error: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    print(x, y, z, w, v, form, put, patch, deleted, replaced, changed)
    let options: User = try await c.send(.options("/u"))  // error: 'options' is unavailable: Write Endpoint(path: path, method: .options).
    let list: [any Interceptor] = .standard  // error: 'standard' is unavailable: Declare the list as an InterceptorList: let list: InterceptorList = .standard + [mine].
    print(list, options)
}

// A path in a variable, for each verb, with and without a result.
func paths(_ c: HTTPClient, _ path: String, _ id: String, _ user: User, _ url: URL) async throws {
    let a: User = try await c.get("/users/" + id)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let b = try await c.get(path, as: User.self)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let d = try await c.get(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.get("/users/" + id, query: ["a": 1], timeout: .seconds(3))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.delete(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let e: User = try await c.delete(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.head(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.post(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let posted: User = try await c.post("/users/" + id, json: user)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.post(path, json: ["a": 1])  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.post(path, body: .text("a")) { print($0) }  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.put(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let puted: User = try await c.put("/users/" + id, json: user)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.put(path, json: ["a": 1])  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.put(path, body: .text("a")) { print($0) }  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.patch(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let patched: User = try await c.patch("/users/" + id, json: user)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.patch(path, json: ["a": 1])  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.patch(path, body: .text("a")) { print($0) }  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.post(path, form: ["a": 1])  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.post(path, multipart: MultipartForm())  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.upload(url, to: path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.upload(.data(Data()), to: path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.upload(Data(), to: "/x")  // error: Pass bytes as .data(bytes), a text as .text(text), and a value as .json(value): upload(.data(bytes), to: path).
    let uploaded: User = try await c.upload(Data(), to: "/x")  // error: Pass bytes as .data(bytes), a text as .text(text), and a value as .json(value): upload(.data(bytes), to: path).
    let f: User = try await c.upload(MultipartForm(), to: path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.download("/files/" + id, to: url)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    _ = HTTPRequest(.get, path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    _ = HTTPRequest(.post, "/users/" + id, body: .json(user))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    _ = Endpoint<User>(path: path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    _ = Endpoint<Void>(path: "/users/" + id, method: .delete)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    _ = Endpoint<User>.get(path)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let g: User = try await c.send(.get("/users/" + id))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let h = try await c.send(Endpoint<User>.get(path), nilFor: .notFound)  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.send(.delete("/users/" + id))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.send(.post(path, json: user))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let postSent: User = try await c.send(.post(path, json: user))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.send(.put(path, json: user))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let putSent: User = try await c.send(.put(path, json: user))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.send(.patch(path, json: user))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    let patchSent: User = try await c.send(.patch(path, json: user))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    try await c.send(.post(path, form: ["a": 1]))  // error: Write the path as a literal with the values in it: "/users/\(id)". For a text that is a whole path, write "\(raw: path)".
    print(a, b, d, e, f, g, h, uploaded, posted, puted, patched, postSent, putSent, patchSent)
}

// Paths that are literals, values that are encoded, and literals of JSON are as before.
func stillFine(_ c: HTTPClient, _ id: String, _ n: Int, _ user: User, _ url: URL, _ d: [String: String]) async throws {
    let a: User = try await c.get("/users/\(id)")
    let b: User? = try await c.get("/users/\(id)", nilFor: .notFound, .gone, timeout: .seconds(3))
    let e = try await c.get("\(raw: id)", as: User.self, timeout: .seconds(3))
    try await c.post("/x", json: ["a": 1])
    try await c.post("/x", json: ["a": 1, "b": "x", "c": [1, nil, true]])
    try await c.post("/x", json: ["a": .integer(n), "b": .string(id), "c": 3])
    try await c.post("/x", json: user)
    try await c.post("/x", body: nil)
    try await c.post("/x", json: nil)
    try await c.post("/x", json: .null)
    try await c.post("/x", form: ["a": 1, "b": id])
    try await c.post("/x", multipart: MultipartForm())
    try await c.post("/x", body: .json(["a": 1, "b": "x"]))
    let f: User = try await c.put("/x", json: ["a": 1, "b": "x"])
    let g: User = try await c.send(.patch("/x", json: ["a": 1, "b": "x"]))
    try await c.send(.post("/x", json: ["a": 1, "b": "x"]))
    try await c.send(.post("/x", json: [user]))
    try await c.send(.post("/x", form: ["a": 1]))
    try await c.send(.post("/x", multipart: MultipartForm()))
    let status = try await c.send(.delete("/x")).status
    let response: HTTPResponse = try await c.send(.put("/x", json: ["a": 1, "b": "x"]))
    try await c.upload(.data(Data()), to: "/x")
    let stubs: [MockResponse] = [
        .json(["message": "x", "n": 1]), .json([["a": 1, "b": "x"], ["a": 2, "b": nil]]), .json(["a": id]), .json([user]),
        .json("x"), .json(3), .json(true), .json([]), .json([:]), .json(["a": id, "b": "x"]), .json(["a": user]),
    ]
    _ = HTTPRequest(.get, url)
    _ = HTTPClient(interceptors: .standard + HeadersInterceptor(d) + RetryInterceptor())
    _ = HTTPClient(interceptors: .standard + [HeadersInterceptor(["a": "b"])])
    _ = HeadersInterceptor(overriding: ["a": id])
    _ = AuthInterceptor(token: { "x" })
    do { try await c.get("/x") } catch NetKitError.Code.server {}
    print(a, b as Any, e, f, g, stubs, status, response)
}

func arguments(_ c: HTTPClient, _ user: User, _ url: URL, _ queue: OfflineQueue) async throws {
    try await c.post("/x", body: user)  // error: 'post(_:query:headers:body:timeout:options:progress:)' is unavailable: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
    let a: User = try await c.put("/x", body: user)  // error: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
    let b: User = try await c.patch("/x", body: ["a": 1])  // error: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
    try await c.send(.post("/x", body: user))  // error: 'post(_:query:headers:body:)' is unavailable: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
    let d: User = try await c.send(.put("/x", body: user))  // error: Pass a value to encode with json: instead of body:, bytes as .data(bytes), and a text as .text(text).
    _ = HTTPClient(url)  // error: 'init(_:transport:interceptors:configuration:)' has been renamed to 'init(baseURL:transport:interceptors:configuration:)'
    _ = HTTPClient("https://api.example.com", interceptors: [])  // error: Pass a URL: HTTPClient(baseURL: URL(string: text)).
    _ = AuthInterceptor(token: "abc")  // error: 'init(token:identity:origins:)' is unavailable: Write .bearer("…"), or use a TokenStore for a token that expires.
    _ = RetryPolicy(maxAttempts: 3, backoff: .exponential())  // error: 'init(maxAttempts:backoff:)' has been renamed to 'init(maxAttempts:backoffStrategy:)'
    _ = CacheInterceptor(store: MemoryCacheStore())  // error: 'init(store:policy:)' has been renamed to 'init(_:policy:)'
    _ = MemoryCacheStore(capacity: 100)  // error: 'init(capacity:)' is unavailable: Write MemoryCacheStore(maxBytes:), or maxEntries: for a number of entries.
    var form = MultipartForm()
    form.append(Data(), withName: "x")  // error: 'append' is unavailable: Use field(_:_:) for a text, data(_:_:) for bytes, and file(_:at:) for a file.
    form.file("x", at: url, filename: "y")  // error: 'file(_:at:filename:contentType:mimeType:headers:)' has been renamed to 'file(_:at:fileName:contentType:headers:)'
    form.data("x", Data(), filename: "y")  // error: 'data(_:_:filename:contentType:mimeType:headers:)' has been renamed to 'data(_:_:fileName:contentType:headers:)'
    form.file("x", at: url, filename: "y", headers: ["a": "b"])  // error: 'file(_:at:filename:contentType:mimeType:headers:)' has been renamed to 'file(_:at:fileName:contentType:headers:)'
    form.data("x", Data(), filename: "y", contentType: "a/b", headers: ["a": "b"])  // error: 'data(_:_:filename:contentType:mimeType:headers:)' has been renamed to 'data(_:_:fileName:contentType:headers:)'
    form.data("x", Data(), filename: "y", mimeType: "a/b")  // error: 'data(_:_:filename:contentType:mimeType:headers:)' has been renamed to 'data(_:_:fileName:contentType:headers:)'
    try await queue.enqueue(HTTPRequest(.post, "/x"))  // error: 'enqueue' is unavailable: Pass a QueuedRequest: enqueue(QueuedRequest(request)).
    let e = try await withTimeout(.seconds(3)) { try await c.get("/x", as: User.self) }  // error: 'withTimeout' has been renamed to 'withDeadline(_:clock:_:)'
    do { try await c.get("/x") } catch NetKitError.server {}  // error: 'server' is unavailable: Write NetKitError.Code.server; error.status is the status of the response.
    do { try await c.get("/x") } catch NetKitError.timeout {}  // error: 'timeout' has been renamed to 'Code.timeout'
    print(a, b, d, e)
}

// Values of any type as JSON, and a retry policy beside a verb.
func anyValues(_ c: HTTPClient, _ user: User, _ name: String, _ any: [String: Any]) async throws {
    try await c.post("/x", json: ["a": name, "n": 3])  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    let postAny: User = try await c.post("/x", json: any)  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    try await c.send(.post("/x", json: any))  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    let postSent: User = try await c.send(.post("/x", json: ["a": name, "n": 3]))  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    try await c.put("/x", json: ["a": name, "n": 3])  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    let putAny: User = try await c.put("/x", json: any)  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    try await c.send(.put("/x", json: any))  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    let putSent: User = try await c.send(.put("/x", json: ["a": name, "n": 3]))  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    try await c.patch("/x", json: ["a": name, "n": 3])  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    let patchAny: User = try await c.patch("/x", json: any)  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    try await c.send(.patch("/x", json: any))  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    let patchSent: User = try await c.send(.patch("/x", json: ["a": name, "n": 3]))  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    try await c.post("/x", body: .json(["a": name, "n": 3]))  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    let m: MockResponse = .json(["a": name, "n": 3])  // error: Wrap the values: ["name": .string(name), "age": .integer(age)], or encode a type of your own.
    try await c.get("/x", retry: .none)  // error: Pass the policy with the options: options: CallOptions(retry: …).
    let a: User = try await c.get("/x", timeout: .seconds(3), retry: .none)  // error: Pass the policy with the options: options: CallOptions(retry: …).
    try await c.head("/x", retry: .none)  // error: Pass the policy with the options: options: CallOptions(retry: …).
    let b = try await c.delete("/x", as: User.self, retry: .none)  // error: Pass the policy with the options: options: CallOptions(retry: …).
    try await c.post("/x", json: user, retry: RetryPolicy(maxRetries: 1))  // error: Pass the policy with the options: options: CallOptions(retry: …).
    try await c.put("/x", json: user, retry: RetryPolicy(maxRetries: 1))  // error: Pass the policy with the options: options: CallOptions(retry: …).
    try await c.patch("/x", json: user, retry: RetryPolicy(maxRetries: 1))  // error: Pass the policy with the options: options: CallOptions(retry: …).
    print(postAny, putAny, patchAny, postSent, putSent, patchSent, m, a, b)
}
