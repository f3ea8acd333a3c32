import Foundation
import NetKit

/// A new TLS connection for each call: what parsing authorities and shaking hands cost.
struct ConnectScenario: Scenario {
    let name = "connect-tls"
    let summary = "A new TLS connection for each GET, by 4 callers; the authorities are the system's and one more."

    private static let roundLength = Duration.milliseconds(500)
    private static let callers = 4
    /// CPU for a connection, in ms.
    private static let cpuAllowed = 2.0

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            let secure = try server.needSecure()
            var contenders = try ClientKind.overCurl.map { kind in
                let client = try kind.make(trusting: secure.authorities)
                return Contender(name: kind.name) {
                    await Measurement.during(Self.roundLength, callers: Self.callers) {
                        let count = try await client.get(secure.once)
                        guard count == ServerAddress.smallSize else { throw UnexpectedAnswer("\(count) bytes") }
                    }
                }
            }
            #if os(Linux)
                let floor = try Floor(.newHandles)
                let task = Floor.Task(
                    url: secure.once,
                    extent: .time(Self.roundLength),
                    callers: Self.callers,
                    authorities: secure.authorities,
                    answerSize: ServerAddress.smallSize
                )
                contenders.append(Contender(name: FloorKind.newHandles.name) { try await floor.measure(task) })
            #endif
            let contest = Contest(rounds: settings.rounds ?? 5, seed: settings.seed)
            return report(try await contest.run(contenders), server: server)
        }
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        var table = ResultTable(
            title: "\(Self.callers) callers",
            columns: [
                .init(name: "connections/s", isCharted: true), .init(name: "CPU for one, ms", isCharted: true),
                .init(name: "failed"),
            ]
        )
        func cpu(_ name: String) -> Summary? { results.summary(of: name) { $0.cpu / 1e3 } }
        table.rows = results.names.map { name in
            .init(
                name: name,
                cells: [
                    results.summary(of: name, \.perSecond), cpu(name),
                    Summary(single: Double(results.failureCount(of: name))),
                ]
            )
        }
        report.tables = [table]
        for name in ClientKind.overCurl.map(\.name) {
            report.figures += [
                Figure("\(name), CPU for a connection, ms", cpu(name)?.median, .atMost(Self.cpuAllowed)),
                Figure("\(name), failed", Double(results.failureCount(of: name)), .atMost(0)),
            ]
        }
        return report
    }
}
