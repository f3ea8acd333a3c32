import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of writes that a store refuses because something newer is known.
struct WriteOrderTests {
    private let secret = CacheHashKey(1, 2)
    private let head = CacheHead(.response(.test(["A": "1"])))

    private func key(_ number: Int) -> CacheKey { CacheKey(["\(number)"], secret: secret) }

    @Test func refusesAWriteThatBeganBeforeAChange() {
        var order = WriteOrder()
        let before = order.begin()
        #expect(order.admits(key(1), begunAt: before))
        #expect(order.isUnchanged(key(1).resource, since: before))
        order.invalidate(key(1).resource)
        let after = order.begin()
        #expect(!order.isUnchanged(key(1).resource, since: before))
        #expect(order.isUnchanged(key(1).resource, since: after))
        #expect(!order.admits(key(1), begunAt: before))
        #expect(order.admits(key(1), begunAt: after))
        order.invalidateAll()
        #expect(!order.admits(key(2), begunAt: after))
    }

    @Test func refusesAWriteThatBeganBeforeTheEntryThatReplacedIt() {
        var order = WriteOrder()
        let (first, second) = (order.begin(), order.begin())
        order.replace(key(1), by: second)
        order.replace(key(1), by: first)
        #expect(!order.admits(key(1), begunAt: first))
        #expect(order.admits(key(1), begunAt: second))
    }

    /// However many URLs are changed, no change is forgotten.
    @Test func forgetsNoChange() {
        var order = WriteOrder()
        let before = order.begin()
        for number in 0..<20_000 { order.invalidate(key(number).resource) }
        #expect((0..<20_000).allSatisfy { !order.admits(key($0), begunAt: before) })
        let after = order.begin()
        #expect((0..<20_000).allSatisfy { order.admits(key($0), begunAt: after) })
    }

    /// A table that finds all entries of a URL, after any changes.
    @Test func findsTheEntriesOfAURL() {
        var table = EvictionTable<Int>(maxCost: .max / 8, maxEntries: 200)
        var random = RandomSource.seeded(4)
        for step in 0..<5000 {
            let resource = CacheResource(number: UInt32.random(in: 0..<20, using: &random))
            let name = [UInt8.random(in: 0..<30, using: &random)]
            let key = CacheKey(of: resource, hashing: name, secret: secret)
            switch step % 7 {
            case 0: table.remove(key)
            case 1 where step % 5 == 0: _ = table.removeAll(of: resource)
            default: _ = table.insert(key, step, cost: 1)
            }
            if step % 50 == 0 {
                let found = (0..<20).flatMap { table.keys(of: CacheResource(number: $0)) }
                #expect(found.count == table.count && Set(found) == Set(table.keys))
            }
        }
    }

    /// A disk that cannot record the change loses the entries all the same.
    @Test func aDiskThatCannotNoteAChangeRemovesTheEntries() async throws {
        let folder = try TemporaryFolder()
        let store = DiskCacheStore(directory: folder.url)
        let known = CacheKey(["1"], secret: store.secret)
        try store.write(known, head, body: Data("a".utf8))
        let generations = folder.url.appending(path: ".generations")
        try FileManager.default.removeItem(at: generations)
        try FileManager.default.createDirectory(at: generations, withIntermediateDirectories: false)
        let broken = DiskCacheStore(directory: folder.url)
        try await broken.invalidate(known.resource)
        #expect(throws: (any Error).self) { try broken.token(for: known) }
        let path = folder.url.appending(path: known.description).path(percentEncoded: false)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Without the record of invalidations, no entry is trusted.
    @Test func entriesDoNotOutliveTheirGenerations() async throws {
        let folder = try TemporaryFolder()
        let store = DiskCacheStore(directory: folder.url)
        let key = CacheKey(["1"], secret: store.secret)
        try store.write(key, head, body: Data("a".utf8))
        #expect(try await DiskCacheStore(directory: folder.url).read(key) != nil)
        try FileManager.default.removeItem(at: folder.url.appending(path: ".generations"))
        #expect(try await DiskCacheStore(directory: folder.url).read(key) == nil)
    }
}
