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
        let client: ClientKind
        let way: DownloadWay?
    }

    static let upload = TransferScenario(
        name: "upload",
        summary: "100 MB from a file, in one POST.",
        size: 100_000_000,
        entries: ClientKind.all.map { Entry(name: $0.name, client: $0, way: nil) }
    )

    static let download = TransferScenario(
        name: "download",
        summary: "200 MB in one GET: collected in memory, or read chunk by chunk.",
        size: ServerAddress.largeSize,
        entries: (ClientKind.netKits + [.urlSession]).flatMap { kind in
            DownloadWay.allCases.map { Entry(name: "\(kind.name), \($0.rawValue)", client: kind, way: $0) }
        }
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
                        client: entry.client.name,
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
        return report
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

    private func transfer(_ client: any BenchClient) async throws {
        guard let way else { return try await client.upload(file, to: url) }
        let count = try await client.download(url, way)
        guard count == size else { throw UnexpectedAnswer("\(count) bytes instead of \(size)") }
    }
}
