import Foundation

/// A curve on two logarithmic axes, as SVG inside a page; a dashed line shows linear growth.
struct LineChart: Sendable {
    let curve: Curve

    private static let (width, height) = (560.0, 250.0)
    private static let (left, right, top, bottom) = (80.0, 30.0, 12.0, 44.0)

    private struct Axis {
        let low: Double
        let high: Double

        /// Creates an axis of whole powers of ten.
        init?(_ values: [Double]) {
            guard let least = values.min(), let most = values.max(), least > 0, most.isFinite else { return nil }
            low = log10(least).rounded(.down)
            high = max(log10(most).rounded(.up), low + 1)
        }

        func share(_ value: Double) -> Double { (log10(value) - low) / (high - low) }

        var powers: [Double] { stride(from: low, through: high, by: 1).map { pow(10, $0) } }
    }

    /// The chart; empty if the curve has no point.
    var svg: String {
        guard let sizes = Axis(curve.points.map(\.size)), let costs = Axis(curve.points.map(\.cost.median)),
            let first = curve.points.first, let last = curve.points.last
        else { return "" }
        let place = { (size: Double, cost: Double) -> (x: Double, y: Double) in
            (
                Self.left + sizes.share(size) * (Self.width - Self.left - Self.right),
                Self.height - Self.bottom - costs.share(cost) * (Self.height - Self.top - Self.bottom)
            )
        }
        let points = curve.points.map { place($0.size, $0.cost.median) }
        let linear = place(last.size, first.cost.median * last.size / first.size)
        let label = HTMLText.escaped("\(curve.title), \(curve.costName) by \(curve.sizeName)")
        var parts = [
            "<svg viewBox=\"0 0 \(Self.text(Self.width)) \(Self.text(Self.height))\" role=\"img\" aria-label=\"\(label)\">",
            "<clipPath id=\"\(clip)\"><rect x=\"\(Self.text(Self.left))\" y=\"0\" width=\"\(Self.text(Self.width))\""
                + " height=\"\(Self.text(Self.height - Self.bottom))\"/></clipPath>",
        ]
        parts += grid(sizes, costs, place)
        if let start = points.first {
            parts.append("<path class=\"linear\" clip-path=\"url(#\(clip))\" d=\"\(Self.path([start, linear]))\"/>")
        }
        parts.append("<path class=\"curve\" d=\"\(Self.path(points))\"/>")
        parts += zip(points, curve.points).map { place, point in
            let words = HTMLText.escaped(
                "\(NumberText.text(point.size)) \(curve.sizeName): \(point.cost.text) \(curve.costName)"
            )
            return "<circle class=\"s0\" cx=\"\(Self.text(place.x))\" cy=\"\(Self.text(place.y))\" r=\"4\">"
                + "<title>\(words)</title></circle>"
        }
        return parts.joined(separator: "\n") + "\n</svg>"
    }

    private var clip: String { "plot-" + curve.title.filter { $0.isLetter || $0.isNumber } }

    private func grid(
        _ sizes: Axis,
        _ costs: Axis,
        _ place: (Double, Double) -> (x: Double, y: Double)
    ) -> [String] {
        let base = Self.height - Self.bottom
        var parts = costs.powers.flatMap { cost -> [String] in
            let y = place(pow(10, sizes.low), cost).y
            return [
                "<path class=\"axis\" d=\"\(Self.path([(Self.left, y), (Self.width - Self.right, y)]))\"/>",
                "<text class=\"name\" x=\"\(Self.text(Self.left - 8))\" y=\"\(Self.text(y + 4))\">"
                    + "\(Self.short(cost))</text>",
            ]
        }
        parts += sizes.powers.map { size in
            "<text class=\"tick\" x=\"\(Self.text(place(size, pow(10, costs.low)).x))\" y=\"\(Self.text(base + 18))\">"
                + "\(Self.short(size))</text>"
        }
        parts.append(
            "<text class=\"tick\" x=\"\(Self.text((Self.left + Self.width - Self.right) / 2))\""
                + " y=\"\(Self.text(Self.height - 6))\">\(HTMLText.escaped(curve.sizeName))</text>"
        )
        return parts
    }

    /// Returns a power of ten as a short text, such as `100 k`.
    private static func short(_ power: Double) -> String {
        switch power {
        case 1e9...: "\(NumberText.text(power / 1e9)) G"
        case 1e6...: "\(NumberText.text(power / 1e6)) M"
        case 1e3...: "\(NumberText.text(power / 1e3)) k"
        default: NumberText.text(power)
        }
    }

    private static func path(_ points: [(x: Double, y: Double)]) -> String {
        "M" + points.map { "\(text($0.x)) \(text($0.y))" }.joined(separator: "L")
    }

    private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}
