import Foundation
import NetKit

/// One large body, in a process of its own: up from a file, or down into memory or past it.
struct TransferScenario: Scenario {
    let name: String
    let summary: String
    let size: Int
    private let entries: [Entry]

    /// A contender: a client, and for downloads the way it receives.
    private struct Entry: Sendable {
        let name: String
        /// The name of the client, or the floor's.
        let client: String
        let way: DownloadWay?

        /// The floor counts the bytes and keeps none.
        static func floor(_ way: DownloadWay?) -> [Entry] {
            FloorKind.measures.map { Entry(name: $0.name, client: $0.name, way: way) }
        }
    }

    static let upload = TransferScenario(
        name: "upload",
        summary: "100 MB from a file, in one POST.",
        size: 100_000_000,
        entries: ClientKind.all.map { Entry(name: $0.name, client: $0.name, way: nil) } + Entry.floor(nil)
    )

    static let download = TransferScenario(
        name: "download",
        summary: "200 MB in one GET: collected in memory, or read chunk by chunk.",
        size: ServerAddress.largeSize,
        entries: ClientKind.all.filter { $0.name != ClientKind.urlSessionTransport.name }.flatMap { kind in
            DownloadWay.allCases.map { Entry(name: "\(kind.name), \($0.rawValue)", client: kind.name, way: $0) }
        } + Entry.floor(.streamed)
    )

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = try folder.sparseFile("body", size: size)
        return try await ServerProcess.lend(settings.server) { server in
            let contenders = entries.map { entry in
                Contender(name: entry.name) {
                    let job = TransferJob(
                        client: entry.client,
                        way: entry.way,
                        small: server.small,
                        url: entry.way == nil ? server.upload : server.large,
                        file: file,
                        size: size
                    )
                    return try await job.runInChild(timeLimit: .seconds(60))
                }
            }
            let contest = Contest(rounds: settings.rounds ?? 5, seed: settings.seed, warmsUp: false)
            return report(try await contest.run(contenders), server: server)
        }
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        var table = ResultTable(
            title: NumberText.bytes(Double(size)),
            columns: [
                .init(name: "MB/s", isCharted: true), .init(name: "CPU, ms", isCharted: true),
                .init(name: "peak memory, MB"), .init(name: "memory growth, MB"), .init(name: "failed"),
            ]
        )
        table.rows = results.names.map { name in
            .init(
                name: name,
                cells: [
                    results.summary(of: name) { $0.failures.isEmpty ? Double(size) / 1e6 / $0.seconds : nil },
                    results.summary(of: name) { $0.failures.isEmpty ? $0.cpuSeconds * 1e3 : nil },
                    results.summary(of: name) { $0.peakMemory.map { Double($0) / 1e6 } },
                    results.summary(of: name) { $0.memoryGrowth.map { Double($0) / 1e6 } },
                    Summary(single: Double(results[name].map(\.failureCount).reduce(0, +))),
                ]
            )
        }
        report.tables = [table]
        report.figures = figures(of: results)
        return report
    }

    private func figures(of results: Contest.Results) -> [Figure] {
        guard let floor = FloorKind.fastest(in: results) else { return [] }
        return entries.filter { $0.way != .buffered }.flatMap { entry -> [Figure] in
            guard ClientKind.overCurl.contains(where: { $0.name == entry.client }) else { return [] }
            let growth = results.summary(of: entry.name) { $0.memoryGrowth.map { Double($0) / 1e6 } }?.median
            return [
                Figure(
                    "\(entry.name) to the floor, time",
                    results.ratio(of: entry.name, to: floor, \.seconds)?.median,
                    .atMost(1.4)
                ),
                Figure("\(entry.name), memory growth, MB", growth, .atMost(8)),
                Figure("\(entry.name), failed", Double(results.failureCount(of: entry.name)), .atMost(0)),
            ]
        }
    }
}

/// One transfer of one client.
struct TransferJob: ChildJob {
    static let name = "transfer"

    let client: String
    /// How it is received; nil where it is sent.
    let way: DownloadWay?
    let small: URL
    let url: URL
    let file: URL
    let size: Int

    @concurrent
    func run() async throws -> Measurement {
        #if os(Linux)
            if let kind = FloorKind.all.first(where: { $0.name == self.client }) { return try await runFloor(kind) }
        #endif
        let client = try ClientKind.named(client).make()
        _ = try await client.get(small)
        let failures = FailureCounter()
        var measurement = await Measurement.withMemory {
            await Measurement.of(calls: 1) {
                do { try await transfer(client) } catch { failures.note(error) }
            }
        }
        measurement.failures = failures.counts
        return measurement
    }

    #if os(Linux)
        private func runFloor(_ kind: FloorKind) async throws -> Measurement {
            let floor = try Floor(kind)
            _ = try await floor.measure(Floor.Task(url: small, extent: .calls(1)))
            var task = Floor.Task(url: url, extent: .calls(1), isCollecting: false)
            if way == nil { task.upload = (file, size) } else { task.answerSize = size }
            return try await Measurement.withMemory { try await floor.measure(task) }
        }
    #endif

    private func transfer(_ client: any BenchClient) async throws {
        guard let way else { return try await client.upload(file, to: url) }
        let count = try await client.download(url, way)
        guard count == size else { throw UnexpectedAnswer("\(count) bytes instead of \(size)") }
    }
}
