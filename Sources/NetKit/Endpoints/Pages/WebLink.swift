/// A link of a `Link` field (RFC 8288).
///
/// ```swift
/// let next = WebLink.links(in: response.headers).first { $0.relations.contains("next") }
/// ```
public struct WebLink: Sendable, Hashable {
    /// One parameter of a link.
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        ///
        /// If it ends in `*`, the value was decoded.
        public let name: String
        /// The value.
        public let value: String
    }

    /// The target of the link as the server sent it, relative to the URL of the response.
    public let target: String
    /// The parameters in order, without extended ones (`title*`) that cannot be decoded.
    public let parameters: [Parameter]

    /// The first value of a parameter; an extended value (`title*`) takes precedence over the plain one.
    public subscript(_ name: String) -> String? {
        let name = name.lowercased()
        let extended = parameters.first { $0.name == name + "*" }
        return (extended ?? parameters.first { $0.name == name })?.value
    }

    /// The relations of the link in lower case: the words of its first `rel`.
    public var relations: [String] {
        (parameters.first { $0.name == "rel" }?.value ?? "").split(separator: " ").map { $0.lowercased() }
    }

    /// Returns the links of every `Link` field, in order.
    ///
    /// Unreadable links are skipped.
    public static func links(in headers: HTTPHeaders) -> [WebLink] {
        headers.values(of: "Link").flatMap { links(in: $0) }
    }

    /// Returns the links of one field's value.
    public static func links(in value: String) -> [WebLink] {
        var reader = WebLinkReader(value)
        var links: [WebLink] = []
        while let link = reader.next() { links.append(link) }
        return links
    }
}

/// A reader of a `Link` field's value, which reads it once from start to end.
struct WebLinkReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        // A folded line is one line: its break and the blanks after it are dropped.
        var bytes: [UInt8] = []
        var isFolded = false
        for byte in text.utf8 {
            if byte == 0x0D || byte == 0x0A {
                isFolded = true
            } else if !isFolded || !byte.isHTTPBlank {
                isFolded = false
                bytes.append(byte)
            }
        }
        rest = bytes[...]
    }

    mutating func next() -> WebLink? {
        // Skip anything before a link, such as the comma after the previous link.
        rest = rest.drop { $0 != UInt8(ascii: "<") }.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
            rest = []
            return nil
        }
        let target = Self.text(rest[..<end].trimmingBlanks)
        rest = rest[end...].dropFirst()
        var parameters: [WebLink.Parameter] = []
        while let parameter = nextParameter() { parameters.append(parameter) }
        return WebLink(target: target, parameters: parameters)
    }

    /// Returns the next parameter; `nil` at the comma after the link, or at the end.
    private mutating func nextParameter() -> WebLink.Parameter? {
        while true {
            rest = rest.drop(while: \.isHTTPBlank)
            guard rest.first == UInt8(ascii: ";") else {
                guard !rest.isEmpty, rest.first != UInt8(ascii: ",") else { return nil }
                // Skip text that belongs to no parameter.
                rest = rest.drop { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
                continue
            }
            rest = rest.dropFirst().drop(while: \.isHTTPBlank)
            let end = rest.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
            let name = Self.text(rest[..<(end ?? rest.endIndex)].trimmingBlanks).lowercased()
            rest = rest[(end ?? rest.endIndex)...]
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: \.isHTTPBlank)
                // Without a closing quotation mark, the value ends with the field.
                value = rest.first == UInt8(ascii: "\"") ? Self.text(rest.popQuoted().bytes[...]) : token()
            }
            guard !name.isEmpty else { continue }
            if name.hasSuffix("*") {
                // A value that cannot be decoded must not take the place of the plain one.
                guard let decoded = ExtendedValue.decode(value) else { continue }
                value = decoded
            }
            return WebLink.Parameter(name: name, value: value)
        }
    }

    private mutating func token() -> String {
        let end = rest.firstIndex { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") } ?? rest.endIndex
        defer { rest = rest[end...] }
        return Self.text(rest[..<end].trimmingBlanks)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
