import Foundation
import NetKit

/// Many requests at once, each round in a process of its own.
struct BurstScenario: Scenario {
    let name = "burst"
    let summary = "10,000 GETs started at once, in a process of their own: none may fail."

    private static let calls = 10_000

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            let contenders = ClientKind.all.map { kind in
                Contender(name: kind.name) {
                    let job = BurstJob(client: kind.name, url: server.small, calls: Self.calls)
                    return try await job.runInChild(timeLimit: .seconds(120))
                }
            }
            // Every process is new: there is nothing to warm up.
            let contest = Contest(rounds: settings.rounds ?? 5, seed: settings.seed, warmsUp: false)
            return report(try await contest.run(contenders), server: server)
        }
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name)
        var table = ResultTable(
            title: "\(NumberText.text(Double(Self.calls))) at once",
            columns: [
                .init(name: "seconds", isCharted: true), .init(name: "CPU seconds"),
                .init(name: "peak memory, MB", isCharted: true), .init(name: "memory growth, MB"),
                .init(name: "failed"),
            ]
        )
        table.rows = results.names.map { name in
            .init(
                name: name,
                cells: [
                    results.summary(of: name, \.seconds), results.summary(of: name, \.cpuSeconds),
                    results.summary(of: name, Self.peak),
                    results.summary(of: name) { $0.memoryGrowth.map { Double($0) / 1e6 } },
                    Summary(single: Double(results[name].map(\.failureCount).reduce(0, +))),
                ]
            )
        }
        report.tables = [table]
        let bare = ClientKind.urlSession.name
        for kind in ClientKind.netKits {
            let failed = results[kind.name].map(\.failureCount).reduce(0, +)
            let time = results.ratio(of: kind.name, to: bare, \.seconds)?.median
            let memory = results.ratio(of: kind.name, to: bare, Self.peak)?.median
            report.figures += [
                Figure("\(kind.name), failed", Double(failed), .atMost(0)),
                Figure("\(kind.name) to \(bare), time", time, .atMost(2)),
                Figure("\(kind.name) to \(bare), peak memory", memory, .atMost(2)),
            ]
        }
        report.notes = results.failureNotes
        return report
    }

    private static func peak(_ measurement: Measurement) -> Double? {
        measurement.peakMemory.map { Double($0) / 1e6 }
    }
}

/// A burst of one client.
struct BurstJob: ChildJob {
    static let name = "burst"

    let client: String
    let url: URL
    let calls: Int

    @concurrent
    func run() async throws -> Measurement {
        let client = try ClientKind.named(client).make()
        // Libraries are loaded and the first connection is made: what is measured is the burst.
        _ = try await client.get(url)
        let (url, calls) = (url, calls)
        let failures = FailureCounter()
        var measurement = await Measurement.withMemory {
            await Measurement.of(calls: calls) {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<calls {
                        group.addTask {
                            do { _ = try await client.get(url) } catch { failures.note(error) }
                        }
                    }
                }
            }
        }
        measurement.failures = failures.counts
        return measurement
    }
}
