import Foundation
import Testing

@testable import NetKit

struct TextEncodingTests {
    @Test(arguments: [
        ("utf-8", "63 61 66 C3 A9", "café"), ("UTF8", "63 61 66 C3 A9", "café"), ("iso-8859-1", "63 61 66 E9", "café"),
        ("ISO-8859-1", "80", "€"), ("us-ascii", "41 42", "AB"), ("windows-1252", "93 94", "“”"),
        ("utf-16le", "41 00 AC 20", "A€"), ("utf-16be", "00 41 20 AC", "A€"), ("utf-16", "FF FE 41 00", "A"),
        ("utf-8", "EF BB BF 41", "A"), ("windows-1251", "C0", "А"), ("iso-8859-2", "A1", "Ą"),
        ("shift_jis", "93 FA", "日"), ("none-such", "41", "A"), ("utf-8", "FF", "\u{FFFD}"),
        ("\"utf-8\"", "C3 A9", "é"), ("", "C3 A9", "é"), ("latin1", "80 9F A0 FF", "€Ÿ\u{A0}ÿ"),
        ("iso-8859-1", "E9 81 8D 8F 90 9D", "é\u{81}\u{8D}\u{8F}\u{90}\u{9D}"),
        // Bytes that an encoding leaves open do not change the others.
        ("windows-1253", "C1 D2 FF 41", "Α\u{FFFD}\u{FFFD}A"), ("windows-1257", "C0 A1 41", "Ą\u{FFFD}A"),
        ("iso-8859-5", "BF", "П"), ("iso-8859-7", "C1 D2", "Α\u{FFFD}"), ("iso-8859-9", "80 F0", "€ğ"),
        ("ISO-8859-15", "A4 E9", "€é"), ("latin9", "BC", "Œ"), ("koi8-r", "D0 D2 C9", "при"), ("koi8-u", "A4", "є"),
        ("gb18030", "C4 E3 BA C3", "你好"), ("gbk", "C4 E3", "你"), ("gb2312", "BA C3", "好"), ("big5", "A7 41", "你"),
        ("euc-kr", "B0 A1", "가"),
    ])
    func readsTextByItsCharset(_ charset: String, _ hex: String, _ text: String) {
        let bytes = hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        #expect(TextEncoding.text(of: Data(bytes), charset: charset) == text)
    }

    @Test func aByteOrderMarkComesBeforeTheName() {
        #expect(TextEncoding.text(of: Data([0xFE, 0xFF, 0, 0x41]), charset: "utf-8") == "A")
        #expect(TextEncoding.text(of: Data([0xEF, 0xBB, 0xBF, 0x41]), charset: "iso-8859-1") == "A")
    }
}
