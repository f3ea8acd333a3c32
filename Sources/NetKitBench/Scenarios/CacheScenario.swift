import Foundation
import NetKit

/// The cost of a response from the cache, from memory and from disk, and whether a cache stays within its bound.
struct CacheScenario: Scenario {
    let name = "cache"
    let summary =
        "Responses from memory against the same over loopback, from disk against reading the file, and a flood."

    private static let hitsPerRound = 20_000
    private static let readsPerRound = 300

    private enum Kind: String {
        case hit = "hit in memory"
        case loopback = "the same over loopback"
        case disk = "1 MB hit on disk"
        case file = "reading the file"
    }

    /// Runs off the main actor, as a service's callers do.
    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let rounds = settings.rounds ?? 9
        let folder = try ScratchFolder()
        defer { folder.remove() }
        return try await ServerProcess.lend(settings.server) { server in
            var report = ScenarioReport(name: name, summary: summary, server: server.name)
            let setup = try await CacheSetup(server: server, folder: folder)
            let quick = try await Contest(rounds: rounds, seed: settings.seed).run([
                Contender(name: Kind.hit.rawValue) { try await setup.hit(Self.hitsPerRound) },
                Contender(name: Kind.loopback.rawValue) { try await setup.loopback(Self.hitsPerRound / 20) },
            ])
            let large = try await Contest(rounds: rounds, seed: settings.seed).run([
                Contender(name: Kind.disk.rawValue) { try await setup.diskHit(Self.readsPerRound) },
                Contender(name: Kind.file.rawValue) { try await setup.plainRead(Self.readsPerRound) },
            ])
            Progress.show("\(name): a flood")
            let floods = try await flood(settings)
            report.tables = [
                ResultTable(title: "small responses", of: quick, Gauge.callCosts),
                ResultTable(title: "1 MB", of: large, Gauge.callCosts), floods.table,
            ]
            report.figures = figures(quick, large) + floods.figures
            return report
        }
    }

    private func figures(_ quick: Contest.Results, _ large: Contest.Results) -> [Figure] {
        [
            Figure("a hit in memory, µs of CPU", quick.summary(of: Kind.hit.rawValue, \.cpu)?.median, .atMost(8)),
            Figure(
                "a hit in memory, times faster than over loopback",
                quick.ratio(of: Kind.loopback.rawValue, to: Kind.hit.rawValue, \.wall)?.median,
                .atLeast(20)
            ),
            Figure(
                "a 1 MB hit on disk against reading the file",
                large.ratio(of: Kind.file.rawValue, to: Kind.disk.rawValue, \.wall)?.median,
                .atLeast(0.5)
            ),
        ]
    }

    /// Sends very many responses through a bounded cache, in a separate process.
    private func flood(_ settings: BenchSettings) async throws -> (table: ResultTable, figures: [Figure]) {
        let job = CacheFloodJob(calls: settings.calls ?? 1_000_000, maxBytes: 100_000_000)
        let result = try await job.runInChild(timeLimit: .seconds(200))
        let table = ResultTable(
            title: "\(NumberText.text(Double(job.calls))) responses offered to a cache of 100 MB",
            columns: [
                .init(name: "memory growth, MB", isCharted: true), .init(name: "its own count, MB"),
                .init(name: "CPU for a call, µs: first tenth"), .init(name: "last tenth"),
            ],
            rows: [.init(name: "memory", cells: result.cells)]
        )
        return (
            table,
            [
                Figure("flood, memory growth, MB", result.memoryGrowthMB, .atMost(105)),
                Figure("flood, the last tenth against the first with a full cache, CPU", result.growth, .atMost(1.25)),
            ]
        )
    }
}
