import Foundation
import Testing

@testable import netkit_bench

struct CurveTests {
    private func curve(_ costs: [Double]) -> Curve {
        Curve(
            title: "t",
            sizeName: "<hosts>",
            costName: "µs",
            points: zip([1.0, 10, 100], costs).map { .init(size: $0, cost: Summary(single: $1)) }
        )
    }

    @Test(arguments: [([5, 5, 5], 0), ([1, 10, 100], 1), ([2, 200, 20_000], 2)] as [([Double], Double)])
    func theExponentIsThatOfThePower(costs: [Double], exponent: Double) throws {
        let curve = curve(costs)
        #expect(abs(try #require(curve.exponent) - exponent) < 1e-9)
        #expect(curve.steps.allSatisfy { abs($0 - exponent) < 1e-9 })
        #expect(curve.figure.isMet == (exponent < 2))
    }

    @Test func oneSteepStepMissesTheFigure() {
        let curve = curve([10, 10, 500])
        #expect(!curve.figure.isMet)
        #expect(curve.table.rows.map(\.name) == ["1", "10", "100"])
        #expect(curve.table.rows.map { $0.cells[2] == nil } == [true, false, false])
    }

    @Test func aCurveWithoutPointsHasNoExponentAndNoChart() {
        let curve = curve([])
        #expect(curve.exponent == nil)
        #expect(!curve.figure.isMet)
        #expect(LineChart(curve: curve).svg.isEmpty)
    }

    @Test func theChartShowsEveryPoint() throws {
        let svg = LineChart(curve: curve([0.5, 10, 20_000])).svg
        #expect(svg.matches(of: try Regex("<circle ")).count == 3)
        for text in ["&lt;hosts&gt;", ">10 k<", ">100<", ">0.10<"] { #expect(svg.contains(text), "\(text)") }
        #expect(!svg.contains("<hosts>") && !svg.contains("nan") && !svg.contains("inf"))
    }
}
