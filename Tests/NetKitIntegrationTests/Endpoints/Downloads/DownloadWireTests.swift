import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of downloads from nginx, whose ranges and validators are independent of NetKit.
@Suite(.needsTheMachine, .needs(.nginx, .openssl))
struct DownloadWireTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func client(_ wire: WireTransport, _ interceptors: any Interceptor...) async throws -> HTTPClient {
        let base = try await NginxPeer.shared.value.url(.plain, "/", host: "127.0.0.1")
        return HTTPClient(baseURL: base, transport: try wire.make(), interceptors: InterceptorList(interceptors))
    }

    /// Makes a download that breaks off after 600,000 bytes, and leaves what arrived.
    private func breakOff(_ wire: WireTransport, _ rules: DownloadRules) async throws {
        var rules = rules
        rules.retry = .none
        let client = try await client(wire, CuttingInterceptor(after: 600_000))
        let error = await #expect(throws: NetKitError.self) {
            try await client.download("/medium", to: folder.url, rules: rules)
        }
        #expect(error?.code == .connectionLost)
        #expect(try folder.names.count == 2)
    }

    @Test(arguments: WireTransport.allCases)
    func aDownloadHasTheNameTheSizeAndTheBytesOfTheFile(_ wire: WireTransport) async throws {
        let rules = DownloadRules(expectedSize: Int64(NginxPeer.mediumSize), expectedSHA256: NginxPeer.mediumSHA256)
        let seen = Locked<[TransferProgress]>([])
        let saved = try await client(wire).download("/medium", to: folder.url, rules: rules) { progress in
            seen.withLock { $0.append(progress) }
        }
        #expect(saved.url.lastPathComponent == "medium")
        #expect(saved.sha256 == NginxPeer.mediumSHA256)
        #expect(try Data(contentsOf: saved.url) == patternedData(NginxPeer.mediumSize))
        #expect(try folder.names == ["medium"])
        let last = try #require(seen.withLock { $0.last })
        #expect(last.isFinished && last.completed == Int64(NginxPeer.mediumSize) && last.total == last.completed)
    }

    @Test(arguments: WireTransport.allCases)
    func aBrokenDownloadContinuesWithinTheCall(_ wire: WireTransport) async throws {
        let retry = RetryPolicy(maxAttempts: 2, backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let client = try await client(wire, CuttingInterceptor(after: 600_000))
        let rules = DownloadRules(expectedSHA256: NginxPeer.mediumSHA256, retry: retry)
        let saved = try await client.download("/medium", to: folder.url, rules: rules)
        #expect(saved.status == .partialContent)
        #expect(try folder.names == ["medium"])
    }

    @Test(arguments: WireTransport.allCases)
    func aBrokenDownloadContinuesInALaterCall(_ wire: WireTransport) async throws {
        let rules = DownloadRules(isResumable: true, expectedSHA256: NginxPeer.mediumSHA256)
        try await breakOff(wire, rules)
        let saved = try await client(wire).download("/medium", to: folder.url, rules: rules)
        #expect(saved.resumedFrom == 600_000)
        #expect(saved.status == .partialContent)
        #expect(saved.byteCount == Int64(NginxPeer.mediumSize))
        #expect(try folder.names == ["medium"])
    }

    /// The part claims to be of another version, so nginx responds with the whole file, and that is stored.
    @Test(arguments: WireTransport.allCases)
    func anotherVersionStartsOver(_ wire: WireTransport) async throws {
        let rules = DownloadRules(isResumable: true, expectedSHA256: NginxPeer.mediumSHA256)
        try await breakOff(wire, rules)
        let note = try #require(try folder.names.first { $0.hasSuffix(".json") })
        _ = try folder.write(Data(#"{"validator":"\"other\"","total":2000000}"#.utf8), to: note)
        let saved = try await client(wire).download("/medium", to: folder.url, rules: rules)
        #expect(saved.resumedFrom == 0)
        #expect(saved.status == .ok)
        #expect(try folder.names == ["medium"])
    }

    /// Interrupted by `kill -9` in one process, continued by another.
    @Test(.needsCommand)
    func aBrokenDownloadContinuesInANewProcess() async throws {
        let server = try MockServer()
        let content = patternedData(3_000_000)
        let head: (ServerReply) -> ServerReply = { $0.header("ETag", "\"v1\"") }
        server.on(
            .get,
            "/file.bin",
            head(.data(content)).stalling(at: .inBody(after: 1_000_000)),
            head(.data(Data(content.dropFirst(1_000_000)), status: .partialContent))
                .header("Content-Range", "bytes 1000000-2999999/3000000")
        )
        let command = try #require(BuiltCommand.executable)
        let url = server.url("/file.bin").absoluteString
        let arguments = ["download", url, folder.path, "--resume", "--sha256"]
        let digest = try await Self.digest(of: content)
        let first = Process()
        first.executableURL = command
        first.arguments = arguments + [digest]
        first.standardOutput = FileHandle.nullDevice
        first.standardError = FileHandle.nullDevice
        let (end, ended) = AsyncStream.makeStream(of: Never.self)
        first.terminationHandler = { _ in ended.finish() }
        try first.runToBeKilled()
        try await waitUntil { [folder] in
            let part = try? folder.names.first { $0.hasSuffix(".part") }
            let size = part.flatMap { try? FileManager.default.attributesOfItem(atPath: folder.file($0).path())[.size] }
            return (size as? NSNumber)?.intValue == 1_000_000
        }
        kill(first.processIdentifier, SIGKILL)
        for await _ in end {}
        server.release()
        let second = try await BuiltCommand.run(arguments + [digest])
        #expect(second.status == 0, "\(second.notes)")
        #expect(second.notes.contains("1000000 of them from before"))
        #expect(second.output.hasSuffix("/file.bin\n"))
        let range = server.requests.last?.headers
        #expect(range?["Range"] == "bytes=1000000-")
        #expect(range?["If-Range"] == "\"v1\"")
        #expect(try Data(contentsOf: folder.file("file.bin")) == content)
        #expect(try folder.names == ["file.bin"])
    }

    /// The bar is drawn if standard error is a terminal, and ends in a line of its own.
    @Test(.needs(.python3), .needsCommand)
    func theCommandDrawsABarOnATerminal() async throws {
        let command: URL = try #require(BuiltCommand.executable)
        let url = try await NginxPeer.shared.value.url(.plain, "/medium", host: "127.0.0.1").absoluteString
        let script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
        let result = try await Peer.python3.required().run(["-c", script, command.path(), "download", url, folder.path])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("100 % [="))
        #expect(result.output.contains("2.0 MB"))
        #expect(result.output.contains("\u{1B}[K"))
        let quiet = try await BuiltCommand.run(["download", url, folder.path])
        #expect(quiet.notes == "2000000 bytes\n")
        #expect(try folder.names == ["medium", "medium (1)"])
    }

    @Test(.needsCommand)
    func theExitCodeOfTheCommandTellsFailuresApart() async throws {
        let server = try MockServer()
        server.on(.get, "/missing", .status(404))
        let url = server.url("/missing").absoluteString
        #expect(try await BuiltCommand.run(["download", url, folder.path]).status == 4)
        server.on(.get, "/same", .status(304))
        #expect(try await BuiltCommand.run(["download", server.url("/same").absoluteString, folder.path]).status == 0)
        for status: HTTPStatus in [300, 302] {
            server.on(.get, "/lost/\(status.code)", .status(status))
            let url = server.url("/lost/\(status.code)").absoluteString
            #expect(try await BuiltCommand.run(["download", url, folder.path]).status == 1)
        }
        #expect(try await BuiltCommand.run(["download"]).status == 2)
        #expect(try await BuiltCommand.run(["download", url, "--size", "x"]).status == 2)
        #expect(try await BuiltCommand.run(["download", "--help"]).output.hasPrefix("Usage: netkit download"))
        #expect(try folder.names.isEmpty)
    }

    private static func digest(of content: Data) async throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "content")
        let result = try await Peer.openssl.required().run(["dgst", "-sha256", "-r", file.path()])
        return String(result.output.prefix(64))
    }
}
