import Foundation
import NetKit
import NetKitTesting

/// A store of rate limits in memory, whose operation is replaced.
struct WrongSharedRate: SharedRate {
    /// The buckets of a place and the processes that use them.
    struct Place: Sendable {
        let clock: NetKitClock
        let rate: InMemorySharedRate
        let buckets = Shared<[String: WrongRateBucket]>([:])
        let users = Shared<Set<UUID>>([])

        init(clock: NetKitClock) { (self.clock, rate) = (clock, InMemorySharedRate(clock: clock)) }
    }

    typealias Take = @Sendable (WrongSharedRate, Int, SharedRateBucket) async throws -> RateGrant

    let place: Place
    let right: InMemorySharedRate.Replica
    let name = UUID()
    let onTake: Take

    func take(_ count: Int, from bucket: SharedRateBucket) async throws -> RateGrant {
        try await onTake(self, count, bucket)
    }

    /// Takes permits from a bucket with a fault of its own.
    func take(_ count: Int, from bucket: SharedRateBucket, ofKind kind: WrongRateBucket.Kind) async throws -> RateGrant
    {
        var grant = try await right.take(count, from: bucket)
        let now = place.clock.now
        (grant.count, grant.wait) = place.buckets.withLock { buckets in
            buckets[bucket.key, default: WrongRateBucket(fullAt: now)].take(count, bucket, kind, at: now)
        }
        return grant
    }
}

/// A bucket of a store with a fault.
struct WrongRateBucket: Sendable {
    enum Kind: Sendable {
        /// The bucket keeps filling while it is full.
        case boundless
        /// The bucket begins a new interval each time it is asked.
        case restarting
        case right
    }

    var fullAt: NetKitClock.Instant

    mutating func take(
        _ count: Int,
        _ bucket: SharedRateBucket,
        _ kind: Kind,
        at now: NetKitClock.Instant
    ) -> (count: Int, wait: Duration) {
        let size = bucket.interval * bucket.burst
        let start = kind == .boundless ? fullAt : max(fullAt, now)
        let granted = max(0, min(count, bucket.permits(in: size - now.duration(to: start))))
        fullAt = start.advanced(by: bucket.interval * granted)
        if kind == .restarting {
            let whole = bucket.permits(in: size - now.duration(to: fullAt))
            fullAt = now.advanced(by: bucket.interval * (bucket.burst - whole))
        }
        let rest = size - now.duration(to: fullAt)
        return (granted, granted < count ? bucket.interval - rest : .zero)
    }
}

/// A fault of a store of rate limits and the cases that have to detect it; the other cases do not.
struct SharedRateFault: Sendable, CustomStringConvertible {
    let description: String
    let brokenCases: Set<String>
    private let onTake: WrongSharedRate.Take

    init(_ description: String, breaks cases: Set<String>, _ onTake: @escaping WrongSharedRate.Take) {
        (self.description, brokenCases, self.onTake) = (description, cases, onTake)
    }

    /// The conformance tests of stores with the fault, in virtual time.
    var conformance: SharedRateConformance {
        let clock = TestClock(skipsSleeps: true).clock
        return SharedRateConformance(clock: clock) { [onTake] in
            let place = WrongSharedRate.Place(clock: clock)
            return { WrongSharedRate(place: place, right: place.rate.replica(), onTake: onTake) }
        }
    }

    static let all = counting + filling + waiting
}

extension SharedRateBucket {
    fileprivate func changed(key: String? = nil, interval: Duration? = nil, burst: Int? = nil) -> SharedRateBucket {
        SharedRateBucket(key: key ?? self.key, interval: interval ?? self.interval, burst: burst ?? self.burst)
    }

    /// Returns the number of permits for a time, in whole numbers, because a quotient of floating-point numbers can be
    /// just below one.
    fileprivate func permits(in time: Duration) -> Int { Int(time.attoseconds / interval.attoseconds) }
}

