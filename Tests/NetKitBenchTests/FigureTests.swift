import Testing

@testable import netkit_bench

/// Tests of when a figure is within its bound.
struct FigureTests {
    private static let cases: [(Double?, Figure.Bound, Bool)] = [
        (0.9, Figure.Bound.atLeast(0.9), true), (0.89, .atLeast(0.9), false), (2, .atMost(2), true),
        (2.01, .atMost(2), false), (0, .atMost(0), true), (nil, .atMost(2), false), (nil, .atLeast(0), false),
        (.nan, .atMost(2), false), (.infinity, .atLeast(1), false),
    ]

    @Test(arguments: cases)
    func theBoundDecides(_ value: Double?, _ bound: Figure.Bound, _ isMet: Bool) {
        let figure = Figure("ratio", value, bound)
        #expect(figure.isMet == isMet)
        #expect(figure.verdict == (isMet ? "met" : "MISSED"))
    }

    @Test func aScenarioThatBreaksOffMissesAFigureAndSaysWhy() async {
        struct Broken: Scenario {
            let name = "broken"
            let summary = "Breaks off."
            func run(_ settings: BenchSettings) async throws -> ScenarioReport { throw BenchError("No server.") }
        }
        let report = await ScenarioRun.report(of: Broken(), BenchSettings())
        #expect(!report.isMet)
        #expect(report.notes == ["It broke off: No server."])
    }

    @Test func oneMissedFigureMissesTheRun() {
        var report = BenchReport(environment: .example, scenarios: [.example])
        #expect(!report.isMet)
        report.scenarios[0].figures.removeAll { !$0.isMet }
        #expect(report.isMet)
        #expect(report.figures.count == 1)
    }
}
