public import Foundation

/// What a stub answers: a status, a body, a failure, and how it comes.
///
/// ```swift
/// .json(user)
/// .status(429).header("Retry-After", "2")
/// .failure(URLError(.timedOut))
/// .text("late").delayed(by: .seconds(2))
/// .stream([first, second])
/// ```
public struct MockAnswer: Sendable {
    /// Makes an answer to a request.
    public typealias Make = @Sendable (HTTPRequest, RequestContext) async throws -> HTTPResponse

    private let make: Make
    /// A Boolean value that indicates whether a function of a test's makes the answer.
    private var isComputed = false
    private var headers = HTTPHeaders()
    private var delay: Duration?
    private var isParked = false
    private var remoteAddress: String?

    private init(_ make: @escaping Make) {
        self.make = make
    }

    /// A status without a body.
    public static func status(_ status: HTTPStatus) -> MockAnswer {
        MockAnswer { _, _ in HTTPResponse(status: status) }
    }

    /// A body of bytes.
    public static func data(_ data: Data, status: HTTPStatus = .ok, contentType: String? = nil) -> MockAnswer {
        MockAnswer { _, _ in
            var response = HTTPResponse(status: status, body: ResponseBody(data))
            if let contentType { response.headers.add("Content-Type", contentType) }
            return response
        }
    }

    /// A body of text.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> MockAnswer {
        data(Data(text.utf8), status: status, contentType: "text/plain; charset=utf-8")
    }

    /// A value as JSON, with dates in ISO 8601 as the client's default reads them.
    public static func json(_ value: some Encodable & Sendable, status: HTTPStatus = .ok) -> MockAnswer {
        MockAnswer { _, _ in
            let body = ResponseBody(try JSONCoder.standard.encoder.encode(value))
            return HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
        }
    }

    /// A body that arrives in pieces; an error, where one is given, ends it after them.
    public static func stream(
        _ chunks: [Data],
        status: HTTPStatus = .ok,
        failingWith error: (any Error)? = nil,
        trailers: HTTPHeaders = HTTPHeaders()
    ) -> MockAnswer {
        MockAnswer { _, _ in
            let pipe = BodyPipe(capacity: .max)
            for chunk in chunks { pipe.offer(chunk) }
            if let error { pipe.fail(error) } else { pipe.finish(trailers: trailers) }
            return HTTPResponse(status: status, body: ResponseBody(source: pipe))
        }
    }

    /// A redirect to a location.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> MockAnswer {
        MockAnswer { _, _ in HTTPResponse(status: status, headers: ["Location": location]) }
    }

    /// A failure; a `URLError` gets the code and outcome it would have from a real transport.
    public static func failure(_ error: any Error) -> MockAnswer {
        MockAnswer { _, _ in throw error }
    }

    /// No answer until the transport's `release()`, or until the call is ended; then 200.
    public static var parked: MockAnswer {
        var answer = status(.ok)
        answer.isParked = true
        return answer
    }

    /// Whatever a function makes of the request.
    public static func respond(_ make: @escaping Make) -> MockAnswer {
        var answer = MockAnswer(make)
        answer.isComputed = true
        return answer
    }

    /// The answer with one more header field.
    public func header(_ name: String, _ value: String) -> MockAnswer {
        var answer = self
        answer.headers.add(name, value)
        return answer
    }

    /// The answer after a delay on the call's clock.
    public func delayed(by delay: Duration) -> MockAnswer {
        var answer = self
        answer.delay = delay
        return answer
    }

    /// The answer over a connection to an address, which the address guard judges.
    public func connected(to address: String) -> MockAnswer {
        var answer = self
        answer.remoteAddress = address
        return answer
    }

    func give(_ request: HTTPRequest, context: RequestContext, gate: MockGate) async throws -> HTTPResponse {
        if let remoteAddress, let addressGuard = context.call.addressGuard {
            context.attempt.noteConnecting()
            try addressGuard.judge(connectedAddress: remoteAddress, for: request.url.host(percentEncoded: true))
            context.attempt.noteSending()
        }
        var response =
            if delay != nil || isParked || isComputed {
                try await context.endingWithCall { [delay, isParked, make] in
                    if let delay { try await context.clock.sleep(for: delay) }
                    if isParked { try await gate.wait() }
                    return try await make(request, context)
                }
            } else {
                try await make(request, context)
            }
        response.headers.add(contentsOf: headers)
        if let remoteAddress { response.timings.remoteAddress = remoteAddress }
        return response
    }
}
