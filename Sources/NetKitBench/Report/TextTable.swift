import Foundation

/// Rows of text in columns: the first is aligned left, and the others right.
enum TextTable {
    static func text(_ rows: [[String]]) -> String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: max(0, widths[column] - cell.count))
                return column == 0 ? cell + space : space + cell
            }
            return "  " + cells.joined(separator: "   ").trimmingTail
        }
        return lines.joined(separator: "\n")
    }

    /// Returns names with their descriptions.
    static func leading(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \($0.0.padding(toLength: width + 3, withPad: " ", startingAt: 0))\($0.1)" }
            .joined(separator: "\n")
    }
}

extension String {
    /// The text without the spaces at its end.
    fileprivate var trimmingTail: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
