import Foundation
import Testing

@testable import NetKit

/// Tests of the failures after which a download continues, and after which it keeps its part.
struct DownloadRetryTests {
    private static let content = Data((0..<1000).map { UInt8($0 % 251) })
    private static let garbage = NetKitError(.invalidResponse, "The response is garbage.", outcome: .answered)

    private let disk = FakeFileSystem(pieceSize: 300)

    init() {
        disk.makeFolder("/folder/")
    }

    private func rules(
        isResumable: Bool = false,
        attempts: Int = 3,
        codes: Set<NetKitError.Code> = RetryPolicy.standard.retryableErrorCodes
    ) -> DownloadRules {
        let retry = RetryPolicy(
            maxAttempts: attempts,
            backoffStrategy: .fixed(interval: .zero),
            jitter: .none,
            retryableErrorCodes: codes
        )
        return DownloadRules(isResumable: isResumable, retry: retry)
    }

    private func download(_ file: RangeFile, _ rules: DownloadRules) async throws -> DownloadedFile {
        let run = try DownloadRun(
            sender: HTTPClient(baseURL: exampleBase, transport: file.transport, interceptors: []),
            request: HTTPRequest(.get, "/file"),
            destination: URL(fileURLWithPath: "/folder/saved"),
            rules: rules,
            options: CallOptions(delivery: .streamed),
            fileSystem: disk
        )
        return try await run.run()
    }

    private func failure(_ file: RangeFile, _ rules: DownloadRules) async -> NetKitError? {
        await #expect(throws: NetKitError.self) { try await download(file, rules) }
    }

    private func saved() -> Data? { disk.content(of: "/folder/saved") }

    @Test(arguments: [("identity", true), ("Identity", true), ("", true), ("gzip", false), ("identity, gzip", false)])
    func onlyABodyWithoutACodingContinues(_ coding: String, continues: Bool) async throws {
        let file = RangeFile(Self.content)
        file.state.withLock { state in
            state.others = [
                { _ in RangeFile.response(200, ["ETag": "\"one\"", "Content-Encoding": coding], Self.content, 400) },
                { _ in
                    let headers: HTTPHeaders = ["Content-Range": "bytes 400-999/1000", "Content-Encoding": coding]
                    return RangeFile.response(206, headers, Self.content.dropFirst(400), nil)
                },
            ]
        }
        if continues { _ = try await download(file, rules()) } else { _ = await failure(file, rules()) }
        #expect(saved() == (continues ? Self.content : nil))
        #expect(file.ranges == (continues ? [nil, "bytes=400-"] : [nil]))
    }

    /// As of a proxy that restarts; it says nothing about the part.
    @Test func aResponseThatIsNotUnderstoodIsRepeated() async throws {
        let file = RangeFile(Self.content, cuts: [400])
        file.state.withLock { $0.others = [nil, { _ in throw Self.garbage }] }
        _ = try await download(file, rules())
        #expect(saved() == Self.content)
        #expect(file.ranges == [nil, "bytes=400-", "bytes=400-"])
    }

    @Test func aResponseThatIsNotUnderstoodKeepsThePart() async throws {
        let file = RangeFile(Self.content, cuts: [400])
        file.state.withLock { $0.others = [nil, { _ in throw Self.garbage }] }
        let rules = rules(isResumable: true, attempts: 1)
        #expect(await failure(file, rules)?.code == .connectionLost)
        #expect(await failure(file, rules)?.code == .invalidResponse)
        #expect(try await download(file, rules).resumedFrom == 400)
        #expect(saved() == Self.content)
    }

    /// The connection is lost after the head.
    @Test func aResponseOfWhichNoByteCameIsRepeated() async throws {
        let file = RangeFile(Self.content, cuts: [0, 400])
        _ = try await download(file, rules())
        #expect(saved() == Self.content)
        #expect(file.ranges == [nil, nil, "bytes=400-"])
    }

