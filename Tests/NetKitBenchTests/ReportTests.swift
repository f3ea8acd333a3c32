import Foundation
import Testing

@testable import netkit_bench

/// Tests of the forms of a report.
struct ReportTests {
    private let report = BenchReport(environment: .example, scenarios: [.example])

    @Test func theTerminalShowsTablesFiguresAndNotes() {
        let expected = """
            get: Small & fast.
            server: nginx/1

            1 caller
                                 requests/s   failed
              NetKit    2,500 (2,000…3,000)        0
              <other>                 5,000

            figures
              ratio    0.50   at least 0.90   MISSED
              failed      0       at most 0      met

            note: a <note>

            """
        let text = TerminalReport.text(ScenarioReport.example)
        #expect(text == expected)
        #expect(TerminalReport.verdict(report) == "1 of 2 figures MISSED: ratio")
    }

    @Test func aRunWithoutMissedFiguresSaysSo() {
        var scenario = ScenarioReport.example
        scenario.figures.removeFirst()
        #expect(
            TerminalReport.verdict(BenchReport(environment: .example, scenarios: [scenario])) == "1 figures, all met"
        )
        scenario.figures = []
        let none = TerminalReport.verdict(BenchReport(environment: .example, scenarios: [scenario]))
        #expect(none == "no figure has a bound")
    }

    @Test func jsonKeepsEverything() throws {
        let data = try JSONReport.data(report)
        #expect(try JSONDecoder().decode(BenchReport.self, from: data) == report)
    }

    @Test func thePageIsSelfContained() {
        let page = HTMLReport.page(report)
        for outside in ["<script", "http://", "https://", "src=", "@import", "url("] {
            #expect(!page.contains(outside))
        }
        #expect(page.contains("prefers-color-scheme: dark"))
    }

    @Test func thePageShowsWhatTheTerminalShows() {
        let page = HTMLReport.page(report)
        for text in [
            "<h2>get</h2>", "Small &amp; fast.", "Server: nginx/1", "<h3>1 caller</h3>", "&lt;other&gt;", "2,000…3,000",
            "at least 0.90", "<span class=\"badge missed\">MISSED</span>", "<span class=\"badge met\">met</span>",
            "1 of 2 figures met", "a &lt;note&gt;", "libcurl/8 &lt;&amp;&gt; more",
        ] { #expect(page.contains(text), "\(text)") }
        #expect(!page.contains("<other>"))
    }

    /// An XML parser finds unclosed elements, because the page is written as XML.
    @Test func chartsAreWellFormed() throws {
        let chart = try #require(BarChart(ScenarioReport.example.tables[0], column: 0))
        #expect(chart.svg.contains("&lt;other&gt;: 5,000"))
        for name in ["svg", "rect", "title", "text"] {
            let opened = chart.svg.matches(of: try Regex("<\(name)[ >]")).count
            #expect(opened > 0)
            #expect(chart.svg.matches(of: try Regex("</\(name)>")).count == opened)
        }
    }

    @Test func barsAreAsLongAsTheirMedians() throws {
        let bars = [
            BarChart.Bar(name: "half", value: Summary(single: 50)),
            BarChart.Bar(name: "whole", value: Summary(single: 100)),
        ]
        let svg = try #require(BarChart(title: "t", bars: bars)).svg
        let widths = svg.matches(of: /width="([0-9.]+)"/).compactMap { Double($0.1) }
        #expect(widths.count == 2)
        #expect(widths[0] * 2 == widths[1])
    }

    /// What lies left of the chart's edge is not shown; a character is 6.5 units wide on average.
    @Test func theNamesOfContendersFit() throws {
        let names = ClientKind.allSmall.map(\.name) + FloorKind.all.map(\.name) + Listening.allCases.map(\.rawValue)
        let bars = names.map { BarChart.Bar(name: $0, value: Summary(single: 1)) }
        let svg = try #require(BarChart(title: "t", bars: bars)).svg
        let ends = svg.matches(of: /class="name" x="([0-9.]+)"/).compactMap { Double($0.1) }
        #expect(ends.count == names.count)
        for (name, end) in zip(names, ends) { #expect(Double(name.count) * 6.5 < end, "\(name)") }
    }

    @Test func aChartWithoutValuesIsNotDrawn() {
        #expect(BarChart(title: "t", bars: []) == nil)
        let table = ResultTable(title: "t", columns: [.init(name: "c")], rows: [.init(name: "r", cells: [nil])])
        #expect(BarChart(table, column: 0) == nil)
    }

    @Test func zerosMakeAChartToo() throws {
        let svg = try #require(BarChart(title: "t", bars: [.init(name: "n", value: Summary(single: 0))])).svg
        #expect(!svg.contains("nan"))
        #expect(!svg.contains("inf"))
    }
}
