/// What a run of the bench found, and where.
struct BenchReport: Codable, Equatable, Sendable {
    let environment: BenchEnvironment
    var scenarios: [ScenarioReport] = []

    var isMet: Bool { scenarios.allSatisfy(\.isMet) }
    var figures: [Figure] { scenarios.flatMap(\.figures) }
}
