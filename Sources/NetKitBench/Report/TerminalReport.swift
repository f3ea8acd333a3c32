/// A report as plain text.
enum TerminalReport {
    static func text(_ report: ScenarioReport) -> String {
        var parts = ["\(report.name): \(report.summary)"]
        if let server = report.server { parts.append("server: \(server)") }
        for table in report.tables { parts.append("\n\(table.title)\n\(TextTable.text(table.texts))") }
        if !report.figures.isEmpty {
            parts.append("\nfigures\n\(TextTable.text(report.figures.map(row)))")
        }
        if !report.notes.isEmpty { parts.append("") }
        for note in report.notes { parts.append("note: \(note)") }
        return parts.joined(separator: "\n") + "\n"
    }

    static func text(_ environment: BenchEnvironment) -> String {
        environment.lines.map { "\($0.name): \($0.value)" }.joined(separator: "\n") + "\n"
    }

    /// Returns the last line, which names the figures that were missed.
    static func verdict(_ report: BenchReport) -> String {
        if report.figures.isEmpty { return "no figure has a bound" }
        let missed = report.figures.filter { !$0.isMet }
        if missed.isEmpty { return "\(report.figures.count) figures, all met" }
        return
            "\(missed.count) of \(report.figures.count) figures MISSED: \(missed.map(\.name).joined(separator: "; "))"
    }

    private static func row(_ figure: Figure) -> [String] {
        [figure.name, figure.valueText, figure.boundText, figure.verdict]
    }
}
