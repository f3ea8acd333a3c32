import Foundation
import NetKit

/// JSON with a line for each member, in colors, in the order in which it came.
///
/// It reads bytes, because a character may consist of a quotation mark and an accent.
enum JSONText {
    /// Returns the text; `nil` if the data is not JSON in UTF-8.
    static func indented(_ data: Data, style: TerminalStyle) -> String? {
        guard (try? JSONValue(parsing: data)) != nil, String(validating: data, as: UTF8.self) != nil else { return nil }
        var (text, depth, rest) = ("", 0, data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data)
        func line() -> String { "\n" + String(repeating: "  ", count: depth) }
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let start = take(1, of: &rest)
                rest = rest.drop(while: isBlank)
                if let end = rest.first, end == UInt8(ascii: "}") || end == UInt8(ascii: "]") {
                    text += start + take(1, of: &rest)
                } else {
                    depth += 1
                    text += start + line()
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                text += line() + take(1, of: &rest)
            case UInt8(ascii: ","): text += take(1, of: &rest) + line()
            case UInt8(ascii: ":"): text += take(1, of: &rest) + " "
            case UInt8(ascii: "\""):
                let string = take(stringLength(rest), of: &rest)
                let isName = rest.first { !isBlank($0) } == UInt8(ascii: ":")
                text += style(string, isName ? .cyan : .green)
            case _ where isBlank(byte): rest = rest.dropFirst()
            default:
                let length = rest.prefix { !isBlank($0) && !ends.contains($0) }.count
                text += style(take(length, of: &rest), .yellow)
            }
        }
        return text + "\n"
    }

    private static let ends = Array(",]}".utf8)

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Returns the number of bytes of the string at the start, with its quotation marks.
    private static func stringLength(_ rest: Data) -> Int {
        var (length, isEscaped) = (1, false)
        for byte in rest.dropFirst() {
            length += 1
            if byte == UInt8(ascii: "\""), !isEscaped { break }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
        return length
    }

    private static func take(_ count: Int, of rest: inout Data) -> String {
        defer { rest = rest.dropFirst(count) }
        return String(decoding: rest.prefix(count), as: UTF8.self)
    }
}

extension JSONText {
    /// Returns a value as JSON with sorted members, on one line or with a line for each member.
    static func text(of value: some Encodable, isIndented: Bool = false) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
