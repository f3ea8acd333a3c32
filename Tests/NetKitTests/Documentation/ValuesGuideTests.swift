import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

/// The examples of the page on values and repositories, compiled and run.
@Suite(.needsTheMachine)
struct ValuesGuideTests {
    private struct User: Codable, Sendable, Identifiable {
        let id: Int
        let name: String
    }

    private let base = URL(string: "https://api.example.com")

    @Test func valuesAreCached() async throws {
        let user = User(id: 42, name: "Ada")
        let transport = MockTransport()
        transport.stub(nil, "/users/42", .json(user))
        let client = HTTPClient(baseURL: base, transport: transport)
        // GUIDE: begin
        let values = CacheService(store: MemoryCacheStore(maxEntries: 500))
        try await values.set(key: "user-42", value: user, ttl: .seconds(600))
        let known: User = try await values.get(key: "user-42")
        // GUIDE: end
        #expect(known.name == "Ada")
        // GUIDE: begin
        let users = RemoteRepository<User>(client: client, cache: values, path: "/users")
        let ada = try await users.get(id: "42")
        try await users.save(ada)
        // GUIDE: end
        #expect(transport.requests.count == 2)
        var shown: [String] = []
        func show(_ user: User) { shown.append(user.name) }
        // GUIDE: begin
        for try await user in users.updates(id: "42") { show(user) }
        let current = try await users.get(id: "42", policy: .reload)
        // GUIDE: end
        #expect(shown == ["Ada", "Ada"] && current.name == "Ada")
    }

    @Test func aRepositoryQueuesItsWrites() async throws {
        struct Note: Codable, Sendable, Identifiable {
            let id: Int
            var text: String
        }
        let temporary = try TemporaryFolder()
        let folder = temporary.file("queue")
        let transport = MockTransport()
        transport.stub(.put, "/notes/7", .failure(URLError(.cannotConnectToHost)), .status(204))
        transport.stub(.get, "/notes/7", .json(Note(id: 7, text: "as the server has it")))
        let values = CacheService()
        let queue = try await OfflineQueue(directory: folder)
        let events = queue.events
        // GUIDE: begin
        let client = HTTPClient(baseURL: base, transport: transport, interceptors: [OfflineInterceptor(queue)])
        await queue.attach(client)
        let notes = RemoteRepository<Note>(client: client, cache: values, lane: "notes")
        // GUIDE: end
        // GUIDE: begin
        let delivered = queue.events
        let forgetting = Task {
            for await event in delivered where event.kind == .delivered {
                guard let id = event.endpoint?.split(separator: "/").last else { continue }
                await notes.forget(id: String(id))
            }
        }
        // GUIDE: end
        try await notes.save(Note(id: 7, text: "mine"))
        await queue.processQueue()
        for await event in events where event.kind == .delivered { break }
        #expect(try await notes.get(id: "7").text == "as the server has it")
        await queue.close()
        await forgetting.value
    }

    @Test func thePageShowsTheseExamples() throws {
        #expect(try GuidePage("Values-And-Repositories").shows(#filePath))
    }
}
