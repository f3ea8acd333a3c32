import Foundation
import Testing

@testable import NetKit

struct PathPatternTests {
    private static let base = "https://api.example.com/v1/"

    /// Returns whether a stub matches a request below a base URL.
    private func matches(_ pattern: String, _ url: String, base: String? = base) async throws -> Bool {
        let request = HTTPRequest(.get, try #require(URL(string: url)))
        let call = Call(
            request,
            options: CallOptions(),
            delivery: .streamed,
            timeouts: .none,
            settings: Call.Settings(baseURL: base.flatMap { URL(string: $0) }),
            start: NetKitClock.system.now
        )
        let recorded = try await RecordedRequest(request, context: RequestContext(call: call))
        return PathPattern(pattern).matches(recorded)
    }

    @Test(
        arguments: [
            ("/users/42", "https://api.example.com/v1/users/42", true),
            ("/v1/users/42", "https://api.example.com/v1/users/42", true),
            ("/users/42", "https://api.example.com/v1/users/42?full=1#top", true),
            ("/users/42", "https://api.example.com/v1/users/42/", false),
            ("/users/42", "https://api.example.com/v1/users/420", false),
            ("/users/42", "https://api.example.com/users/42", true),
            ("users/42", "https://api.example.com/v1/users/42", true),
            ("v1/users/42", "https://api.example.com/v1/users/42", true),
            ("users/*?full=1", "https://api.example.com/v1/users/42", true),
            ("*", "https://api.example.com/v1/users", true),
            ("*", "https://api.example.com/v1/users/42", false),
            ("users/a:b", "https://api.example.com/v1/users/a:b", true),
            ("a:b/users", "https://api.example.com/v1/a:b/users", true),
            ("/users", "https://api.example.com/v10/users", false),
            ("0/users", "https://api.example.com/v10/users", false),
            ("/users/a%20b", "https://api.example.com/v1/users/a%20b", true),
            ("/users/a b", "https://api.example.com/v1/users/a%20b", true),
            ("/users/a b", "https://api.example.com/v1/users/a%2520b", false),
            ("/users/é/*", "https://api.example.com/v1/users/%C3%A9/a", true),
            ("/users/a[1]", "https://api.example.com/v1/users/a%5B1%5D", true),
            ("/users/50%", "https://api.example.com/v1/users/50%25", true),
            ("/v1", "https://api.example.com/v1", true),
            ("/", "https://api.example.com/v1/", true),
            ("/", "https://api.example.com/v1", true),
            ("", "https://api.example.com/v1", true),
            ("/", "https://api.example.com/v10", false),
            ("/web/https://a.example/x", "https://api.example.com/v1/web/https://a.example/x", true),
            ("web/https://*/x", "https://api.example.com/v1/web/https://a.example/x", true),
            ("/web/https://a.example/x", "https://api.example.com/v1/web/https://b.example/x", false),
        ]
    )
    func aPathIsComparedBelowTheBaseAndWhole(pattern: String, url: String, expected: Bool) async throws {
        #expect(try await matches(pattern, url) == expected)
    }

    @Test(arguments: [
        "/", "", "/**", "https://api.example.com", "https://api.example.com/", "https://api.example.com/**",
        "https://*/", "https://**",
    ])
    func aURLWithoutAPathAsksForTheRoot(pattern: String) async throws {
        #expect(try await matches(pattern, "https://api.example.com", base: nil))
        #expect(try await matches(pattern, "https://api.example.com?a=1", base: nil))
        #expect(try await matches(pattern, "https://api.example.com/", base: nil))
    }

    /// Not every client encodes what NetKit does.
    @Test(arguments: [("/a|b/*", true), ("a|b/*", true), ("/a%7Cb/*", false)])
    func aPathOnAWireMayBeWrittenAsThePattern(pattern: String, isPlain: Bool) {
        #expect(PathPattern(pattern).matches("/a%7Cb/1"))
        #expect(PathPattern(pattern).matches("/a|b/1") == isPlain)
    }

    @Test(arguments: ["*", "**"])
    func aStarIsTheTargetOfAnOptionsRequest(pattern: String) {
        #expect(PathPattern(pattern).matches("*"))
        #expect(!PathPattern("/*").matches("*"))
    }

    /// The target of a CONNECT request, after the slash with which a server begins every path.
    @Test func anAddressInBracketsMatchesAsItIsWritten() {
        #expect(PathPattern("/[::1]:443").matches("/[::1]:443"))
    }

    @Test(
        arguments: [
            ("/users/*", "/users/42", true),
            ("/users/*", "/users/", true),
            ("/users/*", "/users", false),
            ("/users/*", "/users/42/posts", false),
            ("/users/*/posts", "/users/42/posts", true),
            ("/users/*/posts", "/users/42/likes", false),
            ("/*/*", "/a/b", true),
            ("/*/*", "/a", false),
            ("/users/4*", "/users/42", false),
            ("/files/**", "/files/a", true),
            ("/files/**", "/files/a/b/c", true),
            ("/files/**", "/files/", true),
            ("/files/**", "/files", true),
            ("/files/**", "/other/a", false),
            ("/files/*/**", "/files/a/b/c", true),
            ("**", "/any/thing", true),
            ("/a/**/b", "/a/x/b", false),
            ("/a/**/b", "/a/**/b", true),
        ]
    )
    func starsStandForSegments(pattern: String, path: String, expected: Bool) async throws {
        #expect(try await matches(pattern, "https://api.example.com" + path, base: nil) == expected)
        let base = "https://api.example.com/a/base/that/is/deep"
        #expect(try await matches(pattern, base + path, base: base) == expected)
    }

    @Test(
        arguments: [
            ("https://api.example.com/users", "https://api.example.com/users", true),
            ("https://api.example.com/users", "https://api.example.com/users?a=1", true),
            ("https://api.example.com/users", "https://cdn.example.com/users", false),
            ("https://api.example.com/users", "http://api.example.com/users", false),
            ("https://api.example.com/users", "https://api.example.com:8443/users", false),
            ("https://*/users", "https://cdn.example.com/users", true),
            ("https://cdn.example.com/a b", "https://cdn.example.com/a%20b", true),
            ("https://bücher.example/users", "https://xn--bcher-kva.example/users", true),
            ("https://cdn.example.com/**", "https://cdn.example.com/a/b", true),
            ("https://cdn.example.com/**", "https://evil.example/a/b", false),
        ]
    )
    func aPatternWithASchemeNamesTheHost(pattern: String, url: String, expected: Bool) async throws {
        #expect(try await matches(pattern, url) == expected)
    }
}
