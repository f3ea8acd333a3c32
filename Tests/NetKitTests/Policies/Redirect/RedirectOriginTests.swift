import Foundation
import Testing

@testable import NetKit

/// Tests that fields of one origin are not sent to another.
struct RedirectOriginTests {
    private static let headers: HTTPHeaders = [
        "Accept": "text/plain", "Authorization": "Bearer secret", "Proxy-Authorization": "Basic secret",
        "cookie": "a=1",
        "Cookie": "b=2", "Host": "api.example.com", "X-Api-Key": "secret", "x-signature": "secret", "X-A": "1",
    ]

    private func followed(from: String, to location: String, redaction: Redaction) throws -> HTTPRequest {
        let request = HTTPRequest(.get, try #require(URL(string: from)), headers: Self.headers)
        let policy = RedirectPolicy(allowsDowngrade: true)
        return try #require(policy.decide(request, to: location, redaction: redaction).followed)
    }

    @Test(
        arguments: [
            ("https://api.example.com/a", "/b"),
            ("https://api.example.com/a", "https://api.example.com/b"),
            ("https://api.example.com/a", "https://api.example.com:443/b"),
            ("https://api.example.com:443/a", "https://api.example.com/b"),
            ("https://api.example.com/a", "HTTPS://API.EXAMPLE.COM/b"),
            ("https://api.example.com/a", "//api.example.com/b"),
            ("http://api.example.com:8080/a", "http://api.example.com:8080/b"),
            ("http://[::1]:80/a", "http://[::1]/b"),
        ]
    )
    func theSameOriginKeepsEverything(from: String, location: String) throws {
        #expect(try followed(from: from, to: location, redaction: .standard).headers == Self.headers)
    }

    @Test(
        arguments: [
            ("http://api.example.com:8080/a", "https://api.example.com:8080/b"),
            ("https://api.example.com:8080/a", "http://api.example.com:8080/b"),
            ("http://api.example.com/a", "https://api.example.com/b"),
            ("https://api.example.com/a", "https://www.example.com/b"),
            ("https://api.example.com/a", "https://sub.api.example.com/b"),
            ("https://api.example.com/a", "https://example.com/b"),
            ("https://api.example.com/a", "https://api.example.com.evil.example/b"),
            ("https://api.example.com/a", "https://api.example.com./b"),
            ("https://api.example.com/a", "https://api.example.com@evil.example/b"),
            ("https://api.example.com/a", "https://api.example.com:8443/b"),
            ("https://api.example.com:8443/a", "https://api.example.com/b"),
            ("https://api.example.com/a", "//[::1]/b"),
        ]
    )
    func anotherSchemeHostOrPortLosesTheCredentials(from: String, location: String) throws {
        let next = try followed(from: from, to: location, redaction: .standard)
        #expect(next.headers == ["Accept": "text/plain", "X-A": "1"])
    }

    @Test func headersRegisteredAsSensitiveAreRemovedToo() throws {
        var redaction = Redaction(headerNames: ["X-Signature"], queryItems: [])
        let next = try followed(from: "https://api.example.com/a", to: "https://b.example.com/", redaction: redaction)
        #expect(next.headers == ["Accept": "text/plain", "X-Api-Key": "secret", "X-A": "1"])
        redaction.headerNames.insert("x-a")
        let second = try followed(from: "https://api.example.com/a", to: "https://b.example.com/", redaction: redaction)
        #expect(second.headers == ["Accept": "text/plain", "X-Api-Key": "secret"])
    }

    @Test func aRemovedCredentialDoesNotComeBackInALaterHop() async throws {
        let transport = MockTransport()
        transport.stub(.get, "https://api.example.com/a", .redirect(to: "https://evil.example/b"))
        transport.stub(.get, "https://evil.example/b", .redirect(to: "https://api.example.com/c"))
        transport.stub(.get, "https://api.example.com/c", .status(200))
        let headers: HTTPHeaders = ["Authorization": "Bearer secret", "Cookie": "a=1", "X-A": "1"]
        let request = HTTPRequest(.get, "https://api.example.com/a", headers: headers)
        _ = try await HTTPClient(transport: transport).send(request)
        #expect(transport.requests.map(\.headers) == [headers, ["X-A": "1"], ["X-A": "1"]])
    }
}
