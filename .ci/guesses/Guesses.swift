// Names that users of other clients type first. Each line with a comment has to be refused with that text; every other line
// compiles. `guesses.py` compares.

import Foundation
import NetKit

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

func queues(_ queue: OfflineQueue, _ mock: MockTransport, _ request: QueuedRequest) async throws {
    try await queue.add(request)  // error: 'add' has been renamed to 'enqueue(_:)'
    try await queue.submit(request)  // error: 'submit' has been renamed to 'enqueue(_:)'
    mock.when(.get, "/x")  // error: 'when' has been renamed to 'stub(_:_:_:)'
    mock.register(.get, "/x")  // error: 'register' has been renamed to 'stub(_:_:_:)'
}

func results(_ c: HTTPClient) async throws {
    let x: Opaque = try await c.send(.get("/u"))  // error: 'get(_:query:headers:)' is unavailable: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let y: Opaque = try await c.send(.post("/u", json: 3))  // error: 'post(_:query:headers:json:)' is unavailable: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let z = try await c.send(Endpoint<Opaque>.get("/u"))  // error: 'get(_:query:headers:)' is unavailable: The result of an endpoint is Decodable, Void, HTTPResponse or an EndpointResponse. Make the type Decodable.
    let w: [Opaque] = try await c.get("/u")  // error: referencing instance method 'get(_:query:headers:as:options:)' on 'Array' requires that 'Opaque' conform to 'Decodable'
    print(x, y, z, w)
    let options: User = try await c.send(.options("/u"))  // error: 'options' is unavailable: Write Endpoint(path: path, method: .options).
    let list: [any Interceptor] = .standard  // error: 'standard' is unavailable: Declare the list as an InterceptorList: let list: InterceptorList = .standard + [mine].
    print(list, options)
}
