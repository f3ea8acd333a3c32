import Foundation
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of days of outages in virtual time: an entry always ends delivered, as a dead letter or as a conflict.
///
/// With `NETKIT_LONG=1`, there are three weeks instead of one.
@Suite(.serialized, .computes(for: .seconds(300)))
struct OfflineSimulationTests {
    private static let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"

    /// The requests that a server received: each number with its keys, and the order of first arrival in a lane.
    private final class Ledger: Sendable {
        private struct State {
            var keys: [String: Set<String>] = [:]
            var order: [String: [Int]] = [:]
        }

        private let state = Locked(State())

        /// Receives a request, and returns whether it was new.
        @discardableResult
        func note(_ request: HTTPRequest) -> Bool {
            let parts = request.url.path(percentEncoded: false).split(separator: "/").map(String.init)
            guard parts.count == 2, let number = Int(parts[1]) else { return false }
            let key = request.headers["Idempotency-Key"] ?? "none"
            return state.withLock { state in
                let name = parts.joined(separator: "/")
                let isNew = state.keys[name] == nil
                state.keys[name, default: []].insert(key)
                if isNew { state.order[parts[0], default: []].append(number) }
                return isNew
            }
        }

        var count: Int { state.withLock { $0.keys.count } }
        var keys: [Set<String>] { state.withLock { Array($0.keys.values) } }
        var orders: [[Int]] { state.withLock { Array($0.order.values) } }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func overDaysOfOutagesNothingIsLost(seed: UInt64) async throws {
        let simulation = Simulation(seed: seed)
        let ledger = Ledger()
        var host = SimulatedHost(
            .respond { request, _ in
                ledger.note(request)
                let number = Int(request.url.lastPathComponent) ?? 0
                if number % 50 == 7 { return HTTPResponse(status: 422) }
                if number % 50 == 9 { return HTTPResponse(status: 409) }
                return HTTPResponse(status: 204)
            }
        )
        var random = RandomSource.seeded(seed)
        let outages: [SimulatedResponse] = [
            .refused, .reset, .stalled, .status(503), .status(429, headers: ["Retry-After": "90"]),
            .sometimes(.reset, rate: 0.5, otherwise: .status(500)),
        ]
        var time = Duration.seconds(600)
        let end = Duration.seconds((Self.isLong ? 21 : 7) * 86_400)
        while time < end {
            let length = Duration.seconds(Int.random(in: 10...40_000, using: &random))
            host = host.from(time, until: time + length, outages[Int.random(in: 0..<outages.count, using: &random)])
            time = time + length + .seconds(Int.random(in: 600...80_000, using: &random))
        }
        simulation.host("api.example.com", host)
        let count = Self.isLong ? 3000 : 150
        let (left, dead, conflicts) = try await aside { [host] in
            _ = host
            return try await simulation.run {
                let client = HTTPClient(
                    baseURL: URL(string: "https://api.example.com"),
                    transport: simulation.transport,
                    interceptors: .standard,
                    configuration: simulation.configuration
                )
                var configuration = OfflineQueue.Configuration()
                configuration.clock = simulation.clock
                configuration.random = simulation.random
                let queue = try await OfflineQueue(
                    store: InMemoryOfflineStore(),
                    sender: client,
                    configuration: configuration
                )
                for number in 0..<count {
                    try await simulation.sleep(for: end / count)
                    try await queue.enqueue(.post("/lane\(number % 5)/\(number)", lane: "\(number % 5)"))
                }
                for _ in 0..<1000 where await queue.pendingCount > 0 { try await simulation.sleep(for: .seconds(600)) }
                let result = await (queue.pendingCount, queue.deadLetters.count, queue.unresolvedConflicts.count)
                await queue.close()
                return result
            }
        }
        #expect(left == 0)
        #expect(dead == count / 50)
        #expect(conflicts == count / 50)
        #expect(ledger.count == count)
        #expect(ledger.keys.allSatisfy { $0.count == 1 })
        for order in ledger.orders { #expect(order == order.sorted()) }
    }

    @Test func aServerThatLosesResponsesSeesEachKeyOnceAndInOrder() async throws {
        let count = Self.isLong ? 10_000 : 1000
        let simulation = Simulation(seed: 11)
        let ledger = Ledger()
        let sender = ScriptedSender { sent in
            try await simulation.sleep(for: .milliseconds(1 + Int(simulation.random.unitInterval() * 20)))
            if simulation.random.unitInterval() < 0.1 { return HTTPResponse(status: 503) }
            ledger.note(sent.request)
            guard simulation.random.unitInterval() >= 0.05 else {
                throw NetKitError(.connectionLost, "The response was lost.", outcome: .unknown)
            }
            return HTTPResponse(status: 204)
        }
        let left = try await aside {
            try await simulation.run {
                var configuration = OfflineQueue.Configuration()
                configuration.clock = simulation.clock
                configuration.random = simulation.random
                let queue = try await OfflineQueue(
                    store: InMemoryOfflineStore(),
                    sender: sender,
                    configuration: configuration
                )
                for number in 0..<count {
                    try await queue.enqueue(.post("/lane\(number % 16)/\(number)", lane: "\(number % 16)"))
                }
                for _ in 0..<100_000 where await queue.pendingCount > 0 {
                    try await simulation.sleep(for: .seconds(60))
                }
                let left = await queue.entries.count
                await queue.close()
                return left
            }
        }
        #expect(left == 0)
        #expect(ledger.count == count)
        #expect(ledger.keys.allSatisfy { $0.count == 1 })
        #expect(Set(ledger.keys.flatMap { $0 }).count == count)
        for order in ledger.orders { #expect(order == order.sorted()) }
    }
}
