/// Escaping of text for logs, so that text from a peer cannot break lines or change the reading direction.
enum LogText {
    /// Returns the text with control characters, line separators and direction marks escaped, truncated to a length.
    static func escaped(_ text: String, limit: Int) -> String {
        if text.utf8.count <= limit, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var line = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return line + "…" }
            switch scalar {
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            default:
                if scalar.isHarmful {
                    line += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    line.unicodeScalars.append(scalar)
                }
            }
        }
        return line
    }

    /// Returns the text in quotation marks if it could otherwise be read as several values.
    static func quotedIfNeeded(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && !text.unicodeScalars.contains { $0 == " " || $0 == "\"" || $0 == "=" || $0 == "\\" }
        if isPlain { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Returns the text as a JSON string.
    static func json(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": json += "\\\""
            case "\\": json += "\\\\"
            case "\n": json += "\\n"
            default:
                if scalar.isHarmful {
                    for unit in String(scalar).utf16 { json += "\\u" + unit.hexadecimal }
                } else {
                    json.unicodeScalars.append(scalar)
                }
            }
        }
        return json + "\""
    }
}
