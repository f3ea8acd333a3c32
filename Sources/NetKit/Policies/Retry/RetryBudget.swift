public import Foundation
import Synchronization

/// A limit on the retries for each host, which prevents a storm of requests during an outage.
///
/// Each host has a bucket of tokens. A retry takes some of them, more after a transient failure than after throttling.
/// If there are too few, the failure is returned immediately. A success puts back the cost of its last retry, or one
/// token if it needed none. First attempts are never delayed, so that calls succeed as soon as the host recovers.
///
/// A bucket is shared by all calls of the clients that use the budget. Hosts with a full bucket take no memory. Of the
/// others, a bounded number is kept, and the least recently used are removed first.
public final class RetryBudget: Sendable {
    /// The number of tokens in a full bucket.
    public let maxTokens: Int
    /// The cost of a retry after a transient failure.
    public let transientCost: Int
    /// The cost of a retry after throttling (status 429).
    public let throttlingCost: Int

    /// Diagnostics about values out of range, one sentence each.
    let notes: [String]

    /// The buckets that are not full.
    private let buckets: Locked<RecentTable<Origin, RetryTokens>>
    /// The number of hosts with a bucket that is not full; if it is 0, a success has nothing to return.
    private let spentHosts = Atomic<Int>(0)

    /// Creates a budget with full buckets.
    ///
    /// - Parameters:
    ///   - maxTokens: The number of tokens in a full bucket. With 0 or less, no retry that costs tokens is allowed.
    ///   - transientCost: The cost of a retry after a transient failure. A value below 0 counts as 0.
    ///   - throttlingCost: The cost of a retry after throttling. A value below 0 counts as 0.
    ///   - maxHosts: The maximum number of remembered hosts. A value below 1 counts as 1.
    public init(maxTokens: Int = 500, transientCost: Int = 14, throttlingCost: Int = 5, maxHosts: Int = 1000) {
        var check = SettingCheck()
        self.maxTokens = check.count("maxTokens", maxTokens, in: 0 ... .max)
        self.transientCost = check.count("transientCost", transientCost, in: 0 ... .max)
        self.throttlingCost = check.count("throttlingCost", throttlingCost, in: 0 ... .max)
        buckets = Locked(RecentTable(maxCount: check.count("maxHosts", maxHosts, in: 1 ... .max)))
        notes = check.notes
    }

    /// Returns the number of tokens in the bucket of a URL's host.
    public func available(for url: URL) -> Int {
        guard let origin = Origin(url) else { return maxTokens }
        return buckets.withLock { $0[origin]?.available } ?? maxTokens
    }

    /// Takes the cost of a retry out of a host's bucket; `nil` if there is too little.
    func take(isThrottled: Bool, for url: URL) -> Int? {
        let cost = isThrottled ? throttlingCost : transientCost
        guard cost > 0 else { return 0 }
        guard cost <= maxTokens, let origin = Origin(url) else { return nil }
        let full = RetryTokens(maxTokens: maxTokens)
        return buckets.withLock { buckets in
            defer { spentHosts.store(buckets.count, ordering: .relaxed) }
            return buckets.withValue(of: origin, default: full) { $0.take(cost) } ? cost : nil
        }
    }

    /// Puts back the cost of a retry that was not made, or that succeeded.
    func giveBack(_ cost: Int, for url: URL) {
        guard cost > 0, spentHosts.load(ordering: .relaxed) > 0, let origin = Origin(url) else { return }
        buckets.withLock { buckets in
            let isFull = buckets.withExistingValue(of: origin) { tokens in
                tokens.giveBack(cost)
                return tokens.isFull
            }
            // A full bucket needs no place in the table.
            if isFull == true { buckets.remove(origin) }
            spentHosts.store(buckets.count, ordering: .relaxed)
        }
    }

    /// Puts back the cost of a call's last retry after a success, or one token if the cost is 0.
    func noteSuccess(holding cost: Int, for url: URL) { giveBack(max(1, cost), for: url) }
}

/// One bucket, which is never below zero or above its maximum.
struct RetryTokens: Sendable, Equatable {
    let maxTokens: Int
    private(set) var available: Int

    init(maxTokens: Int) {
        self.maxTokens = max(0, maxTokens)
        available = self.maxTokens
    }

    var isFull: Bool { available == maxTokens }

    /// Takes a cost.
    ///
    /// Returns `false`, and takes nothing, if there is too little.
    mutating func take(_ cost: Int) -> Bool {
        guard cost >= 0, cost <= available else { return false }
        available -= cost
        return true
    }

    mutating func giveBack(_ cost: Int) { available += min(max(0, cost), maxTokens - available) }
}
