import Foundation
import Testing

@testable import NetKit

struct HTTPRequestTests {
    private func base(_ text: String = "https://a.example/v1") throws -> BaseURL {
        try BaseURL(#require(URL(string: text)))
    }

    @Test func isMadeOfItsParts() throws {
        let request = HTTPRequest(.post, "/x", query: [], headers: ["A": "1"], body: .text("hi"))
        #expect(request.method == .post)
        #expect(request.headers == ["A": "1"])
        #expect(request.body?.bytes == Data("hi".utf8))
        #expect(request.requiresAuth)
        #expect(request.url.absoluteString == "/x")
    }

    @Test func joinsItsPathToTheBase() throws {
        let request = HTTPRequest(.get, "/users", query: [URLQueryItem(name: "full", value: "1")])
        #expect(try request.resolved(against: base()).url.absoluteString == "https://a.example/v1/users?full=1")
    }

    @Test(
        arguments: [
            ("/x", [URLQueryItem(name: "a b", value: "c&d=e")], "/x?a%20b=c%26d%3De"),
            ("/x?y=1", [URLQueryItem(name: "z", value: "+")], "/x?y=1&z=%2B"),
            ("/x", [URLQueryItem(name: "flag", value: nil)], "/x?flag"),
            ("/x", [URLQueryItem(name: "empty", value: "")], "/x?empty="),
            ("/x", [URLQueryItem(name: "a", value: "1"), URLQueryItem(name: "a", value: "2")], "/x?a=1&a=2"),
            ("/x#part", [URLQueryItem(name: "a", value: "1")], "/x?a=1#part"),
            ("/x?y=1#part?", [URLQueryItem(name: "a", value: "1")], "/x?y=1&a=1#part?"),
            ("/x?", [URLQueryItem(name: "a", value: "1")], "/x?a=1"),
            ("/x", [], "/x"),
        ] as [(RequestPath, [URLQueryItem], String)]
    )
    func addsItsQuery(_ path: RequestPath, _ query: [URLQueryItem], _ text: String) {
        #expect(HTTPRequest(.get, path, query: QueryBuilder(query)).url.absoluteString == text)
    }

    @Test func bracketsDoNotHaveItsValuesEncodedTwice() throws {
        let name = "a b"
        let filtered = try HTTPRequest(.get, "/items?filter[name]=\(name)").resolved(against: base())
        #expect(filtered.url.absoluteString == "https://a.example/v1/items?filter%5Bname%5D=a%20b")
        let paged = HTTPRequest(.get, "/x?page[size]=10", query: ["cursor": "ab=="])
        let expected = "/x?page%5Bsize%5D=10&cursor=ab%3D%3D"
        #expect(paged.url.absoluteString == expected)
        #expect(try paged.resolved(against: base()).url.absoluteString == "https://a.example/v1\(expected)")
        let url = try URLBuilder(base: "https://a.example/x?a[b]=%20").adding(query: ["c": "d e"]).build()
        #expect(url.absoluteString == "https://a.example/x?a%5Bb%5D=%20&c=d%20e")
    }

    @Test func keepsItsQueryBesideAFragment() throws {
        let request = HTTPRequest(.get, "/x#part", query: [URLQueryItem(name: "a", value: "1")])
        #expect(try request.resolved(against: base()).url.absoluteString == "https://a.example/v1/x?a=1")
    }

    @Test func takesAnAbsolutePathWithoutTheBase() throws {
        let id = "a/b"
        let request = HTTPRequest(.get, "https://b.example/\(id)", query: [URLQueryItem(name: "q", value: "1")])
        #expect(try request.resolved(against: base()).url.absoluteString == "https://b.example/a%2Fb?q=1")
        #expect(try request.resolved(against: nil).url.absoluteString == "https://b.example/a%2Fb?q=1")
    }

    @Test func takesAURLAsItIs() throws {
        let url = try #require(URL(string: "https://b.example/x?y#z"))
        let request = HTTPRequest(.get, url)
        #expect(try request.resolved(against: base()).url == url)
    }

    @Test(arguments: ["/x?y=1", "x?y=1"])
    func joinsAURLWithoutSchemeAndHost(_ text: String) throws {
        let request = HTTPRequest(.get, try #require(URL(string: text)))
        #expect(try request.resolved(against: base()).url.absoluteString == "https://a.example/v1/x?y=1")
        #expect(throws: NetKitError.self) { try request.resolved(against: nil) }
    }

    @Test func makesARelativeURLWithABaseAbsolute() throws {
        let url = try #require(URL(string: "y", relativeTo: URL(string: "https://b.example/deep/")))
        let resolved = try HTTPRequest(.get, url).resolved(against: base())
        #expect(resolved.url.absoluteString == "https://b.example/deep/y")
        #expect(resolved.url.baseURL == nil)
    }

    @Test func isJudgedAgainWhenItsURLIsChanged() throws {
        var request = try HTTPRequest(.get, "/x").resolved(against: base())
        #expect(try request.resolved(against: nil).url.absoluteString == "https://a.example/v1/x")
        request.url = try #require(URL(string: "ftp://a.example/x"))
        #expect(throws: NetKitError.self) { try request.resolved(against: base()) }
    }

    /// A URL that is made from that of the path must not lead to another resource, or lose a part of the query.
    @Test(
        arguments: [
            HTTPRequest(.get, "/users/\("..")/x"), HTTPRequest(.get, "/users/\("")/x"),
            HTTPRequest(.get, "https://a.example/users/\("")"), HTTPRequest(.get, "/x", query: ["price": Double.nan]),
        ]
    )
    func staysRefusedWhenItsURLIsChanged(_ refused: HTTPRequest) throws {
        var request = refused
        request.url.append(queryItems: [URLQueryItem(name: "a", value: "1")])
        let changed = request
        let error = #expect(throws: NetKitError.self) { try changed.resolved(against: base()) }
        #expect(error?.code == .invalidURL)
        #expect(!refused.description.contains("invalid"))
        request.url = try #require(URL(string: "/y"))
        #expect(try request.resolved(against: base()).url.absoluteString == "https://a.example/v1/y")
    }

    @Test func takesANewURL() throws {
        var request = HTTPRequest(.get, "/x")
        request.url = try #require(URL(string: "https://b.example/y"))
        #expect(try request.resolved(against: base()).url.absoluteString == "https://b.example/y")
    }

    @Test func keepsEverythingElseWhenItIsResolved() throws {
        var request = HTTPRequest(.put, "/x", headers: ["A": "1"], body: .text("hi"))
        request.requiresAuth = false
        let resolved = try request.resolved(against: base())
        #expect(resolved.method == .put)
        #expect(resolved.headers == ["A": "1"])
        #expect(resolved.body?.bytes == Data("hi".utf8))
        #expect(!resolved.requiresAuth)
    }

    @Test func needsABaseForAPath() {
        let error = #expect(throws: NetKitError.self) {
            try HTTPRequest(.get, "/x?token=s3cret").resolved(against: nil)
        }
        #expect(error?.code == .invalidURL)
        #expect(error?.outcome == .notSent)
        #expect(
            error?.message == "\"/x\" is a path, but the client has no base URL. "
                + "Give the client a base URL (`URL(string:)` returns nil for an invalid text), or the request an "
                + "absolute one: \"\\(raw: url)\"."
        )
    }