extension SharedRateFault {
    static let counting: [SharedRateFault] = [
        SharedRateFault(
            "holds a permit less than its burst",
            breaks: ["take.burst", "take.part", "take.full", "take.keys", "take.race"]
        ) { store, count, bucket in
            try await store.right.take(count, from: bucket.changed(burst: bucket.burst - 1))
        },
        SharedRateFault(
            "gives all permits of a bucket or none",
            breaks: ["take.part", "take.rate"]
        ) { store, count, bucket in
            let grant = try await store.right.take(count, from: bucket)
            let isRefused = count == bucket.burst && grant.count < count
            return isRefused ? RateGrant(count: 0, wait: bucket.interval, replicas: grant.replicas) : grant
        },
        SharedRateFault(
            "gives a permit more than there is",
            breaks: [
                "take.burst", "take.part", "take.wait", "take.rest", "take.full", "take.race", "take.rate",
            ]
        ) { store, count, bucket in
            var grant = try await store.right.take(count, from: bucket)
            grant.count = min(count, grant.count + 1)
            return grant
        },
        SharedRateFault("looks at a bucket before it takes from it", breaks: ["take.race"]) { store, count, bucket in
            var grant = try await store.right.take(1, from: bucket)
            let now = store.place.clock.now
            var seen = store.place.buckets.withLock { $0[bucket.key] } ?? WrongRateBucket(fullAt: now)
            // In real time, so that other takes come between the look and this one.
            try await NetKitClock.system.sleep(for: .milliseconds(1))
            (grant.count, grant.wait) = seen.take(count, bucket, .right, at: now)
            store.place.buckets.withLock { [seen] in $0[bucket.key] = seen }
            return grant
        },
        SharedRateFault(
            "has one bucket for all keys",
            breaks: ["take.keys", "take.replicas-apart"]
        ) { store, count, bucket in
            try await store.right.take(count, from: bucket.changed(key: "one"))
        },
        SharedRateFault(
            "counts no processes",
            breaks: ["take.replicas", "take.replicas-apart"]
        ) { store, count, bucket in
            var grant = try await store.right.take(count, from: bucket)
            grant.replicas = 0
            return grant
        },
        SharedRateFault("counts only its own process", breaks: ["take.replicas"]) { store, count, bucket in
            var grant = try await store.right.take(count, from: bucket)
            grant.replicas = 1
            return grant
        },
        SharedRateFault("counts the processes of all buckets", breaks: ["take.replicas-apart"]) {
            store,
            count,
            bucket in
            var grant = try await store.right.take(count, from: bucket)
            grant.replicas = store.place.users.withLock { users in
                users.insert(store.name)
                return users.count
            }
            return grant
        },
    ]

    static let filling: [SharedRateFault] = [
        SharedRateFault("keeps filling a full bucket", breaks: ["take.full"]) { store, count, bucket in
            try await store.take(count, from: bucket, ofKind: .boundless)
        },
        SharedRateFault(
            "begins a new interval each time it is asked",
            breaks: ["take.rest", "take.refused", "take.rate"]
        ) { store, count, bucket in
            try await store.take(count, from: bucket, ofKind: .restarting)
        },
        SharedRateFault("fills a bucket twice as fast", breaks: ["take.rate"]) { store, count, bucket in
            try await store.right.take(count, from: bucket.changed(interval: bucket.interval / 2))
        },
        SharedRateFault(
            "fills a bucket half as fast",
            breaks: ["take.part", "take.wait", "take.refused", "take.rate"]
        ) { store, count, bucket in
            try await store.right.take(count, from: bucket.changed(interval: bucket.interval * 2))
        },
    ]

    static let waiting: [SharedRateFault] = [
        SharedRateFault(
            "knows no waits",
            breaks: ["take.wait", "take.part", "take.rest"]
        ) { store, count, bucket in
            var grant = try await store.right.take(count, from: bucket)
            grant.wait = .zero
            return grant
        },
        SharedRateFault("gives some permits without a wait", breaks: ["take.part"]) { store, count, bucket in
            var grant = try await store.right.take(count, from: bucket)
            if grant.count > 0 { grant.wait = .zero }
            return grant
        },
        SharedRateFault("always lets wait for a whole interval", breaks: ["take.rest"]) { store, count, bucket in
            var grant = try await store.right.take(count, from: bucket)
            if grant.count < count { grant.wait = bucket.interval }
            return grant
        },
    ]
}
