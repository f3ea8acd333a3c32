import Foundation

/// Makes the name of a plain file in a folder from a server's text.
enum SafeFileName {
    /// The maximum length of a name in bytes, with room for a number and a suffix.
    private static let maxBytes = 200

    /// Returns the name for a response from its header, or else from its URL.
    ///
    /// A name without an extension gets that of the media type.
    static func name(for headers: HTTPHeaders, url: URL?) -> String {
        let headerName = headers["Content-Disposition"].flatMap { ContentDisposition($0).fileName }
        let urlName = url.flatMap { url in url.path(percentEncoded: false).split(separator: "/").last.map(String.init) }
        let name = [headerName, urlName].lazy.compactMap { $0 }.map { safe($0) }.first { !$0.isEmpty } ?? "download"
        guard fileExtension(of: name).isEmpty, let type = MediaType(of: headers),
            type.name != "application/octet-stream", let suffix = FileType.fileExtension(of: type)
        else { return name }
        return "\(name).\(suffix)"
    }

    /// Returns the last part of a path, without characters that a file system or a terminal could misread.
    ///
    /// It can be empty.
    static func safe(_ text: String) -> String {
        // Scalars, not characters: a slash with an accent is another character, but a slash to the disk.
        let scalars = text.unicodeScalars
        let slash = scalars.lastIndex { $0 == "/" || $0 == "\\" }
        var kept = String.UnicodeScalarView()
        for scalar in slash.map({ scalars[$0...].dropFirst() }) ?? scalars[...] where !isDropped(scalar) {
            kept.append("<>:\"|?*".unicodeScalars.contains(scalar) ? "_" : scalar)
        }
        var name = shortened(String(trimmed(kept[...])))
        let stem = name.prefix { $0 != "." }.filter { !$0.isWhitespace }.uppercased()
        if reserved.contains(stem) { name = "_" + name }
        return name
    }

    /// Returns the text without dots, spaces and accents at the start, and without dots and spaces at the end.
    private static func trimmed(_ scalars: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        let start = scalars.drop { isEdge($0) || $0.properties.isGraphemeExtend }
        guard let end = start.lastIndex(where: { !isEdge($0) }) else { return Substring().unicodeScalars }
        return start[...end]
    }

    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }

    /// Returns the name with a number before its extension.
    static func numbered(_ name: String, _ number: Int) -> String {
        let suffix = fileExtension(of: name)
        return suffix.isEmpty ? "\(name) (\(number))" : "\(name.dropLast(suffix.count + 1)) (\(number)).\(suffix)"
    }

    /// Returns whether a scalar is a control character, changes the direction, or is invisible.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isHarmful || scalar.properties.generalCategory == .format
    }

    private static func fileExtension(of name: String) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        let suffix = name[name.index(after: dot)...]
        let isUsual =
            (1...12).contains(suffix.utf8.count) && suffix.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isUsual ? suffix : ""
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maxBytes else { return name }
        let suffix = fileExtension(of: name)
        let tail = suffix.isEmpty ? "" : ".\(suffix)"
        var (stem, room) = (String.UnicodeScalarView(), maxBytes - tail.utf8.count)
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
            + ((0...9).map { "\($0)" } + ["¹", "²", "³"]).flatMap { ["COM\($0)", "LPT\($0)"] }
    )
}
