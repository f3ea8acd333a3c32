import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a folder that is removed, replaced or restored while a queue has it open, and of the entries it then lacks.
@Suite(.timeLimit(.minutes(5)))
struct JournalFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store() -> JSONOfflineStore { JSONOfflineStore(directory: folder.file("queue")) }

    private func paths(of entries: [QueuedRequest]) -> Set<String> { Set(entries.map(\.endpoint)) }

    /// Fills the folder of a queue with other content while the queue has it open.
    private func withOtherContent(_ queue: OfflineQueue) async throws {
        try FileManager.default.removeItem(at: folder.file("queue"))
        let other = try await OfflineQueue.testing(nil, store: store())
        try await other.enqueue(.post("/other"))
        await other.close()
    }

    /// Replaces the folder of a queue while the queue opens it to add an entry.
    private func replaceQueue(by other: URL, afterListing number: Int) async throws {
        let path = folder.file("queue")
        let disk = FaultyDisk()
        disk.afterListing(number) {
            try? FileManager.default.removeItem(at: path)
            try? FileManager.default.moveItem(at: other, to: path)
        }
        let queue = try await OfflineQueue.testing(nil, store: JSONOfflineStore(directory: path, fileSystem: disk))
        try await queue.enqueue(.post("/1"))
        #expect(!FileManager.default.fileExists(atPath: other.path()))
        await queue.close()
    }

    @Test func whatAReplacedFolderLacksIsWrittenIntoIt() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil, store: store())
        for number in 0..<3 { try await queue.enqueue(.post("/\(number)")) }
        try await withOtherContent(queue)
        try await queue.enqueue(.post("/3"))
        let all: Set<String> = ["/0", "/1", "/2", "/3", "/other"]
        #expect(paths(of: await queue.pending) == all)
        #expect(await queue.quarantined.isEmpty)
        await queue.close()
        let next = try await OfflineQueue.testing(sender, store: store())
        #expect(await next.quarantined.isEmpty)
        await next.processQueue()
        #expect(Set(sender.paths) == all)
        #expect(sender.paths.count == 5)
        await next.close()
    }

    @Test func aQueueWhoseFolderWasReplacedSendsItsEntriesAndTheNewOnes() async throws {
        let sender = ScriptedSender()
        let queue = try await OfflineQueue.testing(nil, store: store())
        for number in 0..<3 { try await queue.enqueue(.post("/\(number)")) }
        try await withOtherContent(queue)
        let events = queue.events
        await queue.attach(sender)
        await events.wait(4, .delivered)
        #expect(Set(sender.paths) == ["/0", "/1", "/2", "/other"])
        #expect(sender.paths.count == 4)
        #expect(await queue.entries.isEmpty)
        await queue.close()
    }

    @Test func whatABackupLacksIsWrittenIntoIt() async throws {
        let queue = try await OfflineQueue.testing(nil, store: store())
        try await queue.enqueue(.post("/0"))
        try FileManager.default.copyItem(at: folder.file("queue"), to: folder.file("backup"))
        for number in 1..<4 { try await queue.enqueue(.post("/\(number)")) }
        try FileManager.default.removeItem(at: folder.file("queue"))
        try FileManager.default.moveItem(at: folder.file("backup"), to: folder.file("queue"))
        try await queue.enqueue(.post("/4"))
        #expect(await queue.pending.map(\.endpoint) == (0..<5).map { "/\($0)" })
        await queue.close()
        let next = try await OfflineQueue.testing(nil, store: store())
        #expect(await next.pending.map(\.endpoint) == (0..<5).map { "/\($0)" })
        await next.close()
    }

    /// Another owner with the same entries has delivered one of them.
    @Test func whatAnotherOwnerRemovedStaysRemoved() async throws {
        let queue = try await OfflineQueue.testing(nil, store: store())
        for number in 0..<3 { try await queue.enqueue(.post("/\(number)")) }
        try FileManager.default.removeItem(at: folder.file("queue/lock"))
        let other = try await OfflineQueue.testing(nil, store: store())
        let first = try #require(await other.pending.first)
        try await other.remove(first.id)
        await other.close()
        try await queue.enqueue(.post("/3"))
        #expect(await queue.pending.map(\.endpoint) == ["/1", "/2", "/3"])
        let sender = ScriptedSender()
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths == ["/1", "/2", "/3"])
        await queue.close()
    }

    /// The journal of the backup says that an earlier entry with the same identifier was removed.
    @Test func anIdentifierThatIsUsedAgainIsTakenBack() async throws {
        let (store, request) = (store(), QueuedRequest.post("/1"))
        try await store.append(request)
        try await store.commit(request.id, sentAs: nil)
        try FileManager.default.copyItem(at: folder.file("queue"), to: folder.file("backup"))
        try await store.append(request)
        try FileManager.default.removeItem(at: folder.file("queue"))
        try FileManager.default.moveItem(at: folder.file("backup"), to: folder.file("queue"))
        try await store.append(.post("/2"))
        #expect(try await store.entries().map(\.id).contains(request.id))
        #expect(try await store.entries().count == 2)
        await store.close()
    }

    /// The entry of a login without a name, whose identity only the process knows.
    @Test func anEntryOfAnotherIdentityIsNotReplacedAfterwards() async throws {
        let store = store()
        func addition(of identity: String) -> OfflineAddition {
            let request = QueuedRequest(HTTPRequest(.post, "/"), coalescingKey: "k", coalescing: .replace)
            return OfflineAddition(request: request, byteCount: 2, identity: identity)
        }
        _ = try await store.append(addition(of: "ada"), within: OfflineBounds())
        try FileManager.default.copyItem(at: folder.file("queue"), to: folder.file("backup"))
        try FileManager.default.removeItem(at: folder.file("queue"))
        try FileManager.default.moveItem(at: folder.file("backup"), to: folder.file("queue"))
        try await store.append(.post("/2"))
        _ = try await store.append(addition(of: "bob"), within: OfflineBounds())
        #expect(try await store.entries().count == 3)
        _ = try await store.append(addition(of: "ada"), within: OfflineBounds())
        #expect(try await store.entries().count == 3)
        await store.close()
    }

    @Test func aFullDiskLosesNoEntry() async throws {
        let disk = FaultyDisk()
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        let queue = try await OfflineQueue.testing(nil, store: store)
        for number in 0..<3 { try await queue.enqueue(.post("/\(number)")) }
        try await withOtherContent(queue)
        for step in 1...100 {
            disk.fail(step, with: .noSpace, stays: true)
            let isAdded = await thrownCode { try await queue.enqueue(.post("/3")) } == nil
            disk.mend()
            #expect(paths(of: await queue.pending).isSuperset(of: ["/0", "/1", "/2"]))
            if isAdded { break }
        }
        #expect(paths(of: await queue.pending) == ["/0", "/1", "/2", "/3", "/other"])
        await queue.close()
        let next = try await OfflineQueue.testing(nil, store: self.store())
        #expect(paths(of: await next.pending) == ["/0", "/1", "/2", "/3", "/other"])
        await next.close()
    }

    /// The queue has no segment yet, and the other content has one with the number of the first.
    @Test func whatAReplacedFolderHasIsNotOverwritten() async throws {
        let queue = try await OfflineQueue.testing(nil, store: store())
        try await withOtherContent(queue)
        try await queue.enqueue(.post("/1"))
        #expect(paths(of: await queue.pending) == ["/1", "/other"])
        await queue.close()
        let next = try await OfflineQueue.testing(nil, store: store())
        #expect(paths(of: await next.pending) == ["/1", "/other"])
        #expect(await next.quarantined.isEmpty)
        await next.close()
    }

    /// A write has failed, and its segment could not be written again yet.
    @Test func aSegmentThatIsWrittenAgainReplacesNoneOfAnotherOwner() async throws {
        let disk = FaultyDisk()
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk)
        let queue = try await OfflineQueue.testing(nil, store: store)
        try await queue.enqueue(.post("/0"))
        disk.fail(1, stays: true)
        #expect(await thrownCode { try await queue.enqueue(.post("/1")) } != nil)
        disk.mend()
        try await withOtherContent(queue)
        try await queue.enqueue(.post("/2"))
        #expect(paths(of: await queue.pending) == ["/0", "/2", "/other"])
        await queue.close()
        let next = try await OfflineQueue.testing(nil, store: self.store())
        #expect(paths(of: await next.pending) == ["/0", "/2", "/other"])
        await next.close()
    }

    /// The segment that is to have room for the entry would be written again, because a sync of the room fails.
    @Test func anEntryWhoseRoomFailsInAReplacedFolderIsWritten() async throws {
        let disk = FaultyDisk()
        var settings = JournalSettings()
        settings.fill = (4096, 4096)
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk, settings: settings)
        let queue = try await OfflineQueue.testing(nil, store: store)
        try await queue.enqueue(.post("/0"))
        try await withOtherContent(queue)
        disk.fail(2)
        try await queue.enqueue(.post("/1", String(repeating: "1", count: 4096)))
        #expect(paths(of: await queue.pending) == ["/0", "/1", "/other"])
        await queue.close()
        let next = try await OfflineQueue.testing(nil, store: self.store())
        #expect(paths(of: await next.pending) == ["/0", "/1", "/other"])
        await next.close()
    }

    /// The other folder was copied while its journal was compacted.
    @Test(arguments: [false, true])
    func aCompactionChangesNothingInAReplacedFolder(isUnderWay: Bool) async throws {
        let (path, other) = (folder.file("queue"), folder.file("other"))
        let store = store()
        for number in 0..<3 { try await store.append(.post("/\(number)")) }
        await store.close()
        try FileManager.default.copyItem(at: path, to: other)
        let copy = "\(JournalSegment.name(2)).tmp"
        try Data("partial".utf8).writeUnsynced(to: other.appending(path: copy))
        let names = try FileManager.default.contentsOfDirectory(atPath: other.path()).sorted()
        let disk = FaultyDisk()
        let journal = JournalDisk(
            folder: path.folderPath,
            fileSystem: disk,
            settings: JournalSettings(),
            shared: JournalShared()
        )
        try journal.open()
        let replace: @Sendable () -> Void = {
            try? FileManager.default.removeItem(at: path)
            try? FileManager.default.moveItem(at: other, to: path)
        }
        if isUnderWay { disk.beforeSync(replace) } else { replace() }
        #expect(throws: FileError.self) { try journal.compact() }
        journal.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path.path()).sorted() == names)
        #expect(try Data(contentsOf: path.appending(path: copy)) == Data("partial".utf8))
        let next = self.store()
        #expect(try await next.entries().count == 3)
        await next.close()
    }

    /// The folder is replaced after its journal was read, and before the last segment is opened for writing.
    @Test func aFolderThatIsReplacedWhileItIsOpenedLosesNoEntry() async throws {
        let (path, other) = (folder.file("queue"), folder.file("other"))
        for (endpoint, place) in [("/other", other), ("/0", path)] {
            let store = JSONOfflineStore(directory: place)
            try await store.append(.post(endpoint))
            await store.close()
        }
        // The segments are listed twice; the third listing is for partial copies.
        try await replaceQueue(by: other, afterListing: 3)
        let next = try await OfflineQueue.testing(nil, store: store())
        #expect(paths(of: await next.pending) == ["/0", "/1", "/other"])
        #expect(await next.quarantined.isEmpty)
        await next.close()
    }

    /// The folder is replaced after its segments were opened, and before its unneeded files are removed.
    @Test func aFolderThatIsReplacedWhileItIsOpenedLosesNoBody() async throws {
        let other = folder.file("other")
        let former = store()
        try await former.append(.post("/0"))
        await former.close()
        let body = Data(repeating: 65, count: 100_000)
        let request = QueuedRequest(HTTPRequest(.post, "/other", body: .data(body)))
        let replacement = JSONOfflineStore(directory: other)
        try await replacement.append(request)
        await replacement.close()
        try await replaceQueue(by: other, afterListing: 2)
        let next = self.store()
        #expect(try await next.entries().count == 3)
        let stored = try #require(await next.stored(request.id)?.request.body?.fileRange)
        #expect(try Data(contentsOf: URL(fileURLWithPath: stored.path)) == body)
        await next.close()
    }

    /// The partial copies would fill a full disk further.
    @Test func aCompactionThatFailsLeavesNoPartialCopy() async throws {
        let store = JSONOfflineStore(directory: folder.url)
        for number in 0..<3 { try await store.append(.post("/\(number)")) }
        await store.close()
        let disk = FaultyDisk()
        let journal = JournalDisk(
            folder: folder.url.folderPath,
            fileSystem: disk,
            settings: JournalSettings(),
            shared: JournalShared()
        )
        try journal.open()
        for step in 1...100 {
            disk.fail(step)
            let isCompacted = (try? journal.compact()) != nil
            disk.mend()
            #expect(try !folder.names.contains { $0.hasSuffix(".tmp") })
            if isCompacted { break }
        }
        journal.close()
    }

    @Test func aLargeBodyIsKeptAfterTheFolderWasRemoved() async throws {
        let store = store()
        try await store.append(.post("/small"))
        try FileManager.default.removeItem(at: folder.file("queue"))
        let body = Data(repeating: 65, count: 100_000)
        let request = QueuedRequest(HTTPRequest(.post, "/large", body: .data(body)))
        try await store.append(request)
        await store.close()
        let next = self.store()
        #expect(try await next.entries().count == 2)
        let stored = try #require(await next.stored(request.id)?.request.body?.fileRange)
        #expect(try Data(contentsOf: URL(fileURLWithPath: stored.path)) == body)
        await next.close()
    }

    /// The folder is moved away between the write of a file beside the journal and that of the record that names it.
    @Test func nothingIsAcknowledgedWhoseFileWasMovedAway() async throws {
        let (disk, path) = (FaultyDisk(), folder.file("queue"))
        func moveAwayLater(to name: String) {
            let place = folder.file(name)
            disk.afterRenaming { try? FileManager.default.moveItem(at: path, to: place) }
        }
        let store = JSONOfflineStore(directory: path, fileSystem: disk)
        let small = try await store.append(.post("/small"))
        let large = QueuedRequest(HTTPRequest(.post, "/large", body: .data(Data(repeating: 65, count: 100_000))))
        moveAwayLater(to: "first")
        #expect(await thrownCode { try await store.append(large) } == .file)
        #expect(FileManager.default.fileExists(atPath: folder.file("first").path()))
        try await store.append(large)
        var update = OfflineUpdate(try #require(await store.entries().first { $0.id == small }))
        let text = Data(repeating: 66, count: 100_000)
        let response = NetKitError.Response(status: 400, headers: HTTPHeaders(), body: text)
        update.state = .deadLetter
        update.detail = OfflineDetail(message: "refused", date: Date(timeIntervalSince1970: 0), response: response)
        let decision = update
        moveAwayLater(to: "second")
        #expect(await thrownCode { try await store.release(small, decision) } == .file)
        #expect(try await store.release(small, decision))
        let detail = try await store.stored(small)?.detail
        #expect(detail?.response?.body == response.body)
        await store.close()
    }

    /// It cannot be written again, so the queue would try to store the decision about a conflict forever.
    @Test func anEntryChangesEvenIfItsBodyIsMissing() async throws {
        let store = store()
        let body = Data(repeating: 65, count: 100_000)
        let id = try await store.append(QueuedRequest(HTTPRequest(.put, "/", body: .data(body))))
        let stored = try #require(await store.stored(id))
        var update = OfflineUpdate(try #require(await store.entries().first))
        update.request = stored.request
        try FileManager.default.removeItem(at: folder.file("queue/bodies/\(id.uuidString).body"))
        #expect(try await store.release(id, update))
        #expect(await thrownCode { try await store.stored(id) } == .decoding)
        await store.close()
    }
}
