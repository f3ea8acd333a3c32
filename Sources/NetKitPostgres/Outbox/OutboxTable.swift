import Foundation
import NetKit

/// The shards of a queue: their numbers in the database begin with the base.
struct OutboxShards: Sendable, Equatable {
    let base: Int
    let count: Int

    var first: Int32 { Int32(clamping: base) }
    var last: Int32 { Int32(clamping: base + count - 1) }

    /// Returns the shard of a lane, the same as `netkit.shard_1` of the schema.
    func shard(of lane: String) -> Int {
        var hash = SHA256()
        var lane = lane
        lane.withUTF8 { hash.add(UnsafeRawBufferPointer($0)) }
        return base + (Int(hash.value.prefix(4), radix: 16) ?? 0) & (count - 1)
    }
}

/// The tables of a queue in the database, and this process as one of those that share it.
struct OutboxTable: Sendable {
    /// The suffix of the notification channel for notices.
    static let topic = "work"

    let database: Postgres
    let queue: String
    /// The identifier of this store, of which a process may have several.
    let replica = UUID()
    private let wantedShards: Int
    private let known = Known()

    private final class Known: Sendable {
        let shards = Locked<OutboxShards?>(nil)
        let statementCount = Locked(0)
    }

    init(_ database: Postgres, queue: String, shards: Int) {
        (self.database, self.queue, wantedShards) = (database, queue, shards)
    }

    /// The order in which a statement locks the entries `e`, so that no two wait for each other.
    ///
    /// An addition past its bounds also deletes the oldest entries, in no order. If it waits for another statement that
    /// waits for it, the database ends one of them, which is repeated.
    static let lockOrder =
        #"e.lane COLLATE "C", e.subject COLLATE "C", e.identity COLLATE "C" NULLS FIRST, e.position"#

    /// The maximum number of bytes of a name: a lane and a subject have to fit into one entry of an index.
    static let maxNameBytes = 1000

    /// Returns whether an entry can have a name.
    ///
    /// PostgreSQL has no text with the character 0, and a longer name may not fit into an index.
    static func canKeep(_ name: String) -> Bool { name.utf8.count <= maxNameBytes && !name.utf8.contains(0) }

    /// Returns the condition that an entry `e` belongs to the queue whose name is in a parameter.
    ///
    /// Several queues may have an entry with the same identifier, so a statement about identifiers needs the condition.
    static func isOwn(_ parameter: String) -> String {
        "e.base = (SELECT q.base FROM netkit.queue q WHERE q.name = \(parameter))"
    }

    // MARK: - Statements

    /// The number of statements so far, heartbeats included.
    var statementCount: Int { known.statementCount.withLock { $0 } }

    /// Runs a statement; a database that cannot be reached is `.storeUnavailable`.
    ///
    /// If the queue was made again with other shards, the statement fails, and the shards are read again.
    func run(
        _ statement: Statement,
        on role: ConnectionRole = .work,
        within limit: Duration? = nil
    ) async throws -> Rows {
        known.statementCount.withLock { $0 += 1 }
        do {
            return try await database.run(statement, on: role, within: limit)
        } catch let error as NetKitError where error.code == .timeout && error.outcome == .notSent {
            throw NetKitError(
                .storeUnavailable,
                "The database accepted no statement in time. \(error.message)",
                cause: error
            )
        } catch let error as NetKitError where error.hasOtherShards {
            forgetShards()
            throw error
        }
    }

    /// Reads the shards again before the next statement that needs them.
    func forgetShards() { known.shards.withLock { $0 = nil } }

    /// Returns the shards of the queue, which is made if it does not exist.
    func shards(within limit: Duration? = nil) async throws -> OutboxShards {
        if let shards = known.shards.withLock({ $0 }) { return shards }
        let isPower = wantedShards > 0 && wantedShards & (wantedShards - 1) == 0
        guard isPower, wantedShards <= 4096, (1...200).contains(queue.utf8.count), !queue.utf8.contains(0) else {
            throw NetKitError(
                .invalidConfiguration,
                "The outbox has the name \"\(queue)\" and \(wantedShards) shards. A name has 1 to 200 bytes, and the number "
                    + "of shards is a power of 2 up to 4096."
            )
        }
        let statement = Statement(
            "SELECT base, shards FROM netkit.open_1($1, $2)",
            .text(queue),
            .int4(Int32(clamping: wantedShards)),
            isRepeatable: true
        )
        let row = try await run(statement, within: limit).one()
        let shards = OutboxShards(base: try row.value("base"), count: try row.value("shards"))
        known.shards.withLock { $0 = shards }
        return shards
    }

