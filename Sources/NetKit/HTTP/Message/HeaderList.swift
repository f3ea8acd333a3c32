/// Header fields that are lists (RFC 9110, section 5.6.1).
enum HeaderList {
    /// Returns the members without surrounding blanks, except empty ones; a comma between quotes separates nothing.
    static func members(of value: String) -> [String] { members(of: value, hasEscapes: true) }

    /// Returns the members of a list whose texts in quotes have escapes, or of a list of entity tags, which have none.
    static func members(of value: String, hasEscapes: Bool) -> [String] {
        var members: [String] = []
        var current: [UInt8] = []
        var (isQuoted, isEscaped) = (false, false)
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && hasEscapes && isQuoted && !isEscaped
            if byte == UInt8(ascii: ","), !isQuoted {
                members.append(String(decoding: current.trimmingBlanks, as: UTF8.self))
                current = []
            } else {
                current.append(byte)
            }
        }
        members.append(String(decoding: current.trimmingBlanks, as: UTF8.self))
        return members.filter { !$0.isEmpty }
    }

    /// Returns the texts between commas and blanks, for lists of names.
    static func words(of value: String) -> [Substring] { value.split { $0 == "," || $0 == " " || $0 == "\t" } }
}
