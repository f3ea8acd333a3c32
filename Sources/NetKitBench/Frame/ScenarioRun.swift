import Foundation

/// Runs scenarios one after the other, and writes their reports to the files of the command line.
struct ScenarioRun {
    let command: BenchCommand

    /// Runs the scenarios, and returns whether every figure was met.
    func run(_ names: [String]) async throws -> Bool {
        var report = BenchReport(environment: .current())
        print(TerminalReport.text(report.environment))
        #if DEBUG
            print("note: this is a debug build; the figures hold for `-c release` only\n")
        #endif
        try OutputFile.check([command.html, command.json])
        for scenario in Scenarios.all where names.contains(scenario.name) {
            Progress.show(scenario.name)
            let found = await Self.report(of: scenario, command.settings)
            print(TerminalReport.text(found))
            report.scenarios.append(found)
        }
        print(TerminalReport.verdict(report))
        if let html = command.html { try OutputFile.write(Data(HTMLReport.page(report).utf8), to: html) }
        if let json = command.json { try OutputFile.write(JSONReport.data(report), to: json) }
        return report.isMet
    }

    /// Returns the report of a scenario.
    ///
    /// A scenario that breaks off misses a figure, and the others still run.
    static func report(of scenario: any Scenario, _ settings: BenchSettings) async -> ScenarioReport {
        do {
            return try await scenario.run(settings)
        } catch {
            return ScenarioReport(
                name: scenario.name,
                summary: scenario.summary,
                figures: [Figure("\(scenario.name) runs to its end", 0, .atLeast(1))],
                notes: ["It broke off: \(error)"]
            )
        }
    }
}
