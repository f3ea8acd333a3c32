import Foundation
import Testing

@testable import NetKit

struct RedirectRefusalTests {
    private let request: HTTPRequest

    init() throws {
        request = HTTPRequest(.get, try #require(URL(string: "https://api.example.com/a")))
    }

    @Test(
        arguments: [
            (
                "ftp://api.example.com/b",
                "The redirect cannot be followed: The scheme of \"ftp://api.example.com/b\" is neither http nor https."
            ),
            (
                "file:///etc/passwd",
                "The redirect cannot be followed: The scheme of \"file:///etc/passwd\" is neither http nor https."
            ),
            (
                "javascript:alert(1)",
                "The redirect cannot be followed: The scheme of \"javascript:alert(1)\" is neither http nor https."
            ),
            ("https:///b", "The redirect cannot be followed: \"https:///b\" has no host. Write https://host/…"),
            ("https:b", "The redirect cannot be followed: \"https:b\" has no host. Write https://host/…"),
            (
                "https://api.example.com:0/b",
                "The redirect cannot be followed: The port of \"https://api.example.com:0/b\" is not between 1 and 65535."
            ),
            (
                "https://api.example.com/a",
                "The redirects form a loop at https://api.example.com/a."
            ),
            ("", "The redirects form a loop at https://api.example.com/a."),
            ("/b\r\nX-Injected: 1", "The redirect's Location is not a URL."),
            (
                "http://api.example.com/b?token=secret",
                "The redirect leads from https to http (http://api.example.com/b?token=***). "
                    + "Set `redirects.allowsDowngrade` to allow it."
            ),
        ]
    )
    func saysWhyARedirectIsNotFollowed(location: String, message: String) throws {
        let error = try #require(RedirectPolicy.standard.decide(request, to: location).refusal)
        #expect(error.code == .redirect)
        #expect(error.message == message)
        #expect(error.outcome == .answered)
        #expect(error.status == 302)
        #expect(error.response?.headers["Location"] == location)
    }

    @Test func aDowngradeIsFollowedIfThePolicyAllowsIt() throws {
        let policy = RedirectPolicy(allowsDowngrade: true)
        let next = try #require(policy.decide(request, to: "http://api.example.com/b").followed)
        #expect(next.url.absoluteString == "http://api.example.com/b")
    }

    @Test func anUpgradeNeedsNoPermission() throws {
        let plain = HTTPRequest(.get, try #require(URL(string: "http://api.example.com/a")))
        let next = try #require(RedirectPolicy.standard.decide(plain, to: "https://api.example.com/a").followed)
        #expect(next.url.scheme == "https")
    }

    @Test func differentLocationsAreRefusedAndEqualOnesAreOne() throws {
        func decide(_ locations: [String]) -> RedirectPolicy.Decision {
            RedirectPolicy.standard.decide(
                request,
                status: 302,
                headers: HTTPHeaders(locations.map { .init("Location", $0) }),
                visited: [],
                redaction: .standard
            )
        }
        #expect(decide(["/b", "/c"]).refusal?.message == "The redirect names several locations.")
        #expect(try #require(decide(["/b", "/b"]).followed).url.path() == "/b")
    }

    @Test(arguments: [1, 2, 20])
    func theHopBeyondTheLimitIsRefused(maxHops: Int) throws {
        let policy = RedirectPolicy(maxHops: maxHops)
        let visited = try (0..<maxHops).map { number in
            RedirectVisit(HTTPRequest(.get, try #require(URL(string: "https://api.example.com/\(number)"))))
        }
        #expect(policy.decide(request, to: "/b", visited: visited.dropLast()).followed != nil)
        let error = try #require(policy.decide(request, to: "/b?key=secret", visited: visited).refusal)
        let last = "the last one led to https://api.example.com/b?key=***."
        #expect(error.message == "More than \(maxHops) redirects; \(last) Raise `redirects.maxHops` to follow more.")
    }

    @Test func aRepeatedTargetIsALoopUnlessTheMethodChanged() throws {
        let first = HTTPRequest(.post, try #require(URL(string: "https://api.example.com/first")))
        let visited = [RedirectVisit(first)]
        let policy = RedirectPolicy.standard
        #expect(policy.decide(request, to: "/first", visited: visited).followed != nil)
        let again = policy.decide(request, to: "/first", visited: visited + [RedirectVisit(first.asGet)])
        #expect(again.refusal?.message == "The redirects form a loop at https://api.example.com/first.")
    }

    @Test func aFormThatAnswersWithItselfIsNoLoop() throws {
        let post = HTTPRequest(.post, request.url, body: .text("name=Ada"))
        let next = try #require(RedirectPolicy.standard.decide(post, status: 303, to: "/a").followed)
        #expect(next.method == .get)
        #expect(RedirectPolicy.standard.decide(post, status: 307, to: "/a").refusal?.code == .redirect)
    }
}

extension HTTPRequest {
    fileprivate var asGet: HTTPRequest {
        var copy = self
        copy.method = .get
        return copy
    }
}
