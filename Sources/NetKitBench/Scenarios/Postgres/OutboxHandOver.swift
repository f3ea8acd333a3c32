import Foundation
import NetKit
import NetKitPostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time until another process sends in the lanes of one that was killed, or that closed its queue.
struct OutboxHandOver: Sendable {
    let address: DatabaseAddress
    let database: Postgres

    private static let lease = 15.0

    func run() async throws -> PostgresScenario.Part {
        var part = PostgresScenario.Part()
        let killed = try await afterKill()
        let closed = try await afterClose()
        part.figures = [
            Figure("after kill -9, the last of its lanes is sent after, s", killed, .atMost(Self.lease + 0.5)),
            Figure("after close(), the last of its lanes is sent after, s", closed, .atMost(0.2)),
        ]
        return part
    }

    private func afterKill() async throws -> Double? {
        let survivor = try await Survivor(address)
        let replica = try ReplicaProcess(OutboxReplicaJob(url: address.url, queue: survivor.name))
        defer { replica.end(SIGKILL) }
        try await address.wait(untilShared: survivor.name, by: 2)
        let lanes = try await survivor.lanesOfOthers()
        let start = ContinuousClock.now
        replica.end(SIGKILL)
        return try await survivor.lastArrival(of: lanes, after: start, addedTo: database.outbox(survivor.name))
    }

    private func afterClose() async throws -> Double? {
        let survivor = try await Survivor(address)
        let other = try await Postgres(address.url)
        let queue = try await NotingSender().queue(other.outbox(survivor.name))
        try await address.wait(untilShared: survivor.name, by: 2)
        let lanes = try await survivor.lanesOfOthers()
        let start = ContinuousClock.now
        await queue.close()
        let last = try await survivor.lastArrival(of: lanes, after: start, addedTo: database.outbox(survivor.name))
        await other.close()
        return last
    }

    /// A queue that notes when it sends in each lane.
    private final class Survivor: Sendable {
        let name = "hand-over-\(UUID().uuidString.prefix(8))"
        private let database: Postgres
        private let store: PostgresOutbox
        private let queue: OfflineQueue
        private let arrivals: Arrivals

        init(_ address: DatabaseAddress) async throws {
            database = try await Postgres(address.url)
            store = database.outbox(name)
            let arrivals = Arrivals()
            self.arrivals = arrivals
            queue = try await NotingSender { arrivals.note($0.headers["X-Lane"] ?? "") }.queue(store)
            try await address.wait(untilShared: name, by: 1)
        }

        /// Returns the lanes that other processes send.
        func lanesOfOthers() async throws -> [String] {
            var lanes: [String] = []
            for number in 0..<PostgresScenario.lanes {
                let lane = "lane\(number)"
                if try await store.fence(ofLane: lane) == nil { lanes.append(lane) }
            }
            guard !lanes.isEmpty else { throw BenchError("No other process has a lane.") }
            return lanes
        }

        /// Adds an entry to each lane, and returns the number of seconds from an instant to the sending of the last
        /// one.
        func lastArrival(
            of lanes: [String],
            after start: ContinuousClock.Instant,
            addedTo store: PostgresOutbox
        ) async throws -> Double? {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in lanes {
                    group.addTask {
                        var request = PostgresScenario.request(lane: lane)
                        request.headers["X-Lane"] = lane
                        let addition = OfflineAddition(request: request, byteCount: 1100)
                        _ = try await store.append(addition, within: OfflineBounds())
                    }
                }
                try await group.waitForAll()
            }
            for _ in 0..<3000 where arrivals.count < lanes.count {
                try await Task.sleep(for: .milliseconds(10))
            }
            await queue.close()
            await database.close()
            guard arrivals.count == lanes.count else { return nil }
            return arrivals.all.values.max().map { start.duration(to: $0).seconds }
        }
    }
}
