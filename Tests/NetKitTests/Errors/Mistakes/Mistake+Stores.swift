import Foundation
import NetKit
import NetKitTesting

extension Mistake {
    private static func makeQueue(_ sender: (any RequestSending)? = nil) async throws -> OfflineQueue {
        try await OfflineQueue(
            store: InMemoryOfflineStore(),
            sender: sender ?? HTTPClient(baseURL: exampleBase, transport: MockTransport()),
            monitor: ManualNetworkMonitor(isConnected: false)
        )
    }

    private static let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7))

    /// Missing values and entries, and files that cannot be used.
    static let inStores: [Mistake] = [
        Mistake(
            "a download to a folder that does not exist",
            "The folder \"/folder/reports/\" does not exist. Create it first."
        ) {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let client = HTTPClient(baseURL: exampleBase, transport: MockTransport(), interceptors: [])
            try await client.download("/report", to: folder.url.appending(path: "reports/a.pdf"))
        },
        Mistake(
            "a call from an empty cache only",
            "The response to GET https://api.example.com/v1/users is not stored, and the policy does not allow an exchange with the server."
        ) {
            let client = HTTPClient(
                baseURL: exampleBase,
                transport: MockTransport(),
                interceptors: [CacheInterceptor(MemoryCacheStore())]
            )
            _ = try await client.get("/users", options: CallOptions(cachePolicy: .cacheOnly))
        },
        Mistake("a value that is not in the cache", "\"user-42\" is not stored.") {
            let _: Int = try await CacheService(store: MemoryCacheStore()).get(key: "user-42")
        },
        Mistake("a value that has expired", "\"user-42\" is too old.") {
            let time = TestClock()
            let cache = CacheService(store: MemoryCacheStore(), clock: time.clock)
            try await cache.set(key: "user-42", value: 7, ttl: .seconds(1))
            time.advance(by: .seconds(2))
            let _: Int = try await cache.get(key: "user-42")
        },
        Mistake(
            "a value of another type in the cache",
            "The body is not the expected Int: expected Int, found a string."
        ) {
            let cache = CacheService(store: MemoryCacheStore())
            try await cache.set(key: "user-42", value: "Ada")
            let _: Int = try await cache.get(key: "user-42")
        },
        Mistake("an entry that the queue has not", "There is no entry 00000000-0000-0000-0000-000000000007.") {
            try await makeQueue().retry(id)
        },
        Mistake(
            "a conflict that the queue has not",
            "The entry 00000000-0000-0000-0000-000000000007 has no unresolved conflict."
        ) { try await makeQueue().resolve(id, with: .drop) },
        Mistake(
            "a stream as the body of an entry",
            "A body that is a stream or a multipart form cannot be kept. Give bytes or a file, which can be sent again."
        ) {
            let body = HTTPBody.stream(AsyncStream<Data> { $0.finish() })
            _ = try await makeQueue().enqueue(QueuedRequest(HTTPRequest(.post, "/orders", body: body)))
        },
        Mistake("an entry for a closed queue", "The queue was closed. Open another one.") {
            let queue = try await makeQueue()
            await queue.close()
            _ = try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/orders")))
        },
        Mistake(
            "a token file that is damaged",
            "\"/folder/token.json\" is not a file that a token store wrote. Remove the file so that a new token is fetched, or log in again."
        ) {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let file = try folder.write(Data("x".utf8), to: "token.json")
            let store = TokenStore(file: file, clock: TestClock().clock) { _ in AccessToken("new") }
            _ = try await store.token()
        },
    ]
}
