import Foundation

/// A path in which `*` stands for one segment and `**` at the end for any rest.
package struct PathPattern: Sendable {
    package let text: String
    private let segments: [String]
    private let hasHost: Bool
    private let hasWildcard: Bool

    package init(_ text: String) {
        self.text = text
        hasHost = text.contains("://")
        segments = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        hasWildcard = segments.contains { $0 == "*" || $0 == "**" }
    }

    func matches(_ request: RecordedRequest) -> Bool {
        if hasHost { return matches(request.absolutePath) }
        return matches(request.relativePath) || matches(request.path[...])
    }

    package func matches(_ path: Substring) -> Bool {
        guard hasWildcard else { return path == text }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            if segment == "**", index == segments.count - 1 { return true }
            guard index < parts.count, segment == "*" || segment == parts[index] else { return false }
        }
        return parts.count == segments.count
    }
}
