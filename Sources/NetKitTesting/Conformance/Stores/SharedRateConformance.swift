import Foundation
public import NetKit

/// Tests a store of shared rate limits against every promise of `SharedRate`.
///
/// ```swift
/// let conformance = SharedRateConformance {
///     let name = UUID().uuidString
///     return { try await MyRate(name) }
/// }
///
/// @Test(arguments: SharedRateConformance.cases)
/// func passes(_ conformanceCase: SharedRateConformance.Case) async {
///     let result = await conformance.run(conformanceCase)
///     #expect(result.isKept, "\(result)")
/// }
/// ```
/// Each case begins with a separate, empty place. The cases judge times by one clock. A store with a clock of its own,
/// such as a database, is tested in real time. A store that takes a clock is tested at once, whatever the machine does,
/// with `TestClock(skipsSleeps: true)`; give its clock to the store and to the conformance tests.
public struct SharedRateConformance: Sendable {
    /// A case about a store of shared rate limits.
    public typealias Case = StoreConformanceCase<SharedRateTrial>
    /// A closure that returns another store over the same place, as the next process has it.
    public typealias Opener = @Sendable () async throws -> any SharedRate

    private let clock: NetKitClock
    private let makePlace: @Sendable () async throws -> Opener

    /// Creates the tests of a store.
    ///
    /// - Parameters:
    ///   - clock: The clock by which the stores' buckets fill; the system's one for a store with a clock of its own.
    ///   - makePlace: A closure that creates an empty place, such as a name, and returns a closure that makes stores
    ///     over it.
    public init(clock: NetKitClock = .system, makePlace: @escaping @Sendable () async throws -> Opener) {
        (self.clock, self.makePlace) = (clock, makePlace)
    }

    /// Tries one case.
    ///
    /// The run always ends, whatever the store does.
    public func run(_ conformanceCase: Case) async -> StoreConformanceResult {
        await conformanceCase.result(within: conformanceCase.timeLimit) {
            SharedRateTrial(open: try await makePlace(), clock: clock)
        }
    }
}

/// The context of a case, with an empty place for buckets.
public struct SharedRateTrial: Sendable {
    let open: SharedRateConformance.Opener
    let clock: NetKitClock

    /// Returns two stores over the place.
    func pair() async throws -> (any SharedRate, any SharedRate) { (try await open(), try await open()) }

    /// Takes all permits of a bucket, and returns the next grant and an instant by which the bucket was empty.
    ///
    /// It begins again if so much time passes meanwhile that a right store has another permit.
    fileprivate func drain(
        _ bucket: SharedRateBucket,
        _ first: any SharedRate,
        _ second: any SharedRate
    ) async throws -> (next: RateGrant, empty: NetKitClock.Instant) {
        while true {
            let start = clock.now
            _ = try await first.take(bucket.burst, from: bucket)
            let empty = clock.now
            let next = try await second.take(1, from: bucket)
            if next.count == 0 || start.duration(to: clock.now) < bucket.interval { return (next, empty) }
        }
    }
}

extension SharedRateBucket {
    /// A bucket that fills so slowly that a case sees nothing of it.
    fileprivate static func slow(_ key: String = "a", burst: Int = 10) -> SharedRateBucket {
        SharedRateBucket(key: key, interval: .seconds(60), burst: burst)
    }
}

