/// Rows of text in columns: the first on the left, the others on the right.
enum TextTable {
    static func text(_ rows: [[String]], indent: String = "  ") -> String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        let lines = rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: max(0, widths[column] - cell.count))
                return column == 0 ? cell + space : space + cell
            }
            return indent + cells.joined(separator: "   ").trimmingTail
        }
        return lines.joined(separator: "\n")
    }
}

extension String {
    /// The text without the spaces at its end.
    var trimmingTail: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
