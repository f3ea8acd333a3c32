public import Foundation

/// A response of a stub, with its status, body, timing, or failure.
///
/// ```swift
/// .json(user)
/// .status(429).header("Retry-After", "2")
/// .failure(URLError(.timedOut))
/// .text("late").delayed(by: .seconds(2))
/// .stream([first, second])
/// ```
/// A response to `HEAD`, and one with the status 204 or 304, has no body, whatever its stub or the handler of the
/// transport says. Other bodies are the decoded ones: a `Content-Encoding` is only a field.
public struct MockResponse: Sendable {
    /// A closure that makes the response to a request.
    public typealias Make = @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse

    private let make: @Sendable (HTTPRequest, RequestContext, MockGate) async throws -> HTTPResponse
    /// Whether a closure of the test makes the response.
    private var isComputed = false
    /// A closure that makes the source of a body that arrives in chunks.
    private var makePipe: (@Sendable () -> BodyPipe)?
    private var headers = HTTPHeaders()
    private var wait: Duration?
    private var isStalled = false
    private var remoteAddress: String?

    private init(_ make: @escaping Make) {
        self.make = { request, context, _ in try await make(request, context) }
    }

    private init(choosing choose: @escaping @Sendable (HTTPRequest, RequestContext) async throws -> MockResponse) {
        make = { request, context, gate in
            try await choose(request, context).respond(to: request, context: context, gate: gate)
        }
        isComputed = true
    }

    /// Returns a response without a body.
    public static func status(_ status: HTTPStatus) -> MockResponse {
        MockResponse { _, _ in HTTPResponse(status: status) }
    }

    /// Returns a response with a body of bytes.
    public static func data(_ data: Data, status: HTTPStatus = .ok, contentType: String? = nil) -> MockResponse {
        MockResponse { _, _ in
            var response = HTTPResponse(status: status, body: ResponseBody(data))
            if let contentType { response.headers.add("Content-Type", contentType) }
            return response
        }
    }

    /// Returns a response with a text body.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> MockResponse {
        data(Data(text.utf8), status: status, contentType: "text/plain; charset=utf-8")
    }

    /// Returns a response with a text that is JSON already.
    public static func jsonText(_ text: String, status: HTTPStatus = .ok) -> MockResponse {
        data(Data(text.utf8), status: status, contentType: "application/json")
    }

    /// Returns a response with a value as JSON, encoded by ``JSONCoder/standard``.
    public static func json(_ value: some Encodable & Sendable, status: HTTPStatus = .ok) -> MockResponse {
        MockResponse { _, _ in
            let body = ResponseBody(try encoded(value))
            return HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
        }
    }

    private static func encoded(_ value: any Encodable) throws -> Data {
        do {
            return try JSONCoder.standard.encoder.encode(value)
        } catch {
            let reason = EncodingProblem.text(of: error)
            throw NetKitError(.encoding, "The response of the stub could not be encoded: \(reason).", cause: error)
        }
    }

    /// Returns a response with a JSON value, including a literal whose values differ in type.
    ///
    /// ```swift
    /// .json(["message": "There is no such user.", "code": 17], status: 404)
    /// ```
    public static func json(_ value: JSONValue, status: HTTPStatus = .ok) -> MockResponse {
        let encodable: some Encodable & Sendable = value
        return json(encodable, status: status)
    }

    /// Returns a response whose body arrives in chunks, and then ends or fails with an error.
    ///
    /// Its length is unknown, unless the response gets a `Content-Length`.
    public static func stream(
        _ chunks: [Data],
        status: HTTPStatus = .ok,
        failingWith error: (any Error)? = nil,
        trailers: HTTPHeaders = HTTPHeaders()
    ) -> MockResponse {
        var response = MockResponse.status(status)
        response.makePipe = {
            let pipe = BodyPipe(maxBytes: .max)
            for chunk in chunks { pipe.offer(chunk) }
            if let error { pipe.fail(error) } else { pipe.finish(trailers: trailers) }
            return pipe
        }
        return response
    }

    /// Returns a redirect to a location.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> MockResponse {
        MockResponse { _, _ in HTTPResponse(status: status, headers: ["Location": location]) }
    }

    /// Returns a failure.
    ///
    /// A `URLError` gets the code and outcome that it has from a real transport.
    public static func failure(_ error: any Error) -> MockResponse {
        MockResponse({ _, _ in throw error })
    }

    /// A response with status 200 that waits for the transport's `release()`, or until a time limit ends the attempt.
    public static var stalled: MockResponse {
        var response = status(.ok)
        response.isStalled = true
        return response
    }

    /// Returns a response that a closure makes from the request.
    public static func respond(_ make: @escaping Make) -> MockResponse {
        var response = MockResponse(make)
        response.isComputed = true
        return response
    }

    /// Returns the response that a closure chooses for the request.
    ///
    /// ```swift
    /// .respond { request, _ in request.headers.contains("Authorization") ? .json(user) : .status(401) }
    /// ```
    @_disfavoredOverload
    public static func respond(
        _ choose: @escaping @Sendable (HTTPRequest, RequestContext) async throws -> MockResponse
    ) -> MockResponse {
        MockResponse(choosing: choose)
    }

    /// Returns the response with a header field.
    ///
    /// It replaces a field that the response has by itself, such as `Content-Type`. Several calls with one name add
    /// several fields.
    public func header(_ name: String, _ value: String) -> MockResponse {
        var response = self
        response.headers.add(name, value)
        return response
    }

    /// Returns the response after a delay on the call's clock.
    ///
    /// A shorter limit for the first byte or for idle time ends the attempt, as with a real server.
    public func delayed(by delay: Duration) -> MockResponse {
        var response = self
        response.wait = delay
        return response
    }

    /// Returns the response over a connection to an address, which the client's address guard checks.
    public func connected(to address: String) -> MockResponse {
        var response = self
        response.remoteAddress = address
        return response
    }

    func respond(to request: HTTPRequest, context: RequestContext, gate: MockGate) async throws -> HTTPResponse {
        if let remoteAddress, let addressGuard = context.call.addressGuard {
            context.attempt.noteConnecting()
            try addressGuard.judge(connectedAddress: remoteAddress, for: request.url.host(percentEncoded: true))
            context.attempt.noteSending()
        }
        var response =
            if wait != nil || isStalled || isComputed {
                try await context.endingWithCall { [wait, isStalled, make] in
                    let limit = context.responseLimit
                    if let wait {
                        try await context.waitForResponse(until: context.clock.now.advanced(by: wait), limit)
                    }
                    if isStalled { try await gate.wait(until: limit, context.clock) }
                    return try await make(request, context, gate)
                }
            } else {
                try await make(request, context, gate)
            }
        complete(&response)
        return response
    }

    /// Adds to a response what the stub says beside its closure.
    ///
    /// It is not inlined, because the compiler would copy it for each of the waits.
    @inline(never)
    private func complete(_ response: inout HTTPResponse) {
        for name in Set(headers.map { $0.name.lowercased() }) { response.headers.remove(name) }
        response.headers.add(contentsOf: headers)
        if let makePipe {
            let isEncoded = response.headers.contains("Content-Encoding")
            let length = isEncoded ? nil : response.headers["Content-Length"].flatMap { Int64(digits: $0[...]) }
            response.body = ResponseBody(length: length, source: makePipe())
        }
        if let remoteAddress { response.timings.remoteAddress = remoteAddress }
    }
}
