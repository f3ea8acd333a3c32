import Foundation
import NetKit
import NetKitPostgres

/// The outbox in PostgreSQL: its costs, and the time that others wait for a process that ends.
struct PostgresScenario: Scenario {
    let name = "postgres"
    let summary = "An outbox in PostgreSQL beside pgbench with the same statements, and the handing over of shards."

    /// The number of lanes of each queue.
    static let lanes = 1000

    @concurrent
    func run(_ settings: BenchSettings) async throws -> ScenarioReport {
        guard let server = try await DatabaseServer.start() else {
            throw BenchError("initdb or pgbench is missing. Install the package postgresql.")
        }
        defer { server.stop() }
        let address = server.address
        let version = try await address.sql("SHOW server_version")
        var report = ScenarioReport(name: name, summary: summary, server: "PostgreSQL \(version)")
        let database = try await Postgres(address.url)
        let parts: [(String, @Sendable () async throws -> Part)] = [
            ("enqueues", { try await OutboxEnqueues(address: address, database: database).run(settings) }),
            ("draining", { try await OutboxDrain(address: address, database: database).run(settings) }),
            ("notices", { try await OutboxNotices(address: address, database: database).run(settings) }),
            ("handing over", { try await OutboxHandOver(address: address, database: database).run() }),
            ("an idle replica", { try await OutboxIdle(address: address, database: database).run() }),
            ("an old snapshot", { try await OutboxSnapshot(address: address, database: database).run() }),
        ]
        for (title, run) in parts {
            Progress.show("\(name): \(title)")
            let part = try await run()
            report.tables += part.tables
            report.figures += part.figures
            report.notes += part.notes
        }
        await database.close()
        return report
    }

    /// The tables, figures and notes of one of the measurements.
    struct Part: Sendable {
        var tables: [ResultTable] = []
        var figures: [Figure] = []
        var notes: [String] = []
    }

    /// Returns a request of 1 KB.
    static func request(lane: String) -> QueuedRequest {
        QueuedRequest(HTTPRequest(.post, "/orders", body: body), lane: lane)
    }

    private static let body = HTTPBody.data(Data(repeating: UInt8(ascii: "x"), count: 1024), contentType: "text/plain")
}

/// A sender that responds at once, after it has noted the request.
struct NotingSender: RequestSending {
    var note: @Sendable (HTTPRequest) -> Void = { _ in }

    func send(_ request: HTTPRequest, options: CallOptions) async throws -> HTTPResponse {
        note(request)
        return HTTPResponse(status: 204)
    }

    /// Opens a queue that sends with the sender.
    func queue(_ store: PostgresOutbox) async throws -> OfflineQueue {
        var configuration = OfflineQueue.Configuration()
        configuration.parallelLanes = 64
        configuration.maxEntries = .max
        configuration.maxBytes = .max
        return try await OfflineQueue(store: store, sender: self, configuration: configuration)
    }
}

/// The instants at which something happened first, by name.
final class Arrivals: Sendable {
    private let instants = Locked([String: ContinuousClock.Instant]())

    var all: [String: ContinuousClock.Instant] { instants.withLock { $0 } }
    var count: Int { instants.withLock { $0.count } }

    func note(_ name: String) {
        let now = ContinuousClock.now
        instants.withLock { if $0[name] == nil { $0[name] = now } }
    }
}
