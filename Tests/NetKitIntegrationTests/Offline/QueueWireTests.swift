import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of a queue on a disk, over real sockets.
@Suite(.needsTheMachine)
struct QueueWireTests {
    /// The requests that a server has processed, and the order of first arrival in a lane.
    private final class Till: Sendable {
        private struct State {
            var keys: [String: Set<String>] = [:]
            var orders: [String: [Int]] = [:]
            var random: RandomSource
        }

        private let state: Locked<State>

        init(_ random: RandomSource) {
            state = Locked(State(random: random))
        }

        /// Responds with 503 to one request in ten, and loses one response in twenty of the others.
        func reply(to request: ServerRequest) -> ServerReply {
            state.withLock { state in
                let chance = state.random.unitInterval()
                guard chance >= 0.1 else { return .status(503) }
                let parts = request.path.split(separator: "/").map(String.init)
                let key = request.headers["Idempotency-Key"] ?? "none"
                if parts.count == 2, let number = Int(parts[1]) {
                    if state.keys[request.path] == nil { state.orders[parts[0], default: []].append(number) }
                    state.keys[request.path, default: []].insert(key)
                }
                return chance < 0.145 ? ServerReply.status(204).resetting(at: .start) : .status(204)
            }
        }

        var keys: [Set<String>] { state.withLock { Array($0.keys.values) } }
        var orders: [[Int]] { state.withLock { Array($0.orders.values) } }
    }

    /// With `NETKIT_LONG=1`, there are ten thousand entries.
    @Test func aServerThatLosesResponsesSeesEachEntryUnderOneKeyAndInOrder() async throws {
        let isLong = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1"
        let count = isLong ? 10_000 : 300
        let till = Till(.seeded(5))
        let server = try MockServer()
        server.on(.post, "/*/*") { till.reply(to: $0) }
        let client = HTTPClient(baseURL: server.baseURL)
        var configuration = OfflineQueue.Configuration()
        configuration.policy = RetryPolicy(maxAttempts: .max, backoffStrategy: .fixed(interval: .milliseconds(1)))
        configuration.parallelLanes = 16
        let folder = try TemporaryFolder()
        let queue = try await OfflineQueue(
            directory: folder.file("queue"),
            sender: client,
            configuration: configuration
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<16 {
                group.addTask {
                    for number in stride(from: lane, to: count, by: 16) {
                        let request = HTTPRequest(.post, "/\("\(lane)")/\("\(number)")", body: .text("1"))
                        try await queue.enqueue(QueuedRequest(request, lane: "\(lane)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        while await queue.pendingCount > 0 {
            await queue.processQueue()
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(await queue.entries.isEmpty)
        await queue.close()
        #expect(till.keys.count == count)
        #expect(till.keys.allSatisfy { $0.count == 1 })
        #expect(Set(till.keys.flatMap { $0 }).count == count)
        for order in till.orders { #expect(order == order.sorted()) }
        let reopened = try await OfflineQueue(directory: folder.file("queue"))
        #expect(await reopened.entries.isEmpty)
        await reopened.close()
        await client.shutdown()
    }
}
