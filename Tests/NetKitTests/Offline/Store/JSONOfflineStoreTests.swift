import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKit

@Suite(.computes(for: .seconds(300)))
struct JSONOfflineStoreTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store(
        _ disk: any DurableFileSystem = FaultyDisk(),
        seal: RecordSeal? = nil,
        _ settings: JournalSettings = JournalSettings()
    ) -> JSONOfflineStore {
        JSONOfflineStore(directory: folder.file("queue"), seal: seal, fileSystem: disk, settings: settings)
    }

    private func add(_ number: Int64, to store: JSONOfflineStore, body: HTTPBody = .text("{}")) async throws -> UUID {
        let request = QueuedRequest(HTTPRequest(.post, "/\(number)", body: body), idempotencyKey: "k\(number)")
        return try await store.append(request, byteCount: Int(body.length ?? 0))
    }

    @Test func addedEntriesAreThereAfterOpeningAgain() async throws {
        let first = store()
        let ids = [try await add(1, to: first), try await add(2, to: first)]
        await first.close()
        let second = store()
        #expect(try await second.entries().map(\.id) == ids)
        let kept = try #require(await second.stored(ids[1]))
        #expect(kept.request.endpoint == "/2")
        #expect(kept.request.idempotencyKey == "k2")
        #expect(kept.request.body?.bytes == Data("{}".utf8))
    }

    @Test func theStateOfEntriesIsThereAfterOpeningAgain() async throws {
        let first = store()
        let ids = [try await add(1, to: first), try await add(2, to: first), try await add(3, to: first)]
        try await first.open(clock: TestClock(date: Self.now).clock) { _ in }
        let entries = try await first.entries()
        try await first.commit(ids[0], sentAs: nil)
        var dead = OfflineUpdate(entries[1])
        dead.state = .deadLetter
        let response = NetKitError.Response(status: 400, headers: ["A": "1"], body: Data([0xFF]))
        dead.detail = OfflineDetail(reason: .refused, message: "no", date: Self.now, response: response)
        #expect(try await first.release(ids[1], dead))
        var later = OfflineUpdate(entries[2])
        later.retryCount = 4
        later.wait = .seconds(60)
        #expect(try await first.release(ids[2], later))
        await first.close()
        let second = store()
        let found = try await second.entries()
        #expect(found.map(\.id) == [ids[1], ids[2]])
        #expect(found.map(\.state) == [.deadLetter, .waiting])
        #expect(found[1].retryCount == 4)
        #expect(found[1].notBefore == Self.now.addingTimeInterval(60))
        let letter = try #require(await second.stored(ids[1]))
        #expect(letter.detail?.reason == .refused)
        #expect(letter.detail?.response?.status == 400)
        #expect(letter.detail?.response?.body == Data([0xFF]))
    }

    @Test func theFolderHasOneOwner() async throws {
        let first = store()
        _ = try await first.listing()
        let second = store()
        #expect(await thrownCode { try await second.listing() } == .queueLocked)
        await first.close()
        #expect(try await second.entries().isEmpty)
    }

    @Test func onlyTheOwnerMayRead() async throws {
        let store = store(SystemFileSystem())
        _ = try await add(1, to: store, body: .data(Data(count: 100_000)))
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.file("queue").path())
        #expect(paths.contains { $0.hasPrefix("bodies/") })
        for path in paths {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("queue/\(path)").path())
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(path)")
        }
    }

    @Test func everyLineIsJSON() async throws {
        let store = store()
        for number in 1...5 { _ = try await add(Int64(number), to: store) }
        await store.close()
        let text = try String(contentsOf: folder.file("queue/journal-000000001.jsonl"), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0.contains { $0 != " " } }
        let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(objects.map { $0?["op"] as? String } == ["segment"] + Array(repeating: "put", count: 5))
        for object in objects.dropFirst() {
            #expect((object?["request"] as? [String: Any])?["method"] as? String == "POST")
        }
    }

    // MARK: Bodies

    @Test func largeBodiesAndFilesStandBesideTheJournal() async throws {
        let store = store()
        let large = Data(repeating: 7, count: 100_000)
        let source = try folder.write(Data("0123456789".utf8), to: "source")
        let ids = [
            try await add(1, to: store, body: .data(large)),
            try await add(2, to: store, body: .file(at: source, offset: 2, length: 3)),
        ]
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("queue/bodies").path()).count == 2)
        #expect(try await bytes(ids[0], store) == large)
        #expect(try await bytes(ids[1], store) == Data("234".utf8))
        try await store.commit(ids[0], sentAs: nil)
        try await store.commit(ids[1], sentAs: nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("queue/bodies").path()).isEmpty)
        #expect(FileManager.default.fileExists(atPath: source.path()))
    }

    @Test func aFileThatIsTakenIsMoved() async throws {
        let store = store()
        let source = try folder.write(Data("whole".utf8), to: "source")
        let body = HTTPBody.file(at: source)
        let request = QueuedRequest(HTTPRequest(.post, "/", body: body), takesFile: true)
        try await store.append(request, byteCount: 5)
        #expect(!FileManager.default.fileExists(atPath: source.path()))
        #expect(try await bytes(request.id, store) == Data("whole".utf8))
    }

    @Test func litterIsSweptWhenTheFolderIsOpened() async throws {
        let first = store()
        let id = try await add(1, to: first, body: .data(Data(count: 100_000)))
        await first.close()
        for name in ["journal-000000009.jsonl.tmp", "bodies/\(UUID()).body", "bodies/\(UUID()).body.tmp"] {
            _ = try folder.write(Data("x".utf8), to: "queue/\(name)")
        }
        let second = store()
        _ = try await second.listing()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.file("queue").path()).sorted()
        #expect(names == ["bodies", "bodies/\(id).body", "journal-000000001.jsonl", "lock"])
    }

    // MARK: Damage

    @Test func damageIsSetAsideOnceAndTheRestIsThere() async throws {
        let first = store()
        let ids = [try await add(1, to: first), try await add(2, to: first), try await add(3, to: first)]
        await first.close()
        try damage("\"/2\"")
        let second = store()
        let listing = try await second.listing()
        #expect(listing.lines.map(\.entry.id) == [ids[0], ids[2]])
        #expect(listing.quarantined.map(\.reason) == ["the checksum does not match"])
        let quarantine = try String(contentsOf: folder.file("queue/quarantine.jsonl"), encoding: .utf8)
        #expect(quarantine.split(separator: "\n").count == 1)
        #expect(quarantine.contains(ids[1].uuidString))
        await second.close()
        let third = store()
        let again = try await third.listing()
        #expect(again.lines.map(\.entry.id) == [ids[0], ids[2]])
        #expect(again.quarantined.isEmpty)
    }

    /// The listener to the events comes after the queue was opened.
    @Test func aQueueReportsDamageThatItFoundWhenItWasOpened() async throws {
        let first = store()
        for number in 1...Int64(3) { _ = try await add(number, to: first) }
        await first.close()
        try damage("\"/2\"")
        let queue = try await OfflineQueue.testing(nil, store: store())
        #expect(await queue.quarantined.map(\.reason) == ["the checksum does not match"])
        #expect(await queue.reports.first { _ in true }?.quarantinedCount == 1)
        let health = HTTPClient(transport: MockTransport()).health(quarantinedCount: await queue.quarantined.count)
        #expect(health.prometheusText.contains("netkit_client_queue_quarantined 1\n"))
        await queue.close()
    }

    @Test func aTornTailIsNotDamage() async throws {
        let first = store()
        let id = try await add(1, to: first)
        await first.close()
        let journal = folder.file("queue/journal-000000001.jsonl")
        var bytes = try Data(contentsOf: journal)
        let line = try #require(bytes.lastIndex(of: 0x0A))
        bytes.replaceSubrange(line + 1..<line + 21, with: Data("{\"nk\":1,\"seq\":2,\"op\":".utf8.prefix(20)))
        try bytes.write(to: journal)
        let second = store()
        let listing = try await second.listing()
        #expect(listing.lines.map(\.entry.id) == [id])
        #expect(listing.quarantined.isEmpty)
        let next = try await add(2, to: second)
        await second.close()
        let third = store()
        #expect(try await third.entries().map(\.id) == [id, next])
        #expect(try await third.listing().quarantined.isEmpty)
    }

    @Test func filesOfANewerVersionStayUntouched() async throws {
        let first = store()
        _ = try await add(1, to: first)
        await first.close()
        let rest = "\"op\":\"merge\",\"of\":[1,2]"
        let head = "{\"nk\":3,\"seq\":77,"
        var checksum = CRC32()
        checksum.add(Array(rest.utf8))
        checksum.add(Array(head.utf8))
        let sum = String(decoding: CRC32.text(checksum.value), as: UTF8.self)
        let line = head + rest + ",\"sum\":\"\(sum)\"}"
        _ = try folder.write(Data((line + "\n").utf8), to: "queue/journal-000000002.jsonl")
        var settings = JournalSettings()
        settings.garbage = 0
        let second = store(seal: nil, settings)
        for number in 2...20 {
            let id = try await add(Int64(number), to: second)
            try await second.commit(id, sentAs: nil)
        }
        await second.close()
        let all = try FileManager.default.contentsOfDirectory(atPath: folder.file("queue").path())
            .filter { $0.hasSuffix(".jsonl") }
            .map { try String(contentsOf: folder.file("queue/\($0)"), encoding: .utf8) }.joined()
        #expect(all.components(separatedBy: line).count == 2)
    }

    // MARK: A disk that fails

    /// Fails each call that changes something in turn. Acknowledged entries are found, and the queue opens and works
    /// again.
    @Test(arguments: FaultyDisk.Fault.allCases, [false, true])
    func nothingAcknowledgedIsLostUnderAnyFailure(fault: FaultyDisk.Fault, stays: Bool) async throws {
        for number in 1...60 {
            let path = "queue-\(number)"
            let disk = FaultyDisk()
            var settings = JournalSettings()
            settings.garbage = 500
            settings.piece = 300
            settings.segmentSize = 2500
            settings.fill = (512, 1024)
            let store = JSONOfflineStore(directory: folder.file(path), fileSystem: disk, settings: settings)
            disk.fail(number, with: fault, stays: stays)
            var kept: Set<UUID> = []
            _ = try? await store.listing()
            for position in 1...8 {
                let body = HTTPBody.data(Data(count: position == 5 ? 70_000 : 30))
                guard let id = try? await add(Int64(position), to: store, body: body) else { continue }
                kept.insert(id)
                if position % 3 == 0 {
                    try? await store.commit(id, sentAs: nil)
                    kept.remove(id)
                }
            }
            let calls = disk.count
            disk.mend()
            let last = try await add(100, to: store)
            kept.insert(last)
            await store.close()
            let again = JSONOfflineStore(directory: folder.file(path), fileSystem: FaultyDisk(), settings: settings)
            let found = try await again.listing()
            #expect(kept.isSubset(of: Set(found.lines.map(\.entry.id))), "call \(number)")
            #expect(found.quarantined.isEmpty, "call \(number)")
            for id in kept { #expect(try await bytes(id, again) != nil, "call \(number)") }
            await again.close()
            if calls < number { break }
        }
    }

    @Test func aFailedSyncHasTheSegmentWrittenAgain() async throws {
        let disk = FaultyDisk()
        let store = store(disk)
        let first = try await add(1, to: store)
        let inode = try inode()
        disk.fail(2)
        #expect(await thrownCode { _ = try await add(2, to: store) } == .file)
        #expect(try self.inode() != inode)
        let third = try await add(3, to: store)
        #expect(try await store.entries().map(\.id) == [first, third])
    }

    @Test func anEntryThatCouldNotBeReleasedIsNotReplaced() async throws {
        let disk = FaultyDisk()
        let store = store(disk)
        let request = QueuedRequest(HTTPRequest(.post, "/1"), coalescingKey: "k")
        try await store.append(request)
        #expect(try await store.begin(request.id))
        disk.fail(1, with: .noSpace, stays: true)
        let entry = try #require(await store.entries().first)
        #expect(await thrownCode { try await store.release(entry.id, OfflineUpdate(entry)) } == .file)
        disk.mend()
        try await store.append(QueuedRequest(HTTPRequest(.post, "/2"), coalescingKey: "k"))
        #expect(try await store.entries().count == 2)
    }

    @Test func concurrentWritersShareSyncs() async throws {
        let disk = FaultyDisk()
        let store = store(disk)
        _ = try await add(1, to: store)
        let before = disk.syncCount
        disk.slowSyncs(microseconds: 1000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 2...201 { group.addTask { _ = try await add(Int64(number), to: store) } }
            try await group.waitForAll()
        }
        #expect(try await store.entries().count == 201)
        #expect(disk.syncCount - before < 200)
    }

    // MARK: Compaction and sealing

    @Test func supersededRecordsAreRemoved() async throws {
        var settings = JournalSettings()
        settings.garbage = 10_000
        settings.piece = 1000
        settings.segmentSize = 8000
        let store = store(seal: nil, settings)
        let stays = try await add(0, to: store)
        for number in 1...200 {
            let id = try await add(Int64(number), to: store)
            try await store.commit(id, sentAs: nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("queue").path())
        #expect(names.filter { $0.hasPrefix("journal") }.count <= 8)
        #expect(try await bytes(stays, store) == Data("{}".utf8))
        await store.close()
        let again = self.store()
        #expect(try await again.entries().map(\.id) == [stays])
        #expect(try await bytes(stays, again) == Data("{}".utf8))
    }

    @Test func aSealHidesTheStoredRequests() async throws {
        let seal = RecordSeal { data in
            Data(data.map { $0 ^ 0x5A })
        } open: { data in
            Data(data.map { $0 ^ 0x5A })
        }
        let first = store(seal: seal)
        let secret = Data("a secret that nobody shall read".utf8)
        let large = secret + Data(repeating: 0x20, count: 70_000)
        let ids = [try await add(1, to: first, body: .data(secret)), try await add(2, to: first, body: .data(large))]
        var dead = OfflineUpdate(try await first.entries()[0])
        dead.state = .deadLetter
        let response = NetKitError.Response(status: 400, headers: [:], body: secret)
        dead.detail = OfflineDetail(reason: .refused, message: "no", date: Self.now, response: response)
        #expect(try await first.release(ids[0], dead))
        await first.close()
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.file("queue").path())
        where path != "bodies" {
            let bytes = try Data(contentsOf: folder.file("queue/\(path)"))
            #expect(bytes.firstRange(of: secret) == nil, "\(path)")
        }
        let second = store(seal: seal)
        _ = try await second.listing()
        #expect(try await bytes(ids[0], second) == secret)
        #expect(try await bytes(ids[1], second) == large)
        #expect(try await second.stored(ids[0])?.detail?.response?.body == secret)
        await second.close()
        let third = store()
        #expect(try await third.entries().count == 2)
        #expect(await thrownCode { try await third.stored(ids[0]) } == .decoding)
    }

    // MARK: Helpers

    private func bytes(_ id: UUID, _ store: JSONOfflineStore) async throws -> Data? {
        guard let body = try await store.stored(id)?.request.body else { return nil }
        if let bytes = body.bytes { return bytes }
        var bytes = Data()
        for try await chunk in body.chunks { bytes += chunk }
        return bytes
    }

    private func damage(_ text: String) throws {
        let journal = folder.file("queue/journal-000000001.jsonl")
        var bytes = try Data(contentsOf: journal)
        let range = try #require(bytes.firstRange(of: Data(text.utf8)))
        bytes[range.lowerBound] = UInt8(ascii: "#")
        try bytes.write(to: journal)
    }

    private func inode() throws -> Int {
        let path = folder.file("queue/journal-000000001.jsonl").path()
        return try #require(FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
    }
}
