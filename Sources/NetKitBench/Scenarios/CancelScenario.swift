import Foundation
import NetKit
import NetKitTesting

/// Calls that are cancelled at random moments: each has to end once, and soon.
struct CancelScenario: Scenario {
    let name = "cancel"
    let summary = "32,000 calls cancelled at random moments, at a refused port, a fast and a slow server."

    private static let calls = 32_000
    private static let timeLimit = Duration.seconds(180)

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        try await ServerProcess.lend { server in
            let servers = "fast: \(server.name); slow: MockServer"
            var report = ScenarioReport(name: name, summary: summary, server: servers)
            for kind in ClientKind.netKits {
                settings.progress(kind.name)
                let job = CancelJob(client: kind.name, server: server, calls: Self.calls, seed: settings.seed)
                do {
                    add(try await job.runInChild(timeLimit: Self.timeLimit), kind.name, to: &report)
                } catch let failure as ChildFailure {
                    report.notes.append("\(kind.name): \(failure.words).")
                    report.figures.append(Figure("\(kind.name), calls that ended", nil, .atLeast(Double(Self.calls))))
                }
            }
            report.notes.append(
                "URLSession itself is no contender: it hangs within some dozens (`netkit-bench probes cancelling`)."
            )
            return report
        }
    }

    private func add(_ result: CancelJob.Result, _ name: String, to report: inout ScenarioReport) {
        var table = ResultTable(
            title:
                "\(name): cancelled within \(NumberText.seconds(result.span)), \(NumberText.seconds(result.seconds)) in all",
            columns: [
                .init(name: "calls"), .init(name: "ended as cancelled"), .init(name: "answered before"),
                .init(name: "failed before"), .init(name: "longest from cancel to end, ms"),
            ]
        )
        table.rows = result.targets.map { target in
            .init(
                name: target.name,
                cells: [
                    Double(target.calls), Double(target.endings["cancelled"] ?? 0),
                    Double(target.endings["answered"] ?? 0),
                    Double(target.failed), target.longestEnd * 1e3,
                ].map(Summary.init(single:))
            )
        }
        report.tables.append(table)
        let ended = result.targets.map { $0.endings.values.reduce(0, +) }.reduce(0, +)
        let strange = result.targets.filter { $0.name != "refused" }.map(\.failed).reduce(0, +)
        report.figures += [
            Figure("\(name), calls that ended", Double(ended), .atLeast(Double(Self.calls))),
            Figure("\(name), failed at a server that is there", Double(strange), .atMost(0)),
            Figure("\(name), still active at the end", result.active.map(Double.init), .atMost(0)),
        ]
        for target in result.targets {
            let others = target.endings.filter { !["cancelled", "answered"].contains($0.key) }
            guard !others.isEmpty else { continue }
            let words = others.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
            report.notes.append("\(name), \(target.name): \(words).")
        }
    }
}

/// The cancellations of one client.
struct CancelJob: ChildJob {
    static let name = "cancel"

    let client: String
    let server: ServerAddress
    let calls: Int
    let seed: UInt64

    struct Target: Codable, Sendable {
        let name: String
        var calls = 0
        /// How many calls ended how: cancelled, answered, or with which error.
        var endings: [String: Int] = [:]
        /// The longest time from a cancellation to the end of its call, in seconds.
        var longestEnd = 0.0

        var failed: Int { endings.filter { !["cancelled", "answered"].contains($0.key) }.values.reduce(0, +) }

        mutating func add(_ ending: String, _ seconds: Double) {
            calls += 1
            endings[ending, default: 0] += 1
            longestEnd = max(longestEnd, seconds)
        }
    }

    struct Result: Codable, Sendable {
        var targets: [Target]
        var seconds: Double
        /// How late a cancellation came at most, in seconds.
        var span: Double
        /// How many calls the client still counts as running; nil where it counts none.
        var active: Int?
    }

    /// How many calls run side by side.
    private static let callers = 64

    @concurrent
    func run() async throws -> Result {
        let client = try ClientKind.named(client).make()
        let urls = [("refused", server.refused), ("fast", server.small), ("slow", server.slowAnswer)]
        let targets = urls.map { LockBox(Target(name: $0.0)) }
        let span = await Self.usualSeconds(client, server.small) * 2
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<Self.callers {
                let share = calls / Self.callers + (caller < calls % Self.callers ? 1 : 0)
                group.addTask {
                    var random = RandomSource.seeded(seed &+ UInt64(caller) &* 0x9E37_79B9)
                    for index in 0..<share {
                        let target = (index + caller) % urls.count
                        let delay = Self.delay(&random, span)
                        let (ending, seconds) = await Self.cancelOne(client, urls[target].1, after: delay)
                        targets[target].value.withLock { $0.add(ending, seconds) }
                    }
                }
            }
        }
        let active = (client as? NetKitClient)?.client.activeCallCount
        let counts = targets.map { $0.value.withLock { $0 } }
        return Result(targets: counts, seconds: start.duration(to: .now).seconds, span: span, active: active)
    }

    /// A third at once or nearly so, the rest at any moment of a call and a while behind it.
    private static func delay(_ random: inout RandomSource, _ span: Double) -> Duration {
        switch random.next() % 6 {
        case 0: .zero
        case 1: .microseconds(Int64(random.next() % 100))
        default: .seconds(random.unitInterval() * span)
        }
    }

    /// How long a call takes that nobody cancels, among as many others.
    private static func usualSeconds(_ client: any BenchClient, _ url: URL) async -> Double {
        let calls = 20
        let start = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    for _ in 0..<calls { _ = try? await client.get(url) }
                }
            }
        }
        return start.duration(to: .now).seconds / Double(calls)
    }

    private static func cancelOne(
        _ client: any BenchClient,
        _ url: URL,
        after delay: Duration
    ) async -> (ending: String, seconds: Double) {
        let call = Task { try await client.get(url) }
        if delay > .zero { try? await Task.sleep(for: delay, tolerance: .zero) }
        let cancelled = ContinuousClock.now
        call.cancel()
        let result = await call.result
        let seconds = cancelled.duration(to: .now).seconds
        return switch result {
        case .success: ("answered", seconds)
        case .failure(is CancellationError): ("cancelled", seconds)
        case .failure(let error): (ErrorText.short(error), seconds)
        }
    }
}

/// A lock that can stand in an array.
private final class LockBox<Value: Sendable>: Sendable {
    let value: Locked<Value>

    init(_ value: Value) {
        self.value = Locked(value)
    }
}
