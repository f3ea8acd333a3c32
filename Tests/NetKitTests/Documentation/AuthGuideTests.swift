import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on authentication, compiled and run.
@Suite(.needsTheMachine)
struct AuthGuideTests {
    private struct Login: Sendable {
        func fetchToken(after current: String?) async throws -> String { "fetched after \(current ?? "none")" }

        func renew(_ token: String?) async throws -> (token: String, expiresIn: Int, next: String) {
            ("renewed with \(token ?? "none")", 3600, "r2")
        }
    }

    private actor Vault {
        var token: AccessToken? = AccessToken("stale", expiry: .distantPast, refreshToken: "r1")

        func read() throws -> AccessToken? { token }

        func write(_ token: AccessToken?) { self.token = token }
    }

    private let base = exampleBase
    private let transport = MockTransport { _, _ in HTTPResponse(status: .ok) }
    private let login = Login()

    @Test func aStoreFetchesItsFirstToken() async throws {
        // GUIDE: begin
        let tokens = TokenStore(initial: nil) { current in try await login.fetchToken(after: current) }
        let client = HTTPClient(
            baseURL: base,
            transport: transport,
            interceptors: .standard + [AuthInterceptor(tokens)]
        )
        // GUIDE: end
        _ = try await client.send(HTTPRequest(.get, "/x"))
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer fetched after none"])
    }

    @Test func furtherOriginsAreNamed() async throws {
        let tokens = TokenStore(initial: "t")
        let interceptor =
            // GUIDE: begin
            AuthInterceptor(tokens, origins: .baseURL.adding("https://uploads.example.com"))
        // GUIDE: end
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [interceptor])
        _ = try await client.send(HTTPRequest(.get, "https://uploads.example.com/x"))
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer t"])
    }

    @Test func closuresLoadAndSaveTheToken() async throws {
        let vault = Vault()
        // GUIDE: begin
        let tokens = TokenStore(
            initial: nil,
            identity: "tenant-7",
            refresh: { current in
                let renewed = try await login.renew(current?.refreshToken)
                return AccessToken(renewed.token, expiresIn: .seconds(renewed.expiresIn), refreshToken: renewed.next)
            },
            load: { try await vault.read() },
            save: { await vault.write($0) }
        )
        // GUIDE: end
        #expect(try await tokens.token().value == "renewed with r1")
        #expect(await vault.token?.refreshToken == "r2")
        #expect(tokens.identity == "tenant-7")
    }

    @Test func aTokenInAFileIsLoadedByTheNextStore() async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        // GUIDE: begin
        let tokens = TokenStore(file: folder.appending(path: "token.json"), identity: "tenant-7") { current in
            let renewed = try await login.renew(current?.refreshToken)
            return AccessToken(renewed.token, expiresIn: .seconds(renewed.expiresIn), refreshToken: renewed.next)
        }
        // GUIDE: end
        #expect(tokens.identity == "tenant-7")
        let first = try await tokens.token()
        let next = TokenStore(file: folder.appending(path: "token.json"), identity: "tenant-7")
        #expect(try await next.token() == first)
    }

    @Test func aRefreshedTokenIsSavedInTheVault() async throws {
        let temporary = try TemporaryFolder()
        let (folder, seal) = (temporary.url, RecordSeal(seal: { $0 }, open: { $0 }))
        // GUIDE: begin
        let vault = FileTokenVault(file: folder.appending(path: "token.json"), seal: seal)
        let tokens = TokenStore(shared: vault, identity: "tenant-7") { current in
            let renewed = try await login.renew(current?.refreshToken)
            return AccessToken(renewed.token, expiresIn: .seconds(renewed.expiresIn), refreshToken: renewed.next)
        }
        // GUIDE: end
        let token = try await tokens.token()
        let kept = try await vault.read()
        #expect(kept == SharedToken(version: kept.version, token: token, identity: "tenant-7"))
    }

    @Test func theFormsOfTheTableCompile() {
        let tokens = TokenStore(initial: "t")
        let forms = [
            AuthInterceptor(TokenStore(initial: "t") { current in "next after \(current ?? "none")" }),
            AuthInterceptor { try await tokens.current()?.token.value },
            AuthInterceptor(tokens, header: "X-Session") { "v1 \($0.value)" },
            AuthInterceptor.basic(user: "user", password: "password"),
            AuthInterceptor.apiKey("key", header: "X-API-Key"),
        ]
        #expect(forms.map(\.header) == ["Authorization", "Authorization", "X-Session", "Authorization", "X-API-Key"])
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Authentication").shows(#filePath))
    }
}
