import Foundation

/// The conditions for a request, and the responses to return in turn.
struct MockStub: Sendable, CustomStringConvertible {
    let method: HTTPMethod?
    let pattern: PathPattern
    let query: [String: String]
    let headers: [String: String]
    let body: (@Sendable (Data) -> Bool)?
    let responses: [MockResponse]

    /// The reason why a request does not match, and how far off it is.
    struct Mismatch {
        let distance: Int
        let reason: String
    }

    var description: String {
        var text = "\(method?.rawValue ?? "any method") \(pattern.description)"
        if !query.isEmpty { text += " with query \(query.keys.ordered().joined(separator: ", "))" }
        if !headers.isEmpty { text += " with headers \(headers.keys.ordered().joined(separator: ", "))" }
        if body != nil { text += " with a body matcher" }
        return text
    }

    /// Returns the response to the request after a number of others.
    ///
    /// The last response is repeated.
    func response(after given: Int) -> MockResponse {
        given < responses.count ? responses[given] : responses.last ?? .status(200)
    }

    func mismatch(with request: RecordedRequest) -> Mismatch? {
        guard pattern.matches(request) else {
            let methodAlso = method == nil || method == request.method ? 0 : 1
            return Mismatch(distance: 4 + methodAlso, reason: "the path differs")
        }
        if let method, method != request.method { return Mismatch(distance: 3, reason: "the method is \(method)") }
        let wanted = pattern.items + query.orderedByKey.map { URLQueryItem(name: $0.key, value: $0.value) }
        if let item = wanted.first(where: { !request.items.contains($0) }) {
            let found = request.items.contains { $0.name == item.name } ? "is not as wanted" : "is missing"
            return Mismatch(distance: 2, reason: "the query item \(item.name) \(found)")
        }
        for (name, value) in headers.orderedByKey where request.headers[name] != value {
            return Mismatch(distance: 2, reason: "the header \(name) is not as wanted")
        }
        if let body, !body(request.body) { return Mismatch(distance: 1, reason: "the body is not as wanted") }
        return nil
    }
}

/// A path pattern, in which `*` matches one segment and a final `**` any rest, and whose query has to be among the
/// request's.
///
/// It is encoded as the path of a request is, so that both can be written in the same way. As in a request, the first
/// slash may be missing. It also matches a path that a client sends exactly as the pattern is written.
package struct PathPattern: Sendable, CustomStringConvertible {
    package let description: String
    /// The items of the query, decoded.
    package let items: [URLQueryItem]
    /// The path as it is encoded, and then as it is written, with the first slash and without, if that differs.
    private let forms: [Form]
    private let hasHost: Bool

    package init(_ pattern: String) {
        description = pattern
        let written = pattern.prefix { $0 != "?" }
        let isComplete = written.hasPrefix("/") || Self.hasScheme(written)
        let completed = isComplete ? pattern : "/\(pattern)"
        let encoded = URL(text: completed)?.absoluteString ?? completed
        let path = encoded.prefix { $0 != "?" }
        items = path.count < encoded.count ? Self.items(ofQuery: String(encoded.dropFirst(path.count + 1))) : []
        hasHost = Self.hasScheme(path)
        var paths = [path]
        for other in [completed.prefix { $0 != "?" }, written] where !paths.contains(other) { paths.append(other) }
        forms = paths.map { Form($0) }
    }

    /// Returns whether a text begins with a scheme, because a path may contain a whole URL.
    private static func hasScheme(_ text: Substring) -> Bool {
        let scheme = text.prefix { $0 != "/" }
        return scheme.hasSuffix(":") && text[scheme.endIndex...].hasPrefix("//")
    }

    /// Returns the decoded items of a query, even of one that is not encoded correctly.
    package static func items(ofQuery query: String) -> [URLQueryItem] {
        // Not with URLComponents, which traps if a query has an invalid character.
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.removingPercentEncoding ?? String($0) }
            return URLQueryItem(name: parts.first ?? "", value: parts.count > 1 ? parts[1] : nil)
        }
    }

    func matches(_ request: RecordedRequest) -> Bool {
        if hasHost { return matches(request.absolutePath) }
        return matches(request.relativePath) || matches(request.path[...])
    }

    /// Returns the number of characters by which the path of a request differs; 0 if it matches.
    func distance(to request: RecordedRequest) -> Int {
        if hasHost { return distance(to: request.absolutePath) }
        return min(distance(to: request.relativePath), distance(to: request.path[...]))
    }

    private func distance(to path: Substring) -> Int {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let segments = forms[0].segments
        var pieces = segments
        for (index, segment) in segments.enumerated() where index < parts.count {
            if segment == "*" { pieces[index] = parts[index] }
            if segment == "**", index == segments.count - 1 { pieces.replaceSubrange(index..., with: parts[index...]) }
        }
        // A long path costs the square of its length.
        return Self.editDistance(pieces.joined(separator: "/").utf8.prefix(500), path.utf8.prefix(500))
    }

    /// Returns the number of insertions, removals and replacements that make one text of another.
    private static func editDistance(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Int {
        var row = Array(0...right.count)
        for (index, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }

    package func matches(_ path: Substring) -> Bool { forms.contains { $0.matches(path) } }
}

extension PathPattern {
    /// One way to write the path of a pattern.
    private struct Form {
        let segments: [String]
        private let text: String
        private let hasWildcard: Bool

        init(_ path: Substring) {
            var segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            // A URL without a path asks for the root.
            let isOnlyHost = path.contains("://") && segments.count == 3 && segments[2] != "**"
            if path.isEmpty || isOnlyHost { segments.append("") }
            self.segments = segments
            text = segments.joined(separator: "/")
            hasWildcard = segments.contains { $0 == "*" || $0 == "**" }
        }

        func matches(_ path: Substring) -> Bool {
            guard hasWildcard else { return path == text }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            for (index, segment) in segments.enumerated() {
                if segment == "**", index == segments.count - 1 { return true }
                guard index < parts.count, segment == "*" || segment == parts[index] else { return false }
            }
            return parts.count == segments.count
        }
    }
}
