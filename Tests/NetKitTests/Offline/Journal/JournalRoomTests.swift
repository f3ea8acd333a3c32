import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a queue that has filled its disk itself.
struct JournalRoomTests {
    private let folder: TemporaryFolder
    private let disk = FaultyDisk()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func settings(segmentSize: Int, garbage: Int = 4 << 20) -> JournalSettings {
        var settings = JournalSettings()
        settings.segmentSize = segmentSize
        settings.garbage = garbage
        settings.fill = (512, 1024)
        return settings
    }

    /// With little garbage, a compaction begins and finds no room.
    @Test(arguments: [4000, 1 << 20], [1000, 4 << 20])
    func whatIsDeliveredLeavesTheQueue(segmentSize: Int, garbage: Int) async throws {
        let store = JSONOfflineStore(
            directory: folder.file("queue"),
            fileSystem: disk,
            settings: settings(segmentSize: segmentSize, garbage: garbage)
        )
        var ids: [UUID] = []
        for number in 0..<20 { ids.append(try await store.append(.post("/\(number)"))) }
        disk.fillUp()
        while let id = try? await store.append(.post("/more")) { ids.append(id) }
        // It needs a segment of its own, if those are small.
        let large = QueuedRequest.post("/large", String(repeating: "1", count: 5000))
        #expect(await thrownCode { _ = try await store.append(large) } == .file)
        for id in ids { try await store.commit(id, sentAs: nil) }
        #expect(try await store.entries().isEmpty)
        await store.close()
        let next = JSONOfflineStore(directory: folder.file("queue"))
        let listing = try await next.listing()
        #expect(listing.lines.isEmpty)
        #expect(listing.quarantined.isEmpty)
        await next.close()
    }

    /// The process ends at any call while it begins a segment, for which the disk has no room.
    @Test func theNextProcessHasTheRoomOfThePreviousSegment() async throws {
        for number in 1...20 {
            let (disk, path) = (FaultyDisk(), folder.file("queue-\(number)"))
            func store() -> JSONOfflineStore {
                JSONOfflineStore(directory: path, fileSystem: disk, settings: settings(segmentSize: 4000))
            }
            let first = store()
            var ids: [UUID] = []
            for number in 0..<5 { ids.append(try await first.append(.post("/\(number)"))) }
            disk.fillUp()
            disk.fail(number, stays: true)
            let large = QueuedRequest.post("/large", String(repeating: "1", count: 5000))
            #expect(await thrownCode { _ = try await first.append(large) } == .file)
            let calls = disk.count
            await first.close()
            disk.mend()
            let next = store()
            #expect(try await next.listing().quarantined.isEmpty)
            for id in ids { try await next.commit(id, sentAs: nil) }
            #expect(try await next.entries().isEmpty)
            await next.close()
            if calls < number { break }
        }
    }

    @Test func anAdditionWithoutRoomDoesNotPreventAChange() throws {
        let (journal, results) = (
            JournalDisk(
                folder: folder.path,
                fileSystem: disk,
                settings: settings(segmentSize: 1 << 20),
                shared: JournalShared()
            ), Notebook<Bool>()
        )
        func write(_ effects: [UnnumberedRecord.Effect]) {
            let batch = effects.map { effect in
                JournalWrite(records: [UnnumberedRecord(effect)]) { results.add((try? $0.get()) != nil) }
            }
            journal.write(batch)
        }
        let id = UUID()
        write([.put(OfflineEntry(id: id))])
        disk.fillUp()
        write([.put(OfflineEntry(id: UUID())), .remove(id)])
        #expect(results.entries == [true, false, true])
        journal.close()
    }

    /// Each of the last additions to a segment would otherwise have a sync for the room that it leaves free.
    @Test func additionsToTheEndOfASegmentShareItsFilling() async throws {
        var settings = JournalSettings()
        settings.segmentSize = 64 << 10
        let store = JSONOfflineStore(directory: folder.file("queue"), fileSystem: disk, settings: settings)
        for number in 0..<200 { try await store.append(.post("/\(number)", String(repeating: "1", count: 500))) }
        #expect(disk.syncCount < 245)
        await store.close()
    }
}
