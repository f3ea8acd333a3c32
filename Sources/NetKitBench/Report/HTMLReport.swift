/// A report as one page without scripts and external resources, readable in light and dark mode.
enum HTMLReport {
    static func page(_ report: BenchReport) -> String {
        var parts = ["<main>", "<h1>NetKit bench</h1>", environment(report.environment), verdict(report)]
        for scenario in report.scenarios { parts.append(section(scenario)) }
        parts.append(
            "<footer>Bars show the median of all rounds, whiskers the lowest and the highest. Contenders ran in turn,"
                + " in an order drawn again for each round.</footer>\n</main>"
        )
        return document(parts.joined(separator: "\n"))
    }

    private static func document(_ body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>NetKit bench</title>
        <style>
        \(style)
        </style>
        </head>
        <body>
        \(body)
        </body>
        </html>

        """
    }

    private static func environment(_ environment: BenchEnvironment) -> String {
        let items = environment.lines.map { "<dt>\(escaped($0.name))</dt><dd>\(escaped($0.value))</dd>" }
        return "<dl>\(items.joined())</dl>"
    }

    private static func verdict(_ report: BenchReport) -> String {
        guard !report.figures.isEmpty else { return "" }
        let met = report.figures.count(where: \.isMet)
        let text =
            met == report.figures.count ? "All \(met) figures met" : "\(met) of \(report.figures.count) figures met"
        return "<p class=\"verdict \(report.isMet ? "met" : "missed")\">\(text)</p>"
    }

    private static func section(_ report: ScenarioReport) -> String {
        var parts = ["<section id=\"\(escaped(report.name))\">", "<h2>\(escaped(report.name))</h2>"]
        parts.append("<p>\(escaped(report.summary))</p>")
        if let server = report.server { parts.append("<p class=\"server\">Server: \(escaped(server))</p>") }
        if !report.figures.isEmpty { parts.append(figures(report.figures)) }
        if !report.curves.isEmpty {
            parts.append("<div class=\"charts\">\(report.curves.map(curve).joined(separator: "\n"))</div>")
        }
        for table in report.tables { parts.append(self.table(table)) }
        if !report.notes.isEmpty {
            parts.append("<ul class=\"notes\">\(report.notes.map { "<li>\(escaped($0))</li>" }.joined())</ul>")
        }
        return (parts + ["</section>"]).joined(separator: "\n")
    }

    private static func curve(_ curve: Curve) -> String {
        let exponent = curve.exponent.map { ", exponent \(NumberText.text($0)); dashed: linear" } ?? ""
        let caption = escaped("\(curve.title), \(curve.costName)\(exponent)")
        return "<figure><figcaption>\(caption)</figcaption>\n\(LineChart(curve: curve).svg)\n</figure>"
    }

    private static func figures(_ figures: [Figure]) -> String {
        let rows = figures.map { figure in
            "<tr><td>\(escaped(figure.name))</td><td class=\"number\">\(escaped(figure.valueText))</td>"
                + "<td>\(escaped(figure.boundText))</td>"
                + "<td><span class=\"badge \(figure.isMet ? "met" : "missed")\">\(figure.verdict)</span></td></tr>"
        }
        return "<div class=\"scroll\"><table><thead><tr><th>figure</th><th class=\"number\">measured</th><th>bound</th>"
            + "<th></th></tr></thead><tbody>\n\(rows.joined(separator: "\n"))\n</tbody></table></div>"
    }

    private static func table(_ table: ResultTable) -> String {
        let heading = table.columns.map { "<th class=\"number\">\(escaped($0.name))</th><th></th>" }.joined()
        let rows = table.rows.map { row in
            let cells = row.cells.map(cells).joined()
            return "<tr><td>\(escaped(row.name))</td>\(cells)</tr>"
        }
        let charts = table.columns.indices.filter { table.columns[$0].isCharted }
            .compactMap { BarChart(table, column: $0) }
            .map { "<figure><figcaption>\(escaped($0.title))</figcaption>\n\($0.svg)\n</figure>" }
        return """
            <h3>\(escaped(table.title))</h3>
            <div class="charts">\(charts.joined(separator: "\n"))</div>
            <div class="scroll"><table><thead><tr><th></th>\(heading)</tr></thead><tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table></div>
            """
    }

    /// Returns the median in one cell and the range in the next, so that medians are aligned.
    private static func cells(_ summary: Summary?) -> String {
        let median = summary.map { NumberText.text($0.median) } ?? ""
        let range = summary.map { $0.hasRange ? "\(NumberText.text($0.low))…\(NumberText.text($0.high))" : "" } ?? ""
        return "<td class=\"number\">\(median)</td><td class=\"range\">\(range)</td>"
    }

    private static func escaped(_ text: String) -> String { HTMLText.escaped(text) }

    private static let style = """
        :root { --ground: #fff; --text: #1c1e21; --quiet: #5d646d; --line: #d9dde2; --panel: #f6f7f9;
          --met: #116b3a; --met-ground: #dff3e6; --missed: #9c1f1f; --missed-ground: #fbe3e1;
          --s0: #2f6fd0; --s1: #1b998b; --s2: #8b93a0; --s3: #c2701c; --s4: #7b4fb5; --s5: #b0385f; }
        @media (prefers-color-scheme: dark) {
          :root { --ground: #15181c; --text: #e6e8eb; --quiet: #9aa3ad; --line: #333941; --panel: #1d2126;
            --met: #7fd8a2; --met-ground: #173826; --missed: #f2a09a; --missed-ground: #442020;
            --s0: #6ea2f2; --s1: #4cc3b4; --s2: #8b93a0; --s3: #e39a4e; --s4: #b08be6; --s5: #e27a9b; } }
        body { margin: 0; background: var(--ground); color: var(--text);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
        main { max-width: 1180px; margin: 0 auto; padding: 24px; }
        h1 { font-size: 26px; margin: 0 0 12px; } h2 { font-size: 20px; margin: 0 0 4px; }
        h3 { font-size: 16px; margin: 24px 0 8px; }
        section { border-top: 1px solid var(--line); margin-top: 32px; padding-top: 20px; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0 0 16px; }
        dt, .server, .notes, footer, td.range { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
        .verdict, .badge { border-radius: 6px; font-weight: 600; } .verdict { padding: 8px 14px; display: inline-block; }
        .badge { padding: 1px 8px; font-size: 13px; }
        .met { color: var(--met); background: var(--met-ground); }
        .missed { color: var(--missed); background: var(--missed-ground); }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; margin: 8px 0; } td, th { padding: 4px 8px 4px 0; text-align: left; }
        td.range { font-size: 13px; padding-right: 18px; white-space: nowrap; }
        th { color: var(--quiet); font-weight: 500; border-bottom: 1px solid var(--line); }
        td { border-bottom: 1px solid var(--line); } .number { text-align: right; font-variant-numeric: tabular-nums; }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); gap: 12px; }
        figure { margin: 0; padding: 10px 14px; background: var(--panel); border-radius: 8px; max-width: 640px; }
        figcaption { font-size: 13px; color: var(--quiet); margin-bottom: 4px; }
        svg { width: 100%; height: auto; display: block; font-size: 13px; }
        svg text { fill: var(--text); } svg .name { text-anchor: end; } svg .value { font-variant-numeric: tabular-nums; }
        svg .tick { text-anchor: middle; } .curve { stroke: var(--s0); fill: none; stroke-width: 2; }
        .linear { stroke: var(--quiet); fill: none; stroke-dasharray: 4 4; }
        .axis { stroke: var(--line); } path.range { stroke: var(--text); fill: none; opacity: .6; }
        .s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); }
        .s3 { fill: var(--s3); } .s4 { fill: var(--s4); } .s5 { fill: var(--s5); }
        footer { border-top: 1px solid var(--line); margin-top: 32px; padding-top: 12px; font-size: 13px; }
        """
}
