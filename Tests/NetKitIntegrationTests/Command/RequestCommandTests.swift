import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of `netkit request` as a process of its own, with a real server.
@Suite(.needsTheMachine, .needs(.python3), .needsCommand, .pythonServer, .serialized)
struct RequestCommandTests {
    private let server: PythonServer

    init() throws {
        server = try #require(PythonServer.current)
    }

    private func request(
        _ path: String,
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> BuiltCommand.Result {
        let url = server.base.absoluteString + path
        return try await BuiltCommand.run(["request", url] + arguments, environment: environment)
    }

    @Test func theBodyGoesToOutputAndTheRestToNotes() async throws {
        let result = try await request("/hello")
        #expect(result.status == 0)
        #expect(result.output == "hello")
        #expect(result.notes.contains(/^HTTP(\/1\.1)? 200 OK\n/))
        #expect(result.notes.lowercased().contains("\nx-greeting: hi\n"))
        #expect(result.notes.contains(/\n5 bytes; (name .*, )?first byte \d+(\.\d+)?ms, exchange \d+(\.\d+)?ms\n$/))
    }

    @Test(arguments: [
        ("/status/204", 0), ("/status/299", 0), ("/status/400", 4), ("/status/404", 4), ("/status/500", 5),
        ("/status/503", 5), ("/redirect?to=/hello", 0), ("/redirect?to=/status/404", 4),
    ])
    func theExitCodeFollowsTheStatus(_ path: String, _ expected: Int32) async throws {
        #expect(try await request(path).status == expected)
    }

    @Test func methodHeadersAndDataAreSent() async throws {
        let result = try await request("/echo", "-X", "PUT", "-H", "X-Trace: one two", "--data", "the body")
        let echo = try JSONDecoder().decode(Echo.self, from: Data(result.output.utf8))
        #expect(echo.method == "PUT")
        #expect(echo.values(of: "x-trace") == ["one two"])
        #expect(echo.text == "the body")
    }

    /// A socket of the command must not get the number of its output.
    @Test func aClosedOutputIsAFailure() async throws {
        let command = try #require(BuiltCommand.executable).path(percentEncoded: false)
        let script = "exec \"$0\" request \"$1\" >&-"
        let arguments = ["-c", script, command, server.base.absoluteString + "/hello"]
        let result = try await BuiltCommand.run(URL(filePath: "/bin/sh"), arguments)
        #expect(result.status == 1)
        #expect(result.notes.hasSuffix("netkit: Could not write to \"/dev/stdout\": Bad file descriptor.\n"))
    }

    @Test func aCacheThatCannotBeAFolderIsAnError() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(), to: "file").path(percentEncoded: false)
        let result = try await request("/hello", "--cache", file)
        #expect(result.status == 1)
        #expect(result.output == "")
        let problem = "Could not create the folder \"\(file)\": File exists. [file, not sent]"
        #expect(result.notes == "netkit request: \(problem)\n")
    }

    @Test func dataCanBeAFile() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data("from disk".utf8), to: "file")
        let result = try await request("/echo", "-d", "@\(file.path())")
        let echo = try JSONDecoder().decode(Echo.self, from: Data(result.output.utf8))
        #expect(echo.method == "POST")
        #expect(echo.text == "from disk")
    }

    @Test func redirectsAreShown() async throws {
        let result = try await request("/redirect?to=/hello")
        #expect(result.output == "hello")
        let base = server.base.absoluteString
        #expect(result.notes.contains("302 Found: \(base)/redirect?to=/hello -> \(base)/hello\n"))
    }

    @Test func redirectsAreShownWithoutSecrets() async throws {
        let server = try MockServer()
        server.on(.get, "/old", .status(302).header("Location", "/new?token=hidden"))
        server.on(.get, "/new", .text("hello"))
        let url = server.url("/old").absoluteString
        let result = try await BuiltCommand.run(["request", url])
        #expect(result.notes.contains("302 Found: \(url) -> \(server.url("/new").absoluteString)?token=***\n"))
        #expect(!result.notes.contains("hidden"))
        let report = try await BuiltCommand.run(["request", url, "--json"])
        #expect(report.output.contains("/new?token=***"))
        #expect(!report.output.contains("hidden"))
    }

    @Test func explainShowsThePipeline() async throws {
        let result = try await request("/hello", "--explain")
        #expect(result.notes.contains("redirects: up to 20, never from https to http"))
        #expect(result.output == "hello")
    }

    @Test func aRefusedConnectionIsAFailure() async throws {
        let url = server.refusingBase.absoluteString
        let result = try await BuiltCommand.run(["request", url])
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(result.notes.hasPrefix("netkit request: GET \(url): No connection could be made"))
        #expect(result.notes.hasSuffix("[connect, not sent, 3 attempts, gave up: every attempt was used]\n"))
    }

    @Test func aTimeoutIsAFailure() async throws {
        // Long enough for the request to be sent on a busy machine.
        let result = try await request("/slow?seconds=20", "--timeout", "4")
        #expect(result.status == 1)
        #expect(result.notes.contains("The deadline of 4 s passed while waiting for the response of `127.0.0.1`."))
        #expect(result.notes.hasSuffix("[timeout, deadline limit, outcome unknown]\n"))
    }

    @Test func aBodyThatIsCutShortIsAFailure() async throws {
        let result = try await request("/cut")
        #expect(result.status == 1)
        #expect(result.notes.hasSuffix("[connectionLost, answered]\n"))
    }

    @Test func theEnvironmentConfigures() async throws {
        let result = try await request("/redirect?to=/hello", environment: ["NETKIT_MAX_REDIRECTS": "0"])
        #expect(result.status == 0)
        #expect(result.notes.contains(/^HTTP(\/1\.1)? 302 Found/))
    }

    @Test func aWrongEnvironmentIsAFailureThatNamesIt() async throws {
        let result = try await request("/hello", environment: ["NETKIT_IDLE_TIMEOUT": "soon"])
        #expect(result.status == 1)
        #expect(result.notes.contains("NETKIT_IDLE_TIMEOUT is \"soon\""))
    }

    @Test func nothingSecretIsShown() async throws {
        let url = server.refusingBase.absoluteString
        let withUser = url.replacing("http://", with: "http://user:hidden@")
        for (base, status) in [(url, Int32(1)), (withUser, 2)] {
            let result = try await BuiltCommand.run(["request", base + "/?token=hidden", "-H", "Authorization: hidden"])
            #expect(result.status == status)
            #expect(!result.notes.contains("hidden"))
        }
    }

    @Test(arguments: [
        ["request", "a", "--proxy", "ftp://u:hidden@a.example:1"], ["request", "a", "--proxy", "u:hidden@a.example:1"],
        ["request", "a", "-H", "Authorization Bearer hidden"], ["request", "a", "-F", "password hidden"],
        ["request", "a", "-u", "hidden"], ["request", "ftp://u:hidden@a.example/"], ["request", "u:hidden@a b/"],
        ["request", "a", "http://u:hidden@a.example/"], ["request", "ftp://a.example/?token=hidden"],
        ["request", "a", "-Uhidden"], ["request", "a", "-uhidden"], ["http://u:hidden@a.example"],
        ["monitor", "-t", "http://u:hidden@/"], ["monitor", "--page", "https://u:hidden@a.example/"],
        ["database", "postgres://u:hidden@a.example/a"], ["database", "status", "postgres://u:hidden@a.example/a"],
        ["queue", "list", "postgres://u:hidden@a.example/a"],
        ["queue", "show", "a", "postgres://u:hidden@a.example/a"],
        ["queue", "list", "a", "--schema", "postgres://u:hidden@a.example/a"],
        ["request", "--timeout", "http://u:hidden@a.example"], ["request", "--resolve=http://u:hidden@a.example"],
        ["monitor", "--quorum", "http://u:hidden@a.example"], ["download", "--sha256", "http://u:hidden@a.example"],
        ["request", "a", "-X", "http://u:hidden@a.example"], ["request", "POST", "a", "-X", "//u:hidden@a.example"],
        ["request", "a", "b:=http://u:hidden@a.example"], ["request", "a", "--http://u:hidden@a.example"],
        ["help", "request", "http://u:hidden@a.example"], ["version", "http://u:hidden@a.example/?token=hidden"],
    ])
    func aMessageAboutAnArgumentHasNoPassword(_ arguments: [String]) async throws {
        let result = try await BuiltCommand.run(arguments)
        #expect(result.status == 2)
        #expect(!result.notes.contains("hidden"), "\(result.notes)")
    }

    @Test(arguments: [
        ["--cacert", "http://u:hidden@a.example"], ["--cert", "http://u:hidden@a.example"],
        ["-d", "@http://u:hidden@a.example"], ["--json", "--cacert", "http://u:hidden@a.example"],
    ])
    func aMessageAboutAFileHasNoPassword(_ arguments: [String]) async throws {
        let result = try await BuiltCommand.run(["request", "127.0.0.1:1"] + arguments)
        #expect(result.status == 1)
        #expect(!(result.notes + result.output).contains("hidden"), "\(result.notes)")
    }

    @Test(arguments: [
        (["request"], "the URL is missing."),
        (["request", "--wrong"], "there is no option \"--wrong\"."),
        (["request", "a", "b"], "unexpected argument \"b\"."),
        (["request", "a", "--timeout"], "--timeout needs a value."),
        (["request", "a", "--timeout", "-1"], "seconds above 0, up to 999999999, not \"-1\"."),
        (["request", "127.0.0.1", "-H", "x"], "a header is written \"name: value\", and one has no colon."),
        (["wrong"], "there is no command \"wrong\"."),
        (["version", "wrong"], "unexpected argument \"wrong\"."),
        (["help", "request", "wrong"], "unexpected argument \"wrong\"."),
        (["download", "a.example", "-"], "For standard output, use `netkit request`"),
        (["download", "a.example", ""], "the path of a file or folder is empty."),
        (["queue", "list", ""], "the path of a file or folder is empty."),
        (["tour", ""], "the path of a file or folder is empty."),
    ])
    func wrongArgumentsAreAUsageError(_ arguments: [String], _ message: String) async throws {
        let result = try await BuiltCommand.run(arguments)
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.notes.contains(message))
        #expect(result.notes.contains("Usage: netkit"))
    }

    @Test(arguments: [["--help"], ["help"], ["request", "--help"], ["request", "-hv"], ["request", "-vh"]])
    func helpIsASuccess(_ arguments: [String]) async throws {
        let result = try await BuiltCommand.run(arguments)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Usage: netkit"))
        #expect(result.notes == "")
    }
}
