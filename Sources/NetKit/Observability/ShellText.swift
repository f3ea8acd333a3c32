import Foundation

/// Writes what a POSIX shell has to take as it is.
enum ShellText {
    /// The text in single quotes, in which nothing has a meaning but the quote itself.
    static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "'")]
        // Bytes, not characters: a quote with an accent behind it ends the text all the same.
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") { bytes += Array("'\\'".utf8) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "'"))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Bytes as a text that an argument can have; nil where there is none.
    static func text(of bytes: Data) -> String? {
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// A command that prints bytes.
    static func printing(_ bytes: Data) -> String {
        if let text = text(of: bytes) { return "printf '%s' \(quoted(text))" }
        var format = ""
        for byte in bytes {
            let isPlain = byte.isURLUnreserved && byte != UInt8(ascii: "-")
            let digits = String(byte, radix: 8)
            format +=
                isPlain
                ? String(UnicodeScalar(byte)) : "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
        }
        return "printf '\(format)'"
    }

    /// A path that no command takes for an option or for standard input.
    static func path(_ path: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
    }
}
