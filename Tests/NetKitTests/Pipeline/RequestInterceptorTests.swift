import Foundation
import NetKit
import NetKitTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct RequestInterceptorTests {
    private struct Changing: RequestInterceptor {
        let change: @Sendable (inout URLRequest) throws -> Void

        init(_ change: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }) {
            self.change = change
        }

        func intercept(_ request: URLRequest) async throws -> URLRequest {
            var request = request
            try change(&request)
            return request
        }
    }

    private struct Refusal: Error, Equatable {}

    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://api.example.com/x?a=1"))
    }

    /// Returns a request as it is after an interceptor.
    private func result(
        of request: HTTPRequest,
        _ change: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }
    ) async throws -> HTTPRequest {
        let seen = Locked<HTTPRequest?>(nil)
        let next = Next { request, _ in
            seen.withLock { $0 = request }
            return HTTPResponse(status: 200)
        }
        _ = try await Changing(change).intercept(request, context: .test(), next: next)
        return try #require(seen.withLock { $0 })
    }

    private func text(of body: HTTPBody?) async throws -> String {
        var data = Data()
        for try await chunk in try #require(body).chunks { data.append(chunk) }
        return String(decoding: data, as: UTF8.self)
    }

    @Test func seesTheRequestInFoundationsWords() async throws {
        let seen = Locked<[String]>([])
        let request = HTTPRequest(.patch, url, headers: ["X-A": "1", "X-a": "2"], body: .text("body"))
        _ = try await result(of: request) { request in
            let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
            let parts = [
                request.httpMethod ?? "", request.url?.absoluteString ?? "",
                request.value(forHTTPHeaderField: "x-a") ?? "", body,
            ]
            seen.withLock { $0 = parts }
        }
        #expect(seen.withLock { $0 } == ["PATCH", "https://api.example.com/x?a=1", "1, 2", "body"])
    }

    @Test func leavesEverythingAsItWasUnlessItChangesIt() async throws {
        let headers: HTTPHeaders = ["X-B": "2", "Set-Cookie": "a=1", "set-cookie": "b=2", "X-A": "", "x-b": "3"]
        var request = HTTPRequest("query", url, headers: headers, body: .text("body", contentType: "text/x"))
        request.requiresAuth = false
        let merged = try await result(of: request)
        #expect(merged.method.rawValue == "query")
        #expect(merged.url == url)
        #expect(merged.headers == headers)
        #expect(merged.body?.bytes == Data("body".utf8))
        #expect(merged.body?.contentType == "text/x")
        #expect(!merged.requiresAuth)
    }

    /// FoundationNetworking writes the common methods in capitals, which is no change by the interceptor.
    @Test func keepsAMethodThatFoundationWritesDifferently() async throws {
        #expect(try await result(of: HTTPRequest("get", url)).method == "get")
    }

    @Test func changesAddsAndRemovesHeadersAndKeepsTheirOrder() async throws {
        let request = HTTPRequest(
            .get,
            url,
            headers: ["X-A": "1", "X-Gone": "g", "X-B": "2", "X-Twice": "a", "X-twice": "b"]
        )
        let merged = try await result(of: request) { request in
            request.setValue("changed", forHTTPHeaderField: "x-a")
            request.setValue(nil, forHTTPHeaderField: "X-Gone")
            request.setValue("new", forHTTPHeaderField: "X-New")
        }
        let expected: HTTPHeaders = ["X-A": "changed", "X-B": "2", "X-Twice": "a", "X-twice": "b", "X-New": "new"]
        #expect(merged.headers == expected)
    }

    @Test func aRepeatedFieldThatIsChangedBecomesOne() async throws {
        let request = HTTPRequest(.get, url, headers: ["X-A": "1", "X-B": "2", "x-a": "3"])
        let merged = try await result(of: request) { $0.setValue("4", forHTTPHeaderField: "X-A") }
        #expect(merged.headers == ["X-A": "4", "X-B": "2"])
    }

    @Test func everyLineOfARepeatedFieldIsRemoved() async throws {
        let request = HTTPRequest(.get, url, headers: ["X-A": "1", "X-B": "2", "x-a": "3"])
        let merged = try await result(of: request) { $0.setValue(nil, forHTTPHeaderField: "X-A") }
        #expect(merged.headers == ["X-B": "2"])
    }

    @Test func changesMethodAndURL() async throws {
        let other = try #require(URL(string: "https://eu.example.com/y"))
        let merged = try await result(of: HTTPRequest(.get, url)) { request in
            request.httpMethod = "PUT"
            request.url = other
        }
        #expect(merged.method == .put)
        #expect(merged.url == other)
    }

    @Test func aRemovedURLIsAnError() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await result(of: HTTPRequest(.get, url)) { $0.url = nil }
        }
        #expect(error?.code == .invalidURL)
        #expect(error?.message == "An interceptor removed the URL of the request.")
    }

    @Test func replacesABody() async throws {
        let request = HTTPRequest(.post, url, body: .text("old", contentType: "text/x"))
        let merged = try await result(of: request) { $0.httpBody = Data("new".utf8) }
        #expect(merged.body?.bytes == Data("new".utf8))
        #expect(merged.body?.contentType == "text/x")
        #expect(merged.body?.canReplay == true)
    }

    @Test func removesABody() async throws {
        let merged = try await result(of: HTTPRequest(.post, url, body: .text("old"))) { $0.httpBody = nil }
        #expect(merged.body == nil)
    }

    @Test func addsABody() async throws {
        let merged = try await result(of: HTTPRequest(.post, url)) { $0.httpBody = Data("new".utf8) }
        #expect(merged.body?.bytes == Data("new".utf8))
    }

    @Test func replacesABodyByAStreamThatIsReadOnce() async throws {
        let merged = try await result(of: HTTPRequest(.post, url, body: .text("old"))) { request in
            request.httpBodyStream = InputStream(data: Data("streamed".utf8))
            request.setValue("8", forHTTPHeaderField: "Content-Length")
        }
        #expect(merged.body?.length == 8)
        #expect(merged.body?.canReplay == false)
        #expect(try await text(of: merged.body) == "streamed")
    }

    @Test func keepsAStreamedBody() async throws {
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("one".utf8))
            continuation.yield(Data("two".utf8))
            continuation.finish()
        }
        let request = HTTPRequest(.post, url, body: .stream(length: 6, contentType: "text/x", chunks))
        let merged = try await result(of: request) { $0.setValue("1", forHTTPHeaderField: "X-Stamp") }
        #expect(merged.headers == ["X-Stamp": "1"])
        #expect(merged.body?.length == 6)
        #expect(merged.body?.contentType == "text/x")
        #expect(try await text(of: merged.body) == "onetwo")
    }

    @Test func keepsAFileBody() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("0123456789".utf8), to: "file")
        let request = HTTPRequest(.post, url, body: .file(at: file, offset: 2, length: 3))
        let merged = try await result(of: request) { $0.setValue("1", forHTTPHeaderField: "X-Stamp") }
        #expect(merged.body?.length == 3)
        #expect(try await text(of: merged.body) == "234")
    }

    @Test func itsErrorIsTheCauseForTheCaller() async throws {
        let client = HTTPClient(transport: MockTransport(), interceptors: [Changing { _ in throw Refusal() }])
        let error = await #expect(throws: NetKitError.self) { try await client.send(HTTPRequest(.get, url)) }
        #expect(error?.code == .custom)
        #expect(error?.cause as? Refusal == Refusal())
        #expect(error?.outcome == .notSent)
    }

    @Test func runsOnStreamedCallsToo() async throws {
        let transport = MockTransport()
        transport.stub(.get, "/x", headers: ["X-Stamp": "1"], .text("streamed"))
        let client = HTTPClient(
            transport: transport,
            interceptors: [Changing { $0.setValue("1", forHTTPHeaderField: "X-Stamp") }]
        )
        let response = try await client.send(HTTPRequest(.get, url))
        #expect(try await response.body.text(upTo: 100) == "streamed")
    }
}
