/// The observations of probes: one row for each, one column for each subject.
struct ProbeReport: Equatable, Sendable {
    struct Row: Equatable, Sendable {
        let name: String
        let title: String
        /// The observations, one for each subject.
        let sightings: [String]
    }

    static let closingNote = """
        Every probe ran in a process of its own, over plain HTTP on loopback; what needs TLS is left out. Times and sizes
        are of one run each.
        """

    let environment: BenchEnvironment
    let subjects: [String]
    var rows: [Row] = []

    /// The report as a page of Markdown.
    var markdown: String {
        var lines = ["# What was seen", ""]
        lines += environment.lines.map { "- \($0.name): \($0.value)" }
        lines += ["", Self.line(["what a peer or a caller does"] + subjects)]
        lines.append("|" + String(repeating: "---|", count: subjects.count + 1))
        lines += rows.map { Self.line([$0.title] + $0.sightings) }
        lines += ["", Self.closingNote, ""]
        return lines.joined(separator: "\n")
    }

    /// Returns one row for the terminal.
    static func text(_ row: Row, subjects: [String]) -> String {
        "\(row.name): \(row.title)\n\(TextTable.leading(Array(zip(subjects, row.sightings))))\n"
    }

    private static func line(_ cells: [String]) -> String {
        "| " + cells.map { $0.replacing("|", with: "\\|").replacing("\n", with: " ") }.joined(separator: " | ") + " |"
    }
}
