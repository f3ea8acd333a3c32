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
}
