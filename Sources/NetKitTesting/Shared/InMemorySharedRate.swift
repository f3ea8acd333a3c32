public import NetKit

/// The permits of a rate limit in memory, which several clients share like replicas of a service.
///
/// ```swift
/// let rate = InMemorySharedRate(clock: time.clock)
/// let first = RateLimitInterceptor(permits: 100, per: .seconds(1), shared: rate.replica("a"))
/// let second = RateLimitInterceptor(permits: 100, per: .seconds(1), shared: rate.replica("b"))
/// ```
/// Each replica can be stopped, slowed down or cut off, to test the effect on its calls.
public final class InMemorySharedRate: Sendable {
    private struct Row {
        /// The time at which the bucket is full again.
        var fullAt = NetKitClock.Instant(nanoseconds: .min)
        /// The times at which replicas last used the bucket.
        var replicas: [Int: NetKitClock.Instant] = [:]
    }

    /// The time for which a replica counts after it has used a bucket.
    private static let memory = Duration.seconds(10)

    private let clock: NetKitClock
    private let rows = Locked<[String: Row]>([:])
    private let counts = Locked((replicas: 0, operations: 0))

    /// Creates a store whose buckets are full.
    ///
    /// - Parameter clock: The clock of the store.
    public init(clock: NetKitClock = .system) {
        self.clock = clock
    }

    /// Creates the store of another process.
    public func replica(_ label: String = "") -> Replica {
        let number = counts.withLock { counts in
            counts.replicas += 1
            return counts.replicas
        }
        return Replica(self, number: number, label: label)
    }

    /// The number of operations of all replicas.
    public var operationCount: Int { counts.withLock { $0.operations } }

    fileprivate func take(_ count: Int, from bucket: SharedRateBucket, by replica: Int) -> RateGrant {
        let now = clock.now
        counts.withLock { $0.operations += 1 }
        return rows.withLock { rows in
            var row = rows[bucket.key] ?? Row()
            row.replicas[replica] = now
            row.replicas = row.replicas.filter { $0.value.duration(to: now) < Self.memory }
            let interval = min(max(.nanoseconds(1), bucket.interval), .nanoseconds(Int64.max))
            // As in PostgreSQL. With a larger number, the time until the bucket is full could overflow.
            let burst = Int(Int32(clamping: bucket.burst))
            let start = max(row.fullAt, now)
            let room = interval * burst - now.duration(to: start)
            // In whole numbers, because a quotient of floating-point numbers can be just below a full bucket.
            let granted = max(0, min(count, Int(clamping: room.attoseconds / interval.attoseconds)))
            row.fullAt = start.advanced(by: interval * granted)
            rows[bucket.key] = row
            let rest = interval * burst - now.duration(to: row.fullAt)
            let wait = granted < count ? max(.nanoseconds(1), interval - rest) : .zero
            return RateGrant(count: granted, wait: wait, replicas: row.replicas.count)
        }
    }
}

extension InMemorySharedRate {
    /// The store of one of several processes.
    public final class Replica: SharedRate {
        /// The label that tests use to distinguish replicas.
        public let label: String
        private let rate: InMemorySharedRate
        private let number: Int
        private let faults: ReplicaFaults

        init(_ rate: InMemorySharedRate, number: Int, label: String) {
            (self.rate, self.number, self.label) = (rate, number, label)
            faults = ReplicaFaults(clock: rate.clock)
        }

        /// Pauses the replica, as if its process were stopped.
        ///
        /// Its calls wait for `resume()`.
        public func stop() { faults.stop() }

        /// Resumes a stopped replica.
        public func resume() { faults.resume() }

        /// Cuts the replica off from the store, so that every call fails, or connects it again.
        public func cutOff(_ isCutOff: Bool = true) { faults.cutOff(isCutOff) }

        /// Delays every call, by half of the time before it reaches the store and half after.
        public func slowDown(to delay: Duration) { faults.slowDown(to: delay) }

        /// Takes permits.
        public func take(_ count: Int, from bucket: SharedRateBucket) async throws -> RateGrant {
            try await faults.call { rate.take(count, from: bucket, by: number) }
        }
    }
}
