import Foundation
import Testing

@testable import NetKit

struct MemoryCacheStoreTests {
    private let store = MemoryCacheStore(maxBytes: 1 << 20)
    private let head = CacheHead(.response(.test(["A": "1"])))

    private func key(_ number: Int) -> CacheKey { CacheKey(["\(number)"], secret: store.secret) }

    @Test func keepsWrittenEntries() async throws {
        store.write(key(1), head, body: Data("abc".utf8))
        #expect(store.read(key(1))?.body.data == Data("abc".utf8))
        #expect(store.read(key(2)) == nil)
        store.remove(key(1))
        #expect(store.read(key(1)) == nil)
        store.write(key(1), head, body: Data())
        store.removeAll()
        #expect(store.statistics == CacheStoreStatistics())
    }

    @Test func aBodyInPiecesIsStoredOnceItIsComplete() async throws {
        let writer = try #require(store.write(key(1), head, length: nil))
        try await writer.append(Data("ab".utf8))
        #expect(store.read(key(1)) == nil)
        try await writer.append(Data("cd".utf8))
        try await writer.commit()
        #expect(store.read(key(1))?.body.data == Data("abcd".utf8))
        let other = try #require(store.write(key(1), head, length: 2))
        try await other.append(Data("xy".utf8))
        other.abort()
        try await other.commit()
        #expect(store.read(key(1))?.body.data == Data("abcd".utf8))
    }

    /// A reader that leaves ends the body while another thread adds to it.
    @Test func abortedBodiesLeaveNoReservation() async throws {
        for number in 0..<500 {
            let writer = try #require(store.write(key(number), head, length: nil))
            async let added: Void = { for _ in 0..<8 { try await writer.append(Data(count: 512)) } }()
            async let aborted: Void = { writer.abort() }()
            _ = try await (added, aborted)
        }
        #expect(store.statistics.byteCount == 0)
    }

    @Test func aBodyThatIsTooLargeIsNotKept() async throws {
        #expect(store.write(key(1), head, length: 1 << 20) == nil)
        let writer = try #require(store.write(key(1), head, length: nil))
        for _ in 0..<40 { try await writer.append(Data(count: 10_000)) }
        try await writer.commit()
        #expect(store.read(key(1)) == nil)
        store.write(key(2), head, body: Data(count: 1 << 19))
        #expect(store.read(key(2)) == nil)
    }

    /// Bodies that are being written are bounded too, however many write at once.
    @Test func writersShareABound() async throws {
        let writers = (0..<10).compactMap { store.write(key($0), head, length: nil) }
        for writer in writers { try await writer.append(Data(count: 200_000)) }
        for writer in writers { try await writer.commit() }
        #expect((0..<10).filter { store.read(key($0)) != nil }.count == 2)
        // The space of abandoned bodies is free again.
        let writer = try #require(store.write(key(11), head, length: nil))
        try await writer.append(Data(count: 200_000))
        try await writer.commit()
        #expect(store.read(key(11)) != nil)
    }

    /// Entries make room for bodies that are being written, and come back when these are given up.
    @Test func theBoundIncludesBodiesThatAreBeingWritten() async throws {
        for number in 0..<10 { store.write(key(number), head, body: Data(count: 100_000)) }
        let before = store.statistics
        #expect(before.entryCount == 10)
        let writers = (10..<12).compactMap { store.write(key($0), head, length: nil) }
        for writer in writers { try await writer.append(Data(count: 200_000)) }
        #expect(store.statistics.byteCount <= 1 << 20)
        #expect((4...7).contains(store.statistics.entryCount))
        for number in 20..<30 { store.write(key(number), head, body: Data(count: 100_000)) }
        #expect(store.statistics.byteCount <= 1 << 20)
        store.removeAll()
        #expect(store.statistics.byteCount == 400_000)
        for writer in writers { writer.abort() }
        #expect(store.statistics == CacheStoreStatistics())
    }

    @Test func anUpdateFindsOnlyTheBodyItBelongsTo() {
        store.write(key(1), head, body: Data("abc".utf8))
        store.update(key(1), CacheHead(.response(.test(["A": "2"]))))
        #expect(store.read(key(1))?.head.response?.headers["A"] == "2")
        #expect(store.read(key(1))?.body.data == Data("abc".utf8))
        let other = StoredResponse.test(["A": "3"], bodyID: 8)
        store.update(key(1), CacheHead(.response(other)))
        store.update(key(2), CacheHead(.response(other)))
        #expect(store.read(key(1))?.head.response?.headers["A"] == "2")
        #expect(store.read(key(2)) == nil)
    }

    @Test func anOlderExchangeDoesNotReplaceAnEntryThatANewerOneHasConfirmed() {
        store.write(key(1), head, body: Data("abc".utf8), token: store.token(for: key(1)))
        let (older, newer) = (store.token(for: key(1)), store.token(for: key(1)))
        store.update(key(1), CacheHead(.response(.test(["A": "2"]))), token: newer)
        #expect(store.write(key(1), head, body: Data("old".utf8), token: older) == false)
        #expect(store.read(key(1))?.head.response?.headers["A"] == "2")
        #expect(store.read(key(1))?.body.data == Data("abc".utf8))
    }

    @Test func anOlderExchangeDoesNotTakeThePlaceOfANewerOneThatWasEvicted() {
        let store = MemoryCacheStore(maxEntries: 1)
        let (older, newer) = (store.token(for: key(1)), store.token(for: key(1)))
        #expect(store.write(key(1), head, body: Data("new".utf8), token: newer))
        #expect(store.write(key(2), head, body: Data()))
        #expect(store.read(key(1)) == nil)
        #expect(store.write(key(1), head, body: Data("old".utf8), token: older) == false)
        #expect(store.write(key(1), head, body: Data("newest".utf8), token: store.token(for: key(1))))
    }

    @Test func anOlderExchangeDoesNotTakeThePlaceOfANewerOneThatWasRemoved() {
        let (older, newer) = (store.token(for: key(1)), store.token(for: key(1)))
        #expect(store.write(key(1), head, body: Data("new".utf8), token: newer))
        store.remove(key(1))
        #expect(store.write(key(1), head, body: Data("old".utf8), token: older) == false)
        #expect(store.write(key(1), head, body: Data("newest".utf8), token: store.token(for: key(1))))
    }

    @Test func staysWithinItsBytes() {
        for number in 0..<3000 { store.write(key(number), head, body: Data(count: number % 5000)) }
        let statistics = store.statistics
        #expect(statistics.byteCount <= 1 << 20 && statistics.byteCount > 1 << 19)
        #expect(statistics.evictions > 1000)
    }
}
