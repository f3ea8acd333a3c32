import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of redirects over real sockets and between two origins.
@Suite(.needsTheMachine, .needs(.python3), .pythonServer)
struct RedirectTests {
    private let server: PythonServer
    private let client: HTTPClient
    private let secrets: HTTPHeaders = [
        "Authorization": "Bearer secret", "Cookie": "a=1", "X-Api-Key": "secret", "X-Trace": "kept",
    ]

    init() throws {
        server = try #require(PythonServer.current)
        client = HTTPClient(baseURL: server.base, transport: URLSessionTransport(), interceptors: [])
    }

    @Test func inOneOriginEveryHeaderFollows() async throws {
        let echo: Echo = try await client.send(.get("/redirect?to=/echo", headers: secrets))
        for field in secrets { #expect(echo.values(of: field.name) == [field.value]) }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func credentialsDoNotFollowToAnotherOrigin(_ status: Int) async throws {
        let target = server.otherBase.appending(path: "echo").absoluteString
        let query: QueryBuilder = ["status": status, "to": target]
        let response = try await client.send(HTTPRequest(.get, "/redirect", query: query, headers: secrets))
        let echo = try await response.body.json(Echo.self, upTo: 1 << 16)
        #expect(echo.values(of: "authorization") == [])
        #expect(echo.values(of: "cookie") == [])
        #expect(echo.values(of: "x-api-key") == [])
        #expect(echo.values(of: "x-trace") == ["kept"])
        #expect(response.url?.absoluteString == target)
        #expect(response.history.map(\.status.code) == [status])
    }

    @Test(arguments: [
        (301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "body"), (308, "POST", "body"),
    ])
    func methodAndBodyFollowByTheStatus(_ status: Int, _ method: String, _ text: String) async throws {
        let path: RequestPath = "/redirect?to=/echo&status=\(status)"
        let echo: Echo = try await client.send(.post(path, body: .text("body")))
        #expect(echo.method == method)
        #expect(echo.text == text)
    }

    @Test func aFileIsSentAgain() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("from disk".utf8), to: "file")
        let echo: Echo = try await client.send(.post("/redirect?to=/echo&status=307", body: .file(at: file)))
        #expect(echo.text == "from disk")
    }

    @Test func aLoopIsAnError() async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.get, "/loop"))
        }
        #expect(error?.code == .redirect)
        #expect(error?.status == .found)
    }

    @Test func aClientThatFollowsNoneGetsTheRedirect() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirects = .none
        let client = HTTPClient(
            baseURL: server.base,
            transport: URLSessionTransport(),
            configuration: configuration
        )
        let response = try await client.send(HTTPRequest(.get, "/redirect?to=/hello"))
        #expect(response.status == .found)
        #expect(response.headers["Location"] == "/hello")
        #expect(response.history == [])
    }
}
