/// The results of a run of the bench, with its environment.
struct BenchReport: Codable, Equatable, Sendable {
    let environment: BenchEnvironment
    var scenarios: [ScenarioReport] = []

    var isMet: Bool { scenarios.allSatisfy(\.isMet) }
    var figures: [Figure] { scenarios.flatMap(\.figures) }
}
