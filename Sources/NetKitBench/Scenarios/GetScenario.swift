import Foundation
import NetKit

/// Small answers, one after the other, by a number of callers side by side.
struct GetScenario: Scenario {
    let name = "get"
    let summary = "GET with an answer of 1 KiB, buffered, over loopback."

    private static let roundLength = Duration.milliseconds(300)
    private static let ratioWanted = 0.9

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            var report = ScenarioReport(name: name, summary: summary, server: server.name)
            let clients = ClientKind.all.map { (name: $0.name, client: $0.make()) }
            for callers in settings.callers {
                settings.progress("\(callers) callers")
                let contenders = clients.map { name, client in
                    Contender(name: name) {
                        await Measurement.during(Self.roundLength, callers: callers) {
                            let count = try await client.get(server.small)
                            guard count == ServerAddress.smallSize else { throw UnexpectedAnswer("\(count) bytes") }
                        }
                    }
                }
                let contest = Contest(rounds: settings.rounds ?? 9, seed: settings.seed)
                add(try await contest.run(contenders), callers: callers, to: &report)
            }
            return report
        }
    }

    private func add(_ results: Contest.Results, callers: Int, to report: inout ScenarioReport) {
        let words = callers == 1 ? "1 caller" : "\(callers) callers"
        let bare = ClientKind.urlSession.name
        var table = ResultTable(
            title: words,
            columns: [
                .init(name: "requests/s", isCharted: true), .init(name: "CPU for a request, µs", isCharted: true),
                .init(name: "ratio to \(bare)"), .init(name: "failed"),
            ]
        )
        table.rows = results.names.map { name in
            let failed = results[name].map(\.failureCount).reduce(0, +)
            return .init(
                name: name,
                cells: [
                    results.summary(of: name, \.perSecond), results.summary(of: name, \.cpu),
                    results.ratio(of: name, to: bare, \.perSecond), Summary(single: Double(failed)),
                ]
            )
        }
        report.tables.append(table)
        report.notes += results.failureNotes.map { "\(words): \($0)" }
        for kind in ClientKind.netKits {
            let ratio = results.ratio(of: kind.name, to: bare, \.perSecond)?.median
            report.figures.append(
                Figure("\(kind.name) to \(bare), requests/s, \(words)", ratio, .atLeast(Self.ratioWanted))
            )
            let failed = results[kind.name].map(\.failureCount).reduce(0, +)
            if failed > 0 {
                report.figures.append(Figure("\(kind.name), failed, \(words)", Double(failed), .atMost(0)))
            }
        }
    }
}
