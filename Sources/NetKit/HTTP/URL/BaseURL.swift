import Foundation

/// The URL that paths are joined to: validated and split once, so that a call only has to join texts.
///
/// The path is added to the base's own path with exactly one slash between them. The base's query comes first, and its
/// fragment is dropped. An empty path gives the base itself.
package struct BaseURL: Sendable {
    /// The bytes up to the query.
    private let whole: [UInt8]
    /// The same without a slash at the end.
    private let prefix: [UInt8]
    private let query: [UInt8]

    package init(_ url: URL) throws(NetKitError) {
        let absolute = url.asSent
        if let problem = RequestValidation.problem(ofURL: absolute) {
            throw NetKitError(.invalidURL, "The base URL cannot be used: \(problem)")
        }
        var text = absolute.absoluteString
        (whole, query) = text.withUTF8 { text in
            let (whole, query) = Self.split(text)
            return (Array(whole), Array(query))
        }
        var prefix = whole
        while prefix.last == UInt8(ascii: "/") { prefix.removeLast() }
        self.prefix = prefix
    }

    /// Returns the text of the URL for a path, which may have a query of its own.
    func joined(with path: String) -> String {
        var path = path
        // Bytes, not characters: every call comes through here, and only ASCII matters.
        return path.withUTF8 { text in
            let (path, ownQuery) = Self.split(text)
            // Written into the text itself, which saves an array and its copy.
            return String(unsafeUninitializedCapacity: whole.count + query.count + text.count + 3) { joined in
                var count = 0
                func append(_ bytes: some Collection<UInt8>) {
                    count = joined[count...].initialize(fromContentsOf: bytes)
                }
                if path.isEmpty {
                    append(whole)
                } else {
                    append(prefix)
                    append(CollectionOfOne(UInt8(ascii: "/")))
                    append(path.drop { $0 == UInt8(ascii: "/") })
                }
                if !query.isEmpty || !ownQuery.isEmpty { append(CollectionOfOne(UInt8(ascii: "?"))) }
                append(query)
                if !query.isEmpty && !ownQuery.isEmpty { append(CollectionOfOne(UInt8(ascii: "&"))) }
                append(ownQuery)
                return count
            }
        }
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Returns the bytes of a URL or a path up to its query, and those of its query, without its fragment.
    private static func split(_ text: Bytes) -> (path: Bytes.SubSequence, query: Bytes.SubSequence) {
        let text = text.prefix { $0 != UInt8(ascii: "#") }
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        return (path, text[path.endIndex...].dropFirst())
    }
}
