import Foundation

/// Makes a file name of what a server says, which cannot name anything outside its folder or anything special.
enum SafeFileName {
    /// The maximum length of a name in bytes, with room for a number and a suffix.
    private static let longest = 200

    /// The name for a response: from its header, else from its URL, with an extension from its media type where it has none.
    static func name(for headers: HTTPHeaders, url: URL?) -> String {
        let said = headers["Content-Disposition"].flatMap { ContentDisposition($0).fileName }
        let last = url.flatMap { url in url.path(percentEncoded: false).split(separator: "/").last.map(String.init) }
        let name = [said, last].lazy.compactMap { $0 }.map { safe($0) }.first { !$0.isEmpty } ?? "download"
        guard fileExtension(of: name).isEmpty, let type = headers["Content-Type"].flatMap({ MediaType($0) }),
            type.name != "application/octet-stream", let suffix = FileType.fileExtension(of: type)
        else { return name }
        return "\(name).\(suffix)"
    }

    /// The last part of a path, without what a file system or a terminal could take for something else; possibly empty.
    static func safe(_ text: String) -> String {
        // Scalars, not characters: a slash with an accent on it is another character, and to the disk a slash.
        let scalars = text.unicodeScalars
        let last =
            scalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
            ?? Substring().unicodeScalars
        var kept = String.UnicodeScalarView()
        for scalar in last where !isDropped(scalar) {
            kept.append("<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar)
        }
        var name = shortened(String(trimmed(kept[...])))
        let stem = name.prefix { $0 != "." }.filter { !$0.isWhitespace }.uppercased()
        if reserved.contains(stem) { name = "_" + name }
        return name
    }

    /// Without dots, spaces and accents at the start, and without dots and spaces at the end.
    private static func trimmed(_ scalars: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let start = scalars.drop { isEdge($0) || $0.properties.isGraphemeExtend }
        guard let end = start.lastIndex(where: { !isEdge($0) }) else { return Substring().unicodeScalars }
        return start[...end]
    }

    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }

    /// The name with a number before its extension.
    static func numbered(_ name: String, _ number: Int) -> String {
        let suffix = fileExtension(of: name)
        return suffix.isEmpty ? "\(name) (\(number))" : "\(name.dropLast(suffix.count + 1)) (\(number)).\(suffix)"
    }

    /// Control characters, and those that change the direction or cannot be seen.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func fileExtension(of name: String) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        let suffix = name[name.index(after: dot)...]
        let isUsual =
            (1...12).contains(suffix.utf8.count) && suffix.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isUsual ? suffix : ""
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let suffix = fileExtension(of: name)
        let tail = suffix.isEmpty ? "" : ".\(suffix)"
        var (stem, room) = (String.UnicodeScalarView(), longest - tail.utf8.count)
        for scalar in name.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            stem.append(scalar)
        }
        return String(trimmed(stem[...])) + tail
    }

    /// The names of devices on Windows, because a file may be copied there.
    private static let reserved: Set<String> = Set(
        ["CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"]
            + (0...9).flatMap { ["COM\($0)", "LPT\($0)"] } + ["¹", "²", "³"].flatMap { ["COM\($0)", "LPT\($0)"] }
    )
}

/// The field that says what is to become of a body, and what its file is called (RFC 6266, RFC 8187).
///
/// ```swift
/// let name = response.headers["Content-Disposition"].flatMap { ContentDisposition($0).fileName }
/// ```
/// It refuses nothing, since servers write all kinds of things. The file name is what the server says, and no path to be
/// trusted: downloads make a safe one of it.
public struct ContentDisposition: Sendable, Hashable {
    /// `attachment`, `inline` or another type, in lower case.
    public let type: String
    /// The parameters, their names in lower case; of one that is there twice the first.
    public let parameters: [String: String]

    /// Reads a field's value.
    public init(_ value: String) {
        var reader = ParameterReader(value)
        type = reader.head().lowercased()
        var parameters: [String: String] = [:]
        var quoted: Set<String> = []
        while let (name, value, isQuoted) = reader.next() {
            guard parameters[name] == nil else { continue }
            parameters[name] = value
            if isQuoted { quoted.insert(name) }
        }
        // An extended value in quotes is against the grammar, and means what it says.
        for (name, value) in parameters where name.hasSuffix("*") && !quoted.contains(name) {
            if let decoded = ExtendedValue.decode(value) { parameters[String(name.dropLast())] = decoded }
        }
        self.parameters = parameters
    }

    /// The name of the file; `filename*` comes before `filename`.
    public var fileName: String? { parameters["filename"] }
}
