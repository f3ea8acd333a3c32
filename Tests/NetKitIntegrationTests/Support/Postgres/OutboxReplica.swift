import Foundation
import NetKit

@testable import NetKitPostgres

/// A queue with connections of its own, as in a process of its own.
struct OutboxReplica: Sendable {
    struct Settings {
        var lease = Duration.seconds(15)
        var refresh = Duration.seconds(60)
        var statementTimeout = Duration.seconds(5)
        /// The time for a response to a cancellation or a test.
        var patience = Duration.seconds(5)
        var clock = NetKitClock.system
        var maxEntries = 100_000
    }

    let database: Postgres
    let store: PostgresOutbox
    let queue: OfflineQueue

    init(_ url: String, _ sender: any RequestSending, _ settings: Settings = Settings()) async throws {
        var database = Postgres.Configuration()
        database.statementTimeout = settings.statementTimeout
        self.database = try await Postgres(
            url,
            configuration: database,
            clock: settings.clock,
            patience: settings.patience
        )
        store = self.database.outbox("orders", lease: settings.lease)
        var configuration = OfflineQueue.Configuration()
        configuration.clock = settings.clock
        configuration.parallelLanes = 16
        configuration.maxEntries = settings.maxEntries
        configuration.refreshInterval = settings.refresh
        configuration.policy = RetryPolicy(maxAttempts: .max, backoffStrategy: .fixed(interval: .milliseconds(20)))
        queue = try await OfflineQueue(store: store, sender: sender, configuration: configuration)
    }

    func close() async {
        await queue.close()
        await database.close()
    }
}
