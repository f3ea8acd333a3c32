import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// A segment that was read, with its records.
@dynamicMemberLookup
struct ScannedSegment {
    let scan: JournalScan
    let records: [JournalRecord]

    init(_ read: (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]) throws(FileError) {
        var records: [JournalRecord] = []
        scan = try JournalScan(read) { records += $0 }
        self.records = records
    }

    subscript<Value>(dynamicMember path: KeyPath<JournalScan, Value>) -> Value { scan[keyPath: path] }
}

struct JournalScanTests {
    static func entry(_ position: Int64, lane: String = "default") -> OfflineEntry {
        OfflineEntry(.post("/\(position)", lane: lane), position: position, byteCount: 2)
    }

    static func line(_ effect: UnnumberedRecord.Effect, _ sequence: Int64, _ payload: String = "{}") -> [UInt8] {
        var bytes: [UInt8] = []
        UnnumberedRecord(effect) { $0.add("request", json: payload.utf8) }.write(
            to: &bytes,
            sequence: sequence,
            acknowledged: sequence - 1
        )
        return bytes
    }

    static func lines(_ count: Int) -> [[UInt8]] {
        (1...max(1, Int64(count))).map { line(.put(entry($0)), $0, "{\"v\":1,\"n\":\($0)}") }
    }

    static func scan(_ bytes: [UInt8]) -> ScannedSegment? {
        try? ScannedSegment { offset, count throws(FileError) in Array(bytes.dropFirst(offset).prefix(count)) }
    }

    private func sequences(_ scan: ScannedSegment?) -> [Int64] { scan?.records.map(\.sequence) ?? [] }

    @Test func readsTheRecordsThatWereWritten() throws {
        var entry = Self.entry(7, lane: "läne \"1\"")
        entry.expiresAt = Date(milliseconds: 1_900_000_000_500)
        entry.maxAttempts = 3
        entry.coalescingKey = "k\n"
        entry.priority = -2
        let scan = try #require(Self.scan(Self.line(.put(entry), 9)))
        guard case .put(let read)? = scan.records.first?.effect else {
            Issue.record("no entry was read")
            return
        }
        entry.timestamp = Date(milliseconds: entry.timestamp.milliseconds)
        #expect(read == entry)
        #expect(scan.damage.isEmpty)
        #expect(scan.isTailBlank)
    }

    @Test func dropsATornLastLine() throws {
        let lines = Self.lines(3)
        for cut in 1..<lines[2].count - 1 {
            let scan = try #require(Self.scan(lines[0] + lines[1] + lines[2].prefix(cut)))
            #expect(sequences(scan) == [1, 2])
            #expect(scan.damage.isEmpty)
            #expect(!scan.isTailBlank)
            #expect(scan.end == lines[0].count + lines[1].count)
        }
    }

    @Test func ignoresTheBlanksThatFillAFile() throws {
        let blanks = [UInt8](repeating: 0x20, count: 500)
        let scan = try #require(Self.scan(Self.lines(2).flatMap { $0 } + blanks))
        #expect(sequences(scan) == [1, 2])
        #expect(scan.isTailBlank)
        #expect(scan.damage.isEmpty)
    }

    @Test func zerosBetweenRecordsAreDamage() throws {
        let lines = Self.lines(3)
        let zeros = [UInt8](repeating: 0, count: lines[1].count)
        let scan = try #require(Self.scan(lines[0] + zeros + lines[2]))
        #expect(sequences(scan) == [1, 3])
        #expect(scan.damage.map(\.reason) == ["zeros in the place of records"])
        let cut = try #require(Self.scan(lines[0] + zeros))
        #expect(cut.damage.isEmpty)
        #expect(cut.torn?.range == lines[0].count..<lines[0].count + zeros.count)
    }

    @Test func setsADamagedLineAside() throws {
        var lines = Self.lines(3)
        lines[1][40] ^= 1
        let scan = try #require(Self.scan(lines.flatMap { $0 }))
        #expect(sequences(scan) == [1, 3])
        #expect(scan.damage.count == 1)
        #expect(scan.damage.first?.bytes == Array(lines[1].dropLast()))
    }

    @Test func aBrokenLineBreakCostsNoOtherRequest() throws {
        for value in [UInt8(ascii: "x"), UInt8(ascii: "}"), 0, 0x20] {
            var lines = Self.lines(3)
            lines[0][lines[0].count - 1] = value
            #expect(sequences(Self.scan(lines.flatMap { $0 })) == [1, 2, 3])
        }
    }

    @Test func keepsRecordsOfANewerVersion() throws {
        var text = "{\"nk\":3,\"seq\":5,"
        let rest = "\"op\":\"merge\",\"of\":[1,2]"
        var checksum = CRC32()
        checksum.add(Array(rest.utf8))
        checksum.add(Array(text.utf8))
        text += rest + ",\"sum\":\"" + String(decoding: CRC32.text(checksum.value), as: UTF8.self) + "\"}\n"
        let scan = try #require(Self.scan(Self.lines(1)[0] + Array(text.utf8)))
        #expect(sequences(scan) == [1, 5])
        if scan.records.last?.effect != nil { Issue.record("the record was understood") }
    }

