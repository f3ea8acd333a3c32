import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of downloads over a mock: their folder, their name, and the leftovers.
@Suite(.timeLimit(.minutes(5)))
struct DownloadTests {
    private let folder: TemporaryFolder
    private let transport = MockTransport()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var client: HTTPClient { HTTPClient(baseURL: exampleBase, transport: transport, interceptors: []) }

    private func content(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.file(name)), as: UTF8.self)
    }

    @Test func theServerNamesAFileInAFolder() async throws {
        let disposition = #"attachment; filename="../../resume"; filename*=UTF-8''..%2F..%2Fr%C3%A9sum%C3%A9"#
        transport.stub(
            .get,
            "/v1/report",
            .data(Data("cv".utf8), contentType: "application/pdf").header("Content-Disposition", disposition)
        )
        let saved = try await client.download("/report", to: folder.url)
        #expect(saved.url.lastPathComponent == "résumé.pdf")
        #expect(saved.byteCount == 2)
        #expect(saved.status == .ok)
        #expect(try folder.names == ["résumé.pdf"])
        #expect(transport.requests.first?.headers["Accept-Encoding"] == "identity")
    }

    /// The rest of a file need not have the fields that name it.
    @Test(arguments: [false, true])
    func theResponseWithTheBeginningNamesTheFile(isLaterCall: Bool) async throws {
        let content = Data((0..<1000).map { UInt8($0 % 251) })
        let named: HTTPHeaders = ["ETag": "\"one\"", "Content-Disposition": "attachment; filename=report.csv"]
        let file = RangeFile(content)
        file.state.withLock { $0.others = [{ _ in RangeFile.response(200, named, content, 400) }] }
        let client = HTTPClient(baseURL: exampleBase, transport: file.transport, interceptors: [])
        let attempts = isLaterCall ? 1 : 2
        let retry = RetryPolicy(maxAttempts: attempts, backoffStrategy: .fixed(interval: .zero), jitter: .none)
        let rules = DownloadRules(isResumable: true, retry: retry)
        if isLaterCall {
            await #expect(throws: NetKitError.self) { try await client.download("/file", to: folder.url, rules: rules) }
        }
        #expect(try await client.download("/file", to: folder.url, rules: rules).byteCount == 1000)
        #expect(file.ranges == [nil, "bytes=400-"])
        #expect(try folder.names == ["report.csv"])
    }

    /// A name in the note beside a part, which anyone may have written, stays in the folder.
    @Test func aNotedNameIsMadeSafe() async throws {
        let file = RangeFile(Data(count: 1000), cuts: [400])
        let client = HTTPClient(baseURL: exampleBase, transport: file.transport, interceptors: [])
        let rules = DownloadRules(isResumable: true, retry: .none)
        await #expect(throws: NetKitError.self) { try await client.download("/file", to: folder.url, rules: rules) }
        let note = try #require(try folder.names.first { $0.hasSuffix(".json") })
        let text = #"{"validator":"\"one\"","total":1000,"name":"../../escaped"}"#
        _ = try folder.write(Data(text.utf8), to: note)
        _ = try await client.download("/file", to: folder.url, rules: rules)
        #expect(try folder.names == ["escaped"])
    }

    /// A folder that is missing, a file in one, and a file in place of a folder.
    @Test(arguments: [
        ("missing/", "does not exist"), ("missing/a.txt", "does not exist"), ("file/a.txt", "is not a folder"),
    ])
    func theFolderIsLookedForBeforeAnythingIsSent(_ path: String, _ words: String) async throws {
        _ = try folder.write(Data("old".utf8), to: "file")
        let destination = folder.url.appending(path: path)
        let error = await #expect(throws: NetKitError.self) { try await client.download("/a.txt", to: destination) }
        #expect(error?.code == .file)
        #expect(error?.outcome == .notSent)
        #expect(error?.message.contains(words) == true)
        #expect(transport.requests.isEmpty)
        #expect(try folder.names == ["file"])
    }

    @Test func aPipeIsNotReplaced() async throws {
        transport.stub(.get, "/v1/pipe.txt", .text("new"))
        let pipe = folder.file("pipe.txt")
        #expect(mkfifo(pipe.path(percentEncoded: false), 0o600) == 0)
        let named = await #expect(throws: NetKitError.self) { try await client.download("/pipe.txt", to: pipe) }
        #expect(named?.code == .file)
        #expect(named?.outcome == .notSent)
        #expect(named?.message.hasSuffix("is not a regular file. Choose another path.") == true)
        #expect(transport.requests.isEmpty)
        let rules = DownloadRules(existingFile: .replace)
        let chosen = await #expect(throws: NetKitError.self) {
            try await client.download("/pipe.txt", to: folder.url, rules: rules)
        }
        #expect(chosen?.message == named?.message)
        #expect(chosen?.outcome == .answered)
        #expect(try folder.names == ["pipe.txt"])
        #expect(try SystemFileSystem().status(of: pipe.path(percentEncoded: false)).kind == .other)
        let numbered = try await client.download("/pipe.txt", to: folder.url)
        #expect(numbered.url.lastPathComponent == "pipe (1).txt")
    }

    @Test func collisionsAreNumbered() async throws {
        transport.stub(.get, "/v1/a.txt", .text("new"))
        _ = try folder.write(Data("old".utf8), to: "a.txt")
        #expect(try await client.download("/a.txt", to: folder.url).url.lastPathComponent == "a (1).txt")
        #expect(try await client.download("/a.txt", to: folder.url).url.lastPathComponent == "a (2).txt")
        #expect(try folder.names == ["a (1).txt", "a (2).txt", "a.txt"])
        #expect(try content("a.txt") == "old")
        let replaced = try await client.download("/a.txt", to: folder.url, rules: DownloadRules(existingFile: .replace))
        #expect(replaced.url.lastPathComponent == "a.txt")
        #expect(try content("a.txt") == "new")
    }

    @Test func aNamedFileIsReplacedUnlessToldOtherwise() async throws {
        transport.stub(.get, "/v1/a", .text("new"))
        let file = try folder.write(Data("old".utf8), to: "b.txt")
        let refused = await #expect(throws: NetKitError.self) {
            try await client.download("/a", to: file, rules: DownloadRules(existingFile: .refuse))
        }
        #expect(refused?.code == .file)
        #expect(refused?.outcome == .notSent)
        #expect(refused?.message.contains("b.txt") == true)
        #expect(transport.requests.isEmpty)
        #expect(try content("b.txt") == "old")
        let numbered = try await client.download("/a", to: file, rules: DownloadRules(existingFile: .number))
        #expect(numbered.url.lastPathComponent == "b (1).txt")
        #expect(try await client.download("/a", to: file).url.lastPathComponent == "b.txt")
        #expect(try content("b.txt") == "new")
        #expect(try folder.names == ["b (1).txt", "b.txt"])
    }

    @Test func manyAtOnceOverwriteNothing() async throws {
        transport.stub(.get, "/v1/same.txt", .text("x"))
        let client = client
        let folder = folder.url
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<12 {
                group.addTask { try await client.download("/same.txt", to: folder).url.lastPathComponent }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names.count == 12)
        #expect(try self.folder.names.count == 12)
    }

    @Test(arguments: [404, 500] as [HTTPStatus])
    func aRefusalChangesNothing(_ status: HTTPStatus) async throws {
        transport.stub(.get, "/v1/a", .text("why", status: status))
        let file = try folder.write(Data("old".utf8), to: "a")
        let error = await #expect(throws: NetKitError.self) { try await client.download("/a", to: file) }
        #expect(error?.status == status)
        #expect(try content("a") == "old")
        #expect(try folder.names == ["a"])
    }

    @Test func theBoundHolds() async throws {
        transport.stub(.get, "/v1/declared", .text("12345"))
        transport.stub(.get, "/v1/streamed", .stream([Data("123".utf8), Data("45".utf8)]))
        for path: RequestPath in ["/declared", "/streamed"] {
            let error = await #expect(throws: NetKitError.self) {
                try await client.download(path, to: folder.url, upTo: 4)
            }
            #expect(error?.code == .bodyTooLarge)
            #expect(try await client.download(path, to: folder.file("x"), upTo: 5).byteCount == 5)
        }
        #expect(try folder.names == ["x"])
    }

    @Test func theExpectedSizeBoundsWhatIsRead() async throws {
        let source = ScriptedSource(Array(repeating: Data("ab".utf8), count: 100))
        let transport = ScriptedTransport { _, _ in HTTPResponse(status: 200, body: ResponseBody(source: source)) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let error = await #expect(throws: NetKitError.self) {
            try await client.download("/a", to: folder.url, rules: DownloadRules(expectedSize: 3))
        }
        #expect(error?.code == .invalidResponse)
        #expect(source.reads.count == 2)
        #expect(try folder.names.isEmpty)
    }

    @Test func sizeAndDigestAreChecked() async throws {
        transport.stub(.get, "/v1/abc", .text("abc"))
        transport.stub(.get, "/v1/streamed", .stream([Data("a".utf8), Data("bc".utf8)]))
        let digest = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
        for path: RequestPath in ["/abc", "/streamed"] {
            let saved = try await client.download(
                path,
                to: folder.file("abc"),
                rules: DownloadRules(expectedSize: 3, expectedSHA256: digest)
            )
            #expect(saved.sha256 == digest.lowercased())
            for rules in [
                DownloadRules(expectedSize: 4), DownloadRules(expectedSHA256: String(repeating: "0", count: 64)),
            ] {
                let error = await #expect(throws: NetKitError.self) {
                    try await client.download(path, to: folder.file("other"), rules: rules)
                }
                #expect(error?.code == .invalidResponse)
                #expect(error?.message.contains("expected") == true)
            }
        }
        #expect(try folder.names == ["abc"])
    }

    @Test func onlyFilesCanBeDestinations() async throws {
        let web = try #require(URL(string: "https://a.example/x"))
        let error = await #expect(throws: NetKitError.self) { try await client.download("/a", to: web) }
        #expect(error?.code == .file)
        #expect(error?.outcome == .notSent)
        #expect(transport.requests.isEmpty)
    }

    @Test func cancellationLeavesNothing() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("half".utf8))
        let transport = ScriptedTransport { _, _ in HTTPResponse(status: 200, body: ResponseBody(source: pipe)) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let folder = folder
        let task = Task { try await client.download("/a", to: folder.url) }
        try await waitUntil { (try? folder.names.isEmpty) == false }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(pipe.isCancelled)
        #expect(try folder.names.isEmpty)
    }
}
