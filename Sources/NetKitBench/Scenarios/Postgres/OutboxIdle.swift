import Foundation
import NetKit
import NetKitPostgres

/// The statements and the CPU time of a replica that has nothing to do.
struct OutboxIdle: Sendable {
    let address: DatabaseAddress
    let database: Postgres

    private static let time = Duration.seconds(60)

    func run() async throws -> PostgresScenario.Part {
        let name = "idle-\(UUID().uuidString.prefix(8))"
        let queue = try await NotingSender().queue(database.outbox(name))
        try await address.wait(untilShared: name, by: 1)
        // The first heartbeats and listings; processes of the server report what they did within ten seconds.
        try await Task.sleep(for: .seconds(12))
        let before = try await statementCount()
        let measurement = try await Measurement.of(calls: 1) { try await Task.sleep(for: Self.time) }
        let after = try await statementCount()
        await queue.close()
        var part = PostgresScenario.Part()
        let rate = (after - before) / measurement.seconds
        part.figures = [Figure("an idle replica, statements a second", rate, .atMost(1))]
        part.notes = [
            "An idle replica takes \(NumberText.seconds(measurement.cpuSeconds / measurement.seconds)) of CPU time a second."
        ]
        return part
    }

    /// Returns the number of transactions of the database, each of which is one statement.
    private func statementCount() async throws -> Double {
        let count = try await address.sql(
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'"
        )
        return Double(count) ?? .nan
    }
}
