import Foundation
import NetKit

/// A reader that is slower than the server: the answer has to wait in the network and not in memory.
struct SlowReaderScenario: Scenario {
    let name = "stream-slow-reader"
    let summary = "20 MB in one GET, read at 10 MB/s, in a process of its own."

    private static let bytesPerSecond = 10_000_000
    private static let clients = ClientKind.all.filter { $0.name != ClientKind.urlSession.name }

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            var expected = Pattern.Checksum()
            expected.add(Pattern.data(ServerAddress.patternedSize))
            let contenders = Self.clients.map { kind in
                Contender(name: kind.name) { [expected] in
                    let job = SlowReaderJob(
                        client: kind.name,
                        small: server.small,
                        url: server.patterned,
                        size: ServerAddress.patternedSize,
                        checksum: expected.value,
                        bytesPerSecond: Self.bytesPerSecond
                    )
                    return try await job.runInChild(timeLimit: .seconds(60))
                }
            }
            let contest = Contest(rounds: settings.rounds ?? 3, seed: settings.seed, warmsUp: false)
            return report(try await contest.run(contenders), server: server)
        }
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        var table = ResultTable(
            title: NumberText.bytes(Double(ServerAddress.patternedSize)),
            columns: [
                .init(name: "seconds"), .init(name: "CPU, ms"), .init(name: "memory growth, MB", isCharted: true),
                .init(name: "failed"),
            ]
        )
        func growth(_ name: String) -> Summary? {
            results.summary(of: name) { $0.memoryGrowth.map { Double($0) / 1e6 } }
        }
        table.rows = results.names.map { name in
            .init(
                name: name,
                cells: [
                    results.summary(of: name, \.seconds), results.summary(of: name) { $0.cpuSeconds * 1e3 },
                    growth(name), Summary(single: Double(results.failureCount(of: name))),
                ]
            )
        }
        report.tables = [table]
        for name in ClientKind.overCurl.map(\.name) {
            report.figures += [
                Figure("\(name), memory growth, MB", growth(name)?.median, .atMost(4)),
                Figure("\(name), failed", Double(results.failureCount(of: name)), .atMost(0)),
            ]
        }
        return report
    }
}

/// One answer that is read slowly.
struct SlowReaderJob: ChildJob {
    static let name = "slow-reader"

    let client: String
    let small: URL
    let url: URL
    let size: Int
    /// What the bytes have to come to.
    let checksum: UInt64
    let bytesPerSecond: Int

    @concurrent
    func run() async throws -> Measurement {
        guard let client = try ClientKind.named(client).make() as? any StreamingClient else {
            throw BenchError("\(client) does not stream.")
        }
        _ = try await client.get(small)
        let failures = FailureCounter()
        var measurement = await Measurement.withMemory {
            await Measurement.of(calls: 1) {
                do { try await read(client) } catch { failures.note(error) }
            }
        }
        measurement.failures = failures.counts
        return measurement
    }

    private func read(_ client: any StreamingClient) async throws {
        var sum = Pattern.Checksum()
        var count = 0
        let start = ContinuousClock.now
        try await client.stream(url) { chunk in
            sum.add(chunk)
            count += chunk.count
            try await Task.sleep(until: start + .seconds(Double(count) / Double(bytesPerSecond)))
        }
        guard count == size else { throw UnexpectedAnswer("\(count) bytes instead of \(size)") }
        guard sum.value == checksum else { throw UnexpectedAnswer("other bytes than were sent") }
    }
}
