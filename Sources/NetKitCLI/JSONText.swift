import Foundation
import NetKit

/// JSON with a line for each member, in colors, in the order in which it came.
enum JSONText {
    /// Returns the text; `nil` if the data is not JSON.
    static func indented(_ data: Data, style: TerminalStyle) -> String? {
        guard (try? JSONValue(parsing: data)) != nil else { return nil }
        var (text, depth, rest) = ("", 0, Substring(decoding: data, as: UTF8.self))
        var isName = false
        func line() -> String { "\n" + String(repeating: "  ", count: depth) }
        while let character = rest.first {
            switch character {
            case "{", "[":
                rest.removeFirst()
                rest = rest.drop(while: \.isWhitespace)
                if let end = rest.first, end == "}" || end == "]" {
                    rest.removeFirst()
                    text += "\(character)\(end)"
                } else {
                    depth += 1
                    text += "\(character)\(line())"
                }
            case "}", "]":
                rest.removeFirst()
                depth -= 1
                text += "\(line())\(character)"
            case ",":
                rest.removeFirst()
                text += ",\(line())"
            case ":":
                rest.removeFirst()
                text += ": "
            case "\"":
                let string = takeString(&rest)
                isName = rest.first { !$0.isWhitespace } == ":"
                text += style(string, isName ? .cyan : .green)
            case _ where character.isWhitespace: rest.removeFirst()
            default:
                let word = rest.prefix { !$0.isWhitespace && !",]}".contains($0) }
                rest = rest[word.endIndex...]
                text += style(String(word), .yellow)
            }
        }
        return text + "\n"
    }

    private static func takeString(_ rest: inout Substring) -> String {
        var (end, isEscaped) = (rest.index(after: rest.startIndex), false)
        while end < rest.endIndex, isEscaped || rest[end] != "\"" {
            isEscaped = !isEscaped && rest[end] == "\\"
            end = rest.index(after: end)
        }
        end = end < rest.endIndex ? rest.index(after: end) : end
        defer { rest = rest[end...] }
        return String(rest[..<end])
    }
}
