import Foundation
import NetKit

/// A new TLS connection for each call: the cost of parsing authorities and of handshakes.
struct ConnectScenario: Scenario {
    let name = "connect-tls"
    let summary = "A new TLS connection for each GET, by 4 callers; the authorities are the system's and one more."

    private static let roundLength = Duration.milliseconds(500)
    private static let callers = 4
    /// The allowed CPU time for a connection, in ms.
    private static let cpuAllowed = 2.0

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            let secure = try server.requireSecure()
            var contenders = try ClientKind.overCurl.map { kind in
                let client = try kind.make(ClientSettings(authorities: secure.authorities))
                return Contender(name: kind.name) {
                    await Measurement.during(Self.roundLength, callers: Self.callers) {
                        let count = try await client.get(secure.once)
                        guard count == ServerAddress.smallSize else { throw UnexpectedResponse("\(count) bytes") }
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
                    responseSize: ServerAddress.smallSize
                )
                contenders.append(Contender(name: FloorKind.newHandles.name) { try await floor.measure(task) })
            #endif
            let contest = Contest(rounds: settings.rounds ?? 5, seed: settings.seed)
            return report(try await contest.run(contenders), server: server)
        }
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        let cpu = Gauge.each("CPU for one, ms", isCharted: true) { $0.cpu / 1e3 }
        report.tables = [
            ResultTable(
                title: "\(Self.callers) callers",
                of: results,
                [.each("connections/s", isCharted: true, \.perSecond), cpu, .failed]
            )
        ]
        for name in ClientKind.overCurl.map(\.name) {
            report.figures += [
                Figure("\(name), CPU for a connection, ms", cpu.read(results, name)?.median, .atMost(Self.cpuAllowed)),
                .noFailure(of: name, in: results),
            ]
        }
        return report
    }
}
