import NetKit
import Testing

struct CallIDTests {
    @Test func aHundredThousandAreAllDifferentAndSixteenHexadecimalDigits() {
        let texts = (0..<100_000).map { _ in CallID().description }
        #expect(Set(texts).count == 100_000)
        #expect(texts.allSatisfy { text in text.utf8.count == 16 && text.utf8.allSatisfy(Self.isDigit) })
    }

    @Test func areDifferentAcrossTasks() async {
        let all = await withTaskGroup(of: [CallID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1000).map { _ in CallID() } } }
            return await group.reduce(into: Set<CallID>()) { $0.formUnion($1) }
        }
        #expect(all.count == 8000)
    }

    @Test func aCopyIsTheSame() {
        let id = CallID()
        let copy = id
        #expect(copy == id)
        #expect(copy.description == id.description)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
