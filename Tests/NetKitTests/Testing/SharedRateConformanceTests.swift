import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// Tests of every case over the store in memory, and of each case with a store that must fail it.
@Suite(.needsTheMachine)
struct SharedRateConformanceTests {
    typealias Conformance = SharedRateConformance

    private static func conformance(
        _ wrap: @escaping @Sendable (any SharedRate) -> any SharedRate = { $0 }
    ) -> Conformance {
        Conformance {
            let rate = InMemorySharedRate()
            return { wrap(rate.replica()) }
        }
    }

    @Test(arguments: Conformance.cases)
    func inMemory(_ conformanceCase: Conformance.Case) async {
        let result = await Self.conformance().run(conformanceCase)
        #expect(result.verdict == .kept, "\(result)")
    }

    /// A store with one fault.
    private struct Wrong: SharedRate {
        let inner: any SharedRate
        let onTake: @Sendable (any SharedRate, Int, SharedRateBucket) async throws -> RateGrant

        init(
            _ inner: any SharedRate,
            _ onTake: @escaping @Sendable (any SharedRate, Int, SharedRateBucket) async throws -> RateGrant
        ) {
            (self.inner, self.onTake) = (inner, onTake)
        }

        func take(_ count: Int, from bucket: SharedRateBucket) async throws -> RateGrant {
            try await onTake(inner, count, bucket)
        }
    }

    private static func smaller(_ bucket: SharedRateBucket, key: String? = nil, burst: Int? = nil) -> SharedRateBucket {
        SharedRateBucket(key: key ?? bucket.key, interval: bucket.interval, burst: burst ?? bucket.burst)
    }

    /// The faults by the case that finds each.
    private static let faults: [String: @Sendable (any SharedRate) -> Wrong] = [
        "take.burst": { Wrong($0) { try await $0.take($1, from: smaller($2, burst: $2.burst - 1)) } },
        "take.part": {
            Wrong($0) { store, count, bucket in
                // It takes all permits or none.
                let grant = try await store.take(count, from: bucket)
                return grant.count == count ? grant : RateGrant(count: 0, wait: bucket.interval)
            }
        },
        "take.wait": {
            Wrong($0) { store, count, bucket in
                var grant = try await store.take(count, from: bucket)
                grant.wait = .zero
                return grant
            }
        },
        "take.full": { Wrong($0) { try await $0.take($1, from: smaller($2, burst: 1_000)) } },
        "take.keys": { Wrong($0) { try await $0.take($1, from: smaller($2, key: "one")) } },
        "take.race": {
            Wrong($0) { store, count, bucket in
                let grant = try await store.take(1, from: bucket)
                return RateGrant(count: grant.count * count)
            }
        },
        "take.rate": {
            Wrong($0) { store, count, bucket in
                var grant = try await store.take(count, from: bucket)
                grant.count = min(count, grant.count + 10)
                return grant
            }
        },
        "take.replicas": {
            Wrong($0) { store, count, bucket in
                var grant = try await store.take(count, from: bucket)
                grant.replicas = 0
                return grant
            }
        },
    ]

    @Test(arguments: Conformance.cases)
    func eachCaseFindsItsFault(_ conformanceCase: Conformance.Case) async throws {
        let fault = try #require(Self.faults[conformanceCase.name])
        let result = await Self.conformance { fault($0) }.run(conformanceCase)
        #expect(result.verdict == .broken, "\(result)")
    }
}
