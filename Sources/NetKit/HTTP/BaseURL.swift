import Foundation

/// The URL that paths are joined to: checked and taken apart once, so that a call only has to put texts together.
///
/// The rule: the path is added to the base's own path with exactly one slash between them; the base's query comes
/// first; the base's fragment is dropped. An empty path is the base itself.
package struct BaseURL: Sendable {
    /// Everything up to the query, without a slash at the end.
    private let prefix: String
    private let query: String?

    package init(_ url: URL) throws(NetKitError) {
        let absolute = url.absoluteURL
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
        while text.hasSuffix("/") { text = text.dropLast() }
        prefix = String(text)
    }

    /// The text of the URL for a path, which may bring a query of its own.
    func joined(with path: String) -> String {
        var rest = path[...]
        if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
        var ownQuery: Substring?
        if let mark = rest.firstIndex(of: "?") {
            ownQuery = rest[rest.index(after: mark)...]
            rest = rest[..<mark]
        }
        var joined = prefix
        if !rest.isEmpty {
            while rest.hasPrefix("/") { rest = rest.dropFirst() }
            joined += "/"
            joined += rest
        }
        let queries = [query.map { $0[...] }, ownQuery].compactMap { $0 }.filter { !$0.isEmpty }
        if !queries.isEmpty { joined += "?" + queries.joined(separator: "&") }
        return joined
    }
}
