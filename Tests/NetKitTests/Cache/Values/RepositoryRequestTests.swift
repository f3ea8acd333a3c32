import Foundation
import NetKit
import NetKitTesting
import Testing

struct RepositoryRequestTests {
    private struct Note: Codable, Sendable, Identifiable, Equatable {
        let id: Int
        var date: Date
    }

    private let transport = MockTransport()
    private let time = TestClock()

    private func repository(_ path: RequestPath = "/notes") -> RemoteRepository<Note> {
        RemoteRepository(
            client: HTTPClient.testing(transport, time: time),
            cache: CacheService(clock: time.clock),
            path: path
        )
    }

    @Test func anEntityFromTheCacheIsTheOneThatTheServerSent() async throws {
        transport.stub(.get, "/notes/1", .jsonText(#"{"id": 1, "date": "2026-01-01T10:00:00.123456Z"}"#))
        let notes = repository()
        let sent = try await notes.get(id: "1")
        let stored = try await notes.get(id: "1", policy: .cacheOnly)
        #expect(stored == sent)
        #expect(transport.requests.count == 1)
    }
}
