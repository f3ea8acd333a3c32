/// A column of a table of contenders, with the value of each contender.
struct Gauge: Sendable {
    let column: ResultTable.Column
    let read: @Sendable (Contest.Results, _ name: String) -> Summary?

    init(
        _ name: String,
        isCharted: Bool = false,
        read: @escaping @Sendable (Contest.Results, _ name: String) -> Summary?
    ) {
        column = ResultTable.Column(name: name, isCharted: isCharted)
        self.read = read
    }

    /// Returns a gauge for the median and the range of a value of each round.
    static func each(
        _ name: String,
        isCharted: Bool = false,
        _ value: @escaping @Sendable (Measurement) -> Double?
    ) -> Gauge {
        Gauge(name, isCharted: isCharted) { $0.summary(of: $1, value) }
    }

    /// Returns a gauge for the ratio of a value to another contender's value.
    static func ratio(
        _ name: String,
        to other: String,
        _ value: @escaping @Sendable (Measurement) -> Double?
    ) -> Gauge {
        Gauge(name) { $0.ratio(of: $1, to: other, value) }
    }

    /// The number of failed calls, in all rounds.
    static let failed = Gauge("failed") { Summary(single: Double($0.failureCount(of: $1))) }
    /// The cost of a call in CPU time and in elapsed time.
    static let callCosts = [
        each("CPU for a call, µs", isCharted: true, \.cpu), each("wall for a call, µs", \.wall),
    ]
    static let seconds = each("seconds", \.seconds)
    static let memoryGrowth = each("memory growth, MB", isCharted: true, \.memoryGrowthMB)
    static let peakMemory = each("peak memory, MB", \.peakMemoryMB)

    var charted: Gauge { Gauge(column.name, isCharted: true, read: read) }
}

extension ResultTable {
    /// Creates a table of the contenders of a contest.
    init(title: String, of results: Contest.Results, _ gauges: [Gauge]) {
        self.init(
            title: title,
            columns: gauges.map(\.column),
            rows: results.names.map { name in Row(name: name, cells: gauges.map { $0.read(results, name) }) }
        )
    }
}

extension Figure {
    /// Returns the figure that none of a contender's calls failed.
    static func noFailure(of name: String, in results: Contest.Results) -> Figure {
        Figure("\(name), failed", Double(results.failureCount(of: name)), .atMost(0))
    }

    /// Returns the figure that a contender's memory grew by at most a number of MB.
    static func memoryGrowth(of name: String, in results: Contest.Results, atMost bound: Double) -> Figure {
        Figure("\(name), memory growth, MB", results.summary(of: name, \.memoryGrowthMB)?.median, .atMost(bound))
    }
}
