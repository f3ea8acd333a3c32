import Foundation
import NetKit

/// The cost of writing a query of a hundred items.
struct QueryScenario: Scenario {
    let name = "query"
    let summary = "A query of 100 items, built and written, and the URL with it."

    private static let count = 2000

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let names = (0..<100).map { "name\($0)" }
        let values = (0..<100).map { "value \($0) & more" }
        let base = URL(string: "https://api.example.com/v1")
        let contenders = [
            Contender(name: "query") {
                try await Self.measure { Self.query(names, values).encoded.utf8.count }
            },
            Contender(name: "URL") {
                try await Self.measure {
                    guard let base else { return 0 }
                    return try URLBuilder(base: base).adding(path: "/search").adding(query: Self.query(names, values))
                        .build()
                        .absoluteString.utf8.count
                }
            },
            Contender(name: "URLComponents") {
                try await Self.measure {
                    var parts = URLComponents(string: "https://api.example.com/v1/search")
                    parts?.queryItems = zip(names, values).map { URLQueryItem(name: $0, value: $1) }
                    return parts?.url?.absoluteString.utf8.count ?? 0
                }
            },
        ]
        let rounds = settings.rounds ?? 9
        let results = try await Contest(rounds: rounds, seed: settings.seed).run(contenders)
        let gauges: [Gauge] = [.each("CPU for one, µs", isCharted: true, \.cpu), .each("wall for one, µs", \.wall)]
        return ScenarioReport(
            name: name,
            summary: summary,
            tables: [ResultTable(title: "\(rounds) rounds of \(Self.count), in turn", of: results, gauges)],
            figures: [Figure("a query of 100 items, µs", results.summary(of: "query", \.wall)?.median, .atMost(50))]
        )
    }

    private static func query(_ names: [String], _ values: [String]) -> QueryBuilder {
        var query = QueryBuilder()
        for (name, value) in zip(names, values) { query.add(name, value) }
        return query
    }

    private static func measure(_ build: () throws -> Int) async throws -> Measurement {
        try await Measurement.of(calls: count) {
            var length = 0
            for _ in 0..<count { length += try build() }
            guard length > 100 * count else { throw BenchError("The query is too short.") }
        }
    }
}
