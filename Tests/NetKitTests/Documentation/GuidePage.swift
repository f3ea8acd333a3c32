import Foundation

/// A page of the guide, and the code of a test file that stands in it.
struct GuidePage {
    private let lines: [String]

    init(_ name: String) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        lines = try Self.lines(of: root.appending(path: "Sources/NetKit/NetKit.docc/\(name).md"))
    }

    /// Whether each part between `// GUIDE: begin` and `// GUIDE: end` is a whole block of the page, and each block such a
    /// part; how deep it stands does not matter.
    func shows(_ file: String) throws -> Bool {
        let source = try Self.lines(of: URL(fileURLWithPath: file))
        return try Self.parts(of: source, from: "// GUIDE: begin", to: "// GUIDE: end").sorted()
            == Self.parts(of: lines, from: "```swift", to: "```").sorted()
    }

    private static func parts(of lines: [String], from begin: String, to end: String) throws -> [String] {
        var parts: [String] = []
        var part: [String]?
        for line in lines {
            let text = line.trimmingCharacters(in: .whitespaces)
            if text == begin {
                part = []
            } else if text == end, let whole = part {
                parts.append(whole.joined(separator: "\n"))
                part = nil
            } else {
                part?.append(text)
            }
        }
        return parts
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    }
}
