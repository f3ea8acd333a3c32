import Foundation
import Testing

@testable import NetKit

struct BaseURLTests {
    private func joined(_ base: String, _ path: String) throws -> String {
        try BaseURL(#require(URL(string: base))).joined(with: path)
    }

    @Test(arguments: ["https://a.example/v1", "https://a.example/v1/", "https://a.example/v1//"])
    func putsExactlyOneSlashBetween(_ base: String) throws {
        for path in ["users", "/users", "//users"] {
            #expect(try joined(base, path) == "https://a.example/v1/users")
        }
        for path in ["users/", "/users/", "//users/"] {
            #expect(try joined(base, path) == "https://a.example/v1/users/")
        }
    }

    @Test(arguments: ["https://a.example", "https://a.example/"])
    func joinsToAHostWithoutAPath(_ base: String) throws {
        for path in ["users", "/users", "//users"] { #expect(try joined(base, path) == "https://a.example/users") }
        for path in ["/", "//"] { #expect(try joined(base, path) == "https://a.example/") }
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example"), ("https://a.example/", "https://a.example/"),
        ("https://a.example/v1", "https://a.example/v1"), ("https://a.example/v1/", "https://a.example/v1/"),
        ("https://a.example/v1/?k=1#f", "https://a.example/v1/?k=1"),
    ])
    func anEmptyPathIsTheBaseItself(_ base: String, _ url: String) throws {
        #expect(try joined(base, "") == url)
        #expect(try joined(base, "#fragment") == url)
    }

    @Test(arguments: [
        ("https://a.example/v1?k=1", "/x", "https://a.example/v1/x?k=1"),
        ("https://a.example/v1?k=1", "/x?b=2", "https://a.example/v1/x?k=1&b=2"),
        ("https://a.example/v1/?k=1", "x?b=2", "https://a.example/v1/x?k=1&b=2"),
        ("https://a.example/v1?k=1", "?b=2", "https://a.example/v1?k=1&b=2"),
        ("https://a.example/v1", "?b=2", "https://a.example/v1?b=2"),
        ("https://a.example/v1/", "?b=2", "https://a.example/v1/?b=2"),
        ("https://a.example/v1?", "/x?", "https://a.example/v1/x"),
        ("https://a.example/v1", "/x?a=/b?c", "https://a.example/v1/x?a=/b?c"),
        ("https://a.example/v1?k=a/", "/x", "https://a.example/v1/x?k=a/"),
    ])
    func putsItsOwnQueryFirst(_ base: String, _ path: String, _ url: String) throws {
        #expect(try joined(base, path) == url)
    }

    @Test(arguments: [
        ("https://a.example/v1#f", "/x", "https://a.example/v1/x"),
        ("https://a.example/v1?k=1#f?g", "/x", "https://a.example/v1/x?k=1"),
        ("https://a.example/v1#f", "/x?b=2#g", "https://a.example/v1/x?b=2"),
        ("https://a.example", "/x#?y", "https://a.example/x"),
    ])
    func dropsFragments(_ base: String, _ path: String, _ url: String) throws {
        #expect(try joined(base, path) == url)
    }

    @Test func keepsPortUserInfoAndAddress() throws {
        #expect(try joined("http://u:p@a.example:8080/v1/", "/x") == "http://u:p@a.example:8080/v1/x")
        #expect(try joined("http://[::1]:8080", "x") == "http://[::1]:8080/x")
    }

    @Test func takesARelativeURLWithABase() throws {
        let base = try #require(URL(string: "https://a.example/v1/"))
        let url = try #require(URL(string: "deep?k=1", relativeTo: base))
        #expect(try BaseURL(url).joined(with: "/x") == "https://a.example/v1/deep/x?k=1")
    }

    @Test func aPathNeverLeavesTheHost() throws {
        for path in ["//evil.example/x", "///evil.example/x", "/\\evil.example", "@evil.example", ":80@evil.example"] {
            let text = PercentEncoding.tolerant(path)
            let url = try #require(URL(string: try joined("https://a.example", text)))
            #expect(url.host() == "a.example")
            #expect(url.user() == nil)
        }
    }

    @Test(arguments: [
        ("/v1", "has no scheme"), ("ftp://a.example", "neither http nor https"), ("https:///v1", "has no host"),
        ("https://a.example:0", "port"), ("file:///tmp", "neither http nor https"),
    ])
    func refusesABaseThatCannotBeCalled(_ base: String, _ problem: String) throws {
        let url = try #require(URL(string: base))
        let error = #expect(throws: NetKitError.self) { try BaseURL(url) }
        #expect(error?.code == .invalidURL)
        #expect(error?.outcome == .notSent)
        #expect(error?.message.hasPrefix("The base URL cannot be used: ") == true)
        #expect(error?.message.contains(problem) == true)
    }
}
