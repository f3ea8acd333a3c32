import NetKit

/// The statements that remove entries in portions.
extension PostgresCacheStore {
    /// The maximum number of entries in a portion, which one statement removes.
    static let maxRemoved = 1000
    /// The number of bytes after which a portion has no further entries.
    private static let maxRemovedBytes = 64 << 20
    /// The time limit for the removal of entries above the bound, which reads the sizes of all entries.
    private static let trimLimit = Duration.seconds(60)

    /// The statement that removes a portion of the expired entries.
    ///
    /// It compares with `now()`, because `clock_timestamp()` is volatile, so that the index could not be used.
    static let removalOfExpired = Statement(
        removal(of: "c.drop_after < now()", returning: "count(*) AS gone"),
        .int8(Int64(maxRemoved)),
        isRepeatable: true,
        endsPipeline: true
    )

    /// Returns the text of a statement that removes a portion of the entries that meet a condition.
    ///
    /// The array is made once; a join could read the selection again, which then has further entries.
    static func removal(of condition: String, returning result: String) -> String {
        """
        WITH portion AS MATERIALIZED (
          SELECT c.key, c.size FROM netkit.cache c WHERE \(condition) LIMIT $1 FOR UPDATE SKIP LOCKED
        ), gone AS (
          DELETE FROM netkit.cache WHERE key = ANY (ARRAY(
            SELECT s.key FROM (
              SELECT p.key, sum(p.size::bigint) OVER (ORDER BY p.key) - p.size AS size_before FROM portion p
            ) s WHERE s.size_before < \(maxRemovedBytes)
          )) RETURNING key
        ) SELECT \(result) FROM gone
        """
    }

    /// Removes expired entries, and then the oldest entries above the bound; returns the number of the latter.
    ///
    /// Each portion takes a short time, because one that takes too long is rolled back, and so would the next one. The
    /// bound is enforced even if a portion fails. No caller waits for the removal, so an error is an event.
    static func trim(_ database: Postgres, to maxBytes: Int64) async throws -> Int {
        try? await noting(on: database) {
            while try await database.run(removalOfExpired).one().value("gone", as: Int.self) > 0 {}
        }
        let trim = Statement(
            "SELECT netkit.trim_cache_1($1) AS evicted",
            .int8(maxBytes),
            isRepeatable: true,
            endsPipeline: true
        )
        return try await noting(on: database) {
            try await database.run(trim, within: trimLimit).one().value("evicted")
        }
    }

    /// Performs a part of a removal, and reports why it failed.
    ///
    /// The database itself reports that it could not be reached, or was closed.
    private static func noting<Success>(
        on database: Postgres,
        _ part: () async throws -> Success
    ) async throws -> Success {
        do {
            return try await part()
        } catch let error as NetKitError {
            if error.outcome != .notSent, error.code != .closed { database.note(.cacheNotTrimmed, error) }
            throw error
        }
    }
}
