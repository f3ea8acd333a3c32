import Foundation
import NetKit
import NetKitTesting
import Testing

struct CacheServiceTests {
    private let time = TestClock()

    private func reason(_ cache: CacheService, _ key: String) async -> CacheMiss? {
        let error = await #expect(throws: NetKitError.self) { try await cache.get(key: key, as: Int.self) }
        #expect(error?.code == .cacheMiss)
        return error?.cause as? CacheMiss
    }

    @Test func keepsValuesForATime() async throws {
        let cache = CacheService(clock: time.clock)
        try await cache.set(key: "a", value: [1, 2], ttl: .seconds(10))
        try await cache.set(key: "b", value: "text")
        #expect(try await cache.get(key: "a", as: [Int].self) == [1, 2])
        time.advance(by: .seconds(10))
        for _ in 0..<2 { #expect(await reason(cache, "a") == .expired) }
        time.advance(by: .seconds(3589))
        #expect(try await cache.get(key: "b", as: String.self) == "text")
        time.advance(by: .seconds(1))
        #expect(await reason(cache, "b") == .expired)
        #expect(await reason(cache, "c") == .absent)
    }

    @Test func aValueThatIsSetWhileAnExpiredOneIsReadStays() async throws {
        let memory = MemoryCacheStore()
        let cache = CacheService(store: memory, clock: time.clock)
        let reads = Notebook<Int>()
        let store = AnyCacheStore(memory) { moment in
            guard moment == .afterReading else { return }
            reads.add(1)
            if reads.count == 1 { try await cache.set(key: "a", value: 2) }
        }
        let reader = CacheService(store: store, clock: time.clock)
        try await cache.set(key: "a", value: 1, ttl: .seconds(10))
        time.advance(by: .seconds(10))
        #expect(await reason(reader, "a") == .expired)
        #expect(try await reader.get(key: "a", as: Int.self) == 2)
    }

    @Test func forgetsOnRequest() async throws {
        let cache = CacheService(clock: time.clock)
        for key in ["a", "b"] { try await cache.set(key: key, value: 1) }
        try await cache.remove(key: "a")
        #expect(await reason(cache, "a") == .absent)
        #expect(try await cache.get(key: "b", as: Int.self) == 1)
        try await cache.clear()
        #expect(await reason(cache, "b") == .absent)
    }

    @Test func aValueOfAnotherTypeIsADecodingError() async throws {
        let cache = CacheService(clock: time.clock)
        try await cache.set(key: "a", value: "text")
        let error = await #expect(throws: NetKitError.self) { try await cache.get(key: "a", as: Int.self) }
        #expect(error?.code == .decoding)
        let encoding = await #expect(throws: NetKitError.self) { try await cache.set(key: "a", value: Double.nan) }
        #expect(encoding?.code == .encoding)
    }

    @Test func aDateKeepsAllOfItsDigitsUnlessACoderIsGiven() async throws {
        let date = Date(timeIntervalSinceReferenceDate: 789_012_345.123_456_7)
        let cache = CacheService(clock: time.clock)
        try await cache.set(key: "a", value: date)
        #expect(try await cache.get(key: "a", as: Date.self) == date)
        let other = CacheService(clock: time.clock, coder: .standard)
        try await other.set(key: "a", value: date)
        #expect(try await other.get(key: "a", as: Date.self) == Date(timeIntervalSinceReferenceDate: 789_012_345))
    }

    @Test func lastsOnDiskWithItsOwnTime() async throws {
        let folder = try TemporaryFolder()
        let first = CacheService(store: DiskCacheStore(directory: folder.url), clock: time.clock)
        try await first.set(key: "a", value: 1, ttl: .seconds(10))
        try await first.set(key: "b", value: 2, ttl: .seconds(20))
        time.advance(by: .seconds(15))
        let next = CacheService(store: DiskCacheStore(directory: folder.url), clock: time.clock)
        #expect(await reason(next, "a") == .expired)
        #expect(try await next.get(key: "b", as: Int.self) == 2)
    }

    @Test func aClockThatIsSetBackByMoreThanItsLifetimeEndsAValue() async throws {
        let store = MemoryCacheStore()
        let cache = CacheService(store: store, clock: time.clock)
        for (key, lead) in [("a", 10.0), ("b", 9.0), ("c", 1e9)] {
            let ahead = TestClock(date: time.date.addingTimeInterval(lead))
            try await CacheService(store: store, clock: ahead.clock).set(key: key, value: 1, ttl: .seconds(10))
        }
        #expect(await reason(cache, "a") == .expired)
        #expect(try await cache.get(key: "b", as: Int.self) == 1)
        #expect(await reason(cache, "c") == .expired)
    }

    @Test func scopesAreApartOverOneStore() async throws {
        let store = MemoryCacheStore()
        let caches = ["x", "y"].map { CacheService(store: store, scope: $0, clock: time.clock) }
        try await caches[0].set(key: "a", value: 1)
        #expect(await reason(caches[1], "a") == .absent)
    }

    @Test func keepsFiftyValuesByDefault() async throws {
        let cache = CacheService(clock: time.clock)
        for number in 0..<200 { try await cache.set(key: "\(number)", value: number) }
        #expect(await cache.store.statistics.entryCount == 50)
    }

    /// A store that has just been opened does not know what is in its folder.
    @Test func aRemovedValueLeavesNoBytesOnTheDisk() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.file("cache")
        func holdsValue() throws -> Bool {
            let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
            return try files?.contains { file in
                guard let file = file as? URL, !file.hasDirectoryPath else { return false }
                return try Data(contentsOf: file).range(of: Data("Ada of the disk".utf8)) != nil
            } ?? false
        }
        try await CacheService(store: DiskCacheStore(directory: directory)).set(key: "user", value: "Ada of the disk")
        #expect(try holdsValue())
        try await CacheService(store: DiskCacheStore(directory: directory)).remove(key: "user")
        #expect(try !holdsValue())
    }

    /// The previous value would be a wrong one.
    @Test func aValueThatIsTooLargeLeavesNone() async throws {
        let cache = CacheService(store: MemoryCacheStore(maxBytes: 100_000), clock: time.clock)
        try await cache.set(key: "a", value: 1)
        #expect(try await cache.get(key: "a", as: Int.self) == 1)
        try await cache.set(key: "a", value: String(repeating: "x", count: 50_000))
        #expect(await reason(cache, "a") == .absent)
    }
}
