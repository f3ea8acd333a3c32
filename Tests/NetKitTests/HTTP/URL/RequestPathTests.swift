import Foundation
import Testing

@testable import NetKit

struct RequestPathTests {
    /// The encoded form of a hostile value, in the path and in the query alike.
    private static let hostile: [(String, String)] = [
        ("a/../b?x#y%2f", "a%2F..%2Fb%3Fx%23y%252f"), ("../../etc", "..%2F..%2Fetc"), ("%2e%2e", "%252e%252e"),
        ("%2F", "%252F"), ("a b", "a%20b"), ("\"'", "%22%27"), ("é", "%C3%A9"), ("日本", "%E6%97%A5%E6%9C%AC"),
        ("a\r\nHost: evil", "a%0D%0AHost%3A%20evil"), ("\0", "%00"), ("@evil.example", "%40evil.example"),
        ("//evil.example", "%2F%2Fevil.example"), ("https://evil.example", "https%3A%2F%2Fevil.example"),
        ("x&admin=1", "x%26admin%3D1"), ("a;b=c", "a%3Bb%3Dc"), ("\\..\\", "%5C..%5C"), ("...", "..."), (".a", ".a"),
    ]

    @Test(arguments: hostile)
    func aValueInThePathStaysOneSegment(_ value: String, _ encoded: String) throws {
        let path: RequestPath = "/users/\(value)/posts"
        #expect(path.encoded == "/users/\(encoded)/posts")
        #expect(path.problem == nil)
        let url = try HTTPRequest(.get, path).resolved(against: BaseURL(try #require(URL(string: "https://a.example"))))
            .url
        #expect(url.absoluteString == "https://a.example/users/\(encoded)/posts")
        #expect(url.query == nil)
        #expect(url.fragment == nil)
        #expect(url.host() == "a.example")
    }

    @Test(arguments: hostile)
    func aValueInTheQueryStaysOneValue(_ value: String, _ encoded: String) throws {
        let path: RequestPath = "/search?q=\(value)&page=2"
        #expect(path.encoded == "/search?q=\(encoded)&page=2")
        #expect(path.problem == nil)
        let items = try #require(URLComponents(string: path.encoded)?.queryItems)
        #expect(items == [URLQueryItem(name: "q", value: value), URLQueryItem(name: "page", value: "2")])
    }

    @Test(arguments: ["", ".", ".."])
    func aSegmentThatWouldClimbOrVanishIsRefused(_ value: String) throws {
        let paths: [RequestPath] = [
            "/users/\(value)", "/users/\(value)/posts", "/users/\(value)?a=b", "\(value)/posts",
        ]
        for path in paths {
            let error = #expect(throws: NetKitError.self) { try HTTPRequest(.get, path).resolved(against: nil) }
            #expect(error?.code == .invalidURL)
            #expect(error?.outcome == .notSent)
        }
    }

    @Test(arguments: ["", ".", ".."])
    func theSameIsFineInAQueryOrAFragment(_ value: String) {
        #expect(("/users?q=\(value)" as RequestPath).problem == nil)
        #expect(("/users?q=/\(value)/" as RequestPath).problem == nil)
        #expect(("/users#\(value)" as RequestPath).problem == nil)
    }

    @Test func aPathInAPathStaysAsItIs() {
        let items: RequestPath = "/items/\("a/b")"
        let item: RequestPath = "\(items)/parts/\(7)"
        #expect(item.encoded == "/items/a%2Fb/parts/7")
        #expect(item.template == "/items/{}/parts/{}")
        #expect(item.problem == nil)
        let raw: RequestPath = "\(RequestPath(raw: "/from/server"))/\("x y")"
        #expect(raw.encoded == "/from/server/x%20y")
        #expect(raw.template == "{}/{}")
        let climbing: RequestPath = "/a/\("..")"
        #expect(("\(climbing)/b" as RequestPath).problem != nil)
    }

    @Test func judgesTheSegmentThatPartsMakeTogether() {
        let dot = "."
        let nothing = ""
        #expect(("/a/\(dot)\(dot)/b" as RequestPath).problem != nil)
        #expect(("/a/.\(dot)/b" as RequestPath).problem != nil)
        #expect(("/a/\(dot)./b" as RequestPath).problem != nil)
        #expect(("/a/\(nothing)\(nothing)/b" as RequestPath).problem != nil)
        #expect(("/a/\(nothing)../b" as RequestPath).problem != nil)
        #expect(("/a/\(raw: dot)\(dot)/b" as RequestPath).problem != nil)
        #expect(("/a/x\(nothing)/b" as RequestPath).problem == nil)
        #expect(("/a/v\(dot)\(dot)/b" as RequestPath).problem == nil)
        #expect(("/a/\(dot).\(dot)/b" as RequestPath).problem == nil)
    }

    @Test func doesNotChangeTheTextOfItsAuthor() {
        #expect(("/a/../b//c" as RequestPath).encoded == "/a/../b//c")
        #expect(("/a/../b//c" as RequestPath).problem == nil)
        #expect(("/caf\u{E9} x" as RequestPath).encoded == "/caf%C3%A9%20x")
        #expect(("/a%20b%zz" as RequestPath).encoded == "/a%20b%25zz")
    }

    @Test func takesARawPartAsAPath() {
        let part = "a/b?c=d e"
        #expect(("/files/\(raw: part)" as RequestPath).encoded == "/files/a/b?c=d%20e")
        #expect(("/files/\(raw: "..")" as RequestPath).problem == nil)
        #expect(RequestPath(raw: "/a b/%2F").encoded == "/a%20b/%2F")
    }

    @Test func encodesAnyDescribedValue() throws {
        let id = try #require(UUID(uuidString: "0F000000-0000-0000-0000-00000000000A"))
        #expect(
            ("/\(42)/\(-1.5)/\(id)/\(true)/\("abc".dropFirst())" as RequestPath).encoded
                == "/42/-1.5/0F000000-0000-0000-0000-00000000000A/true/bc"
        )
    }

    @Test(
        arguments: [
            ("http://a.example/x", true), ("https://a.example", true), ("HTTPS://a.example", true),
            ("/http://a", false),
            ("ftp://a.example", false), ("http:/a", false), ("//a.example", false), ("", false),
        ] as [(RequestPath, Bool)]
    )
    func knowsAnAbsoluteURL(_ path: RequestPath, _ isAbsolute: Bool) {
        #expect(path.isAbsolute == isAbsolute)
    }

    @Test func aValueNeverMakesItAbsolute() {
        let target = "https://evil.example/"
        #expect(!("\(target)x" as RequestPath).isAbsolute)
        #expect(
            ("https://a.example/\(target)" as RequestPath).encoded == "https://a.example/https%3A%2F%2Fevil.example%2F"
        )
    }

