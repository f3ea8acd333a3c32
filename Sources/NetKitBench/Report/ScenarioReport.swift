/// The results of a scenario.
struct ScenarioReport: Codable, Equatable, Sendable {
    let name: String
    let summary: String
    /// The server of the scenario, with its version; `nil` if there was none.
    var server: String?
    var tables: [ResultTable] = []
    var curves: [Curve] = []
    var figures: [Figure] = []
    /// The facts that a reader needs beside the numbers.
    var notes: [String] = []

    var isMet: Bool { figures.allSatisfy(\.isMet) }
}
