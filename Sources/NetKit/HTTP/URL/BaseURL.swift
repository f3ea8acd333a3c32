import Foundation

/// The URL that paths are joined to: validated and split once, so that a call only has to join texts.
///
/// The path is added to the base's own path with exactly one slash between them. The base's query comes first, and its
/// fragment is dropped. An empty path gives the base itself.
package struct BaseURL: Sendable {
    /// The text up to the query.
    private let whole: String
    /// The same without a slash at the end.
    private let prefix: String
    private let query: String?

    package init(_ url: URL) throws(NetKitError) {
        let absolute = url.asSent
        if let problem = RequestValidation.problem(ofURL: absolute) {
            throw NetKitError(.invalidURL, "The base URL cannot be used: \(problem)")
        }
        var text = absolute.absoluteString[...]
        if let fragment = text.firstIndex(of: "#") { text = text[..<fragment] }
        if let mark = text.firstIndex(of: "?") {
            query = String(text[text.index(after: mark)...])
            text = text[..<mark]
        } else {
            query = nil
        }
        whole = String(text)
        var bytes = text.utf8
        while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        prefix = String(Substring(bytes))
    }

    /// Returns the text of the URL for a path, which may have a query of its own.
    func joined(with path: String) -> String {
        // Bytes, not characters: every call comes through here, and only ASCII matters.
        var rest = path.utf8[...]
        if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        var ownQuery = Substring().utf8
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            ownQuery = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        var joined = whole
        if !rest.isEmpty {
            joined = prefix
            joined += "/"
            joined += Substring(rest.drop { $0 == UInt8(ascii: "/") })
        }
        if let query, !query.isEmpty {
            joined += "?"
            joined += query
            if !ownQuery.isEmpty { joined += "&" }
        } else if !ownQuery.isEmpty {
            joined += "?"
        }
        joined += Substring(ownQuery)
        return joined
    }
}
