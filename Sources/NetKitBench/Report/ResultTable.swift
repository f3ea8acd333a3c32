/// Numbers of contenders, one row for each.
struct ResultTable: Codable, Equatable, Sendable {
    struct Column: Codable, Equatable, Sendable {
        let name: String
        /// Whether the page has a chart of the column.
        var isCharted = false
    }

    struct Row: Codable, Equatable, Sendable {
        let name: String
        /// The cells, one for each column; `nil` if it was not measured.
        let cells: [Summary?]
    }

    let title: String
    let columns: [Column]
    var rows: [Row] = []

    /// The cells as text, with a heading row.
    var texts: [[String]] {
        [[""] + columns.map(\.name)] + rows.map { row in [row.name] + row.cells.map { $0?.text ?? "" } }
    }
}
