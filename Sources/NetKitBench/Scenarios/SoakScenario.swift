import Foundation
import NetKit

/// Very many calls of one client, to see whether memory or descriptors grow with their number.
struct SoakScenario: Scenario {
    let name = "soak"
    let summary = "200,000 GETs by 64 callers, in a process of their own: nothing may grow after the first tenth."

    private static let defaultCalls = 200_000
    private static let callers = 64

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend(settings.server) { server in
            var report = ScenarioReport(name: name, summary: summary, server: server.name)
            let calls = settings.calls ?? Self.defaultCalls
            var table = ResultTable(
                title: "\(NumberText.text(Double(calls))) calls",
                columns: [
                    .init(name: "requests/s"), .init(name: "memory after a tenth, MB"),
                    .init(name: "memory growth, MB", isCharted: true), .init(name: "descriptors more"),
                    .init(name: "failed"),
                ]
            )
            for kind in ClientKind.overCurl {
                Progress.show("\(name): \(kind.name)")
                let job = SoakJob(client: kind.name, url: server.small, calls: calls, callers: Self.callers)
                let result = try await job.runInChild(timeLimit: .seconds(300))
                table.rows.append(.init(name: kind.name, cells: result.cells))
                report.figures += result.figures(of: kind.name)
            }
            report.tables = [table]
            return report
        }
    }
}

/// The calls of one client.
struct SoakJob: ChildJob {
    static let name = "soak"

    let client: String
    let url: URL
    let calls: Int
    let callers: Int

    struct Result: Codable, Sendable, Equatable {
        var perSecond: Double
        /// The memory after the first tenth and at the end, in bytes.
        var memory: [Int]
        /// The number of descriptors at the same moments.
        var descriptors: [Int]
        var failures: Int

        var memoryGrowth: Double? {
            memory.count == 2 ? Double(memory[1] - memory[0]) / 1e6 : nil
        }

        var descriptorGrowth: Double? {
            descriptors.count == 2 ? Double(descriptors[1] - descriptors[0]) : nil
        }

        var cells: [Summary?] {
            [
                perSecond, memory.first.map { Double($0) / 1e6 }, memoryGrowth, descriptorGrowth, Double(failures),
            ].map { $0.map(Summary.init(single:)) }
        }

        func figures(of name: String) -> [Figure] {
            [
                Figure("\(name), memory growth, MB", memoryGrowth, .atMost(2)),
                Figure("\(name), descriptors more", descriptorGrowth, .atMost(0)),
                Figure("\(name), failed", Double(failures), .atMost(0)),
            ]
        }
    }

    @concurrent
    func run() async throws -> Result {
        let client = try ClientKind.named(client).make()
        let call: @Sendable (Int) async throws -> Void = { _ in _ = try await client.get(url) }
        let first = await Measurement.of(calls: calls / 10, callers: callers, call)
        let before = (ProcessMemory.resident, ProcessMemory.descriptorCount)
        let rest = await Measurement.of(calls: calls - calls / 10, callers: callers, call)
        let after = (ProcessMemory.resident, ProcessMemory.descriptorCount)
        return Result(
            perSecond: rest.perSecond,
            memory: [before.0, after.0].compactMap(\.self),
            descriptors: [before.1, after.1].compactMap(\.self),
            failures: first.failureCount + rest.failureCount
        )
    }
}
