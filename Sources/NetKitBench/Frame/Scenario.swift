/// A measurement: contenders, the tables that show them, and the figures to reach.
protocol Scenario: Sendable {
    /// The name on the command line.
    var name: String { get }
    /// The subject of the measurement, in a sentence.
    var summary: String { get }

    func run(_ settings: BenchSettings) async throws -> ScenarioReport
}
