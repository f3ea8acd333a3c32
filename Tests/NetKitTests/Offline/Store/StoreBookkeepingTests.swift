import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Entries that are in the table of a store before their additions have ended.
struct StoreBookkeepingTests {
    private struct Table: EntryTable {
        var bookkeeping = StoreBookkeeping()
        var entries: [UUID: OfflineEntry] = [:]

        var allEntries: [OfflineEntry] { Array(entries.values) }

        func entry(_ id: UUID) -> OfflineEntry? { entries[id] }

        mutating func admit(_ path: String, _ bounds: OfflineBounds, bytes: Int = 10) throws -> StoreBookkeeping.Plan? {
            let addition = OfflineAddition(request: .post(path), byteCount: bytes)
            guard case .admitted(let plan) = try admit(addition, within: bounds) else { return nil }
            return plan
        }

        /// Applies the records of an addition, as the thread of a journal does.
        mutating func apply(_ plan: StoreBookkeeping.Plan) {
            entries[plan.entry.id] = plan.entry
            bookkeeping.insert(plan.entry)
            for id in plan.leaving {
                if let entry = entries.removeValue(forKey: id) { bookkeeping.remove(entry) }
            }
        }
    }

    @Test(arguments: [OfflineBounds(maxEntries: 2), OfflineBounds(maxBytes: 20)])
    func anEntryCountsOnceAfterItIsInTheTable(bounds: OfflineBounds) throws {
        var table = Table()
        let first = try #require(try table.admit("/1", bounds))
        table.apply(first)
        let second = try #require(try table.admit("/2", bounds))
        table.apply(second)
        #expect(throws: NetKitError.self) { try table.admit("/3", bounds) }
        table.bookkeeping.finish(first)
        table.bookkeeping.finish(second)
        #expect(throws: NetKitError.self) { try table.admit("/3", bounds) }
    }

    /// Reading a missing file would throw `.file`.
    @Test func aFileThatIsTooLargeForAQueueInMemoryIsNotRead() async throws {
        let folder = try TemporaryFolder()
        let request = QueuedRequest(HTTPRequest(.post, "/", body: .file(at: folder.file("missing"))))
        let addition = OfflineAddition(request: request, byteCount: 11)
        let (store, small, large) = (InMemoryOfflineStore(), OfflineBounds(maxBytes: 10), OfflineBounds(maxBytes: 11))
        #expect(await thrownCode { try await store.append(addition, within: small) } == .queueFull)
        #expect(await thrownCode { try await store.append(addition, within: large) } == .file)
    }

    /// The sizes of entries are added up, and a journal reads no others back.
    @Test(arguments: OfflineStoreConformanceTests.Kind.allCases)
    func theSizeOfAnEntryIsLimited(kind: OfflineStoreConformanceTests.Kind) async throws {
        let folder = try TemporaryFolder()
        let store: any OfflineStore =
            switch kind {
            case .folder: JSONOfflineStore(directory: folder.file("queue"))
            case .memory: InMemoryOfflineStore()
            case .shared: InMemorySharedOfflineStore().replica()
            }
        try await store.open(clock: .system) { _ in }
        for count in [Int.max, .max, .min, 7] {
            let addition = OfflineAddition(request: .post("/"), byteCount: count)
            _ = try await store.append(addition, within: OfflineBounds())
        }
        #expect(try await store.tally().byteCount == 2 * ((1 << 40) - 1) + 7)
        await store.close()
    }

    /// A store of one's own can return entries of any size.
    @Test(arguments: [(Int.max, (1 << 40) - 1), (.min, 0)])
    func theSizeOfAnEntryThatIsMadeByHandIsLimited(size: Int, counted: Int) {
        let first = OfflineEntry(.post("/"), position: 1, byteCount: size)
        var second = OfflineEntry(.post("/"), position: 2, byteCount: 0)
        second.byteCount = size
        var tally = OfflineTally()
        tally.add(first)
        tally.add(second)
        #expect(tally.byteCount == 2 * counted)
        tally.add(first, -1)
        #expect(tally.byteCount == counted)
    }

