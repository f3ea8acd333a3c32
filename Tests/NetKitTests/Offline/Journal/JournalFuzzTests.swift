import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of random damage to a journal's files: nothing crashes, the queue opens, and every intact entry is found.
///
/// With `NETKIT_LONG=1`, there are a hundred thousand rounds.
struct JournalFuzzTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func everyIntactEntryIsFound(seed: UInt64) async throws {
        let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
        let rounds = isLong ? 25_000 : 250
        let lines = JournalScanTests.lines(12)
        try await aside {
            var random = RandomSource.seeded(seed)
            for round in 0..<rounds {
                let (bytes, intact) = Self.damaged(lines, &random)
                // One segment, or two of which one ends anywhere.
                let cut = Bool.random(using: &random) ? bytes.count : Self.lineBreak(in: bytes, &random)
                let disk = VirtualDisk([
                    "/queue/journal-000000001.jsonl": Array(bytes[..<cut]),
                    "/queue/journal-000000002.jsonl": Array(bytes[cut...]),
                ])
                let (found, damage) = try Self.open(disk)
                try #require(intact.isSubset(of: found), "round \(round)")
                let (again, damageAgain) = try Self.open(VirtualDisk(disk.files))
                try #require(again == found, "round \(round)")
                try #require(damage == 0 || damageAgain == 0, "round \(round)")
            }
        }
    }

    /// Opens a journal, and returns the places of its entries and the number of records set aside.
    private static func open(_ disk: VirtualDisk) throws -> (found: Set<Int64>, damage: Int) {
        let shared = JournalShared()
        try JournalDisk(folder: "/queue", fileSystem: disk, settings: JournalSettings(), shared: shared).open()
        let slots = shared.index.withLock { $0.orderedSlots }
        return (Set(slots.map(\.entry.position)), shared.quarantined.withLock { $0.count })
    }

    /// Returns a place after a line break, or the end if there is none after a random place.
    private static func lineBreak(in bytes: [UInt8], _ random: inout RandomSource) -> Int {
        guard !bytes.isEmpty else { return 0 }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        return bytes[place...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }

    /// Returns the journal with some damage, and the numbers of the records that are still whole.
    private static func damaged(_ lines: [[UInt8]], _ random: inout RandomSource) -> ([UInt8], Set<Int64>) {
        var lines = lines
        var intact = Set(1...Int64(lines.count))
        // Two lines may change their places.
        if Int.random(in: 0..<4, using: &random) == 0 {
            lines.swapAt(
                Int.random(in: 0..<lines.count, using: &random),
                Int.random(in: 0..<lines.count, using: &random)
            )
        }
        var bytes = lines.flatMap { $0 }
        func hit(_ range: Range<Int>) {
            var start = 0
            for line in lines {
                // A line break is not part of its record.
                if range.overlaps(start..<start + line.count - 1) {
                    let head = String(decoding: line.dropFirst(14).prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self)
                    intact.remove(Int64(head) ?? 0)
                }
                start += line.count
            }
        }
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let length = Int.random(in: 1...(Bool.random(using: &random) ? 1 : 64), using: &random)
            let range = place..<min(place + length, bytes.count)
            hit(range)
            for index in range { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let length = Int.random(in: 0...bytes.count, using: &random)
            hit(length..<bytes.count)
            bytes.removeLast(bytes.count - length)
        case 1:
            let place = Int.random(in: 0...bytes.count, using: &random)
            let inserted = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            if place > 0, place < bytes.count { hit(place - 1..<place + 1) }
            bytes.insert(contentsOf: inserted, at: place)
        default: break
        }
        return (bytes, intact)
    }
}
