/// Something that is measured: contenders, the tables that show them, and the figures that have to be reached.
protocol Scenario: Sendable {
    /// What the command line calls it.
    var name: String { get }
    /// What it measures, in a sentence.
    var summary: String { get }

    func run(_ settings: BenchSettings) async throws -> ScenarioReport
}

/// What a scenario goes by.
struct BenchSettings: Sendable {
    /// How many rounds are measured; nil for what the scenario takes by itself.
    var rounds: Int?
    var callers = [1, 16, 64, 256]
    /// How many calls `soak` makes; nil for what it takes by itself.
    var calls: Int?
    var seed: UInt64 = 1
    var server = ServerChoice.automatic
    /// Tells the person in front of the terminal how far it is.
    var progress: @Sendable (String) -> Void = { _ in }
}
