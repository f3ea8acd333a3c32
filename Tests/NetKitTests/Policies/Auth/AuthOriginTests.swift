import Foundation
import NetKit
import NetKitTesting
import Testing

/// Tests of the origins that a credential may be sent to.
struct AuthOriginTests {
    private static let base = "https://api.example.com/v1"

    @Test(arguments: [
        ("https://api.example.com/v1/x", true), ("https://api.example.com", true),
        ("https://api.example.com?q=1", true),
        ("https://api.example.com#f", true), ("https://api.example.com:443/x", true),
        ("HTTPS://API.example.COM/x", true),
        ("https://user:pass@api.example.com/x", true), ("http://api.example.com/x", false),
        ("https://api.example.com:8443/x", false), ("https://api.example.com.evil.net/x", false),
        ("https://api.example.com@evil.net/x", false), ("https://api.example.com:443@evil.net/x", false),
        ("https://evil.net/https://api.example.com/", false), ("https://xapi.example.com/", false),
        ("https://example.com/", false), ("https://api.example.community/", false),
    ])
    func theBaseURLsOriginIsSchemeHostAndPort(text: String, isCovered: Bool) throws {
        let url = try #require(URL(string: text))
        #expect(AuthOrigins.baseURL.contains(url, baseURL: URL(string: Self.base)) == isCovered)
        #expect(AuthOrigins([Self.base]).contains(url, baseURL: nil) == isCovered)
        #expect(AuthOrigins.any.contains(url, baseURL: nil))
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/x", true),
        ("http://127.0.0.1:8080", "http://127.0.0.1/x", false),
        ("http://127.0.0.1:8080", "http://127.0.0.1:80801/x", false), ("http://[::1]:80/", "http://[::1]/x", true),
        ("http://[::1]", "http://[::1]:81/x", false), ("https://h:443", "https://h/x", true),
        ("http://h:443", "https://h/x", false), ("http://h", "http://h:80/x", true),
    ])
    func portsAndAddressesHaveToMatch(base: String, text: String, isCovered: Bool) throws {
        let url = try #require(URL(string: text))
        #expect(AuthOrigins.baseURL.contains(url, baseURL: URL(string: base)) == isCovered)
    }

    @Test func withoutABaseURLItsOriginCoversNothing() throws {
        let url = try #require(URL(string: "https://api.example.com"))
        #expect(!AuthOrigins.baseURL.contains(url, baseURL: nil))
        #expect(AuthOrigins.baseURL.adding("https://api.example.com/other").contains(url, baseURL: nil))
        #expect(!AuthOrigins([]).contains(url, baseURL: url))
    }

    @Test func aRefusalOfAnotherOriginStartsNoRefresh() async throws {
        let transport = MockTransport { _, _ in HTTPResponse(status: .unauthorized) }
        let refreshes = Notebook<Int>()
        let store = TokenStore(initial: "secret") { _ in
            refreshes.add(1)
            return "new"
        }
        let client = HTTPClient(
            baseURL: URL(string: Self.base),
            transport: transport,
            interceptors: [AuthInterceptor(store)]
        )
        let response = try await client.send(HTTPRequest(.get, "https://elsewhere.example.org/x"))
        #expect(response.status == .unauthorized)
        #expect(refreshes.entries.isEmpty)
        #expect(transport.requests.map { $0.headers["Authorization"] } == [nil])
    }

    @Test func onlyARedirectBackToTheOriginCarriesTheCredential() async throws {
        let transport = MockTransport()
        transport.stub(.get, "https://api.example.com/v1/a", .redirect(to: "https://other.example.net/b"))
        transport.stub(.get, "https://other.example.net/b", .redirect(to: "https://api.example.com/v1/c"))
        transport.stub(.get, "https://api.example.com/v1/c", .status(200))
        let client = HTTPClient(
            baseURL: URL(string: Self.base),
            transport: transport,
            interceptors: [AuthInterceptor(TokenStore(initial: "t"))]
        )
        _ = try await client.send(HTTPRequest(.get, "/a"))
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t", nil, "Bearer t"])
    }

    @Test func aRedirectOfACallWithItsOwnCredentialNeverCarriesAnother() async throws {
        let transport = MockTransport()
        transport.stub(.get, "https://api.example.com/v1/a", .redirect(to: "https://uploads.example.com/b"))
        transport.stub(.get, "https://uploads.example.com/b", .redirect(to: "https://api.example.com/v1/c"))
        transport.stub(.get, "https://api.example.com/v1/c", .status(.unauthorized))
        let store = TokenStore(initial: "service") { _ in "new" }
        let client = HTTPClient(
            baseURL: URL(string: Self.base),
            transport: transport,
            interceptors: [AuthInterceptor(store, origins: .baseURL.adding("https://uploads.example.com"))]
        )
        let response = try await client.send(HTTPRequest(.get, "/a", headers: ["Authorization": "Bearer own"]))
        #expect(response.status == .unauthorized)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer own", nil, nil])
    }

    @Test func thePrincipalIsTheIdentityIfACredentialIsAdded() async throws {
        let store = TokenStore(initial: "t", identity: "tenant-7")
        #expect(try await principals(AuthInterceptor(store)) == ["tenant-7", "tenant-7", nil, nil, nil])
    }

    @Test func aClosureWithoutAnIdentitySharesNothing() async throws {
        let found = try await principals(AuthInterceptor { "t" })
        #expect(found[0]?.hasPrefix("call-") == true)
        #expect(found[0] != found[1])
        #expect(found[2...] == [nil, nil, nil])
        #expect(try await principals(AuthInterceptor(identity: "me") { "t" })[0] == "me")
    }

    /// The principals that a cache sees for two requests, one of another origin, one without auth, and one with its own
    /// header.
    private func principals(_ interceptor: AuthInterceptor) async throws -> [String?] {
        let seen = Notebook<String?>()
        let asking = Intercepting(stage: .cache) { request, context, next in
            seen.add(next.principal(for: request, context)?.identity)
            return try await next(request, context)
        }
        let client = HTTPClient(
            baseURL: URL(string: Self.base),
            transport: MockTransport { _, _ in HTTPResponse(status: .ok) },
            interceptors: [asking, interceptor]
        )
        var login = HTTPRequest(.get, "/login")
        login.requiresAuth = false
        let own = HTTPRequest(.get, "/x", headers: ["Authorization": "own"])
        for request in [
            HTTPRequest(.get, "/x"), HTTPRequest(.get, "/x"), HTTPRequest(.get, "https://x.org/"), login, own,
        ] {
            _ = try await client.send(request)
        }
        return seen.entries
    }

    @Test(
        arguments: [
            (Self.base, AuthOrigins.baseURL, 0, ""), (Self.base, .any, 1, "every origin"),
            (nil, .baseURL, 1, "never sent"), (nil, ["https://x.org"], 0, ""),
            (nil, ["nonsense", "https://x.org"], 1, "\"nonsense\""),
            (nil, [], 1, "never sent"), ("http://api.example.com", .baseURL, 1, "unencrypted"),
            ("http://127.0.0.1:8080", .baseURL, 0, ""), ("http://localhost", .baseURL, 0, ""),
            ("http://[::1]:1", .baseURL, 0, ""),
        ] as [(String?, AuthOrigins, Int, String)]
    )
    func riskyOriginsAreReported(base: String?, origins: AuthOrigins, count: Int, text: String) {
        let client = HTTPClient(
            baseURL: base.flatMap { URL(string: $0) },
            transport: MockTransport(),
            interceptors: [AuthInterceptor(TokenStore(initial: "t"), origins: origins)]
        )
        #expect(client.warnings.count == count)
        #expect(client.warnings.allSatisfy { $0.contains(text) })
        #expect(client.explain().contains("warning: ") == (count > 0))
    }

    @Test func twoCredentialsForOneOriginAndHeaderAreAWarning() {
        func warnings(_ interceptors: any Interceptor...) -> [String] {
            HTTPClient(
                baseURL: URL(string: Self.base),
                transport: MockTransport(),
                interceptors: InterceptorList(interceptors)
            ).warnings
        }
        let store = TokenStore(initial: "t")
        #expect(warnings(AuthInterceptor(store), AuthInterceptor(store, origins: [Self.base])).count == 1)
        #expect(warnings(AuthInterceptor(store), AuthInterceptor(store, origins: ["https://other.org"])) == [])
        #expect(warnings(AuthInterceptor(store), AuthInterceptor.apiKey("k")) == [])
    }

    @Test func theSummaryNamesTheOrigins() {
        let interceptor = AuthInterceptor(
            TokenStore(initial: "t"),
            origins: .baseURL.adding("https://up.example.com/x")
        )
        #expect(
            interceptor.summary
                == "bearer token in Authorization for the base URL's origin, https://up.example.com"
        )
    }
}