    /// If the process ended then, a later call would continue the bytes under the validator of another response.
    @Test func bytesOfARepetitionAreNotKeptWithTheValidatorOfTheResponseBefore() async throws {
        let (content, disk, paths) = (Self.content, disk, Notebook<[String]>())
        let file = RangeFile(content, cuts: [0])
        file.state.withLock { state in
            state.others = [
                nil,
                { _ in
                    disk.before(.write) { paths.add(disk.paths) }
                    return HTTPResponse(status: 200, body: ResponseBody(content))
                },
            ]
        }
        _ = try await download(file, rules(isResumable: true))
        #expect(saved() == content)
        #expect(paths.entries.map { $0.filter { $0.hasSuffix(".json") } } == [[]])
    }

    /// It would otherwise never end: each response brings the same bytes again.
    @Test func aServerThatSendsNoRestIsGivenUp() async throws {
        let content = Self.content
        let beginning: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            RangeFile.response(200, ["ETag": "\"one\""], content, 400)
        }
        let file = RangeFile(content)
        file.state.withLock { $0.others = Array(repeating: beginning, count: 10) }
        #expect(await failure(file, rules())?.code == .connectionLost)
        #expect(file.ranges == [nil, "bytes=400-", "bytes=400-"])
    }

    /// The part of the earlier call is longer than the file is now.
    @Test func aStartFromTheBeginningIsNoInterruption() async throws {
        let file = RangeFile(Self.content, cuts: [400, 0, 200])
        #expect(await failure(file, rules(isResumable: true, attempts: 1))?.code == .connectionLost)
        file.state.withLock { $0.content = Self.content.prefix(300) }
        _ = try await download(file, rules(isResumable: true, attempts: 2))
        #expect(saved() == Self.content.prefix(300))
        #expect(file.ranges == [nil, "bytes=400-", nil, "bytes=200-"])
    }

    /// A network drive may take bytes, and lose them later.
    @Test(arguments: [false, true]) func aPartThatHasLostBytesIsNotKept(isLost: Bool) async throws {
        if isLost { disk.fail(.confirmWrites) }
        let file = RangeFile(Self.content, cuts: [400])
        #expect(await failure(file, rules(isResumable: true, attempts: 1))?.code == .connectionLost)
        #expect(disk.paths.isEmpty == isLost)
    }

    /// The digest is that of the bytes that were received.
    @Test(arguments: [false, true]) func aPartThatAnotherProgramHasCutShortIsNoFile(isResumable: Bool) async throws {
        let disk = disk
        disk.before(.confirmWrites) {
            for path in disk.paths where path.hasSuffix(".part") { disk.put(Data("short".utf8), at: path) }
        }
        var rules = rules(isResumable: isResumable)
        var digest = SHA256()
        Self.content.withUnsafeBytes { digest.add($0) }
        rules.expectedSHA256 = digest.value
        let error = await failure(RangeFile(Self.content), rules)
        #expect(error?.code == .file)
        #expect(error?.message.contains("another program has changed it") == true)
        #expect(disk.paths.isEmpty)
    }

    /// A network drive would first receive all of it.
    @Test func aPartThatIsNotKeptIsNotConfirmed() async throws {
        let file = RangeFile(Self.content, cuts: [400])
        #expect(await failure(file, rules(attempts: 1))?.code == .connectionLost)
        #expect(!disk.calls.contains(.confirmWrites))
        #expect(disk.paths.isEmpty)
    }

    /// The disk has written 300 bytes of the second chunk, which the rest would follow.
    @Test func aFullDiskEndsTheCall() async throws {
        let (content, disk) = (Self.content, disk)
        let file = RangeFile(content)
        file.state.withLock { state in
            state.others = [
                { _ in
                    let source = ScriptedSource([content.prefix(400), Data(content.dropFirst(400))])
                    let body = ResponseBody(length: 1000, source: source)
                    return HTTPResponse(status: 200, headers: ["ETag": "\"one\""], body: body)
                },
                { _ in
                    disk.fail(.write, after: .max)
                    let headers: HTTPHeaders = ["Content-Range": "bytes 400-999/1000"]
                    return RangeFile.response(206, headers, content.dropFirst(400), nil)
                },
            ]
        }
        disk.fail(.write, after: 3, code: ENOSPC)
        #expect(await failure(file, rules(codes: [.file, .connectionLost]))?.code == .file)
        #expect(file.ranges == [nil])
        #expect(disk.paths.isEmpty)
    }
}