    @Test func theChecksumIsTheUsualOne() {
        var checksum = CRC32()
        checksum.add(Array("123456789".utf8))
        #expect(checksum.value == 0xCBF4_3926)
    }

    /// Lines across the windows in which a segment is read.
    @Test func readsSegmentsLongerThanAWindow() throws {
        let payload = "{\"x\":\"\(String(repeating: "y", count: 700_000))\"}"
        let lines = (1...14).map { Self.line(.put(Self.entry(Int64($0))), Int64($0), payload) }
        let bytes = lines.flatMap { $0 }
        let scan = try #require(Self.scan(bytes))
        #expect(sequences(scan) == Array(1...14))
        #expect(scan.end == bytes.count)
        for (record, start) in zip(scan.records, lines.indices.map { lines[..<$0].reduce(0) { $0 + $1.count } }) {
            #expect(record.range.lowerBound == start)
        }
    }

    /// Every number and text that an entry can have, at the limits and at random.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func everyLineIsReadAsItWasWritten(seed: UInt64) {
        let random = RandomSource.seeded(seed)
        func number() -> Int {
            [Int.min, Int.max, 0, -1, 1, Int(truncatingIfNeeded: random.next())][Int(random.next() % 6)]
        }
        func date() -> Date {
            let seconds: [Double] = [
                0, -1e300, 1e300, .nan, .infinity, 1e12, -62_135_596_800, random.unitInterval() * 1e11,
            ]
            return Date(timeIntervalSince1970: seconds[Int(random.next() % 8)])
        }
        func text() -> String {
            ["", "a", "\u{0}\n\"\\/", "ä\u{1F600}\u{2028}", String(repeating: "\u{FFFD}", count: 300)][
                Int(random.next() % 5)
            ]
        }
        func duration() -> Duration {
            [.zero, .seconds(Int64.max), .nanoseconds(-1), .seconds(-1e6), .microseconds(1500)][Int(random.next() % 5)]
        }
        for _ in 0..<50 {
            let request = QueuedRequest(
                HTTPRequest(.post, "/"),
                lane: text(),
                priority: number(),
                expiresAt: random.next() & 1 == 0 ? date() : nil,
                maxAttempts: random.next() & 1 == 0 ? number() : nil,
                coalescingKey: random.next() & 1 == 0 ? text() : nil,
                timestamp: date()
            )
            // Positions and sizes are never negative, and have bounds.
            let (position, size) = (UInt(bitPattern: number()) >> 3, UInt(bitPattern: number()) >> 25)
            var entry = OfflineEntry(request, position: Int64(position), byteCount: Int(size))
            entry.identity = random.next() & 1 == 0 ? text() : nil
            entry.retryCount = number()
            #expect(UnnumberedRecord(.put(entry)) { $0.add("request", json: "{}".utf8) }.isReadBack())
            var update = OfflineUpdate(entry)
            update.state = [.waiting, .conflict, .deadLetter][Int(random.next() % 3)]
            update.retryCount = number()
            update.conflictCount = number()
            update.wait = random.next() & 1 == 0 ? duration() : nil
            update.failingFor = random.next() & 1 == 0 ? duration() : nil
            update.status = random.next() & 1 == 0 ? HTTPStatus(number()) : nil
            #expect(UnnumberedRecord(.state(entry.id, update.dated(date()))).isReadBack())
            #expect(UnnumberedRecord(.remove(entry.id)).isReadBack())
        }
    }

    @Test func aLineThatWouldBeMisreadIsDetected() {
        // Two fields of one name, of which the later one would count.
        let twice = UnnumberedRecord(.put(Self.entry(1))) {
            $0.add("pos", Int64(2))
            $0.add("request", json: "{}".utf8)
        }
        #expect(!twice.isReadBack())
        // An entry without a request is no entry.
        #expect(!UnnumberedRecord(.put(Self.entry(1))).isReadBack())
    }

    /// Each field stands in the record a second time with another value, which counts.
    @Test func aFieldThatWouldBeMisreadIsDetected() {
        var entry = Self.entry(1, lane: "\u{E9}")
        entry.coalescingKey = "\u{E9}"
        let numbers: [StaticString] = [
            "pos", "priority", "time", "size", "retries", "conflicts", "expires", "attempts",
        ]
        for key in numbers {
            let record = UnnumberedRecord(.put(entry)) {
                $0.add(key, Int64(77))
                $0.add("request", json: "{}".utf8)
            }
            #expect(!record.isReadBack(), "\(key)")
        }
        let texts: [StaticString] = ["lane", "key"]
        for key in texts {
            let record = UnnumberedRecord(.put(entry)) {
                // Equal to the text as a string, but not as bytes.
                $0.add(key, "e\u{301}")
                $0.add("request", json: "{}".utf8)
            }
            #expect(!record.isReadBack(), "\(key)")
        }
        let identified = UnnumberedRecord(.put(entry)) {
            $0.add("identityLength", Int64(5))
            $0.add("request", json: "{}".utf8)
            $0.add("identity", "ada")
        }
        #expect(!identified.isReadBack())
    }
}