    @Test func isDescribedByItsEncodedForm() {
        let value = "a b"
        #expect("\("/x/\(value)" as RequestPath)" == "/x/a%20b")
        #expect(("/x/\(value)" as RequestPath) == "/x/a%20b")
    }

    @Test func describesTheProblemWithoutTheQuery() throws {
        let id = ""
        let problem = try #require(("/users/\(id)?token=s3cret" as RequestPath).problem)
        #expect(problem == "A value in the path \"/users/\" is empty, which would address another resource.")
        let climbing = try #require(("/users/\("..")?token=s3cret" as RequestPath).problem)
        #expect(!climbing.contains("s3cret"))
    }

    @Test func theTemplateHasNoValues() {
        let (id, tag) = ("a/b", "x")
        let cases: [(RequestPath, String?)] = [
            ("/users/\(id)/posts", "/users/{}/posts"), ("/users?tag=\(tag)", "/users"),
            ("/\(id)\(tag).json", "/{}{}.json"),
            ("/files/\(raw: "a/b")", "/files/{}"), ("/plain", "/plain"), (RequestPath(raw: "/users/42"), nil),
            ("https://api.example.com/v1/users/\(id)", "/v1/users/{}"), ("https://api.example.com", ""),
        ]
        for (path, template) in cases { #expect(path.template == template) }
    }

    @Test func pathsAreEqualIfTheyLeadToTheSameURL() {
        let id = 42
        let (written, made): (RequestPath, RequestPath) = ("/users/42", "/users/\(id)")
        #expect(written == made)
        #expect(Set([written, made]).count == 1)
        #expect(written != "/users/43")
    }
}
