import Foundation

/// Turns bytes into text by the name of a character set.
enum TextEncoding {
    /// Returns the text of bytes in a character set; in UTF-8 if none is named, it is unknown, or the bytes do not fit.
    ///
    /// A byte order mark takes precedence over the name. Invalid UTF-8 becomes the replacement character.
    static func text(of data: Data, charset: String?) -> String {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return String(decoding: data.dropFirst(3), as: UTF8.self) }
        let hasUTF16Mark = data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF])
        let named = charset.flatMap { self.encoding(named: $0) }
        let isUTF32 = named == .utf32 || named == .utf32LittleEndian || named == .utf32BigEndian
        let encoding = hasUTF16Mark && !isUTF32 ? .utf16 : named
        guard let encoding, encoding != .utf8 else { return String(decoding: data, as: UTF8.self) }
        if let text = String(data: data, encoding: encoding) { return text }
        return hasSingleBytes(encoding) ? bytewise(data, encoding) : String(decoding: data, as: UTF8.self)
    }

    /// Returns whether every byte of a text that looks like a character of ASCII is one, as far as it is known.
    static func keepsASCII(_ data: Data, charset: String) -> Bool {
        guard let encoding = self.encoding(named: charset) else { return false }
        // A truncated text may end in the middle of a character.
        return encoding == .utf8
            ? (0...3).contains { String(validating: data.dropLast($0), as: UTF8.self) != nil }
            : hasSingleBytes(encoding)
    }

    /// Returns whether each byte is a character; where several bytes may be one, this byte is never one by itself.
    private static func hasSingleBytes(_ encoding: String.Encoding) -> Bool {
        String(data: Data([0xE1]), encoding: encoding)?.unicodeScalars.count == 1
    }

    /// Returns text with bytes that its encoding leaves open.
    ///
    /// As in browsers, each is a control character or the replacement character. Foundation on Linux refuses the whole
    /// text for one of them.
    private static func bytewise(_ data: Data, _ encoding: String.Encoding) -> String {
        let characters = (UInt8.min...UInt8.max).map { byte -> Unicode.Scalar in
            String(data: Data([byte]), encoding: encoding)?.unicodeScalars.first
                ?? (byte < 0xA0 ? Unicode.Scalar(byte) : "\u{FFFD}")
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: data.lazy.map { characters[Int($0)] })
        return String(text)
    }

    private static func encoding(named name: String) -> String.Encoding? {
        encodings[name.lowercased().filter { $0 != "\"" && !$0.isWhitespace }]
    }

    private static func foundation(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }

    /// The encodings by name.
    ///
    /// EUC-JP works only if Foundation supports it, which it does not on Linux. Foundation knows the encodings with a
    /// number, but has no name for them.
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
        "utf-32be": .utf32BigEndian, "iso-8859-5": foundation(0x205), "iso-8859-7": foundation(0x207),
        "iso-8859-9": .windowsCP1254, "iso-8859-15": foundation(0x20F), "latin9": foundation(0x20F),
        "koi8-r": foundation(0xA02), "koi8-u": foundation(0xA08), "windows-1257": foundation(0x507),
        "gb18030": foundation(0x632), "gbk": foundation(0x632), "gb2312": foundation(0x632), "big5": foundation(0xA03),
        "euc-kr": foundation(0x940),
    ]
}
