import Foundation
import NetKitTesting
import Testing

@testable import NetKit

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

    /// A value that leaves its segment would address another resource.
    @Test(arguments: ["..", ""])
    func aPathWithAValueThatIsRefusedIsRefusedForEachEntity(team: String) async throws {
        transport.stub(.get, "/**", .jsonText(#"{"id": 1, "date": "2026-01-01T10:00:00Z"}"#))
        transport.stub(.delete, "/**", .status(204))
        let notes = repository("/teams/\(team)/notes")
        let read = await #expect(throws: NetKitError.self) { try await notes.get(id: "1") }
        let removal = await #expect(throws: NetKitError.self) { try await notes.delete(id: "1") }
        #expect(read?.code == .invalidURL)
        #expect(removal?.code == .invalidURL)
        #expect(transport.requests.isEmpty)
    }

    @Test func thePathOfAnEntityKeepsTheTemplateOfTheWrittenPath() {
        let team = "a"
        #expect(repository("/teams/\(team)/notes").path(of: "1").template == "/teams/{}/notes/{}")
    }

    @Test(arguments: [("/notes", "/notes/a%2Fb"), ("/notes/", "/notes/a%2Fb"), ("", "/a%2Fb"), ("/", "/a%2Fb")])
    func oneSlashIsBetweenThePathAndAnIdentifier(path: String, entity: String) {
        #expect(repository(RequestPath(raw: path)).path(of: "a/b").encoded == entity)
    }

    @Test func aWriteAsksForJSONAndItsErrorHasTheResponse() async throws {
        transport.stub(.put, "/notes/1", .data(Data("<html></html>".utf8), contentType: "text/html"))
        let notes = repository()
        let note = Note(id: 1, date: Date(timeIntervalSince1970: 0))
        let error = await #expect(throws: NetKitError.self) { try await notes.save(note) }
        #expect(transport.requests.map { $0.headers["Accept"] } == ["application/json"])
        #expect(error?.code == .decoding)
        #expect(error?.status == .ok)
        #expect(error?.requestLine?.hasPrefix("PUT ") == true)
    }
}
