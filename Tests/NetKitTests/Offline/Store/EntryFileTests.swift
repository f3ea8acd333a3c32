import Dispatch
import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of the files beside the journal: they are sent as they were stored, or not at all.
struct EntryFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static let seal = RecordSeal(seal: { Data($0.reversed()) }, open: { Data($0.reversed()) })

    private func store(sealed: Bool = false) -> JSONOfflineStore {
        JSONOfflineStore(directory: folder.file("queue"), seal: sealed ? Self.seal : nil)
    }

    private func add(_ request: QueuedRequest, to store: JSONOfflineStore) async throws {
        try await store.append(request, byteCount: Int(request.body?.length ?? 0))
    }

    private func file(of id: UUID, _ part: String = "body") -> URL { folder.file("queue/bodies/\(id).\(part)") }

    private func bytes(_ body: HTTPBody?) throws -> Data? {
        if let bytes = body?.bytes { return bytes }
        return try (body?.fileRange).map { try Data(contentsOf: URL(fileURLWithPath: $0.path)) }
    }

    private func permissions(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path())[.posixPermissions] as? Int
    }

    enum Harm: CaseIterable, Sendable {
        case halved
        case changed
        case missing
    }

    @Test(arguments: Harm.allCases, ["body", "base"])
    func aDamagedFileIsNotSent(harm: Harm, part: String) async throws {
        let large = Data(repeating: 7, count: 100_000)
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .data(large)), lane: "a", baseData: large)
        let sender = ScriptedSender()
        let store = store()
        try await add(request, to: store)
        let url = file(of: request.id, part)
        var bytes = try Data(contentsOf: url)
        switch harm {
        case .halved: try bytes.prefix(50_000).write(to: url)
        case .changed:
            for index in [10, 5000, 99_999] { bytes[index] ^= 1 }
            try bytes.write(to: url)
        case .missing: try FileManager.default.removeItem(at: url)
        }
        await store.close()
        let queue = try await OfflineQueue.testing(sender, store: self.store())
        try await queue.enqueue(.post("/next", lane: "a"))
        await queue.processQueue()
        // The entry stays visible for a person, and blocks no others.
        #expect(sender.paths == ["/next"])
        #expect(await queue.deadLetterCount == 1)
        #expect(await queue.entries.map(\.id) == [request.id])
        await queue.close()
    }

    @Test func aLargeBodyIsReadAsItWasStored() async throws {
        let (body, base) = (Data(repeating: 7, count: 100_000), Data(repeating: 8, count: 200_000))
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .data(body)), baseData: base)
        let store = store()
        try await add(request, to: store)
        let kept = try #require(await store.stored(request.id)).request
        #expect(kept.baseData == base)
        #expect(try bytes(kept.body) == body)
        let segment = try Data(contentsOf: folder.file("queue/journal-000000001.jsonl"))
        #expect(try #require(segment.lastIndex(of: 0x0A)) < 2000)
    }

    @Test func aTakenFileIsTheQueuesAlone() async throws {
        let source = try folder.write(Data("whole".utf8), to: "source")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: source.path())
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .file(at: source)), takesFile: true)
        try await add(request, to: store())
        #expect(!FileManager.default.fileExists(atPath: source.path()))
        #expect(try permissions(file(of: request.id)) == 0o600)
    }

    @Test func aFileWithOtherNamesIsCopied() async throws {
        let source = try folder.write(Data("whole".utf8), to: "source")
        let other = folder.file("other")
        try FileManager.default.linkItem(at: source, to: other)
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .file(at: source)), takesFile: true)
        let store = store()
        try await add(request, to: store)
        try Data("changed".utf8).write(to: other, options: .init())
        let kept = try #require(await store.stored(request.id)).request
        #expect(try bytes(kept.body) == Data("whole".utf8))
        #expect(!FileManager.default.fileExists(atPath: source.path()))
    }

    /// A user may be allowed to read a file, but not to change its permissions.
    @Test func aFileThatCannotBeMadeTheQueuesOwnIsCopied() async throws {
        let disk = FaultyDisk()
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        #expect(try await store.entries().isEmpty)
        let source = try folder.write(Data("whole".utf8), to: "source")
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .file(at: source)), takesFile: true)
        // The first call gives the file its name.
        disk.fail(2)
        try await add(request, to: store)
        let kept = try #require(await store.stored(request.id)).request
        #expect(try bytes(kept.body) == Data("whole".utf8))
        #expect(try permissions(file(of: request.id)) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: source.path()))
    }

    @Test(arguments: [false, true])
    func aFileThatHasBecomeShorterIsRefused(sealed: Bool) async throws {
        let source = try folder.write(Data("a part".utf8), to: "source")
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .file(at: source, length: 100)))
        let store = store(sealed: sealed)
        #expect(await thrownCode { try await add(request, to: store) } == .file)
        #expect(try await store.entries().isEmpty)
    }

    @Test func aLinkIsNotTaken() async throws {
        let source = try folder.write(Data("whole".utf8), to: "source")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: source)
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .file(at: link)), takesFile: true)
        let store = store()
        #expect(await thrownCode { try await add(request, to: store) } == .invalidRequest)
        #expect(try await store.entries().isEmpty)
        #expect(FileManager.default.fileExists(atPath: link.path()))
    }

    @Test func aRequestWhoseHeadIsTooLargeIsRefused() async throws {
        let headers = HTTPHeaders([HTTPHeaders.Field("X-Large", String(repeating: "x", count: 2 << 20))])
        let store = store()
        let request = QueuedRequest(HTTPRequest(.post, "/", headers: headers))
        let error = await #expect(throws: NetKitError.self) { try await add(request, to: store) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("at most 1048576") == true)
        #expect(try await store.entries().isEmpty)
    }

    @Test(arguments: [Int.min, Int.max, -1, 0])
    func extremeNumbersAreReadAgain(number: Int) async throws {
        let request = QueuedRequest(HTTPRequest(.post, "/"), priority: number, maxAttempts: number)
        var counted = request
        counted.retryCount = number
        counted.conflictCount = number
        let first = store()
        try await add(counted, to: first)
        await first.close()
        let second = store()
        let entry = try #require(await second.entries().first)
        #expect(entry.priority == number)
        #expect(entry.retryCount == number)
        #expect(entry.conflictCount == number)
        await second.close()
        let sender = ScriptedSender(statuses: 503)
        let queue = try await OfflineQueue.testing(sender, store: store())
        await queue.processQueue()
        #expect(sender.paths.count == 1)
        await queue.close()
    }

    // MARK: Responses

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.file("queue/bodies").path()) }
    }

    /// A queue with one entry that the server refused with a long response.
    private func refused(_ body: Data, sealed: Bool, status: HTTPStatus = 422) async throws -> (OfflineQueue, UUID) {
        let sender = ScriptedSender { _ in HTTPResponse(status: status, body: ResponseBody(body)) }
        let queue = try await OfflineQueue.testing(sender, store: store(sealed: sealed)) {
            $0.maxResponseBytes = 1 << 20
        }
        let id = try await queue.enqueue(.post("/refused")).id
        await queue.processQueue()
        return (queue, id)
    }

    private func maxLineLength() throws -> Int {
        let text = try Data(contentsOf: folder.file("queue/journal-000000001.jsonl"))
        return text.split(separator: 0x0A).dropLast().map(\.count).max() ?? 0
    }

    @Test(arguments: [false, true], [300, 400_000])
    func aLongResponseIsKeptInAFile(sealed: Bool, size: Int) async throws {
        let response = Data(repeating: UInt8(ascii: "a"), count: size)
        let (first, id) = try await refused(response, sealed: sealed)
        #expect(try maxLineLength() < 2000)
        #expect(try files.count == (size > 1000 ? 1 : 0))
        await first.close()
        let second = try await OfflineQueue.testing(nil, store: store(sealed: sealed))
        let letter = try #require(await second.deadLetters.first)
        #expect(letter.response?.body == response)
        #expect(letter.reason == .refused)
        try await second.retry(id)
        #expect(try files.isEmpty)
        await second.close()
    }

    @Test(arguments: [false, true])
    func aLongResponseGoesWithItsEntry(isRemoved: Bool) async throws {
        let response = Data(repeating: UInt8(ascii: "a"), count: 100_000)
        let (queue, id) = try await refused(response, sealed: false)
        if isRemoved {
            try await queue.remove(id)
            #expect(try files.isEmpty)
        } else {
            // The next response has a file of its own, and the earlier one is removed.
            try await queue.retry(id)
            await queue.processQueue()
            #expect(try files.count == 1)
        }
        await queue.close()
    }

    @Test func aConflictKeepsBothVersionsHoweverLongTheyAre() async throws {
        let response = Data(repeating: UInt8(ascii: "a"), count: 300_000)
        let (first, id) = try await refused(response, sealed: false, status: 409)
        #expect(try maxLineLength() < 2000)
        await first.close()
        let sender = ScriptedSender()
        let second = try await OfflineQueue.testing(sender, store: store())
        #expect(await second.unresolvedConflicts.first?.serverData == response)
        try await second.resolve(id, with: .send(Data("{}".utf8)))
        await second.processQueue()
        #expect(sender.paths == ["/refused"])
        #expect(try files.isEmpty)
        await second.close()
    }

    /// Opens the queue again, and expects that its dead letter says why its response is missing, and can be sent again.
    private func expectSentAgain(_ id: UUID, saying reason: String) async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(sender, store: store())
        let letter = try #require(await queue.deadLetters.first)
        #expect(letter.request.endpoint == "/refused")
        #expect(letter.message.contains(reason))
        try await queue.retry(id)
        await queue.processQueue()
        #expect(sender.paths == ["/refused"])
        await queue.close()
    }

    @Test func anEntryWhoseResponseIsDamagedCanBeSentAgain() async throws {
        let (first, id) = try await refused(Data(repeating: 7, count: 100_000), sealed: false)
        await first.close()
        try Data("other".utf8).write(to: file(of: id, "detail"))
        try await expectSentAgain(id, saying: "is damaged")
    }

    @Test func anEntryWhoseResponseCannotBeReadCanBeSentAgain() async throws {
        let (first, id) = try await refused(Data(repeating: 7, count: 100_000), sealed: false)
        await first.close()
        try FileManager.default.removeItem(at: file(of: id, "detail"))
        try FileManager.default.createDirectory(at: file(of: id, "detail"), withIntermediateDirectories: false)
        try await expectSentAgain(id, saying: "cannot be read")
    }

    /// A full disk does not prevent the queue from giving up an entry: only the body of the response is lost.
    @Test func aResponseThatCannotBeKeptIsCutOff() async throws {
        let large = Data(repeating: 7, count: 100_000)
        let sender = ScriptedSender { _ in HTTPResponse(status: 422, body: ResponseBody(large)) }
        let queue = try await OfflineQueue.testing(sender, store: store()) { $0.maxResponseBytes = 1 << 20 }
        await queue.pause(lane: "a")
        let id = try await queue.enqueue(.post("/refused", lane: "a")).id
        try FileManager.default.createDirectory(at: file(of: id, "detail"), withIntermediateDirectories: true)
        await queue.resume(lane: "a")
        await queue.processQueue()
        let letter = try #require(await queue.deadLetters.first)
        #expect(letter.id == id)
        #expect(letter.response?.status == 422)
        #expect(letter.response?.body.isEmpty == true && letter.response?.isTruncated == true)
        await queue.close()
    }

    /// A body that another change of the entry has just written is not removed as a leftover.
    @Test func revivingAnEntryRemovesNothingButItsDetail() async throws {
        let (first, id) = try await refused(Data(repeating: 7, count: 100_000), sealed: false)
        await first.close()
        let sender = ScriptedSender { _ in HTTPResponse(status: 503) }
        let store = store()
        let second = try await OfflineQueue.testing(sender, store: store)
        let written = folder.file("queue/bodies/\(id).2.body")
        try Data("new".utf8).write(to: written)
        _ = try await store.revive([id])
        #expect(!FileManager.default.fileExists(atPath: file(of: id, "detail").path()))
        #expect(FileManager.default.fileExists(atPath: written.path()))
        await second.close()
    }

    /// One unreadable entry does not prevent others from being sent again.
    @Test func anEntryThatCannotBeReadDoesNotKeepOthersFromBeingRevived() async throws {
        let large = Data(repeating: 7, count: 100_000)
        let sender = ScriptedSender { _ in HTTPResponse(status: 422, body: ResponseBody(large)) }
        let first = try await OfflineQueue.testing(sender, store: store(sealed: true)) { $0.maxResponseBytes = 1 << 20 }
        let ids = try await [first.enqueue(.post("/a")).id, first.enqueue(.post("/b")).id]
        await first.processQueue()
        await first.close()
        // Without the key, nothing about the entries can be read.
        let store = store()
        let second = try await OfflineQueue.testing(ScriptedSender { _ in HTTPResponse(status: 503) }, store: store)
        #expect(try await store.revive(ids).map(\.state) == [.waiting, .waiting])
        await second.close()
    }

    // MARK: Verifying

    @Test(arguments: [false, true], ["body", "base", "detail"])
    func aDamagedFileIsFoundWithoutAKey(sealed: Bool, part: String) async throws {
        let large = Data(repeating: 7, count: 100_000)
        let sender = ScriptedSender { _ in HTTPResponse(status: 422, body: ResponseBody(large)) }
        let queue = try await OfflineQueue.testing(sender, store: store(sealed: sealed)) {
            $0.maxResponseBytes = 1 << 20
        }
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .data(large)), baseData: large)
        try await queue.enqueue(request)
        await queue.processQueue()
        await queue.close()
        #expect(try OfflineFolder(folder.file("queue")).damagedEntries.isEmpty)
        let url = file(of: request.id, part)
        var bytes = try Data(contentsOf: url)
        bytes[500] ^= 1
        try bytes.write(to: url)
        let found = try OfflineFolder(folder.file("queue")).damagedEntries
        #expect(found.map(\.id) == [request.id])
        #expect(found.first?.problem.contains("\(request.id).\(part) is damaged") == true)
    }

    @Test func anEntryThatCannotBeReadIsFound() async throws {
        let (store, request) = (store(), QueuedRequest.post("/"))
        try await add(request, to: store)
        await store.close()
        let url = folder.file("queue/journal-000000001.jsonl")
        let text = try String(contentsOf: url, encoding: .utf8)
        // The line is whole, but holds no request.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
            guard line.contains("\"op\":\"put\"") else { return String(line) }
            return Self.summed(line.replacing("\"method\":\"POST\"", with: "\"method\":123456"))
        }
        try lines.joined(separator: "\n").write(to: url, atomically: false, encoding: .utf8)
        let found = try OfflineFolder(folder.file("queue"))
        #expect(found.damage.isEmpty)
        #expect(found.damagedEntries.first?.problem.contains("cannot be read") == true)
    }

    /// A line with the checksum that belongs to it.
    private static func summed(_ line: some StringProtocol) -> String {
        let text = line.components(separatedBy: ",\"sum\":")[0]
        let parts = text.components(separatedBy: ",\"op\":")
        var checksum = CRC32()
        checksum.add(Array(("\"op\":" + parts[1]).utf8))
        checksum.add(Array((parts[0] + ",").utf8))
        return text + ",\"sum\":\"" + String(decoding: CRC32.text(checksum.value), as: UTF8.self) + "\"}"
    }

    /// It is not part of the conflict.
    @Test func aBodyInAFileStaysIfTheClientWins() async throws {
        let (large, bodies) = (Data(repeating: 7, count: 100_000), Notebook<Data>())
        let sender = ScriptedSender { sent, number in
            if let body = sent.request.body { bodies.add(try await body.collected()) }
            return HTTPResponse(status: number == 1 ? 412 : 204)
        }
        let queue = try await OfflineQueue.testing(sender, store: store()) { $0.conflictStrategy = .clientWins }
        try await queue.enqueue(QueuedRequest(HTTPRequest(.put, "/note", body: .data(large))))
        await queue.processQueue()
        #expect(bodies.entries == [large, large])
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    @Test(arguments: [false, true]) func anEntryThatChangesWhileItIsReadIsReadAgain(isRemoved: Bool) async throws {
        let (disk, began, goOn) = (FaultyDisk(), Promise<Void>(), DispatchSemaphore(value: 0))
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        let (id, bodies) = (UUID(), [1, 2].map { Data(repeating: $0, count: 100_000) })
        let requests = bodies.map { QueuedRequest(HTTPRequest(.put, "/", body: .data($0)), id: id) }
        try await add(requests[0], to: store)
        var update = OfflineUpdate(try #require(await store.entries().first))
        update.request = requests[1]
        disk.beforeOpening {
            began.resolve(.success(()))
            goOn.wait()
        }
        async let found = store.stored(id)
        try? await began.value()
        if isRemoved { try? await store.commit(id, sentAs: nil) } else { _ = try? await store.release(id, update) }
        goOn.signal()
        let body = try await found?.request.body
        #expect(try bytes(body) == (isRemoved ? nil : bodies[1]))
    }
}
