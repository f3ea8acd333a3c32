import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of folders in version 1 of the format, with lines as they were on disk and independent checksums.
struct JournalVersionTests {
    private static func id(_ number: Int) -> String { "6F9619FF-8B86-D011-B42D-00C04FC964F\(number)" }

    private static func put(_ sequence: Int, _ number: Int, _ sum: String) -> String {
        "{\"nk\":1,\"seq\":\(sequence),\"op\":\"put\",\"id\":\"\(id(number))\",\"pos\":\(number),\"lane\":\"orders\","
            + "\"priority\":0,\"time\":1000,\"size\":10,\"retries\":0,\"conflicts\":0,\"request\":{\"v\":1,"
            + "\"id\":\"\(id(number))\",\"method\":\"POST\",\"url\":\"/\(number)\",\"body\":\"{}\",\"requiresAuth\":true,"
            + "\"idempotencyKey\":\"k\(number)\",\"timestamp\":1000,\"retryCount\":0,\"conflictCount\":0,"
            + "\"lane\":\"orders\",\"priority\":0},\"sum\":\"\(sum)\"}"
    }

    private static let state =
        "{\"nk\":1,\"seq\":6,\"op\":\"state\",\"id\":\"\(id(2))\",\"state\":\"waiting\",\"retries\":3,\"conflicts\":0,"
        + "\"notBefore\":1800000000000,\"sum\":\"996b1826\"}"

    /// In the order of their numbers, of which version 1 left some out.
    private static let plain = [
        put(1, 1, "a2af2126"), put(2, 2, "6762f3e4"), put(4, 3, "6b67d49d"),
        "{\"nk\":1,\"seq\":5,\"op\":\"remove\",\"id\":\"\(id(1))\",\"sum\":\"d5a1012f\"}", state,
    ]
    /// After a compaction.
    private static let compacted = [
        "{\"nk\":1,\"seq\":9,\"op\":\"base\",\"upTo\":2,\"sum\":\"85b91f0d\"}", put(2, 2, "6762f3e4"), state,
        put(4, 3, "6b67d49d"),
    ]

    private func store(_ disk: VirtualDisk) -> JSONOfflineStore {
        JSONOfflineStore(directory: URL(fileURLWithPath: "/queue"), fileSystem: disk)
    }

    @Test(arguments: [(1, plain), (3, compacted)])
    func aFolderOfVersion1Opens(number: Int, lines: [String]) async throws {
        // With the spaces that fill a segment, and zeros as a crash can leave them.
        let text = lines.joined(separator: "\n") + "\n" + String(repeating: " ", count: 700)
        let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: 300)
        let disk = VirtualDisk(["/queue/\(JournalSegment.name(number))": bytes, "/queue/lock": []])
        let first = store(disk)
        let listing = try await first.listing()
        let entries = listing.lines.map(\.entry)
        #expect(entries.map(\.id.uuidString) == [Self.id(2), Self.id(3)])
        #expect(entries.map(\.retryCount) == [3, 0])
        #expect(listing.quarantined.isEmpty)
        #expect(try await first.stored(entries[0].id)?.request.idempotencyKey == "k2")
        let request = QueuedRequest.post("/4")
        try await first.append(request)
        await first.close()
        let again = try await store(VirtualDisk(disk.files)).listing()
        #expect(again.lines.map(\.entry.id) == entries.map(\.id) + [request.id])
        #expect(again.quarantined.isEmpty)
    }

    /// Numbers that no version writes, in records with the right checksums.
    @Test(arguments: [
        ("9223372036854775807", "10"), ("4611686018427387904", "10"), ("-1", "10"), ("1", "9223372036854775807"),
        ("1", "-9223372036854775808"), ("1", "-1"),
    ])
    func recordsWithImpossibleNumbersAreNotUnderstood(position: String, size: String) async throws {
        let lines = (1...2).map { number in
            let content =
                "\"op\":\"put\",\"id\":\"\(Self.id(number))\",\"pos\":\(position),\"lane\":\"orders\","
                + "\"priority\":0,\"time\":1000,\"size\":\(size),\"retries\":0,\"conflicts\":0,\"request\":{}"
            let head = "{\"nk\":1,\"seq\":\(number),"
            var checksum = CRC32()
            for part in [content, head] { Array(part.utf8).withUnsafeBytes { checksum.add($0) } }
            let sum = String(decoding: CRC32.text(checksum.value), as: UTF8.self)
            return "\(head)\(content),\"sum\":\"\(sum)\"}\n"
        }
        let disk = VirtualDisk(["/queue/\(JournalSegment.name(1))": Array(lines.joined().utf8), "/queue/lock": []])
        let store = store(disk)
        #expect(try await store.entries().isEmpty)
        let id = try await store.append(.post("/3"))
        #expect(try await store.entries().map(\.id) == [id])
        #expect(try await store.remove([id]).removed.map(\.id) == [id])
        await store.close()
        // A newer version may understand them.
        let text = String(decoding: disk.files["/queue/\(JournalSegment.name(1))"] ?? [], as: UTF8.self)
        #expect(lines.allSatisfy(text.contains))
    }
}
