import Foundation
import NetKit
import NetKitTesting
import Testing

extension Mistake {
    private struct Model: Encodable, Sendable {
        var price = Double.nan
    }

    private static func makeClient(_ baseURL: URL? = exampleBase) -> HTTPClient {
        let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
        return HTTPClient(baseURL: baseURL, transport: transport)
    }

    private static func request(
        _ name: String,
        _ message: String,
        _ request: @escaping @Sendable () throws -> HTTPRequest
    ) -> Mistake {
        Mistake(name, message) { _ = try await makeClient().send(try request()) }
    }

    private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// Mistakes that are found before anything is sent.
    static let inRequests: [Mistake] = [
        Mistake(
            "a path without a base URL",
            "\"/users\" is a path, but the client has no base URL. Give the client a base URL (`URL(string:)` returns nil for an invalid text), or the request an absolute one: \"\\(raw: url)\"."
        ) { _ = try await makeClient(nil).get("/users") },
        Mistake(
            "another scheme without a base URL",
            "The scheme of \"wss://api.example.com/users\" is neither http nor https."
        ) { _ = try await makeClient(nil).get("wss://api.example.com/users") },
        Mistake(
            "a base URL without a scheme",
            "The base URL cannot be used: \"api.example.com\" has no scheme. Write https://…"
        ) {
            _ = try await makeClient(URL(string: "api.example.com")).get("/users")
        },
        Mistake(
            "a base URL of another scheme",
            "The base URL cannot be used: The scheme of \"ftp://api.example.com\" is neither http nor https."
        ) {
            _ = try await makeClient(URL(string: "ftp://api.example.com")).get("/users")
        },
        Mistake(
            "a base URL without a host",
            "The base URL cannot be used: \"https:///v1\" has no host. Write https://host/…"
        ) { _ = try await makeClient(URL(string: "https:///v1")).get("/users") },
        request("a URL of another scheme", "The scheme of \"file:///etc/passwd\" is neither http nor https.") {
            HTTPRequest(.get, try url("file:///etc/passwd"))
        },
        request("a URL without a host", "\"https:/users\" has no host. Write https://host/…") {
            HTTPRequest(.get, try url("https:/users"))
        },
        Mistake(
            "two bodies",
            "A call sends one body, and this one has body: and json:. Pass only one of them."
        ) { try await makeClient().post("/users", body: .text("Ada"), json: ["name": "Ada"]) },
        request(
            "a method with a space",
            "The method \"GE T\" is not a token. Use letters, digits and !#$%&'*+-.^_`|~ only."
        ) { HTTPRequest(HTTPMethod("GE T"), "/users") },
        request(
            "the method CONNECT",
            "The method CONNECT cannot be sent. Set a proxy, and the transport opens the tunnel."
        ) { HTTPRequest(HTTPMethod("CONNECT"), "/users") },
        request(
            "a header with a space in its name",
            "The header name \"X A\" is not a token. Check it for spaces and line breaks."
        ) { HTTPRequest(.get, "/", headers: ["X A": "1"]) },
        request(
            "a header with an empty name",
            "The header name \"\" is not a token. Check it for spaces and line breaks."
        ) { HTTPRequest(.get, "/", headers: ["": "1"]) },
        request(
            "a header with a line break",
            "The value of header \"X-A\" cannot be sent. Remove line breaks and other control characters."
        ) { HTTPRequest(.get, "/", headers: ["X-A": "1\r\nX-B: 2"]) },
        request(
            "a header with a null byte",
            "The value of header \"X-A\" cannot be sent. Remove line breaks and other control characters."
        ) { HTTPRequest(.get, "/", headers: ["X-A": "1\u{0}"]) },
        request("a Transfer-Encoding by hand", "Remove the header Transfer-Encoding: the transport frames the body.") {
            HTTPRequest(.post, "/", headers: ["Transfer-Encoding": "chunked"], body: .text("x"))
        },
        request(
            "a Content-Length that is wrong",
            "The header Content-Length says 7, but the body has 1 byte. Remove the header."
        ) {
            HTTPRequest(.post, "/", headers: ["Content-Length": "7"], body: .text("x"))
        },
        request(
            "a Content-Length without a body",
            "The header Content-Length announces a body, but there is none. Remove it."
        ) { HTTPRequest(.get, "/", headers: ["Content-Length": "7"]) },
        request(
            "a file that is not there as the body",
            "The body cannot be read. Could not look at \"/nowhere/photo.jpg\": No such file or directory. Check the path."
        ) {
            HTTPRequest(.post, "/", body: .file(at: URL(filePath: "/nowhere/photo.jpg")))
        },
        request("a folder as the body", "The body cannot be read: \"/tmp\" is not a regular file.") {
            HTTPRequest(.post, "/", body: .file(at: URL(filePath: "/tmp")))
        },
        request(
            "a stream of negative length",
            "The length of the body stream is negative (-1). Leave it out if it is unknown."
        ) {
            HTTPRequest(.post, "/", body: .stream(length: -1, AsyncStream<Data> { $0.finish() }))
        },
        Mistake(
            "a stream that is sent twice",
            "The request's body stream was already read. Use HTTPBody.replayableStream to make one that can be sent again."
        ) {
            let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
            let client = makeClient()
            _ = try await client.post("/", body: body)
            _ = try await client.post("/", body: body)
        },
        Mistake(
            "a number that JSON has not",
            "The body could not be encoded: price: Unable to encode Double.nan directly in JSON."
        ) { _ = try await makeClient().post("/", json: Model()) },
        Mistake("a number that a query has not", "The query cannot be written. \"price\": nan is not a finite number.")
        { _ = try await makeClient().get("/", query: ["price": Double.nan]) },
        Mistake(
            "a form with a file that is not there",
            "The body cannot be read. Could not look at \"/nowhere/photo.jpg\": No such file or directory. Check the path."
        ) {
            let form = MultipartForm { $0.file("photo", at: URL(filePath: "/nowhere/photo.jpg")) }
            _ = try await makeClient().post("/", multipart: form)
        },
        Mistake("a timeout of nothing", "The timeout is 0 µs. Set one above zero, or nil for no limit.") {
            _ = try await makeClient().send(HTTPRequest(.get, "/"), timeout: .zero)
        },
        Mistake("a negative timeout of the client", "timeouts.idle is -1 s. Set a longer time, or nil for no limit.") {
            var configuration = HTTPClient.Configuration()
            configuration.timeouts.idle = .seconds(-1)
            let client = HTTPClient(baseURL: exampleBase, transport: MockTransport(), configuration: configuration)
            _ = try await client.get("/")
        },
        Mistake("a URLRequest without a URL", "The URLRequest has no URL.") {
            var request = URLRequest(url: try #require(exampleBase))
            request.url = nil
            _ = try await makeClient().data(for: request)
        },
        Mistake(
            "a timeout in the environment without a unit that is known",
            "The environment variable NETKIT_TOTAL_TIMEOUT is \"soon\"; it has to be a duration above zero such as 500ms, 30s, 2m or none."
        ) {
            _ = try HTTPClient.Configuration(environment: ["NETKIT_TOTAL_TIMEOUT": "soon"])
        },
    ]
}
