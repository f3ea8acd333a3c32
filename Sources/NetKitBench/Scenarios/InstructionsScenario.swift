import Foundation
import NetKit

/// The processor instructions of a call, which are the same on every day and beside any load.
struct InstructionsScenario: Scenario {
    let name = "instructions"
    let summary = "The instructions of a GET by 16 callers, as Valgrind counts them in a process of its own."

    /// The numbers of calls of two runs, whose difference leaves out the start of the process.
    private static let (fewCalls, manyCalls) = (1600, 4800)

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        let counter = try InstructionCounter()
        defer { counter.remove() }
        return try await ServerProcess.lend(settings.server) { server in
            var table = ResultTable(title: "16 callers", columns: [.init(name: "thousands a call", isCharted: true)])
            #if os(Linux)
                let names = ClientKind.smallOverCurl.map(\.name) + [FloorKind.epoll.name]
            #else
                let names = [ClientKind.overURLSession.name]
            #endif
            for client in names {
                Progress.show("\(name): \(client)")
                let few = try await counter.count(InstructionsJob(client: client, server: server, calls: Self.fewCalls))
                let many = try await counter.count(
                    InstructionsJob(client: client, server: server, calls: Self.manyCalls)
                )
                let each = Double(many - few) / Double(Self.manyCalls - Self.fewCalls)
                table.rows.append(.init(name: client, cells: [Summary(single: each / 1e3)]))
            }
            var report = ScenarioReport(name: name, summary: summary, server: server.name, tables: [table])
            #if os(Linux)
                report.figures = [(ClientKind.netKit.name, 115.0), (ClientKind.netKitStreamed.name, 118)].map {
                    name,
                    bound in
                    let count = table.rows.first { $0.name == name }?.cells.first??.median
                    return Figure("\(name), thousands of instructions", count, .atMost(bound))
                }
            #endif
            return report
        }
    }
}

/// Calls that 16 callers make one after the other.
struct InstructionsJob: ClientJob {
    static let name = "instructions"
    private static let callers = 16

    let client: String
    let server: ServerAddress
    let calls: Int

    func measure(_ client: any BenchClient) async throws -> Measurement {
        let url = server.small
        return try await .of(calls: calls) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask { for _ in 0..<calls / Self.callers { _ = try await client.get(url) } }
                }
                try await group.waitForAll()
            }
        }
    }

    #if os(Linux)
        func measure(_ floor: Floor) async throws -> Measurement {
            let task = Floor.Task(
                url: server.small,
                extent: .calls(calls),
                callers: Self.callers,
                responseSize: ServerAddress.smallSize
            )
            let measurement = try await floor.measure(task)
            guard measurement.failures.isEmpty else {
                throw BenchError("Calls failed: \(NumberText.counts(measurement.failures)).")
            }
            return measurement
        }
    #endif
}

/// Valgrind, and a copy of this executable whose debug information it need not read.
private struct InstructionCounter {
    private let valgrind: URL
    private let executable: URL
    private let folder: ScratchFolder

    init() throws {
        guard let valgrind = Nginx.find("valgrind"), let strip = Nginx.find("strip"), let own = ChildProcess.executable
        else { throw BenchError("valgrind or strip is missing. Install the packages valgrind and binutils.") }
        (self.valgrind, folder) = (valgrind, try ScratchFolder())
        executable = folder.url.appending(path: "bench")
        let process = Process()
        process.executableURL = strip
        process.arguments = ["-g", "-o", executable.path(percentEncoded: false), own.path(percentEncoded: false)]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("strip cannot copy the executable.") }
    }

    func remove() { folder.remove() }

    /// Performs a job in a child process, and returns the number of instructions.
    func count(_ job: some ChildJob) async throws -> Int {
        let out = folder.url.appending(path: "callgrind").path(percentEncoded: false)
        let arguments = ["--tool=callgrind", "--callgrind-out-file=\(out)", executable.path(percentEncoded: false)]
        let outcome = try await job.outcomeInChild(
            timeLimit: .seconds(300),
            under: ChildProcess.Launcher(program: valgrind, arguments: arguments)
        )
        let line = outcome.notes.split(separator: "\n").last { $0.contains("Collected : ") }
        guard let number = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw BenchError("Valgrind reports no count: \(outcome.notes.suffix(200))")
        }
        return number
    }
}
