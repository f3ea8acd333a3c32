import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a store that refuses invalidations for a while, or takes long.
@Suite(.timeLimit(.minutes(5)))
struct CacheFailedInvalidationTests {
    private struct Refused: Error {}

    private let refuses = Shared(false)
    private let it: CachedClient

    init() {
        let store = AnyCacheStore(MemoryCacheStore()) { [refuses] moment in
            if moment == .beforeInvalidating, refuses.withLock({ $0 }) { throw Refused() }
        }
        // The memory forgets the response, and the store behind it still has it.
        it = CachedClient(TieredCacheStore(store: store))
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=600"]) }
    }

    @Test func aResponseIsNotUsedBeforeItsInvalidationSucceeds() async throws {
        #expect(try await it.get().text == "1")
        #expect(try await it.get("/y").text == "2")
        refuses.withLock { $0 = true }
        _ = try await it.get(method: .put)
        #expect(try await it.get().text == "4")
        #expect(try await it.get().text == "5")
        #expect(try await it.get("/y").text == "2")
        refuses.withLock { $0 = false }
        #expect(try await it.get().text == "6")
        #expect(try await it.get().text == "6")
        #expect(it.sent == 6)
    }

    /// The store does not know of the other change, which the server may have carried out last.
    @Test func aResponseToAChangeIsNotStoredIfTheInvalidationOfAnotherOneFailed() async throws {
        let store = AnyCacheStore(MemoryCacheStore()) { [refuses] moment in
            if moment == .beforeInvalidating, refuses.withLock({ $0 }) { throw Refused() }
        }
        let it = CachedClient(store)
        it.transport.stub(
            .post,
            "/x",
            .text("posted").header("Content-Location", "x").header("Cache-Control", "max-age=600")
                .delayed(by: .seconds(5))
        )
        it.transport.stub(.put, "/x", .status(204))
        it.transport.stub(.get, "/x", .text("current"))
        let change = Task { try await it.get(method: .post).text }
        await it.time.waitForSleepers(1)
        refuses.withLock { $0 = true }
        _ = try await it.get(method: .put)
        refuses.withLock { $0 = false }
        it.time.advance(by: .seconds(5))
        #expect(try await change.value == "posted")
        #expect(try await it.get().text == "current")
    }

    @Test func afterTooManyFailuresTheStoreIsEmptied() async throws {
        #expect(try await it.get().text == "1")
        refuses.withLock { $0 = true }
        for number in 2...1_100 { _ = try await it.get("/\(number)", method: .put) }
        #expect(try await it.get().text == "1101")
        #expect(try await it.get().text == "1101")
    }

    /// A store that machines share can take long, and the call that changes the URL may end before.
    @Test func aResponseIsNotUsedWhileItsInvalidationIsUnderWay() async throws {
        let (isUnderWay, mayEnd) = (Promise<Void>(), Promise<Void>())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating else { return }
            isUnderWay.resolve(.success(()))
            try await mayEnd.value()
        }
        let tiers = TieredCacheStore(store: store)
        let it = CachedClient(tiers)
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=600"]) }
        #expect(try await it.get().text == "1")
        it.transport.stub(.put, "/x", .stalled)
        let options = CallOptions(timeout: .seconds(5))
        let change = Task { try await it.client.send(HTTPRequest(.put, "/x"), options: options) }
        await it.transport.waitForRequests(2)
        it.time.advance(by: .seconds(5))
        #expect(await outcome(of: change) == "timeout")
        try await isUnderWay.cancellableValue()
        #expect(tiers.memory.statistics.entryCount == 0)
        // The response of the first is not stored, because it could be one from before the change.
        for number in 2...3 { #expect(try await it.get().text == "\(number)") }
        mayEnd.resolve(.success(()))
    }

    @Test func aCallWaitsForItsInvalidationForASecondAtMost() async throws {
        let (isUnderWay, mayEnd) = (Promise<Void>(), Promise<Void>())
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating else { return }
            isUnderWay.resolve(.success(()))
            try await mayEnd.value()
        }
        let it = CachedClient(TieredCacheStore(store: store))
        it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=600"]) }
        let change = Task { try await it.get(method: .put).text }
        try await isUnderWay.cancellableValue()
        await it.time.waitForAlarms(1)
        it.time.advance(by: .seconds(1))
        #expect(try await change.value == "1")
        #expect(await it.cache.statistics.storeFailures == 1)
        mayEnd.resolve(.success(()))
    }
}
