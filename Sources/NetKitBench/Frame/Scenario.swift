/// Something that is measured: contenders, the tables that show them, and the figures that have to be reached.
protocol Scenario: Sendable {
    /// What the command line calls it.
    var name: String { get }
    /// What it measures, in a sentence.
    var summary: String { get }

    func run(_ settings: BenchSettings) async throws -> ScenarioReport
}
