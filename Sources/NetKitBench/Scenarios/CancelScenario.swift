import Foundation

/// Calls that are cancelled at random moments: each has to end once, and soon.
struct CancelScenario: Scenario {
    let name = "cancel"
    let summary = "32,000 calls cancelled at random moments, at a refused port, a fast and a slow server."

    private static let calls = 32_000
    private static let timeLimit = Duration.seconds(180)

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            let servers = "fast: \(server.name); slow: MockServer"
            var report = ScenarioReport(name: name, summary: summary, server: servers)
            for kind in ClientKind.netKits {
                Progress.show("\(name): \(kind.name)")
                let job = CancelJob(client: kind.name, server: server, calls: Self.calls, seed: settings.seed)
                do {
                    add(try await job.runInChild(timeLimit: Self.timeLimit), kind.name, to: &report)
                } catch let failure as ChildFailure {
                    report.notes.append("\(kind.name): \(failure.words).")
                    report.figures.append(Figure("\(kind.name), calls that ended", nil, .atLeast(Double(Self.calls))))
                }
            }
            report.notes.append(
                "URLSession itself is no contender here: `netkit-bench probes cancelling` shows what becomes of it."
            )
            return report
        }
    }

    private func add(_ result: CancelJob.Result, _ name: String, to report: inout ScenarioReport) {
        var table = ResultTable(
            title: "\(name), in \(NumberText.seconds(result.seconds))",
            columns: [
                .init(name: "calls"), .init(name: "cancelled within, ms"), .init(name: "ended as cancelled"),
                .init(name: "ended with a response"),
                .init(name: "failed"), .init(name: "longest from cancel to end, ms"),
            ]
        )
        table.rows = result.targets.map { .init(name: $0.name, cells: cells(of: $0)) }
        report.tables.append(table)
        let ended = result.targets.map { $0.endings.values.reduce(0, +) }.reduce(0, +)
        let strange = result.targets.filter { $0.name != "refused" }.map(\.failed).reduce(0, +)
        report.figures += [
            Figure("\(name), calls that ended", Double(ended), .atLeast(Double(Self.calls))),
            Figure("\(name), failed at a server that is there", Double(strange), .atMost(0)),
            Figure("\(name), still active at the end", result.active.map(Double.init), .atMost(0)),
        ]
        for target in result.targets {
            guard target.failed > 0 else { continue }
            report.notes.append("\(name), \(target.name): \(NumberText.counts(target.failures)).")
        }
    }

    private func cells(of target: CancelJob.Target) -> [Summary?] {
        let (cancelled, answered) = (target.endings["cancelled"] ?? 0, target.endings["answered"] ?? 0)
        return [
            Double(target.calls), target.span * 1e3, Double(cancelled), Double(answered), Double(target.failed),
            target.longestEnd * 1e3,
        ].map { Summary(single: $0) }
    }
}
