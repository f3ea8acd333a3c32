import Foundation
import NetKit

/// A file in a form, compared with the same file alone: a form costs almost no time, and no memory.
struct MultipartScenario: Scenario {
    let name = "multipart"
    let summary = "2 GB from a file, as part of a form and by itself, each in a process of its own."

    private static let size = 2_000_000_000

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = try folder.sparseFile("body", size: Self.size)
        return try await ServerProcess.lend(settings.server) { server in
            let results = try await Contest.inChildren(
                // Many rounds, because a server that stores the bodies on a disk is sometimes delayed by it.
                rounds: settings.rounds ?? 7,
                seed: settings.seed,
                timeLimit: .seconds(120),
                [
                    ("form", MultipartJob(server: server, file: file, isForm: true)),
                    ("file", MultipartJob(server: server, file: file, isForm: false)),
                ]
            )
            return report(results, server: server)
        }
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        let megabytes = Double(Self.size) / 1e6
        report.tables = [
            ResultTable(
                title: NumberText.bytes(Double(Self.size)),
                of: results,
                [
                    .each("MB/s", isCharted: true) { $0.failures.isEmpty ? megabytes / $0.seconds : nil },
                    .each("CPU, ms", isCharted: true) { $0.failures.isEmpty ? $0.cpuSeconds * 1e3 : nil },
                    .peakMemory, .memoryGrowth, .failed,
                ]
            )
        ]
        // The plain file's time divided by the form's: the share of its speed that the form reaches.
        let speed = results.ratio(of: "file", to: "form", \.seconds)?.median
        report.figures = [
            .noFailure(of: "form", in: results), .noFailure(of: "file", in: results),
            .memoryGrowth(of: "form", in: results, atMost: 8), Figure("form to the file, speed", speed, .atLeast(0.9)),
        ]
        return report
    }
}

/// One upload by a client with the defaults.
struct MultipartJob: ChildJob {
    static let name = "multipart"

    let server: ServerAddress
    let file: URL
    let isForm: Bool

    @concurrent
    func run() async throws -> Measurement {
        let client = HTTPClient(baseURL: server.fast)
        // Libraries are loaded and a connection is open, so that only the upload is measured.
        _ = try await client.send(Endpoint<Data>.get("/small"))
        return await Measurement.withMemory {
            await .ofOne {
                guard isForm else {
                    try await client.upload(file, to: "/upload")
                    return
                }
                let form = MultipartForm { form in
                    form.field("title", "Holiday")
                    form.file("film", at: file)
                }
                try await client.upload(form, to: "/upload")
            }
        }
    }
}
