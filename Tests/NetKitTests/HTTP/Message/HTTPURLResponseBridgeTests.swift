import Foundation
import NetKit
import Testing

struct HTTPURLResponseBridgeTests {
    private func url(_ text: String = "https://a.example/x") throws -> URL {
        try #require(URL(string: text))
    }

    @Test func readsFoundationsResponse() async throws {
        let fields = ["Content-Type": "a/b", "X-Empty": "", "Accept-Ranges": "bytes"]
        let foundation = try #require(
            HTTPURLResponse(url: try url(), statusCode: 418, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        let response = HTTPResponse(foundation, data: Data("hello".utf8))
        #expect(response.status == 418)
        #expect(response.headers["content-type"] == "a/b")
        #expect(response.headers["x-empty"] == "")
        #expect(response.headers.map(\.name) == response.headers.map(\.name).sorted())
        #expect(response.headers.count == 3)
        #expect(response.url == foundation.url)
        #expect(try await response.body.text(upTo: 5) == "hello")
    }

    /// On Linux, Foundation keeps them.
    @Test func dropsTheBlanksAroundAValue() throws {
        let fields = ["ETag": "\"x\" \t", "X-Inner": " a \t b ", "X-Blank": " "]
        let foundation = try #require(
            HTTPURLResponse(url: try url(), statusCode: 200, httpVersion: nil, headerFields: fields)
        )
        let response = HTTPResponse(foundation, data: Data())
        #expect(response.headers["ETag"] == "\"x\"")
        #expect(response.headers["X-Inner"] == "a \t b")
        #expect(response.headers["X-Blank"] == "")
    }

    @Test func writesFoundationsResponse() throws {
        let response = HTTPResponse(status: 404, headers: ["Content-Type": "a/b", "X-A": "1"])
        let foundation = try response.urlResponse(for: url())
        #expect(foundation.statusCode == 404)
        #expect(foundation.url == (try url()))
        #expect(foundation.value(forHTTPHeaderField: "content-type") == "a/b")
        #expect(foundation.allHeaderFields.count == 2)
        #expect(foundation.mimeType == "a/b")
    }

    @Test func joinsRepeatedFields() throws {
        let headers: HTTPHeaders = ["Vary": "A", "X": "1", "vary": "B", "Set-Cookie": "a=1", "set-cookie": "b=2"]
        let foundation = try HTTPResponse(status: 200, headers: headers).urlResponse(for: url())
        #expect(foundation.value(forHTTPHeaderField: "Vary") == "A, B")
        #expect(foundation.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2")
        #expect(foundation.allHeaderFields.count == 3)
    }

    @Test func usesTheURLOfTheResponse() throws {
        let response = HTTPResponse(status: 200, url: try url("https://b.example/final"))
        #expect(try response.urlResponse(for: url()).url?.absoluteString == "https://b.example/final")
    }

    @Test(arguments: [nil, "HTTP/1.0", "HTTP/2", "HTTP/3"] as [String?])
    func takesAnyProtocol(_ version: String?) throws {
        var response = HTTPResponse(status: 200)
        response.timings.protocolVersion = version
        #expect(try response.urlResponse(for: url()).statusCode == 200)
    }

    @Test func survivesARoundTrip() async throws {
        let headers: HTTPHeaders = ["A": "1", "B": "2, 3", "C": ""]
        let response = HTTPResponse(status: 206, headers: headers, body: ResponseBody(Data("x".utf8)))
        let back = HTTPResponse(try response.urlResponse(for: url()), data: Data("x".utf8))
        #expect(back.status == .partialContent)
        #expect(back.headers == headers)
        #expect(back.url == (try url()))
    }

    @Test func joinsRepeatedFieldsUnderTheirFirstName() throws {
        let headers: HTTPHeaders = ["X-List": "a", "Y": "1", "x-list": "b", "X-LIST": "c"]
        let foundation = try HTTPResponse(status: 200, headers: headers).urlResponse(for: url())
        #expect(foundation.value(forHTTPHeaderField: "X-List") == "a, b, c")
        #expect(foundation.allHeaderFields.count == 2)
    }

    @Test func manyFieldsTakeLinearTime() throws {
        let url = try url()
        #expect(
            ParserFuzz.isLinear(["X\n"]) { text in
                let names = text.split(separator: "\n").enumerated().map { "\($0.element)-\($0.offset)" }
                let response = HTTPResponse(status: 200, headers: HTTPHeaders(names.map { .init($0, "") }))
                _ = try? response.urlResponse(for: url)
            }
        )
    }
}
