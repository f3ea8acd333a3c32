/// A store that counts the permits of a rate limit for several processes.
///
/// ```swift
/// RateLimitInterceptor(permits: 100, per: .seconds(1), shared: database.rate("crm"))
/// ```
/// A bucket fills at a steady rate by the store's clock, and every process takes its permits from it. Test a store of
/// your own with `SharedRateConformance` of `NetKitTesting`.
public protocol SharedRate: Sendable {
    /// Takes the available permits, up to a maximum number.
    ///
    /// One operation does it all, so that no other process takes the same permits.
    ///
    /// - Parameters:
    ///   - count: The number of permits, at least 1 and at most the bucket's `burst`.
    ///   - bucket: The bucket, which is full if it was never used.
    /// - Returns: The permits, and when there will be more.
    /// - Throws: The error that keeps the store from answering.
    func take(_ count: Int, from bucket: SharedRateBucket) async throws -> RateGrant
}

/// A bucket of permits that several processes share.
public struct SharedRateBucket: Sendable, Hashable {
    /// The name of the bucket in its store: a server such as `https://api.example.com`, or an empty text for all calls.
    public let key: String
    /// The time after which there is one more permit.
    public let interval: Duration
    /// The number of permits that the bucket holds.
    public let burst: Int

    /// Creates a bucket.
    public init(key: String, interval: Duration, burst: Int) {
        (self.key, self.interval, self.burst) = (key, interval, burst)
    }
}

/// The permits that a process gets from a bucket.
public struct RateGrant: Sendable, Hashable {
    /// The number of permits; fewer than the process asked for if there were no more.
    public var count: Int
    /// The time until there is another permit, if there were too few.
    public var wait: Duration
    /// The number of processes that have lately used the bucket, this one included.
    public var replicas: Int

    /// Creates a grant.
    public init(count: Int, wait: Duration = .zero, replicas: Int = 1) {
        (self.count, self.wait, self.replicas) = (count, wait, replicas)
    }
}
