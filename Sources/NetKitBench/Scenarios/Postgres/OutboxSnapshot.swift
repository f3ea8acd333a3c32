import Foundation
import NetKit
import NetKitPostgres

/// 1,000 entries a second while a transaction stays open, so that no deleted row can be removed.
///
/// It takes a minute; with `NETKIT_LONG=1`, ten.
struct OutboxSnapshot: Sendable {
    let address: DatabaseAddress
    let database: Postgres

    private static let rate = 1000
    private static let window = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 60 : 10
    private static let windows = ProcessInfo.processInfo.environment["NETKIT_LONG"] == "1" ? 10 : 6

    func run() async throws -> PostgresScenario.Part {
        let name = "snapshot-\(UUID().uuidString.prefix(8))"
        let counts = Locked(Array(repeating: 0, count: Self.windows))
        let start = ContinuousClock.now
        let other = try await Postgres(address.url)
        let queue = try await NotingSender { _ in
            let index = Int(start.duration(to: .now).seconds) / Self.window
            counts.withLock { if $0.indices.contains(index) { $0[index] += 1 } }
        }
        .queue(other.outbox(name))
        let seconds = Self.window * Self.windows
        async let holding = address.sql(
            "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM netkit.entry; SELECT pg_sleep(\(seconds)); COMMIT"
        )
        try await enqueue(to: database.outbox(name), until: start.advanced(by: .seconds(seconds)))
        let dead = try await address.sql(
            "SELECT n_dead_tup FROM pg_stat_user_tables WHERE schemaname = 'netkit' AND relname = 'entry'"
        )
        _ = try await holding
        await queue.close()
        await other.close()
        let sent = counts.withLock { $0 }
        var part = PostgresScenario.Part()
        let ratio = sent.first.flatMap { first in sent.last.map { Double($0) / Double(max(1, first)) } }
        part.figures = [Figure("with a snapshot held, sent in the last part to the first", ratio, .atLeast(0.8))]
        part.notes = [
            "Sent in each \(Self.window) s while a snapshot was held: \(sent.map(String.init).joined(separator: ", ")); "
                + "\(dead) dead rows at the end."
        ]
        return part
    }

    /// Enqueues at an even rate.
    private func enqueue(to store: PostgresOutbox, until end: ContinuousClock.Instant) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let callers = 20
            for caller in 0..<callers {
                group.addTask {
                    var next = ContinuousClock.now
                    var number = caller
                    while next < end {
                        let request = PostgresScenario.request(lane: "lane\(number % PostgresScenario.lanes)")
                        let addition = OfflineAddition(request: request, byteCount: 1100)
                        _ = try await store.append(addition, within: OfflineBounds())
                        number += callers
                        next = next.advanced(by: .seconds(1) * callers / Self.rate)
                        try await Task.sleep(until: next, clock: .continuous)
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
