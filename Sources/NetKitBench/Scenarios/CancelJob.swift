import Foundation
import NetKit
import NetKitTesting

/// The cancellations of one client.
struct CancelJob: ChildJob {
    static let name = "cancel"

    let client: String
    let server: ServerAddress
    let calls: Int
    let seed: UInt64

    struct Target: Codable, Sendable {
        let name: String
        /// The latest moment of a cancellation, in seconds.
        let span: Double
        var calls = 0
        /// The number of calls by their end: cancelled, answered, or an error.
        var endings: [String: Int] = [:]
        /// The longest time from a cancellation to the end of its call, in seconds.
        var longestEnd = 0.0

        var failures: [String: Int] { endings.filter { !["cancelled", "answered"].contains($0.key) } }
        var failed: Int { failures.values.reduce(0, +) }

        mutating func add(_ ending: String, _ seconds: Double) {
            calls += 1
            endings[ending, default: 0] += 1
            longestEnd = max(longestEnd, seconds)
        }

        mutating func merge(_ other: Target) {
            calls += other.calls
            endings.merge(other.endings, uniquingKeysWith: +)
            longestEnd = max(longestEnd, other.longestEnd)
        }
    }

    struct Result: Codable, Sendable {
        var targets: [Target]
        var seconds: Double
        /// The number of calls that the client still counts as running; `nil` if it does not count them.
        var active: Int?
    }

    /// The number of calls that run at the same time.
    private static let callers = 16
    /// The latest moment of a cancellation at the slow server, whose response begins after 20 ms and takes two seconds.
    private static let slowSpan = 0.05

    @concurrent
    func run() async throws -> Result {
        let client = try ClientKind.named(client).make()
        // One target after the other, because the calls of the slow one would hold up the others.
        let share = calls / 3
        let span = await Self.defaultSeconds(client, server.small) * 3
        let start = ContinuousClock.now
        let targets = [
            await cancel(share, of: client, at: server.refused, within: span, named: "refused"),
            await cancel(share, of: client, at: server.slowResponse, within: Self.slowSpan, named: "slow"),
            await cancel(calls - 2 * share, of: client, at: server.small, within: span, named: "fast"),
        ]
        let seconds = start.duration(to: .now).seconds
        return Result(targets: targets, seconds: seconds, active: (client as? NetKitClient)?.client.activeCallCount)
    }

    private func cancel(
        _ calls: Int,
        of client: any BenchClient,
        at url: URL,
        within span: Double,
        named name: String
    ) async -> Target {
        await withTaskGroup(of: Target.self) { group in
            for caller in 0..<Self.callers {
                let share = calls / Self.callers + (caller < calls % Self.callers ? 1 : 0)
                group.addTask {
                    var random = RandomSource.seeded(seed &+ UInt64(caller) &* 0x9E37_79B9)
                    var target = Target(name: name, span: span)
                    for _ in 0..<share {
                        let (ending, seconds) = await Self.cancelOne(client, url, after: Self.delay(&random, span))
                        target.add(ending, seconds)
                    }
                    return target
                }
            }
            return await group.reduce(into: Target(name: name, span: span)) { $0.merge($1) }
        }
    }

    /// Returns a delay: zero or nearly zero for a third of the calls, and for the rest a moment up to a span.
    private static func delay(_ random: inout RandomSource, _ span: Double) -> Duration {
        switch random.next() % 6 {
        case 0: .zero
        case 1: .microseconds(Int64(random.next() % 100))
        default: .seconds(random.unitInterval() * span)
        }
    }

    /// Returns the duration of a call that is not cancelled, among as many concurrent calls.
    private static func defaultSeconds(_ client: any BenchClient, _ url: URL) async -> Double {
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
