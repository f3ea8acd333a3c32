/// The results of a scenario.
struct ScenarioReport: Codable, Equatable, Sendable {
    let name: String
    let summary: String
    /// The server it ran against, with its version; `nil` if nothing went over a wire.
    var server: String?
    var tables: [ResultTable] = []
    var figures: [Figure] = []
    /// The facts that a reader needs beside the numbers.
    var notes: [String] = []

    var isMet: Bool { figures.allSatisfy(\.isMet) }
}
