import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of the server that other suites rely on when they test a transport, with curl as the client.
@Suite(.needsTheMachine, .needs(.nginx, .openssl, .curl))
struct NginxPeerTests {
    private func nginx() async throws -> NginxPeer { try await NginxPeer.shared.value }

    private func curl(
        _ port: NginxPort,
        _ path: String,
        times: Int = 1,
        _ arguments: [String]
    ) async throws -> CurlCommand.Result {
        let nginx = try await nginx()
        let trust = ["--cacert", nginx.certificates.authority.path()]
        let place = try nginx.url(port, path).absoluteString
        return try await CurlCommand.run(trust + arguments + Array(repeating: place, count: times))
    }

    private func curl(_ port: NginxPort, _ path: String, _ arguments: String...) async throws -> CurlCommand.Result {
        try await curl(port, path, arguments)
    }

    /// The reports of nginx about some requests of one client, one after the other.
    private func facts(_ port: NginxPort, times: Int = 1, _ arguments: [String] = []) async throws -> [NginxFacts] {
        let result = try await curl(port, "/facts", times: times, arguments)
        let facts = try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(NginxFacts.self, from: Data($0.utf8))
        }
        try #require(facts.count == times)
        return facts
    }

    @Test(
        arguments: [
            (.plain, [], "HTTP/1.1", ""),
            (.plainHTTP2, ["--http2-prior-knowledge"], "HTTP/2.0", ""),
            (.tls, [], "HTTP/2.0", "TLSv1.3"),
            (.tls, ["--http1.1"], "HTTP/1.1", "TLSv1.3"),
            (.tlsHTTP1, ["--http2"], "HTTP/1.1", "TLSv1.3"),
            (.tls12, [], "HTTP/2.0", "TLSv1.2"),
            (.tls13, [], "HTTP/2.0", "TLSv1.3"),
        ] as [(NginxPort, [String], String, String)]
    )
    func speaks(port: NginxPort, arguments: [String], version: String, tls: String) async throws {
        let facts = try await facts(port, arguments)[0]
        #expect(facts.version == version)
        #expect(facts.tls == tls)
        #expect(facts.serverName == (port.isTLS ? "localhost" : ""))
    }

    /// The old version is supported, for a client that accepts everything.
    @Test
    func speaksAnOldVersionOfTLS() async throws {
        let old = ["--tlsv1.1", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0"]
        #expect(try await facts(.tls11, old).map(\.tls) == ["TLSv1.1"])
    }

    @Test
    func knowsWhoseCertificateItIs() async throws {
        let certificates = try await nginx().certificates
        let identity = [
            "--cert", certificates.certificate(.client).path(), "--key", certificates.key(.client).path(),
        ]
        let facts = try await facts(.mutual, identity)
        #expect(facts.map(\.verified) == ["SUCCESS"])
        #expect(facts.map(\.client) == ["CN=NetKit test client"])
    }

    /// Nine requests of one client: three connections if the server ends them after three, and otherwise one.
    @Test(arguments: [(.plain, 1), (.plainShort, 3), (.tls, 1), (.tlsShort, 3)] as [(NginxPort, Int)])
    func endsConnections(port: NginxPort, connections: Int) async throws {
        let facts = try await facts(port, times: 9)
        #expect(Set(facts.map(\.connection)).count == connections)
        #expect(facts.map(\.request) == (0..<9).map { $0 % (9 / connections) + 1 })
    }

    @Test
    func takesASessionUpAgain() async throws {
        // Closing after each request makes curl shake hands again, with the session of the handshake before.
        let facts = try await facts(.tlsHTTP1, times: 2, ["--header", "Connection: close"])
        #expect(facts.map(\.session) == [".", "r"])
    }

    @Test
    func listensOnASocketFile() async throws {
        let result = try await CurlCommand.run(
            "--unix-socket",
            nginx().socketPath,
            url: #require(URL(string: "http://localhost/text.txt"))
        )
        #expect(result.output == NginxPeer.text)
    }

    @Test
    func compresses() async throws {
        let head = try await curl(.tls, "/text.txt", "--compressed", "--dump-header", "-", "--output", "/dev/null")
        #expect(head.output.contains("content-encoding: gzip"))
        #expect(try await curl(.tls, "/text.txt", "--compressed").output == NginxPeer.text)
        let plain = try await curl(.tls, "/text.txt", "--dump-header", "-")
        #expect(!plain.output.contains("content-encoding"))
        #expect(plain.output.hasSuffix(NginxPeer.text))
    }

    @Test(arguments: [NginxPort.plain, .tls])
    func sendsTheLargeFile(port: NginxPort) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "large")
        let result = try await curl(port, "/large", "--output", file.path())
        #expect(result.status == 0)
        #expect(try Data(contentsOf: file) == patternedData(NginxPeer.largeSize))
        let digest = try await Peer.openssl.required().run(["dgst", "-sha256", "-r", file.path()])
        #expect(digest.output.hasPrefix(NginxPeer.largeSHA256))
    }

    @Test(
        arguments: [
            ("5-9", 206, "bytes 5-9/10000000", 5), ("9999990-", 206, "bytes 9999990-9999999/10000000", 10),
            ("-3", 206, "bytes 9999997-9999999/10000000", 3), ("20000000-", 416, "bytes */10000000", nil),
        ] as [(String, Int, String, Int?)]
    )
    func sendsRanges(range: String, status: Int, content: String, length: Int?) async throws {
        let result = try await curl(
            .tls,
            "/large",
            "--range",
            range,
            "--dump-header",
            "-",
            "--output",
            "/dev/null",
            "--write-out",
            "%{http_code} %{size_download}"
        )
        #expect(result.output.contains("content-range: \(content)\r\n"))
        #expect(result.output.contains("\n\(status) "))
        if let length { #expect(result.output.hasSuffix(" \(length)")) }
    }

    @Test
    func sendsTheSmallFile() async throws {
        let result = try await curl(.plain, "/kilobyte", "--output", "/dev/null", "--write-out", "%{size_download}")
        #expect(result.output == "1024")
    }

    @Test
    func sendsFields() async throws {
        let result = try await curl(.plain, "/fields", "--header", "X-Test: so", "--dump-header", "-")
        let lines = result.output.components(separatedBy: "\r\n")
        #expect(
            lines.filter { $0.hasPrefix("X-") || $0.hasPrefix("Set-") } == [
                "X-One: 1", "X-Two: first", "X-Two: second", "Set-Cookie: a=1", "Set-Cookie: b=2", "X-Sent: so",
            ]
        )
    }

    @Test(
        arguments: [NginxPort.plain, .tls],
        [
            ["--data-binary"], ["--request", "PUT", "--data-binary"],
            ["--header", "Transfer-Encoding: chunked", "--data-binary"],
        ]
    )
    func readsABodyToItsEnd(port: NginxPort, arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(patternedData(3_000_001), to: "body")
        // Chunks are specific to HTTP/1.1.
        let version = arguments.contains("Transfer-Encoding: chunked") ? ["--http1.1"] : []
        let result = try await curl(port, "/upload", version + arguments + ["@\(file.path())"])
        #expect(result.output == "3000001")
    }

    @Test
    func refusesABodyThatIsTooLarge() async throws {
        let body = String(repeating: "x", count: 1024)
        #expect(try await curl(.tls, "/upload-small", "--data", body).output == "1024")
        let tooLarge = try await curl(.tls, "/upload-small", "--data", body + "x", "--write-out", "%{http_code}")
        #expect(tooLarge.output.hasSuffix("413"))
    }

    @Test(arguments: [NginxPort.plain, .tls])
    func keepsWhatItIsGiven(port: NginxPort) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(patternedData(100_000), to: "body")
        let path = "/store/\(UUID().uuidString)"
        let stored = try await curl(port, path, "--upload-file", file.path(), "--write-out", "%{http_code}")
        #expect(stored.output.hasSuffix("201"))
        let copy = folder.url.appending(path: "copy")
        #expect(try await curl(port, path, "--output", copy.path()).status == 0)
        #expect(try Data(contentsOf: copy) == patternedData(100_000))
    }

    @Test
    func stops() async throws {
        let own = try await NginxPeer(TestCertificates.shared.value)
        let port = try own.number(.plain)
        #expect(RawConnection(port: port) != nil)
        await own.stop()
        #expect(RawConnection(port: port) == nil)
    }
}
