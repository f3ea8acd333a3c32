import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of real processes that share a token or a limit.
@Suite(.needs(.postgres), .needsTheMachine)
struct PostgresProcessTests {
    private func run(_ program: URL, _ count: Int, _ arguments: [String]) async throws -> [BuiltCommand.Result] {
        try await withThrowingTaskGroup(of: BuiltCommand.Result.self) { group in
            for _ in 0..<count { group.addTask { try await BuiltCommand.run(program, arguments) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(.needsTokenProbe) func eightProcessesRefreshOnceForEachExpiry() async throws {
        let server = try await PostgresServer.shared.value
        let url = server.url(try await server.makeDatabase())
        let life = Duration.milliseconds(500)
        let tokens = try ShortTokenServer(life: life)
        let probe = try #require(BuiltCommand.tokenProbe)
        let results = try await run(probe, 8, [url, tokens.address, "100", "6000"])
        let report = tokens.report
        #expect(report.complaints == [])
        #expect(report.number >= 3)
        // No token was replaced before its end.
        for (earlier, later) in zip(report.times, report.times.dropFirst()) {
            #expect(later - earlier >= life - .milliseconds(5))
        }
        for result in results {
            #expect(result.status == 0)
            #expect(!result.output.contains("ERROR"), "\(result.output.prefix(400))")
        }
    }

    @Test(.enabled(if: BuiltCommand.replicaProbe != nil, "the program NetKitReplicaProbe is not beside the tests"))
    func fourProcessesKeepOneLimit() async throws {
        let server = try await PostgresServer.shared.value
        let url = server.url(try await server.makeDatabase())
        let (limit, burst) = (100, 100)
        let probe = try #require(BuiltCommand.replicaProbe)
        let results = try await run(probe, 4, ["rate", url, "crm", "\(limit)", "2500"])
        let lines = results.flatMap { $0.output.split(separator: "\n") }
        func times(_ kind: String) -> [UInt64] {
            lines.filter { $0.hasPrefix(kind) }.compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }
                .sorted()
        }
        let start = try #require(times("START").first)
        let sent = times("SENT")
        // A busy machine sends later than the permit was given, never earlier.
        let excess = sent.enumerated().first { number, time in
            Double(number + 1) > Double(burst) + Double(limit) * Double(time - start) / 1e9
        }
        #expect(excess == nil)
        #expect(sent.count >= 2 * limit)
        print("limit: \(sent.count) requests")
    }
}