    // MARK: - Ownership

    /// Renews the lease of this process.
    ///
    /// A queue that was dropped since, or is not in the backup that has replaced the database, is made again. Its
    /// shards have other numbers or fences, so that the process loses the earlier ones. It fails early enough to be
    /// repeated before the lease ends.
    func beat(lease: Duration) async throws -> ReplicaLease.Beat {
        let limit = lease / 4
        do {
            return try await beat(lease, within: limit)
        } catch let error as NetKitError where error.hasOtherShards {
            return try await beat(lease, within: limit)
        }
    }

    /// Renews the lease, and shortens those of other processes that end later than one of now would.
    ///
    /// All processes take leases of the same length, so such a lease began before the database's clock went back. A
    /// process that lives has renewed it by then.
    private func beat(_ lease: Duration, within limit: Duration) async throws -> ReplicaLease.Beat {
        _ = try await shards(within: limit)
        let process = ProcessInfo.processInfo
        let statement = Statement(
            """
            WITH bounded AS (
              UPDATE netkit.replica SET expires_at = clock_timestamp() + $3 WHERE id = ANY (ARRAY(
                SELECT r.id FROM netkit.replica r
                WHERE r.queue = $1 AND r.id <> $2 AND r.expires_at > clock_timestamp() + $3 FOR UPDATE SKIP LOCKED)))
            SELECT shards, fences, surplus, next_lapse, base, shard_count FROM netkit.beat_1($1, $2, $3, $4)
            """,
            .text(queue),
            .uuid(replica),
            .interval(lease),
            .text("\(process.hostName) \(process.processName) \(process.processIdentifier)")
        )
        let row = try await run(statement, on: .control, within: limit).one()
        let queueShards = OutboxShards(base: try row.value("base"), count: try row.value("shard_count"))
        known.shards.withLock { $0 = queueShards }
        let shards = try row.value("shards", as: [Int].self)
        let fences = try row.value("fences", as: [Int64].self)
        return ReplicaLease.Beat(
            shards: Dictionary(zip(shards, fences)) { first, _ in first },
            surplus: Set(try row.value("surplus", as: [Int].self)),
            nextLapse: try row.optional("next_lapse")
        )
    }

    /// Hands over some shards, or all of them with the lease, and tells the other processes to look for free shards.
    ///
    /// It uses the connection of the heartbeats, so that none of them takes effect after it.
    func leave(_ shards: Set<Int>?, within limit: Duration? = nil) async throws {
        let statement = Statement(
            "SELECT netkit.leave_1($1, $2, $3) AS number, pg_notify($4, $5)",
            .text(queue),
            .uuid(replica),
            shards.map { .int4s($0.sorted().map { Int32(clamping: $0) }) } ?? nil,
            .text(database.schema.channel(Self.topic)),
            .text(OutboxNotice.payload(queue: queue, freeFor: replica.uuidString)),
            isRepeatable: true
        )
        _ = try await run(statement, on: .control, within: limit)
    }

    // MARK: - Notices

    /// Tells the owners of shards that there is work.
    func notify(_ shards: Set<Int>) async throws {
        for payload in OutboxNotice.payloads(queue: queue, work: shards) { try await notify(payload) }
    }

    /// Tells the other processes to check whether they have too many shards.
    func notifyOfFreeShards() async throws {
        try await notify(OutboxNotice.payload(queue: queue, freeFor: replica.uuidString))
    }

    /// Sends a notification in a transaction of its own: those that notify are committed one after the other.
    private func notify(_ payload: String) async throws {
        let channel = database.schema.channel(Self.topic)
        _ = try await run(Statement("SELECT pg_notify($1, $2)", .text(channel), .text(payload)))
    }
}

extension NetKitError {
    /// Whether the queue was dropped or made again since its shards were read.
    var hasOtherShards: Bool { sqlState == Schema.otherShards }
}
