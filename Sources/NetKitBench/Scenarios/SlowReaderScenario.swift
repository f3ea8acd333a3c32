import Foundation
import NetKit

/// A reader that is slower than the server: the response has to wait in the network and not in memory.
struct SlowReaderScenario: Scenario {
    let name = "stream-slow-reader"
    let summary =
        "200 MB in one GET, the first of them read at 1 MB/s, in a process of its own; the SHA-256 is checked."

    private static let bytesPerSecond = 1_000_000
    /// The default number of MB that are read slowly.
    ///
    /// A client that does not wait has the whole body in memory long before.
    private static let defaultSlowMegabytes = 5
    private static let clients = ClientKind.all.filter { $0.name != ClientKind.urlSession.name }

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            let slowSize = min(
                (settings.slowMegabytes ?? Self.defaultSlowMegabytes) * 1_000_000,
                ServerAddress.patternedSize
            )
            let hash = Pattern.hash(ServerAddress.patternedSize)
            let results = try await Contest.inChildren(
                rounds: settings.rounds ?? 3,
                seed: settings.seed,
                timeLimit: .seconds(60 + 2 * slowSize / Self.bytesPerSecond),
                Self.clients.map { kind in
                    let job = SlowReaderJob(
                        client: kind.name,
                        server: server,
                        hash: hash,
                        slowSize: slowSize,
                        bytesPerSecond: Self.bytesPerSecond
                    )
                    return (kind.name, job)
                }
            )
            return report(results, slowSize: slowSize, server: server)
        }
    }

    private func report(_ results: Contest.Results, slowSize: Int, server: ServerAddress) -> ScenarioReport {
        let (all, slow) = (NumberText.bytes(Double(ServerAddress.patternedSize)), NumberText.bytes(Double(slowSize)))
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        report.tables = [
            ResultTable(
                title: "\(all), \(slow) of them slowly",
                of: results,
                [.seconds, .each("CPU, ms") { $0.cpuSeconds * 1e3 }, .memoryGrowth, .failed]
            )
        ]
        report.figures = ClientKind.overCurl.flatMap { kind -> [Figure] in
            [.memoryGrowth(of: kind.name, in: results, atMost: 4), .noFailure(of: kind.name, in: results)]
        }
        return report
    }
}

/// One response that is read slowly, then to its end.
struct SlowReaderJob: ClientJob {
    static let name = "slow-reader"

    let client: String
    let server: ServerAddress
    /// The expected hash of the bytes.
    let hash: String
    let slowSize: Int
    let bytesPerSecond: Int

    func measure(_ client: any BenchClient) async throws -> Measurement {
        guard let client = client as? any StreamingClient else { throw BenchError("\(self.client) does not stream.") }
        return await .ofOne { try await read(client) }
    }

    private func read(_ client: any StreamingClient) async throws {
        var hash = SHA256()
        var count = 0
        let start = ContinuousClock.now
        try await client.stream(server.patterned) { chunk in
            chunk.withUnsafeBytes { hash.add($0) }
            count += chunk.count
            guard count < slowSize else { return }
            try await Task.sleep(until: start + .seconds(Double(count) / Double(bytesPerSecond)))
        }
        let size = ServerAddress.patternedSize
        guard count == size else { throw UnexpectedResponse("\(count) bytes instead of \(size)") }
        guard hash.value == self.hash else { throw UnexpectedResponse("other bytes than were sent") }
    }
}
