import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of downloads that are interrupted: within a call, and from one call to the next.
struct DownloadResumeTests {
    private static let content = Data((0..<1000).map { UInt8($0 % 251) })

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func client(_ file: RangeFile, base: URL? = exampleBase, time: TestClock? = nil) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        if let time { configuration.clock = time.clock }
        return HTTPClient(
            baseURL: base,
            transport: file.transport,
            interceptors: [],
            configuration: configuration
        )
    }

    private func rules(isResumable: Bool = false, attempts: Int = 3) -> DownloadRules {
        let retry = RetryPolicy(maxAttempts: attempts, backoffStrategy: .fixed(interval: .zero), jitter: .none)
        return DownloadRules(isResumable: isResumable, retry: retry)
    }

    private func download(_ file: RangeFile, _ rules: DownloadRules) async throws -> DownloadedFile {
        try await client(file).download("/file", to: folder.file("saved"), rules: rules)
    }

    private func failure(_ file: RangeFile, _ rules: DownloadRules) async -> NetKitError? {
        await #expect(throws: NetKitError.self) { try await download(file, rules) }
    }

    private func saved() throws -> Data { try Data(contentsOf: folder.file("saved")) }

    @Test func goesOnWhereItBrokeOff() async throws {
        let file = RangeFile(Self.content, cuts: [400, 300])
        var rules = rules()
        rules.expectedSHA256 = try Self.digest(of: Self.content)
        let result = try await download(file, rules)
        #expect(try saved() == Self.content)
        #expect(result.byteCount == 1000)
        #expect(result.resumedFrom == 0)
        #expect(file.ranges == [nil, "bytes=400-", "bytes=700-"])
        #expect(file.conditions == [nil, "\"one\"", "\"one\""])
        #expect(try folder.names == ["saved"])
    }

    @Test(.timeLimit(.minutes(5)), arguments: [false, true])
    func thePauseBeforeTheRestEndsLikeACall(byShutdown: Bool) async throws {
        let (time, id) = (TestClock(), CallID())
        let file = RangeFile(Self.content, cuts: [400])
        let client = client(file, time: time)
        let retry = RetryPolicy(maxAttempts: 3, backoffStrategy: .fixed(interval: .seconds(1)), jitter: .none)
        let (rules, saved) = (DownloadRules(isResumable: true, retry: retry), folder.file("saved"))
        let download = Task {
            try await client.download("/file", to: saved, rules: rules, options: CallOptions(id: id))
        }
        await time.waitForSleepers(1)
        #expect(client.activeCalls.map(\.id) == [id])
        if byShutdown { #expect(await client.shutdown() == false) } else { #expect(client.cancel(id)) }
        time.advance(by: .seconds(1))
        #expect(await outcome(of: download) == (byShutdown ? "closed" : "cancelled"))
        #expect(file.ranges == [nil])
        #expect(client.activeCallCount == 0)
        // The part is kept for a later call.
        #expect(try folder.names.count == 2)
    }

    @Test func givesUpWhereNothingComes() async throws {
        let file = RangeFile(Self.content, cuts: [400, 0, 0, 0])
        #expect(await failure(file, rules())?.code == .connectionLost)
        #expect(file.ranges == [nil, "bytes=400-", "bytes=400-"])
        #expect(try folder.names.isEmpty)
    }

    /// A network that is away for a moment, and a server that is.
    @Test func aFailedReconnectionIsRepeated() async throws {
        let time = TestClock(skipsSleeps: true)
        let file = RangeFile(Self.content, cuts: [400])
        let unknown = NetKitError(.dns, "The name is unknown.", outcome: .notSent)
        file.state.withLock { state in
            state.others = [
                nil, { _ in throw unknown }, { _ in HTTPResponse(status: 503, headers: ["Retry-After": "7"]) },
            ]
        }
        let client = client(file, time: time)
        _ = try await client.download("/file", to: folder.file("saved"), rules: rules(attempts: 4))
        #expect(try saved() == Self.content)
        #expect(file.ranges == [nil, "bytes=400-", "bytes=400-", "bytes=400-"])
        #expect(time.now == NetKitClock.Instant(nanoseconds: 0).advanced(by: .seconds(7)))
    }

    @Test(arguments: [
        HTTPResponse(status: 404), HTTPResponse(status: 503, headers: ["Retry-After": "61"]),
    ])
    func aRefusedReconnectionIsNot(_ refusal: HTTPResponse) async throws {
        let file = RangeFile(Self.content, cuts: [400])
        file.state.withLock { $0.others = [nil, { _ in refusal }] }
        #expect(await failure(file, rules(isResumable: true, attempts: 4))?.status == refusal.status)
        #expect(file.ranges == [nil, "bytes=400-"])
        #expect(try folder.names.count == 2)
    }

    @Test func aPartOfOneServerIsNotContinuedByAnother() async throws {
        let first = RangeFile(Self.content, cuts: [400])
        #expect(await failure(first, rules(isResumable: true, attempts: 1)) != nil)
        let second = RangeFile(Data(repeating: 7, count: 1000))
        let client = client(second, base: URL(string: "https://other.example"))
        let result = try await client.download("/file", to: folder.file("saved"), rules: rules(isResumable: true))
        #expect(result.resumedFrom == 0)
        #expect(second.ranges == [nil])
        #expect(try saved() == Data(repeating: 7, count: 1000))
    }

    @Test func aLaterCallGoesOn() async throws {
        let file = RangeFile(Self.content, cuts: [400])
        let rules = rules(isResumable: true, attempts: 1)
        #expect(await failure(file, rules)?.code == .connectionLost)
        #expect(try folder.names.count == 2)
        var checked = rules
        checked.expectedSHA256 = try Self.digest(of: Self.content)
        let result = try await download(file, checked)
        #expect(result.resumedFrom == 400)
        #expect(result.byteCount == 1000)
        #expect(try saved() == Self.content)
        #expect(file.ranges == [nil, "bytes=400-"])
        #expect(try folder.names == ["saved"])
    }

    @Test func aLaterCallStartsOverWhereTheFileChanged() async throws {
        let file = RangeFile(Self.content, cuts: [400])
        #expect(await failure(file, rules(isResumable: true, attempts: 1)) != nil)
        let changed = Data(repeating: 7, count: 600)
        file.state.withLock { ($0.content, $0.tag) = (changed, "\"two\"") }
        let result = try await download(file, rules(isResumable: true))
        #expect(result.resumedFrom == 0)
        #expect(try saved() == changed)
        #expect(file.conditions == [nil, "\"one\""])
        #expect(try folder.names == ["saved"])
    }

    /// A weak tag and a recent date are not trusted, but show that the file has changed.
    @Test(
        arguments: [
            ("\"one\"", ["ETag": "\"two\""]), ("\"one\"", ["ETag": "W/\"two\""]),
            (nil, ["Last-Modified": "Tue, 14 Nov 2023 22:13:10 GMT", "Date": "Tue, 14 Nov 2023 22:13:20 GMT"]),
        ] as [(String?, HTTPHeaders)]
    )
    func aServerThatIgnoresTheConditionIsFoundOut(_ tag: String?, _ version: HTTPHeaders) async throws {
        let file = RangeFile(Self.content, tag: tag, modified: Date(timeIntervalSince1970: 1_699_990_000), cuts: [400])
        #expect(await failure(file, rules(isResumable: true, attempts: 1)) != nil)
        let changed = Data(repeating: 7, count: 1000)
        file.state.withLock { state in
            (state.content, state.tag) = (changed, "\"two\"")
            state.others = [
                { _ in
                    var headers = version
                    headers["Content-Range"] = "bytes 400-999/1000"
                    return HTTPResponse(status: 206, headers: headers, body: ResponseBody(changed.dropFirst(400)))
                }
            ]
        }
        let result = try await download(file, rules(isResumable: true))
        #expect(result.resumedFrom == 0)
        #expect(try saved() == changed)
        #expect(file.ranges == [nil, "bytes=400-", nil])
    }

    @Test(arguments: ["bytes 300-999/1000", "bytes 400-999/2000", "bytes 500-999/1000", "bytes 400-999/*", nil])
    func aRangeThatDoesNotFitStartsOverOnce(_ range: String?) async throws {
        let coded: HTTPHeaders = ["Content-Range": "bytes 400-999/1000", "Content-Encoding": "gzip"]
        let headers: HTTPHeaders = range.map { ["Content-Range": $0] } ?? coded
        let odd: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            HTTPResponse(status: 206, headers: headers, body: ResponseBody(Data(count: 600)))
        }
        let file = RangeFile(Self.content, cuts: [400])
        file.state.withLock { $0.others = [nil, odd] }
        _ = try await download(file, rules())
        #expect(try saved() == Self.content)
        #expect(file.ranges == [nil, "bytes=400-", nil])
    }

    @Test func aRangeThatWasNotAskedForIsRefused() async throws {
        let file = RangeFile(Self.content)
        file.state.withLock { state in
            state.others = [
                { _ in
                    HTTPResponse(
                        status: 206,
                        headers: ["Content-Range": "bytes 5-9/10"],
                        body: ResponseBody(Data(count: 5))
                    )
                }
            ]
        }
        #expect(await failure(file, rules())?.code == .invalidResponse)
        #expect(try folder.names.isEmpty)
    }

    @Test func aServerMaySendLessThanWasAskedFor() async throws {
        let content = Self.content
        let file = RangeFile(content, cuts: [400])
        file.state.withLock { state in
            state.others = [
                nil,
                { _ in
                    HTTPResponse(
                        status: 206,
                        headers: ["ETag": "\"one\"", "Content-Range": "bytes 400-499/1000"],
                        body: ResponseBody(content[400..<500])
                    )
                },
            ]
        }
        _ = try await download(file, rules())
        #expect(try saved() == content)
        #expect(file.ranges == [nil, "bytes=400-", "bytes=500-"])
    }

    @Test func anUnsatisfiableRangeStartsOver() async throws {
        let file = RangeFile(Self.content, cuts: [400])
        #expect(await failure(file, rules(isResumable: true, attempts: 1)) != nil)
        file.state.withLock { $0.content = Data("short".utf8) }
        _ = try await download(file, rules(isResumable: true))
        #expect(try saved() == Data("short".utf8))
        #expect(file.ranges == [nil, "bytes=400-", nil])
    }

    /// A weak tag may stand for other bytes, and so may a date as young as the response.
    @Test(arguments: [
        ("W/\"one\"", nil, false), (nil, nil, false), (nil, 1_699_999_990.0, false), (nil, 1_699_990_000.0, true),
        ("\"one\"", nil, true),
    ])
    func onlyAStrongValidatorIsTrusted(_ tag: String?, _ modified: Double?, _ isTrusted: Bool) async throws {
        let date = modified.map { Date(timeIntervalSince1970: $0) }
        let file = RangeFile(Self.content, tag: tag, modified: date, cuts: [400])
        if isTrusted {
            _ = try await download(file, rules(isResumable: true))
            #expect(try saved() == Self.content)
            #expect(file.conditions == [nil, tag ?? date.map { HTTPDate.format($0) }])
        } else {
            #expect(await failure(file, rules(isResumable: true))?.code == .connectionLost)
            #expect(file.ranges == [nil])
            #expect(try folder.names.isEmpty)
        }
    }

    @Test(arguments: ["", "{", #"{"validator":"\"one\""}"#, #"{"validator":"\"one\"","total":10}"#])
    func aSpoiltNoteStartsOver(_ note: String) async throws {
        let file = RangeFile(Self.content, cuts: [400])
        #expect(await failure(file, rules(isResumable: true, attempts: 1)) != nil)
        let name = try #require(try folder.names.first { $0.hasSuffix(".json") })
        _ = try folder.write(Data(note.utf8), to: name)
        #expect(try await download(file, rules(isResumable: true)).resumedFrom == 0)
        #expect(try saved() == Self.content)
        #expect(file.ranges == [nil, nil])
        #expect(try folder.names == ["saved"])
    }

    @Test(.timeLimit(.minutes(5))) func onlyOneCanBeUnderWay() async throws {
        let pipe = BodyPipe()
        pipe.offer(Data("half".utf8))
        let transport = MockTransport { _, _ in HTTPResponse(status: 200, body: ResponseBody(source: pipe)) }
        let client = HTTPClient(baseURL: exampleBase, transport: transport, interceptors: [])
        let (file, rules) = (folder.file("saved"), rules(isResumable: true))
        let first = Task { try await client.download("/file", to: file, rules: rules) }
        await transport.waitForRequests(1)
        let error = await #expect(throws: NetKitError.self) {
            try await client.download("/file", to: file, rules: rules)
        }
        #expect(error?.code == .file)
        #expect(error?.message.contains("under way") == true)
        #expect(transport.requests.count == 1)
        pipe.finish()
        #expect(try await first.value.byteCount == 4)
        #expect(try folder.names == ["saved"])
    }

    /// Every disk call that can fail: the error says so, and no file is left over.
    @Test(arguments: [FakeFileSystem.Call.create, .write, .confirmWrites, .rename, .link], [0, 1])
    func aDiskThatRefusesLeavesNoLitter(_ call: FakeFileSystem.Call, _ successes: Int) async throws {
        let disk = FakeFileSystem(pieceSize: 300)
        disk.makeFolder("/folder/")
        disk.fail(call, after: successes)
        let existing: DownloadRules.ExistingFile = call == .rename ? .replace : .number
        if call == .link { disk.fail(.create, after: 1) }
        let sender = client(RangeFile(Self.content))
        let run = try DownloadRun(
            sender: sender,
            request: HTTPRequest(.get, "/file"),
            destination: URL(fileURLWithPath: "/folder/saved"),
            rules: DownloadRules(existingFile: existing),
            options: CallOptions(delivery: .streamed),
            fileSystem: disk
        )
        let result = await Result.catching { try await run.run() }
        switch result {
        case .success:
            #expect(disk.paths == ["/folder/saved"])
            #expect(disk.content(of: "/folder/saved") == Self.content)
        case .failure(let error):
            #expect((error as? NetKitError)?.code == .file)
            #expect((error as? NetKitError)?.message.contains("the disk is on fire") == true)
            #expect(disk.paths.isEmpty)
        }
        let isFatal = successes == 0 || call == .write
        #expect(isFatal == ((try? result.get()) == nil))
    }

    private func run(_ file: RangeFile, on disk: FakeFileSystem) async throws -> DownloadedFile {
        let run = try DownloadRun(
            sender: client(file),
            request: HTTPRequest(.get, "/file"),
            destination: URL(fileURLWithPath: "/folder/saved"),
            rules: rules(isResumable: true),
            options: CallOptions(delivery: .streamed),
            fileSystem: disk
        )
        return try await run.run()
    }

    /// A full disk keeps what was written, and so does a disk that cannot be read for a moment.
    @Test(arguments: [FakeFileSystem.Call.status, .openForAppending, .openForReading, .read])
    func aDiskThatRefusesKeepsAResumablePart(_ call: FakeFileSystem.Call) async throws {
        let disk = FakeFileSystem()
        disk.makeFolder("/folder/")
        let chunks = (0..<10).map { Self.content[($0 * 100)..<($0 * 100 + 100)] }
        let file = RangeFile(Self.content)
        file.state.withLock { state in
            state.others = [
                { _ in
                    let body = ResponseBody(length: 1000, source: ScriptedSource(chunks.map { Data($0) }))
                    return HTTPResponse(status: 200, headers: ["ETag": "\"one\""], body: body)
                }
            ]
        }
        disk.fail(.write, after: 5)
        let full = await #expect(throws: NetKitError.self) { try await run(file, on: disk) }
        #expect(full?.code == .file)
        #expect(disk.paths.count == 2)
        disk.fail(.write, after: .max)
        disk.fail(call)
        let passing = await #expect(throws: NetKitError.self) { try await run(file, on: disk) }
        #expect(passing?.code == .file)
        #expect(disk.paths.count == 2)
        disk.fail(call, after: .max)
        #expect(try await run(file, on: disk).resumedFrom == 400)
        #expect(disk.content(of: "/folder/saved") == Self.content)
        #expect(disk.paths == ["/folder/saved"])
        #expect(file.ranges == [nil, "bytes=400-"])
    }

    @Test(arguments: [FakeFileSystem.Call.write, .confirmWrites, .rename])
    func aFullDiskSaysWhatToDo(_ call: FakeFileSystem.Call) async throws {
        let disk = FakeFileSystem()
        disk.makeFolder("/folder/")
        disk.fail(call, code: ENOSPC)
        let error = await #expect(throws: NetKitError.self) { try await run(RangeFile(Self.content), on: disk) }
        #expect(error?.code == .file)
        #expect(error?.message.hasSuffix("the disk is on fire. Make room on the disk.") == true)
        // A part that has lost bytes is not continued.
        #expect(disk.paths.isEmpty == (call != .rename))
    }

    /// Only the last byte is requested again, which shows whether the file is still the same.
    @Test(arguments: [false, true])
    func aCompletePartThatCouldNotBeRenamedIsNotDownloadedAgain(hasChanged: Bool) async throws {
        let disk = FakeFileSystem()
        disk.makeFolder("/folder/")
        let file = RangeFile(Self.content)
        disk.fail(.rename)
        let error = await #expect(throws: NetKitError.self) { try await run(file, on: disk) }
        #expect(error?.code == .file)
        #expect(disk.paths.count == 2)
        disk.fail(.rename, after: .max)
        let changed = Data(repeating: 7, count: 1000)
        if hasChanged { file.state.withLock { ($0.content, $0.tag) = (changed, "\"two\"") } }
        let result = try await run(file, on: disk)
        #expect(result.resumedFrom == (hasChanged ? 0 : 1000))
        #expect(result.byteCount == 1000)
        #expect(disk.content(of: "/folder/saved") == (hasChanged ? changed : Self.content))
        #expect(disk.paths == ["/folder/saved"])
        #expect(file.ranges == [nil, "bytes=999-"])
        #expect(file.conditions == [nil, "\"one\""])
    }

    private static func digest(of data: Data) throws -> String {
        var digest = SHA256()
        data.withUnsafeBytes { digest.add($0) }
        return digest.value
    }
}
