import Foundation
import NetKit

/// The cost of storing an entry durably: NetKit's queue compared with SQLite, which does little else.
struct QueueScenario: Scenario {
    let name = "queue"
    let summary = "Durable enqueues of 1 KB against SQLite (WAL, synchronous=FULL), and a queue of 100,000 entries."

    private static let round = Duration.milliseconds(400)
    private static let entries = 100_000

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary)
        let folder = try ScratchFolder()
        defer { folder.remove() }
        // One after the other: many callers write so much that a disk may be slower for a while.
        try await compare(callers: 1, atLeast: 1, settings, folder, &report)
        try await compare(callers: 64, atLeast: 6, settings, folder, &report)
        try await grow(settings, folder, &report)
        try await compact(folder, &report)
        try await deliver(folder, &report)
        return report
    }

    private func compare(
        callers: Int,
        atLeast bound: Double,
        _ settings: BenchSettings,
        _ folder: ScratchFolder,
        _ report: inout ScenarioReport
    ) async throws {
        let (ours, theirs) = ("NetKit, callers: \(callers)", "SQLite, callers: 1")
        let queue = try await QueueSubject.open(folder.url.appending(path: "queue-\(callers)"))
        var contenders = [Contender(name: ours) { await queue.measure(Self.round, callers: callers) }]
        if let database = SQLiteQueue(folder.url.appending(path: "queue-\(callers).sqlite")) {
            contenders.append(Contender(name: theirs) { await database.measure(Self.round) })
        } else if report.notes.isEmpty {
            report.notes.append("libsqlite3.so.0 is not there, so there is nothing to compare with.")
        }
        let results = try await Contest(rounds: settings.rounds ?? 15, seed: settings.seed).run(contenders)
        await queue.close()
        let gauges: [Gauge] = [
            .each("a second", isCharted: true, \.perSecond), .each("µs each", \.wall), .each("CPU each, µs", \.cpu),
        ]
        report.tables.append(ResultTable(title: "1 KB each, in turn", of: results, gauges))
        report.notes += results.failureNotes
        let ratio = results.ratio(of: ours, to: theirs, \.perSecond)
        report.figures += [
            Figure("callers: \(callers), enqueues a second against SQLite", ratio?.median, .atLeast(bound)),
            Figure("callers: \(callers), enqueues that failed", Double(results.failureCount), .atMost(0)),
        ]
    }

    /// Enqueues while entries are delivered, so that the journal is compacted at the same time.
    private func compact(_ folder: ScratchFolder, _ report: inout ScenarioReport) async throws {
        let queue = try await QueueSubject.open(folder.url.appending(path: "churn"))
        let times = try await queue.churn(.seconds(5), backlog: 5000, callers: 8)
        await queue.close()
        report.figures += [
            Figure("enqueues beside compaction", Double(times.count), .atLeast(1000)),
            Figure("99 % of them within, ms", times.isEmpty ? nil : times[times.count * 99 / 100], .atMost(10)),
        ]
        if let longest = times.last { report.notes.append("The longest enqueue beside compaction took \(longest) ms.") }
    }

    /// Delivers a long queue to a sender that responds at once.
    private func deliver(_ folder: ScratchFolder, _ report: inout ScenarioReport) async throws {
        let queue = try await QueueSubject.open(folder.url.appending(path: "drain"))
        try await queue.fill(Self.entries, lanes: (0..<100).map { "\($0)" })
        let sent = await queue.drain()
        await queue.close()
        report.figures.append(Figure("entries sent", Double(sent.calls), .atLeast(Double(Self.entries))))
        let rate = NumberText.text(sent.perSecond)
        report.notes.append("The entries went to a sender that responds at once, \(rate) of them a second.")
    }

    /// Fills a queue, compares an enqueue into it with one into an empty queue, and opens it in a separate process.
    private func grow(
        _ settings: BenchSettings,
        _ folder: ScratchFolder,
        _ report: inout ScenarioReport
    ) async throws {
        let long = folder.url.appending(path: "long")
        let queue = try await QueueSubject.open(long)
        let empty = try await QueueSubject.open(folder.url.appending(path: "empty"))
        try await queue.fill(Self.entries)
        let results = try await Contest(rounds: 5, seed: settings.seed, warmsUp: false).run([
            Contender(name: "empty") { await empty.measure(.milliseconds(500), callers: 1) },
            Contender(name: "long") { await queue.measure(.milliseconds(500), callers: 1) },
        ])
        let ratio = results.ratio(of: "long", to: "empty", \.wall)
        await empty.close()
        await queue.close()
        let opened = try await QueueOpenJob(folder: long.path(percentEncoded: false)).runInChild(
            timeLimit: .seconds(60)
        )
        report.figures += [
            Figure("an enqueue with 100,000 entries, against an empty queue", ratio?.median, .atMost(1.25)),
            Figure("entries found", Double(opened.entries), .atLeast(Double(Self.entries))),
            Figure("opening them, s", opened.seconds, .atMost(1)),
            Figure("peak memory then, MB", opened.peakMegabytes, .atMost(160)),
        ]
    }
}