    @Test(arguments: ["http://[::1", "https://a.example:port/", "https://[::1/?token=s3cret"] as [RequestPath])
    func refusesTextThatIsNotAURL(_ path: RequestPath) {
        let error = #expect(throws: NetKitError.self) { try HTTPRequest(.get, path).resolved(against: nil) }
        #expect(error?.code == .invalidURL)
        #expect(error?.message.hasSuffix("does not make a valid URL.") == true)
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test func addsTheMediaTypeOfItsBody() throws {
        let request = HTTPRequest(.post, "/x", headers: ["A": "1"], body: .data(Data([1]), contentType: "image/png"))
        #expect(try request.prepared().headers == ["A": "1", "Content-Type": "image/png"])
    }

    @Test func leavesAMediaTypeThatIsThere() throws {
        let request = HTTPRequest(.post, "/x", headers: ["content-type": "a/b"], body: .text("hi"))
        #expect(try request.prepared().headers == ["content-type": "a/b"])
        #expect(try HTTPRequest(.get, "/x").prepared().headers.isEmpty)
        #expect(try HTTPRequest(.post, "/x", body: .data(Data())).prepared().headers.isEmpty)
    }

    @Test func settlesItsBody() throws {
        let request = HTTPRequest(.post, "/x", body: .deferred(contentType: "a/b") { Data("hi".utf8) })
        let prepared = try request.prepared()
        #expect(prepared.body?.bytes == Data("hi".utf8))
        #expect(prepared.headers == ["Content-Type": "a/b"])
    }

    @Test func hidesSecretsWhenItIsShown() throws {
        let url = try #require(URL(string: "https://me:pw@a.example/x?token=s3cret&page=2#s3cret"))
        let request = HTTPRequest(.get, url, headers: ["Authorization": "s3cret"])
        #expect(request.description == "GET https://***@a.example/x?token=***&page=2")
        #expect("\(request)" == request.description)
    }
}