extension SharedRateConformance {
    /// All cases.
    public static let cases: [Case] = [
        Case("take.burst", "A new bucket is full, and gives as many permits as it holds.") {
            let (first, second) = try await $0.pair()
            let one = try await first.take(4, from: .slow())
            try expect("permits", one.count, is: 4)
            try expect("no wait", one.wait, is: .zero)
            try expect("permits of the other", try await second.take(6, from: .slow()).count, is: 6)
            try expect("permits beyond", try await first.take(1, from: .slow()).count, is: 0)
        },
        Case("take.part", "If there are fewer permits than asked for, those are given, with a wait for another.") {
            let (first, second) = try await $0.pair()
            _ = try await first.take(7, from: .slow())
            let part = try await second.take(10, from: .slow())
            try expect("permits", part.count, is: 3)
            let isInTime = part.wait > .zero && part.wait <= .seconds(60)
            try expect("a wait of up to 60 s", isInTime, seen: "\(part.wait)")
        },
        Case("take.wait", "A bucket without enough permits says when there is another one.") {
            let (first, second) = try await $0.pair()
            let bucket = SharedRateBucket(key: "a", interval: .seconds(4), burst: 2)
            let refused = try await $0.drain(bucket, first, second).next
            try expect("permits", refused.count, is: 0)
            let isInTime = refused.wait > .zero && refused.wait <= .seconds(4)
            try expect("a wait of up to 4 s", isInTime, seen: "\(refused.wait)")
            try await $0.clock.sleep(for: refused.wait + .milliseconds(20))
            try expect("permits after the wait", try await second.take(1, from: bucket).count, is: 1)
        },
        Case("take.rest", "The wait for another permit becomes shorter while time passes.") {
            let (first, second) = try await $0.pair()
            _ = try await first.take(10, from: .slow())
            let whole = try await second.take(1, from: .slow())
            try await $0.clock.sleep(for: .milliseconds(300))
            let rest = try await second.take(1, from: .slow())
            try expect("permits", [whole.count, rest.count], is: [0, 0])
            let most = whole.wait - .milliseconds(250)
            try expect("a wait of up to \(most)", rest.wait <= most, seen: "\(rest.wait)")
        },
        Case("take.refused", "A process that asks in vain does not delay the next permit.") {
            let (store, clock) = (try await $0.open(), $0.clock)
            let bucket = SharedRateBucket(key: "a", interval: .seconds(4), burst: 2)
            let empty = try await $0.drain(bucket, store, store).empty
            var waited = Duration.zero
            // Not for a number of sleeps, because on a busy machine each of them can take any time.
            while waited < bucket.interval + .milliseconds(20) {
                try await clock.sleep(for: .milliseconds(100))
                waited = empty.duration(to: clock.now)
                if try await store.take(1, from: bucket).count == 1 { return }
            }
            throw ConformanceFailure.broken(expected: "a permit after 4 s", seen: "none after \(waited)")
        },
        Case("take.full", "A bucket fills up while no process asks, and never holds more than its burst.") {
            let (store, clock) = (try await $0.open(), $0.clock)
            let bucket = SharedRateBucket(key: "a", interval: .milliseconds(150), burst: 3)
            _ = try await store.take(1, from: bucket)
            try await clock.sleep(for: .milliseconds(900))
            let start = clock.now
            try expect("permits of a full bucket", try await store.take(3, from: bucket).count, is: 3)
            var count = 0
            for _ in 0..<20 { count += try await store.take(3, from: bucket).count }
            let most = Int(start.duration(to: clock.now) / bucket.interval) + 1
            try expect("at most \(most) permits beyond", count <= most, seen: "\(count)")
        },
        Case("take.keys", "Each key has its own bucket.") {
            let store = try await $0.open()
            _ = try await store.take(10, from: .slow("a"))
            try expect("permits of another key", try await store.take(10, from: .slow("b")).count, is: 10)
            try expect("permits of an empty key", try await store.take(10, from: .slow("")).count, is: 10)
        },
        Case("take.race", "Processes that ask at once never get more permits than there are.") {
            let (first, second) = try await $0.pair()
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    let store = number.isMultiple(of: 2) ? first : second
                    group.addTask { try await store.take(1 + number % 3, from: .slow(burst: 25)).count }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expect("permits", counts.reduce(0, +), is: 25)
        },
        Case("take.rate", "Over time, the permits are those of the burst and of the rate.") {
            let ((first, second), clock) = (try await $0.pair(), $0.clock)
            let bucket = SharedRateBucket(key: "a", interval: .milliseconds(5), burst: 400)
            let start = clock.now
            var count = try await first.take(400, from: bucket).count
            var filling = Duration.zero
            // Not for a time, in which a stall would leave too few takes to find a store that gives too much.
            for _ in 0..<75 {
                let last = clock.now
                try await clock.sleep(for: .milliseconds(8))
                // After a stall, the bucket is full. The time of the takes does not count, because the moments at which
                // the store gives the permits are unknown.
                filling += min(last.duration(to: clock.now), bucket.interval * bucket.burst)
                count += try await first.take(400, from: bucket).count + second.take(400, from: bucket).count
            }
            let least = 400 + Int(filling / bucket.interval) - 3
            let most = 400 + Int(start.duration(to: clock.now) / bucket.interval) + 1
            try expect("\(least) to \(most) permits", count >= least && count <= most, seen: "\(count)")
        },
        Case("take.replicas", "A grant counts the processes that use the bucket.") {
            let (first, second) = try await $0.pair()
            let alone = try await first.take(1, from: .slow()).replicas
            try expect("at least 1", alone >= 1, seen: "\(alone)")
            // The count may be a few seconds old.
            for _ in 0..<60 {
                _ = try await second.take(1, from: .slow())
                if try await first.take(1, from: .slow()).replicas == 2 { return }
                try await $0.clock.sleep(for: .milliseconds(100))
            }
            throw ConformanceFailure.broken(expected: "2 processes", seen: "another number, for 6 s")
        },
        Case("take.replicas-apart", "A grant does not count the processes that use other buckets.") {
            let (first, second) = try await $0.pair()
            _ = try await second.take(1, from: .slow("b"))
            let grant = try await first.take(1, from: .slow("a"))
            try expect("processes", grant.replicas, is: 1)
        },
    ]
}
