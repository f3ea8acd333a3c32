import Foundation
import NetKitTesting
import Testing

@testable import NetKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files in the folder of a queue with names like segments that are not its own.
struct JournalSegmentTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store() -> JSONOfflineStore { JSONOfflineStore(directory: folder.file("queue")) }

    @Test(arguments: ["9223372036854775807", "9223372036854775806", "9223372036854775800"])
    func segmentsWithTheGreatestNumbersDoNotHideEntries(number: String) async throws {
        let first = store()
        let id = try await first.append(.post("/1"))
        await first.close()
        _ = try folder.write(Data(), to: "queue/journal-\(number).jsonl")
        var ids = [id]
        for _ in 0..<3 {
            let store = store()
            #expect(try await store.entries().map(\.id) == ids)
            // Acknowledged entries are found again, whatever happens to the numbers.
            if let id = try? await store.append(.post("/2")) { ids.append(id) }
            await store.close()
        }
    }

    /// The name of a copy of a segment, for example.
    @Test(arguments: ["journal-1.jsonl", "journal-7.jsonl", "journal-0000000001.jsonl"])
    func aFileWithAnotherNumberOfZerosIsNoSegment(name: String) async throws {
        let first = store()
        let id = try await first.append(.post("/1"))
        await first.close()
        let path = folder.file("queue")
        try FileManager.default.copyItem(
            at: path.appending(path: "journal-000000001.jsonl"),
            to: path.appending(path: name)
        )
        let second = store()
        let listing = try await second.listing()
        #expect(listing.problem == nil)
        #expect(listing.lines.map(\.entry.id) == [id])
        #expect(try OfflineFolder(path).segmentCount == 1)
        await second.close()
    }

    @Test(arguments: [(Int64.max, 1), (.max - 1, 1), (4, .max), (4, .max - 1)] as [(Int64, Int64)])
    func recordsWithTheGreatestNumbersDoNotHideEntries(sequence: Int64, acknowledged: Int64) async throws {
        let first = store()
        let id = try await first.append(.post("/1"))
        await first.close()
        var line: [UInt8] = []
        UnnumberedRecord(.remove(UUID())).write(to: &line, sequence: sequence, acknowledged: acknowledged)
        _ = try folder.write(Data(line), to: "queue/journal-000000002.jsonl")
        let second = store()
        #expect(try await second.listing().quarantined.isEmpty == false)
        let other = try await second.append(.post("/2"))
        await second.close()
        let third = store()
        #expect(try await third.entries().map(\.id) == [id, other])
        await third.close()
    }

    /// Returns the code of the problem with the folder, or `timeout` if none is found within four minutes.
    private func problem() async -> NetKitError.Code? {
        let end = Promise<Bool>()
        let code = Locked<NetKitError.Code?>(nil)
        Task {
            let store = store()
            let found: NetKitError.Code?
            do { found = try await store.listing().problem?.code } catch { found = (error as? NetKitError)?.code }
            code.withLock { $0 = found }
            end.resolve(.success(true))
            await store.close()
        }
        return await end.value(or: false, after: .seconds(240), .system) ? code.withLock { $0 } : .timeout
    }

    @Test(arguments: ["journal-000000099.jsonl", "lock"])
    func aPipeIsRefused(name: String) async throws {
        let first = store()
        try await first.append(.post("/1"))
        await first.close()
        let path = folder.file("queue/\(name)").path()
        unlink(path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(await problem() == .file)
        #expect(throws: NetKitError.self) { try OfflineFolder(folder.file("queue")) }
        unlink(path)
        #expect(await problem() == nil)
    }

    // MARK: Zeros

    private func scan(zeros count: Int, after start: [UInt8] = [], before end: [UInt8] = []) throws -> ScannedSegment {
        let length = start.count + count + end.count
        return try ScannedSegment { offset, wanted throws(FileError) in
            var bytes = [UInt8](repeating: 0, count: max(0, min(wanted, length - offset)))
            for (index, byte) in start.enumerated() where (offset..<offset + bytes.count).contains(index) {
                bytes[index - offset] = byte
            }
            for (index, byte) in end.enumerated()
            where (offset..<offset + bytes.count).contains(start.count + count + index) {
                bytes[start.count + count + index - offset] = byte
            }
            return bytes
        }
    }

    /// A sparse file of gigabytes must not prevent a queue from opening.
    @Test func zerosAreReadInATimeThatGrowsAsTheyDo() throws {
        func time(_ count: Int) throws -> Duration {
            try threadTime {
                let scan = try scan(zeros: count)
                #expect(scan.torn?.range == 0..<count)
            }
        }
        let short = try time(32 << 20)
        let long = try time(512 << 20)
        #expect(long < short * 40)
    }

    @Test(arguments: [1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5 << 20])
    func recordsAroundZerosAreRead(count: Int) throws {
        let lines = JournalScanTests.lines(2)
        for end in [lines[1], [0x0A] + lines[1], [0x20, 0x0A] + lines[1]] {
            let scan = try scan(zeros: count, after: lines[0], before: end)
            #expect(scan.records.map(\.sequence) == [1, 2])
            #expect(scan.damage.map(\.reason) == [JournalScan.zeros])
            #expect(scan.damage.first?.range == lines[0].count..<lines[0].count + count)
            #expect(scan.torn == nil)
            #expect(scan.isTailBlank)
        }
        let torn = try scan(zeros: count, after: lines[0])
        #expect(torn.records.map(\.sequence) == [1])
        #expect(torn.damage.isEmpty)
        #expect(torn.torn?.range == lines[0].count..<lines[0].count + count)
        #expect(!torn.isTailBlank)
    }
}
