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
