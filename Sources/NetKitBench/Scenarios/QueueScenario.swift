import Foundation
import NetKit

/// What it costs to have something safe on the disk: NetKit's queue against SQLite, which does little else.
struct QueueScenario: Scenario {
    let name = "queue"
    let summary = "Durable enqueues of 1 KB against SQLite (WAL, synchronous=FULL), and a queue of 100,000 entries."

    private static let round = Duration.milliseconds(1500)
    private static let entries = 100_000

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary)
        let folder = try ScratchFolder()
        defer { folder.remove() }
        try await compare(settings, folder, &report)
        try await grow(folder, &report)
        return report
    }

    private func compare(_ settings: BenchSettings, _ folder: ScratchFolder, _ report: inout ScenarioReport)
        async throws
    {
        let queue = try await QueueSubject.open(folder.url.appending(path: "queue"))
        var contenders = [
            Contender(name: "NetKit, 1 caller") { await queue.measure(Self.round, callers: 1) },
            Contender(name: "NetKit, 64 callers") { await queue.measure(Self.round, callers: 64) },
        ]
        let database = SQLiteQueue(folder.url.appending(path: "queue.sqlite"))
        if let database {
            contenders.append(Contender(name: "SQLite, 1 caller") { await database.measure(Self.round) })
        } else {
            report.notes.append("libsqlite3.so.0 is not there, so there is nothing to compare with.")
        }
        let results = try await Contest(rounds: settings.rounds ?? 7, seed: settings.seed).run(contenders)
        await queue.close()
        var table = ResultTable(
            title: "1 KB each, in turns",
            columns: [.init(name: "a second", isCharted: true), .init(name: "µs each"), .init(name: "CPU each, µs")]
        )
        table.rows = results.names.map { name in
            .init(
                name: name,
                cells: [
                    results.summary(of: name, \.perSecond), results.summary(of: name, \.wall),
                    results.summary(of: name, \.cpu),
                ]
            )
        }
        report.tables.append(table)
        report.notes += results.failureNotes
        let failures = results.names.reduce(0) { $0 + results.failureCount(of: $1) }
        let one = results.ratio(of: "NetKit, 1 caller", to: "SQLite, 1 caller", \.perSecond)
        let many = results.ratio(of: "NetKit, 64 callers", to: "SQLite, 1 caller", \.perSecond)
        report.figures += [
            Figure("1 caller, enqueues a second against SQLite", one?.median, .atLeast(1.1)),
            Figure("64 callers, enqueues a second against SQLite", many?.median, .atLeast(6)),
            Figure("enqueues that failed", Double(failures), .atMost(0)),
        ]
    }

    /// Fills a queue, measures an enqueue into it against one into an empty queue, and opens it in a process of its own.
    private func grow(_ folder: ScratchFolder, _ report: inout ScenarioReport) async throws {
        let long = folder.url.appending(path: "long")
        let queue = try await QueueSubject.open(long)
        let empty = try await QueueSubject.open(folder.url.appending(path: "empty"))
        await queue.fill(Self.entries)
        var ratios: [Double] = []
        for _ in 0..<5 {
            let few = await empty.measure(.milliseconds(500), callers: 1)
            let many = await queue.measure(.milliseconds(500), callers: 1)
            ratios.append(many.wall / few.wall)
        }
        await empty.close()
        await queue.close()
        let opened = try await QueueOpenJob(folder: long.path(percentEncoded: false)).runInChild(
            timeLimit: .seconds(60)
        )
        report.figures += [
            Figure("an enqueue with 100,000 entries, against an empty queue", Summary(ratios)?.median, .atMost(1.25)),
            Figure("entries found", Double(opened.entries), .atLeast(Double(Self.entries))),
            Figure("opening them, s", opened.seconds, .atMost(1)),
            Figure("peak memory then, MB", opened.peakMegabytes, .atMost(200)),
        ]
    }
}
