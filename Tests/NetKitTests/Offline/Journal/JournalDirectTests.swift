import Foundation
import Testing

@testable import NetKit

/// Writes that pass the system's cache by.
struct JournalDirectTests {
    private static let folder = URL(fileURLWithPath: "/queue")

    private func store(_ disk: VirtualDisk, _ settings: JournalSettings = JournalSettings()) -> JSONOfflineStore {
        JSONOfflineStore(directory: Self.folder, seal: nil, fileSystem: disk, settings: settings)
    }

    /// Adds an entry whose record is a little longer than its body.
    private func add(_ number: Int64, of size: Int, to store: JSONOfflineStore) async throws -> UUID {
        let request = QueuedRequest(HTTPRequest(.post, "/\(number)", body: Self.body(number, of: size)))
        try await store.append(OfflineEntry(request, position: number, byteCount: size), request, replacing: [])
        return request.id
    }

    private static func body(_ number: Int64, of size: Int) -> HTTPBody {
        .text(String(repeating: String(number % 10), count: size))
    }

    private func expect(_ ids: [UUID], of sizes: [Int], in store: JSONOfflineStore) async throws {
        #expect(try await store.list().entries.map(\.id) == ids)
        for (index, (id, size)) in zip(ids, sizes).enumerated() {
            let kept = try #require(await store.load(id))
            #expect(kept.request.body?.bytes == Self.body(Int64(index + 1), of: size).bytes, "entry \(index + 1)")
        }
    }

    private static let manySizes: [[Int]] = [
        [1], [1, 1, 1], [400, 100, 3000, 7, 511, 512, 513],
        // What is more than is written past the cache, among what is less.
        [200, 5000, 200, 200, 9000, 100, 4096, 10],
    ]

    @Test(arguments: manySizes, [VirtualDisk.DirectWrites.possible, .unknown, .refused])
    func everyEntryIsReadAsItWasWritten(sizes: [Int], directWrites: VirtualDisk.DirectWrites) async throws {
        var settings = JournalSettings()
        settings.direct = 4096
        let disk = VirtualDisk(directWrites: directWrites)
        let first = store(disk, settings)
        var ids: [UUID] = []
        for (index, size) in sizes.enumerated() { ids.append(try await add(Int64(index + 1), of: size, to: first)) }
        try await expect(ids, of: sizes, in: first)
        await first.close()
        #expect(disk.directRanges.isEmpty == (directWrites != .possible))
        let second = store(disk, settings)
        try await expect(ids, of: sizes, in: second)
        // It goes on behind what it found.
        ids.append(try await add(Int64(sizes.count + 1), of: 20, to: second))
        try await expect(ids, of: sizes + [20], in: second)
        await second.close()
        try await expect(ids, of: sizes + [20], in: store(disk, settings))
    }

    @Test func noBlockIsWrittenTwice() async throws {
        let disk = VirtualDisk()
        for _ in 0..<3 {
            let store = store(disk)
            for number in 1...20 { _ = try await add(Int64(number), of: number * 97, to: store) }
            await store.close()
        }
        let ranges = disk.directRanges
        #expect(ranges.count == 60)
        for (earlier, later) in zip(ranges, ranges.dropFirst()) { #expect(later.lowerBound >= earlier.upperBound) }
    }

    @Test func theLastLineGoesToTheEndOfItsBlock() async throws {
        let disk = VirtualDisk()
        let store = store(disk)
        _ = try await add(1, of: 10, to: store)
        await store.close()
        let bytes = try #require(disk.files["/queue/journal-000000001.jsonl"])
        let end = try #require(bytes.firstIndex(of: 0x0A))
        #expect((end + 1) % disk.blockSize == 0)
        #expect(bytes[(end + 1)...].allSatisfy { $0 == 0x20 })
    }

    @Test(arguments: [(512, true), (1024, true), (4096, false)])
    func largeBlocksAreNotFilledWithBlanks(blockSize: Int, isDirect: Bool) async throws {
        let disk = VirtualDisk(blockSize: blockSize)
        let store = store(disk)
        let id = try await add(1, of: 10, to: store)
        try await expect([id], of: [10], in: store)
        await store.close()
        #expect(disk.directRanges == (isDirect ? [0..<blockSize] : []))
    }

    /// Half a block behind the last record, as a buffered write leaves it, is not written to again.
    @Test func aJournalThatWasWrittenThroughTheCacheGoesOnInANewBlock() async throws {
        let disk = VirtualDisk(directWrites: .unknown)
        let first = store(disk)
        let one = try await add(1, of: 30, to: first)
        await first.close()
        let later = VirtualDisk(disk.files)
        let second = store(later)
        let two = try await add(2, of: 30, to: second)
        try await expect([one, two], of: [30, 30], in: second)
        await second.close()
        #expect(later.directRanges == [512..<1024])
        try await expect([one, two], of: [30, 30], in: store(later))
    }
}
