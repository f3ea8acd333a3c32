import NetKit

/// The number of shards that are listed with one statement, so that none of them takes long.
///
/// It begins small: a statement about many shards with many lanes could take longer than a statement may, each time.
struct OutboxSliceSize: Sendable {
    /// The numbers of entries of one statement between which the number of its shards stays the same.
    private static let entries = 500...4000
    private static let maxShards = 256

    /// The number of shards of the next statement.
    private(set) var shardCount = 8

    /// Notes the number of entries that a statement about some shards has returned, and whether it was quick.
    mutating func note(_ entryCount: Int, of count: Int, isQuick: Bool) {
        if entryCount > Self.entries.upperBound {
            shardCount = max(1, count / 2)
        } else if entryCount < Self.entries.lowerBound, isQuick, count >= shardCount {
            shardCount = min(Self.maxShards, shardCount * 2)
        }
    }

    /// Notes that a statement about some shards took too long, and returns whether one about fewer can be tried.
    mutating func noteTimeout(of count: Int) -> Bool {
        guard count > 1 else { return false }
        shardCount = min(shardCount, count / 2)
        return true
    }
}

extension NetKitError {
    /// Whether a statement took too long, for this process or for the server.
    var isOfSlowStatement: Bool { code == .timeout || (cause as? PostgresFailure)?.isCancellation == true }
}