    @Test func aBoundThatIsSetBelowZeroCountsAsZero() {
        var addition = OfflineAddition(request: .post("/"), byteCount: 1)
        addition.byteCount = .min
        #expect(addition.byteCount == 0)
        var bounds = OfflineBounds()
        (bounds.maxEntries, bounds.maxBytes, bounds.maxDeadLetters) = (-1, .min, .min)
        #expect(bounds == OfflineBounds(maxEntries: 0, maxBytes: 0, maxDeadLetters: 0))
    }

    /// Another queue has opened the store since the entry was admitted.
    @Test func anAdditionOfTheQueueBeforeLeavesNoRoom() throws {
        var (table, next) = (Table(), Table())
        let plan = try #require(try table.admit("/1", OfflineBounds()))
        next.bookkeeping.finish(plan)
        let bounds = OfflineBounds(maxBytes: 10)
        next.apply(try #require(try next.admit("/2", bounds)))
        #expect(throws: NetKitError.self) { try next.admit("/3", bounds) }
    }

    @Test(arguments: [
        OfflineBounds(maxEntries: 2, dropsOldest: true), OfflineBounds(maxBytes: 20, dropsOldest: true),
    ])
    func anEntryThatLeavesCountsNoMoreAfterItHasLeft(bounds: OfflineBounds) throws {
        var table = Table()
        for path in ["/1", "/2"] {
            let plan = try #require(try table.admit(path, bounds))
            table.apply(plan)
            table.bookkeeping.finish(plan)
        }
        let third = try #require(try table.admit("/3", bounds))
        #expect(third.dropped.map(\.position) == [1])
        table.apply(third)
        let fourth = try #require(try table.admit("/4", bounds))
        #expect(fourth.dropped.map(\.position) == [2])
    }

    /// The addition may still fail.
    @Test func aRemovalWaitsForTheAdditionThatTakesItsEntry() throws {
        var table = Table()
        let bounds = OfflineBounds(maxEntries: 1, dropsOldest: true)
        let first = try #require(try table.admit("/1", bounds))
        table.apply(first)
        table.bookkeeping.finish(first)
        let second = try #require(try table.admit("/2", bounds))
        let wait = table.bookkeeping.beginLeaving([first.entry.id])
        let ended = table.bookkeeping.withdraw(second)
        #expect(wait != nil)
        #expect(ended.map { $0 === wait } == [true])
        let isFree = table.bookkeeping.beginLeaving([first.entry.id]) == nil
        #expect(isFree)
    }

    /// A large entry takes the room of many small ones, of which some are about to leave.
    @Test func aLargeEntryTakesTheRoomOfTheOldest() throws {
        var table = Table()
        for number in 0..<100 {
            let plan = try #require(try table.admit("/\(number)", OfflineBounds()))
            table.apply(plan)
            table.bookkeeping.finish(plan)
        }
        let bounds = OfflineBounds(maxBytes: 1000, dropsOldest: true)
        let first = try #require(try table.admit("/a", bounds, bytes: 200))
        #expect(first.dropped.map(\.position) == Array(1...20))
        let second = try #require(try table.admit("/b", bounds, bytes: 300))
        #expect(second.dropped.map(\.position) == Array(21...50))
        #expect(throws: NetKitError.self) { try table.admit("/c", bounds, bytes: 600) }
    }

    /// Its identifier may be used again, for an entry of no identity.
    @Test func theIdentityOfAnEntryIsForgottenWithIt() async throws {
        let (store, id) = (InMemoryOfflineStore(), UUID())
        func add(_ id: UUID?, as identity: String?) async throws -> [UUID] {
            let request = QueuedRequest(HTTPRequest(.put, "/"), id: id, coalescingKey: "k", coalescing: .replace)
            let addition = OfflineAddition(request: request, byteCount: 2, identity: identity)
            let result = try await store.append(addition, within: OfflineBounds())
            guard case .added(_, let replaced, _) = result else { return [] }
            return replaced.map(\.id)
        }
        _ = try await add(id, as: "ada")
        _ = try await store.remove([id])
        _ = try await add(id, as: nil)
        #expect(try await add(nil, as: nil) == [id])
    }
}
