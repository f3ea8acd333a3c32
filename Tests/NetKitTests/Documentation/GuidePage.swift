import Foundation

/// A page of the guide, and the code of test files that it shows.
struct GuidePage {
    /// The package.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private let lines: [String]

    init(_ name: String) throws {
        lines = try Self.lines(of: Self.root.appending(path: "Sources/NetKit/NetKit.docc/\(name).md"))
    }

    /// The page with this name.
    var text: String { lines.joined(separator: "\n") }

    /// Returns whether the page shows exactly the code between `// GUIDE: begin` and `// GUIDE: end` of some files.
    ///
    /// The indentation does not matter.
    ///
    /// - Parameters:
    ///   - file: The file of the test.
    ///   - others: Further files, by their paths in the package.
    /// - Returns: Whether each part is a whole block of the page, and the reverse.
    /// - Throws: The error of a missing file.
    func shows(_ file: String, and others: String...) throws -> Bool {
        let files = [URL(fileURLWithPath: file)] + others.map { Self.root.appending(path: $0) }
        let parts = try files.flatMap { file in
            Self.parts(of: try Self.lines(of: file), from: "// GUIDE: begin", to: "// GUIDE: end")
        }
        return parts.sorted() == Self.parts(of: lines, from: "```swift", to: "```").sorted()
    }

    /// The parts of a file between two marks, without their common indentation.
    static func parts(of file: URL, from begin: String, to end: String) throws -> [String] {
        parts(of: try lines(of: file), from: begin, to: end)
    }

    private static func parts(of lines: [String], from begin: String, to end: String) -> [String] {
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
