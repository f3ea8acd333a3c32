import Foundation

/// Turns bytes into text by the name of a character set.
enum TextEncoding {
    /// Returns the text of bytes in a character set; in UTF-8 if none is named, it is unknown, or the bytes do not fit.
    ///
    /// A byte order mark takes precedence over the name. Invalid UTF-8 becomes the replacement character.
    static func text(of data: Data, charset: String?) -> String {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: data.dropFirst(3), as: UTF8.self) }
        let hasUTF16Mark = data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
        let name = charset?.lowercased().filter { $0 != "\"" && !$0.isWhitespace }
        let isUTF32 = name?.hasPrefix("utf-32") ?? false
        let encoding = hasUTF16Mark && !isUTF32 ? .utf16 : name.flatMap { encodings[$0] }
        guard let encoding, encoding != .utf8 else { return String(decoding: data, as: UTF8.self) }
        if encoding == .windowsCP1252 { return windows1252(data) }
        return String(data: data, encoding: encoding) ?? String(decoding: data, as: UTF8.self)
    }

    /// Returns text in Windows-1252, of which every byte is a character.
    ///
    /// As in browsers, the five bytes that the encoding leaves open are control characters. Foundation on Linux would
    /// refuse the whole text for one of them.
    private static func windows1252(_ data: Data) -> String {
        var text = String.UnicodeScalarView()
        for byte in data {
            text.append((0x80..<0xA0).contains(byte) ? from0x80[Int(byte) - 0x80] : Unicode.Scalar(byte))
        }
        return String(text)
    }

    /// The characters of Windows-1252 that are not those of Latin 1.
    private static let from0x80 = Array("€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    /// The encodings by name.
    ///
    /// EUC-JP works only if Foundation supports it, which it does not on Linux.
    ///
    /// As in browsers, text that is labeled ASCII or Latin 1 is read as Windows-1252, a superset of both.
    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .windowsCP1252, "ascii": .windowsCP1252,
        "iso-8859-1": .windowsCP1252, "latin1": .windowsCP1252, "l1": .windowsCP1252, "windows-1252": .windowsCP1252,
        "cp1252": .windowsCP1252, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2, "windows-1250": .windowsCP1250,
        "windows-1251": .windowsCP1251, "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "shift_jis": .shiftJIS, "shift-jis": .shiftJIS, "sjis": .shiftJIS, "euc-jp": .japaneseEUC,
        "iso-2022-jp": .iso2022JP, "utf-16": .utf16LittleEndian,
        "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian, "utf-32": .utf32, "utf-32le": .utf32LittleEndian,
        "utf-32be": .utf32BigEndian,
    ]
}
