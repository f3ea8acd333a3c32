import Foundation
import NetKit

/// One large body, in a separate process.
struct TransferScenario: Scenario {
    let kind: TransferKind

    var name: String { kind.rawValue }
    var summary: String { kind.summary }

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        let file = try folder.sparseFile("body", size: ServerAddress.largeSize)
        return try await ServerProcess.lend(settings.server) { server in
            let names = ClientKind.all.map(\.name) + FloorKind.measures.map(\.name)
            let results = try await Contest.inChildren(
                // A round is short, and rounds differ by a factor of up to two.
                rounds: settings.rounds ?? 25,
                seed: settings.seed,
                timeLimit: .seconds(60),
                names.map { ($0, TransferJob(client: $0, kind: kind, server: server, file: file)) }
            )
            return report(results, server: server)
        }
    }

    private func report(_ results: Contest.Results, server: ServerAddress) -> ScenarioReport {
        var report = ScenarioReport(name: name, summary: summary, server: server.name, notes: results.failureNotes)
        let megabytes = Double(ServerAddress.largeSize) / 1e6
        let floor = FloorKind.fastest(in: results)
        var gauges: [Gauge] = [
            .each("MB/s", isCharted: true) { $0.failures.isEmpty ? megabytes / $0.seconds : nil },
            .each("CPU, ms", isCharted: true) { $0.failures.isEmpty ? $0.cpuSeconds * 1e3 : nil },
        ]
        if let floor { gauges.append(.ratio("time to the floor", to: floor, \.seconds)) }
        gauges += [.peakMemory, .memoryGrowth, .failed]
        report.tables = [ResultTable(title: NumberText.bytes(megabytes * 1e6), of: results, gauges)]
        for name in ClientKind.overCurl.map(\.name) {
            report.figures.append(.noFailure(of: name, in: results))
            guard !kind.isInMemory, let floor else { continue }
            let ratio = results.ratio(of: name, to: floor, \.seconds)?.median
            report.figures += [
                Figure("\(name) to the floor, time", ratio, .atMost(1.4)),
                .memoryGrowth(of: name, in: results, atMost: 8),
            ]
        }
        return report
    }
}

/// One transfer of one client.
struct TransferJob: ClientJob {
    static let name = "transfer"

    let client: String
    let kind: TransferKind
    let server: ServerAddress
    /// The file that is sent.
    let file: URL

    private var size: Int { ServerAddress.largeSize }

    private var upload: UploadSource? {
        switch kind {
        case .download, .downloadCollect: nil
        case .uploadFile: .file(file, size: size)
        case .uploadData: .data(Self.bytes)
        }
    }

    func prepare() { _ = upload }

    /// The bytes to send, created once, before the call.
    private static let bytes = Data(repeating: UInt8(ascii: "x"), count: ServerAddress.largeSize)

    func measure(_ client: any BenchClient) async throws -> Measurement {
        let upload = upload
        return await .ofOne {
            if let upload { return try await client.upload(upload, to: server.upload) }
            let count = try await client.download(server.large, kind == .download ? .streamed : .buffered)
            guard count == size else { throw UnexpectedResponse("\(count) bytes instead of \(size)") }
        }
    }

    #if os(Linux)
        func measure(_ floor: Floor) async throws -> Measurement {
            var task = Floor.Task(
                url: kind.isUpload ? server.upload : server.large,
                extent: .calls(1),
                isCollecting: kind == .downloadCollect
            )
            task.upload = upload
            if !kind.isUpload { task.responseSize = size }
            return try await floor.measure(task)
        }
    #endif
}
