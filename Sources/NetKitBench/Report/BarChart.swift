import Foundation

/// Bars for the medians of one column, with whiskers for the ranges, as SVG inside a page.
struct BarChart: Sendable {
    struct Bar: Sendable {
        let name: String
        let value: Summary
    }

    let title: String
    let bars: [Bar]

    private static let (width, labelWidth, valueWidth, rowHeight, barHeight) = (560.0, 240.0, 80.0, 30.0, 16.0)

    init?(title: String, bars: [Bar]) {
        guard !bars.isEmpty else { return nil }
        self.title = title
        self.bars = bars
    }

    /// Creates the chart of a column; `nil` if nothing was measured in it.
    init?(_ table: ResultTable, column: Int) {
        let bars = table.rows.compactMap { row in
            row.cells[column].map { Bar(name: row.name, value: $0) }
        }
        self.init(title: table.columns[column].name, bars: bars)
    }

    var svg: String {
        let height = Double(bars.count) * Self.rowHeight + 8
        let plot = Self.width - Self.labelWidth - Self.valueWidth
        let scale = plot / max(bars.map { max($0.value.high, 0) }.max() ?? 1, .leastNonzeroMagnitude)
        var parts = [
            "<svg viewBox=\"0 0 \(Self.text(Self.width)) \(Self.text(height))\" role=\"img\""
                + " aria-label=\"\(HTMLText.escaped(title))\">",
            "<line class=\"axis\" x1=\"\(Self.text(Self.labelWidth))\" y1=\"2\" x2=\"\(Self.text(Self.labelWidth))\""
                + " y2=\"\(Self.text(height - 2))\"/>",
        ]
        for (index, bar) in bars.enumerated() {
            parts.append(contentsOf: row(bar, index: index, top: 4 + Double(index) * Self.rowHeight, scale: scale))
        }
        return parts.joined(separator: "\n") + "\n</svg>"
    }

    private func row(_ bar: Bar, index: Int, top: Double, scale: Double) -> [String] {
        let middle = top + Self.rowHeight / 2
        let start = Self.labelWidth
        let length = max(1, bar.value.median * scale)
        let (low, high) = (start + max(0, bar.value.low) * scale, start + max(0, bar.value.high) * scale)
        var parts = [
            "<text class=\"name\" x=\"\(Self.text(start - 8))\" y=\"\(Self.text(middle + 4))\">"
                + "\(HTMLText.escaped(bar.name))</text>",
            "<rect class=\"bar s\(index % 6)\" x=\"\(Self.text(start))\" y=\"\(Self.text(middle - Self.barHeight / 2))\""
                + " width=\"\(Self.text(length))\" height=\"\(Self.text(Self.barHeight))\" rx=\"2\">"
                + "<title>\(HTMLText.escaped("\(bar.name): \(bar.value.text)"))</title></rect>",
        ]
        if bar.value.hasRange {
            parts.append(
                "<path class=\"range\" d=\"M\(Self.text(low)) \(Self.text(middle - 4))v8m0-4H\(Self.text(high))m0-4v8\"/>"
            )
        }
        let end = max(start + length, bar.value.hasRange ? high : 0) + 8
        parts.append(
            "<text class=\"value\" x=\"\(Self.text(end))\" y=\"\(Self.text(middle + 4))\">"
                + "\(NumberText.text(bar.value.median))</text>"
        )
        return parts
    }

    private static func text(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(format: "%.1f", value)
    }
}
