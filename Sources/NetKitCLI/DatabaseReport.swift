import Foundation
import NetKit
import NetKitPostgres

/// The state of a database, as `netkit database status` shows it.
struct DatabaseReport: Encodable {
    struct Queue: Encodable {
        struct LaneClass: Encodable {
            let name: String
            let waiting: Int
            let oldestSeconds: Double
        }

        struct PausedLane: Encodable {
            let lane: String
            let reason: String?
            /// The rest of the pause; `nil` if it lasts until the lane is resumed.
            let seconds: Double?
        }

        struct Replica: Encodable {
            let label: String
            let leaseSeconds: Double
            let shards: Int
        }

        let name: String
        let waiting: Int
        let dead: Int
        let conflicts: Int
        let bytes: Int
        let lagSeconds: Double
        let lanes: [LaneClass]
        let pausedLanes: [PausedLane]
        let replicas: [Replica]
    }

    let known: Int
    let minimum: Int
    let pooled: Bool
    let server: Int?
    let version: Int
    /// The queues; none if the schema is missing, older than this program, or too new for it.
    private(set) var queues: [Queue] = []

    init(_ status: Postgres.SchemaStatus, _ health: Postgres.Health) {
        (known, minimum, version) = (status.latestVersion, status.minVersion, status.version)
        (pooled, server) = (health.isPooled, health.serverVersion)
    }

    /// Whether the schema says that this program does not understand it; a newer one is the same for it otherwise.
    var isTooNew: Bool { minimum > known }

    /// Reads the queues, their paused lanes, and the processes that send from them.
    mutating func addQueues(of database: Postgres) async throws {
        let (replicas, pauses) = (try await database.replicas(), try await database.pauses())
        for name in try await database.queueNames() {
            let numbers = try await database.outbox(name).statistics()
            let paused = pauses.filter { $0.queue == name }
            queues.append(Queue(name, numbers, paused, replicas.filter { $0.queue == name }))
        }
    }

    var lines: [String] {
        var lines: [String] = []
        if let server { lines.append("server: PostgreSQL \(Self.text(server))") }
        if isTooNew { lines.append("the queues are not shown: they need a program that knows version \(minimum)") }
        if pooled { lines.append("pooler: yes, so changes are polled") }
        return lines + queues.flatMap(\.lines)
    }

    /// Returns the version of a server as text, such as `15.4`.
    private static func text(_ version: Int) -> String { "\(version / 10_000).\(version % 10_000)" }
}

extension DatabaseReport.Queue {
    /// The maximum number of paused lanes that the text names.
    private static let maxPauses = 10

    init(
        _ name: String,
        _ numbers: PostgresOutbox.Statistics,
        _ pauses: [PostgresPause],
        _ replicas: [PostgresReplica]
    ) {
        self.name = name
        (waiting, dead) = (numbers.tally.pendingCount, numbers.tally.deadLetterCount)
        (conflicts, bytes) = (numbers.tally.conflictCount, numbers.tally.byteCount)
        lagSeconds = numbers.lag.inSeconds
        lanes = numbers.laneClasses.map {
            LaneClass(name: $0.name, waiting: $0.waitingCount, oldestSeconds: $0.oldestAge.inSeconds)
        }
        pausedLanes = pauses.map {
            PausedLane(lane: $0.lane, reason: $0.reason, seconds: $0.timeLeft?.inSeconds)
        }
        self.replicas = replicas.map {
            Replica(label: $0.label, leaseSeconds: $0.leaseLeft.inSeconds, shards: $0.shardCount)
        }
    }

    fileprivate var lines: [String] {
        let counts = "\(waiting) waiting, \(dead) dead, \(conflicts) in conflict, \(bytes) bytes"
        let late = lagSeconds > 0 ? ", lag \(Self.time(lagSeconds))" : ""
        var lines = ["queue \(name): \(counts)\(late)"]
        lines += lanes.map { lane in
            "  lanes \(lane.name): \(lane.waiting) waiting, the oldest for \(Self.time(lane.oldestSeconds))"
        }
        lines += pausedLanes.prefix(Self.maxPauses).map { pause in
            let end = pause.seconds.map { "for another \(Self.time($0))" } ?? "until it is resumed"
            return "  lane \(pause.lane) is paused \(end)\(pause.reason.map { " (\($0))" } ?? "")"
        }
        let others = pausedLanes.count - Self.maxPauses
        if others > 0 { lines.append("  \(others.counting("other lane")) \(others == 1 ? "is" : "are") paused") }
        lines += replicas.map { replica in
            let isOver = replica.leaseSeconds < 0
            let rest = Self.time(abs(replica.leaseSeconds))
            let lease = isOver ? "lease expired \(rest) ago" : "lease for another \(rest)"
            return "  replica \(replica.label): \(replica.shards.counting("shard")), \(lease)"
        }
        if replicas.isEmpty {
            lines.append("  no replica, so nothing is sent")
        } else if !replicas.contains(where: { $0.leaseSeconds > 0 }) {
            lines.append("  every lease has expired, so nothing is sent")
        }
        return lines
    }

    private static func time(_ seconds: Double) -> String { Duration.seconds(seconds).shortText }
}
