import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

struct InMemorySharedOfflineStoreTests {
    private func addition(_ id: UUID, _ file: URL) -> OfflineAddition {
        let request = HTTPRequest(.post, "/", body: .file(at: file))
        return OfflineAddition(request: QueuedRequest(request, id: id, idempotencyKey: "key"), byteCount: 10)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), Duration(attoseconds: .min)])
    func aLeaseLastsAMillisecondAtLeast(_ lease: Duration) async throws {
        let time = TestClock()
        let store = InMemorySharedOfflineStore(shardCount: 2, lease: lease, clock: time.clock).replica()
        try await store.open(clock: time.clock) { _ in }
        #expect(store.owns(0))
        await store.close(within: .zero)
    }

    @Test(arguments: [Int.min, -1])
    func aBoundBelowZeroIsZero(_ bound: Int) async throws {
        let (time, id) = (TestClock(), UUID())
        let store = InMemorySharedOfflineStore(clock: time.clock).replica()
        try await store.open(clock: time.clock) { _ in }
        let addition = OfflineAddition(request: QueuedRequest(HTTPRequest(.post, "/"), id: id), byteCount: 2)
        guard case .added(let entry, _, _) = try await store.append(addition, within: OfflineBounds()) else {
            Issue.record("the entry was not added")
            return
        }
        #expect(try await store.lines(of: nil, depth: bound).lines.isEmpty)
        var update = OfflineUpdate(entry)
        update.state = .deadLetter
        #expect(try await store.release(id, update))
        let removed = try await store.removeDeadLetters(olderThan: nil, above: bound, limit: 5)
        #expect(removed.map(\.entry.id) == [id])
        await store.close(within: .zero)
    }

    @Test func anotherFileUnderTheSameIdentifierIsRefused() async throws {
        let (store, folder, id) = (InMemorySharedOfflineStore().replica(), try TemporaryFolder(), UUID())
        let first = addition(id, try folder.write(Data("first".utf8), to: "first"))
        let copy = addition(id, try folder.write(Data("first".utf8), to: "copy"))
        let second = addition(id, try folder.write(Data("second".utf8), to: "second"))
        for same in [first, first, copy] {
            guard case .added = try await store.append(same, within: OfflineBounds()) else {
                Issue.record("another request has the identifier")
                return
            }
        }
        let error = await #expect(throws: NetKitError.self) { try await store.append(second, within: OfflineBounds()) }
        #expect(error?.code == .invalidRequest)
        let stored = try #require(try await store.load([id])[id]).get()
        #expect(stored.request.body?.bytes == Data("first".utf8))
    }
}
