import Foundation
public import NetKit

extension Postgres {
    /// Returns the store of a rate limit that the processes of the database share.
    ///
    /// ```swift
    /// RateLimitInterceptor(permits: 100, per: .seconds(1), shared: database.rate("crm"))
    /// ```
    /// - Parameter name: The name of the limit, without the character 0; limits with the same name share their permits.
    /// - Returns: The store.
    public func rate(_ name: String) -> PostgresRate { PostgresRate(self, name: name) }
}

/// A store of rate limits in a PostgreSQL database, which the replicas of a service share.
///
/// `Postgres.rate(_:)` returns one. Its table is unlogged, so that it costs little. After a crash of the server, every
/// bucket is full. A bucket that has been full for a day is removed, which makes no difference to its next use.
public final class PostgresRate: SharedRate {
    private struct Users {
        var count: Int
        let nextLook: NetKitClock.Instant
    }

    /// The time after which the processes that use a bucket are counted again.
    private static let lookInterval = Duration.seconds(5)
    /// The number of new buckets after which those that were not used lately are forgotten.
    private static let maxGrowth = 1024
    /// The time after which a process again removes buckets that are not used anymore.
    private static let removalInterval = Duration.seconds(3600)
    /// The maximum number of buckets that one statement removes.
    private static let maxRemoved = 10_000

    private let database: Postgres
    private let name: String
    private let replica = UUID()
    private let users = Locked<[String: Users]>([:])

    init(_ database: Postgres, name: String) {
        (self.database, self.name) = (database, name)
    }

    /// Takes permits with one statement.
    public func take(_ count: Int, from bucket: SharedRateBucket) async throws -> RateGrant {
        let key = "\(name)\n\(bucket.key)"
        // PostgreSQL counts microseconds. Rounding up keeps the limit.
        let step = Duration.microseconds((max(1, bucket.interval.clampedNanoseconds) - 1) / 1000 + 1)
        let statement = Statement(
            "SELECT granted, wait FROM netkit.take_1($1, $2, $3, $4)",
            .text(key),
            .interval(step),
            .int4(Int32(clamping: bucket.burst)),
            .int4(Int32(clamping: count))
        )
        let row = try await database.run(statement).one()
        return RateGrant(
            count: try row.value("granted"),
            wait: try row.optional("wait") ?? .zero,
            replicas: try await userCount(of: key)
        )
    }

    /// Returns the number of processes that use a bucket, as it was found within the last seconds.
    private func userCount(of key: String) async throws -> Int {
        let now = database.clock.now
        let (known, isDue) = users.withLock { all in
            let users = all[key]
            if let users, now < users.nextLook { return (users.count, false) }
            if users == nil, all.count.isMultiple(of: Self.maxGrowth) {
                all = all.filter { now < $0.value.nextLook }
            }
            let count = users?.count ?? 1
            all[key] = Users(count: count, nextLook: now.advanced(by: Self.lookInterval))
            return (count, true)
        }
        guard isDue else { return known }
        removeUnusedIfDue()
        // The permits are taken already, and would be lost with an error. An old count does less harm.
        let rows = try? await database.run(
            Statement("SELECT netkit.use_rate_1($1, $2) AS users", .text(key), .uuid(replica), isRepeatable: true)
        )
        guard let count = try rows?.first?.value("users", as: Int.self) else { return known }
        users.withLock { $0[key]?.count = max(1, count) }
        return max(1, count)
    }

    /// Removes buckets that have been full for a day, at most once an hour, without delaying the call that starts it.
    private func removeUnusedIfDue() {
        let now = database.clock.now
        let isDue = database.nextRateRemoval.withLock { next in
            if let time = next, now < time { return false }
            next = now.advanced(by: Self.removalInterval)
            return true
        }
        guard isDue else { return }
        // The task ends with its statements, which have time limits.
        _ = startImmediately { [database] in
            while let gone = try? await database.run(Self.removal).one().value("gone", as: Int.self),
                gone >= Self.maxRemoved
            {}
        }
    }

    /// The statement that removes a portion of the buckets that have been full for a day, and of the notes about the
    /// processes that used a bucket.
    ///
    /// The rows that are found stay where they are until they are removed, because they are locked.
    private static let removal = Statement(
        """
        WITH filled AS (
          DELETE FROM netkit.rate WHERE ctid = ANY (ARRAY(
            SELECT r.ctid FROM netkit.rate r WHERE r.full_at < clock_timestamp() - interval '1 day'
            LIMIT $1 FOR UPDATE SKIP LOCKED
          )) RETURNING 1
        ), unseen AS (
          DELETE FROM netkit.rate_user WHERE ctid = ANY (ARRAY(
            SELECT u.ctid FROM netkit.rate_user u WHERE u.seen_at < clock_timestamp() - interval '1 day'
            LIMIT $1 FOR UPDATE SKIP LOCKED
          )) RETURNING 1
        )
        SELECT greatest((SELECT count(*) FROM filled), (SELECT count(*) FROM unseen)) AS gone
        """,
        .int8(Int64(maxRemoved)),
        isRepeatable: true,
        endsPipeline: true
    )
}
