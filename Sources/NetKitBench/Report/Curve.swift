import Foundation

/// A cost that grows with a size: one measured point for each size.
struct Curve: Codable, Equatable, Sendable {
    struct Point: Codable, Equatable, Sendable {
        let size: Double
        let cost: Summary
    }

    let title: String
    /// The unit of the sizes, such as `hosts`.
    let sizeName: String
    /// The unit of the costs, such as `µs of CPU`.
    let costName: String
    /// The points, by rising size.
    var points: [Point]

    /// The exponent with which the cost grows over all points, by the method of least squares on logarithms.
    ///
    /// It is 1 if twice the size costs twice as much, and less if a part of the cost is the same for every size.
    var exponent: Double? {
        let logarithms = points.map { (x: log($0.size), y: log($0.cost.median)) }
        guard logarithms.count > 1, logarithms.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
        let count = Double(logarithms.count)
        let (meanX, meanY) = (logarithms.map(\.x).reduce(0, +) / count, logarithms.map(\.y).reduce(0, +) / count)
        let spread = logarithms.map { ($0.x - meanX) * ($0.x - meanX) }.reduce(0, +)
        guard spread > 0 else { return nil }
        return logarithms.map { ($0.x - meanX) * ($0.y - meanY) }.reduce(0, +) / spread
    }

    /// The exponents from each point to the next.
    var steps: [Double] {
        zip(points, points.dropFirst()).map { first, second in
            log(second.cost.median / first.cost.median) / log(second.size / first.size)
        }
    }

    /// The figure that the cost does not grow faster than the size, between no two points.
    ///
    /// The bound leaves room for the noise of two measurements.
    var figure: Figure { Figure("\(title), steepest exponent", steps.max(), .atMost(1.15)) }

    /// The points as a table.
    var table: ResultTable {
        var table = ResultTable(
            title: "\(title), by \(sizeName): exponent \(exponent.map(NumberText.text) ?? "unknown")",
            columns: [.init(name: costName), .init(name: "for each"), .init(name: "exponent since the row above")]
        )
        let steps = [nil] + steps.map { Summary(single: $0) }
        table.rows = zip(points, steps).map { point, step in
            let each = Summary(single: point.cost.median / point.size)
            return .init(name: NumberText.text(point.size), cells: [point.cost, each, step])
        }
        return table
    }
}
