import Foundation
import Testing

@testable import NetKit

struct JSONTextTests {
    /// The writer looks at eight bytes a step.
    @Test func everyByteOfATextIsReadBackAsWritten() throws {
        var wrong: [String] = []
        for byte in UInt8.min ... .max {
            for place in 0..<19 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 19)
                bytes[place] = byte
                let string = String(decoding: bytes, as: UTF8.self)
                var text = JSONText()
                text.begin()
                text.add(text: "text", orBytes: "base64", Data(bytes))
                text.add("string", string)
                text.end()
                let read = try JSONDecoder().decode([String: String].self, from: Data(text.bytes))
                let kept = read["text"].map { Data($0.utf8) } ?? read["base64"].flatMap { Data(base64Encoded: $0) }
                if kept != Data(bytes) || read["string"] != string { wrong.append("\(byte) at \(place)") }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: 0..<70)
    func aTextThatOutgrowsItsRoomIsWrittenAsOneThatFits(capacity: Int) {
        func written(_ capacity: Int) -> String {
            var text = JSONText(capacity: capacity)
            text.begin()
            text.add("number", Int64(-12))
            text.add("id", UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
            text.add("escaped", "a\u{1}\"")
            text.add("plain", String(repeating: "p", count: 100))
            text.add("flag", false)
            text.add("json", json: "[1,2]".utf8)
            text.end()
            return String(decoding: text.bytes, as: UTF8.self)
        }
        let first = #"{"number":-12,"id":"01020304-0506-0708-090A-0B0C0D0E0F10","escaped":"a\u0001\"","plain":"p"#
        #expect(written(capacity).hasPrefix(first))
        #expect(written(capacity).hasSuffix(#"p","flag":false,"json":[1,2]}"#))
        #expect(written(capacity) == written(1000))
    }

    @Test(arguments: [0, 9, 10, -1, -10, 1_234_567_890, .max, .min] as [Int64])
    func aNumberIsWrittenInDigits(number: Int64) {
        var text = JSONText()
        text.add("n", number)
        #expect(String(decoding: text.bytes, as: UTF8.self) == "\"n\":\(number)")
    }
}
