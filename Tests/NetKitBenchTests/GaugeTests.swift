import Testing

@testable import netkit_bench

/// Tests of the columns of a contest's table, and of the figures that scenarios have in common.
struct GaugeTests {
    private var results: Contest.Results {
        var results = Contest.Results(names: ["own", "other"])
        results.add(
            Measurement(calls: 2, cpu: 1, wall: 500_000, peakMemory: 9_000_000, memoryGrowth: 5_000_000),
            to: 0
        )
        results.add(Measurement(calls: 2, cpu: 1, wall: 250_000, failures: ["odd": 2]), to: 1)
        return results
    }

    @Test func aTableHasARowForEachContenderAndACellForEachGauge() {
        let table = ResultTable(
            title: "two",
            of: results,
            [.seconds.charted, .ratio("to own", to: "own", \.seconds), .peakMemory, .memoryGrowth, .failed]
        )
        #expect(table.columns.map(\.name).first == "seconds")
        #expect(table.columns.map(\.isCharted) == [true, false, false, true, false])
        #expect(table.rows.map(\.name) == ["own", "other"])
        #expect(table.rows.map { $0.cells.map { $0?.median } } == [[1, 1, 9, 5, 0], [0.5, nil, nil, nil, 2]])
    }

    @Test func aFigureIsMissedIfACallFailedOrNothingWasMeasured() {
        let figures = ["own", "other"].flatMap { name -> [Figure] in
            [.noFailure(of: name, in: results), .memoryGrowth(of: name, in: results, atMost: 5)]
        }
        #expect(figures.map(\.isMet) == [true, true, false, false])
    }
}
