import Foundation
import NetKit
import Testing

struct URLRequestBridgeTests {
    private func urlRequest(_ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://a.example/x?y=1")))
        change(&request)
        return request
    }

    private func request(headers: HTTPHeaders = HTTPHeaders(), body: HTTPBody? = nil) throws -> HTTPRequest {
        HTTPRequest(.post, try #require(URL(string: "https://a.example/x")), headers: headers, body: body)
    }

    private func read(_ body: HTTPBody) async throws -> Data {
        var data = Data()
        for try await chunk in body.chunks { data.append(chunk) }
        return data
    }

    @Test func readsFoundationsRequest() throws {
        let foundation = try urlRequest { request in
            request.httpMethod = "PUT"
            request.setValue("b", forHTTPHeaderField: "X-B")
            request.setValue("a", forHTTPHeaderField: "X-A")
            request.httpBody = Data("hello".utf8)
        }
        let request = try HTTPRequest(foundation)
        #expect(request.method == .put)
        #expect(request.url.absoluteString == "https://a.example/x?y=1")
        #expect(request.headers == ["X-A": "a", "X-B": "b"])
        #expect(request.body?.bytes == Data("hello".utf8))
        #expect(request.body?.contentType == nil)
        #expect(request.requiresAuth)
    }

    @Test func isAGetWithoutABodyByDefault() throws {
        let request = try HTTPRequest(urlRequest())
        #expect(request.method == .get)
        #expect(request.headers.isEmpty)
        #expect(request.body == nil)
    }

    @Test func needsAURL() throws {
        let foundation = try urlRequest { $0.url = nil }
        let error = try #require(throws: NetKitError.self) { try HTTPRequest(foundation) }
        #expect(error.code == .invalidURL)
        #expect(error.message == "The URLRequest has no URL.")
        #expect(error.outcome == .notSent)
    }

    @Test func readsABodyStreamOnce() async throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let foundation = try urlRequest { $0.httpBodyStream = InputStream(data: bytes) }
        let body = try #require(try HTTPRequest(foundation).body)
        #expect(body.length == nil)
        #expect(!body.canReplay)
        #expect(try await read(body) == bytes)
        let error = await #expect(throws: NetKitError.self) { try await read(body) }
        #expect(error?.code == .bodyConsumed)
    }

    /// A stream of one byte that notes whether its reader is a task, whose thread it could block.
    private final class NotingStream: InputStream {
        private let isReadByTask: Notebook<Bool>
        private var isRead = false

        init(_ isReadByTask: Notebook<Bool>) {
            self.isReadByTask = isReadByTask
            super.init(data: Data())
        }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            isReadByTask.add(withUnsafeCurrentTask { $0 != nil })
            guard !isRead else { return 0 }
            isRead = true
            buffer.pointee = 7
            return 1
        }
    }

    @Test func aBodyStreamBlocksNoThreadOfTasks() async throws {
        let isReadByTask = Notebook<Bool>()
        let foundation = try urlRequest { $0.httpBodyStream = NotingStream(isReadByTask) }
        let body = try #require(try HTTPRequest(foundation).body)
        #expect(try await read(body) == Data([7]))
        #expect(isReadByTask.entries == [false, false])
    }

    @Test(arguments: [("5", 5), ("0", 0), ("-1", -1), ("x", nil), ("", nil)] as [(String, Int64?)])
    func takesTheLengthOfAStreamFromItsField(_ value: String, _ length: Int64?) throws {
        let foundation = try urlRequest { request in
            request.httpBodyStream = InputStream(data: Data("hello".utf8))
            request.setValue(value, forHTTPHeaderField: "Content-Length")
        }
        #expect(try HTTPRequest(foundation).body?.length == length)
    }

    @Test func saysThatAStreamCouldNotBeRead() async throws {
        let stream = try #require(InputStream(fileAtPath: "/missing/file"))
        let foundation = try urlRequest { $0.httpBodyStream = stream }
        let body = try #require(try HTTPRequest(foundation).body)
        let error = try await #require(throws: NetKitError.self) { try await read(body) }
        #expect(error.code == .file)
        #expect(error.outcome == .unknown)
        #expect(error.message.hasPrefix("The body stream could not be read: "))
    }

    @Test func writesFoundationsRequest() throws {
        let foundation = try request(headers: ["X-A": "1"], body: .text("hello")).urlRequest()
        #expect(foundation.httpMethod == "POST")
        #expect(foundation.url?.absoluteString == "https://a.example/x")
        #expect(foundation.allHTTPHeaderFields == ["X-A": "1"])
        #expect(foundation.httpBody == Data("hello".utf8))
    }

    @Test func joinsRepeatedFields() throws {
        let headers: HTTPHeaders = ["Accept": "a/a", "X": "", "accept": "b/b", "Cookie": "a=1", "cookie": "b=2"]
        let foundation = try request(headers: headers).urlRequest()
        #expect(foundation.allHTTPHeaderFields == ["Accept": "a/a, b/b", "X": "", "Cookie": "a=1; b=2"])
    }

    @Test func leavesOutABodyItCannotExpress() throws {
        let stream = AsyncThrowingStream<Data, any Error> { $0.finish() }
        let bodies: [HTTPBody?] = [nil, .file(at: URL(fileURLWithPath: "/a")), .stream(stream), .deferred { Data() }]
        for body in bodies {
            let foundation = try request(body: body).urlRequest()
            #expect(foundation.httpBody == nil)
            #expect(foundation.httpBodyStream == nil)
        }
    }

    @Test func survivesARoundTrip() throws {
        let original = try request(headers: ["A": "1", "B": "2"], body: .data(Data("x".utf8)))
        let back = try HTTPRequest(original.urlRequest())
        #expect(back.method == original.method)
        #expect(back.url == original.url)
        #expect(back.headers == original.headers)
        #expect(back.body?.bytes == original.body?.bytes)
    }
}
