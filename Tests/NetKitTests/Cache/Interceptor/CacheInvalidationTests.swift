import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of RFC 9111, section 4.4: invalidated responses are invalid for every user, and do not come back.
@Suite(.timeLimit(.minutes(5)))
struct CacheInvalidationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=600"]

    /// The kinds of stores.
    enum Kind: String, CaseIterable, Sendable {
        case memory, disk, tiered, custom, tieredCustom

        func make(in folder: TemporaryFolder) -> any CacheStore {
            let disk = DiskCacheStore(directory: folder.url.appending(path: "cache"))
            return switch self {
            case .memory: MemoryCacheStore()
            case .disk: disk
            case .tiered: TieredCacheStore(disk: disk)
            case .custom: AnyCacheStore(MemoryCacheStore())
            case .tieredCustom: TieredCacheStore(store: AnyCacheStore(MemoryCacheStore()))
            }
        }
    }

    private static func client(_ store: any CacheStore) -> CachedClient {
        func opened(_ store: some CacheStore) -> CachedClient { CachedClient(store) }
        let it = opened(store)
        it.respond { number, _ in .text("\(number)", fresh) }
        return it
    }

    private static let retry = RetryPolicy(
        maxAttempts: 2,
        backoffStrategy: .fixed(interval: .zero),
        jitter: .none
    )

    /// The second attempt was not sent, but the first may have changed the server.
    @Test func aWriteWhoseFirstAttemptMayHaveArrivedInvalidates() async throws {
        let it = CachedClient(others: [RetryInterceptor(Self.retry)])
        it.transport.stub(.get, "/x", .text("1").header("Cache-Control", "max-age=60"))
        it.transport.stub(
            .put,
            "/x",
            .failure(NetKitError(.connectionLost, "lost", outcome: .unknown)),
            .failure(NetKitError(.connect, "refused"))
        )
        _ = try await it.get()
        let error = await #expect(throws: NetKitError.self) { try await it.get(method: .put) }
        #expect(error?.outcome == .unknown)
        _ = try await it.get()
        #expect(it.transport.requests.map(\.method) == [.get, .put, .put, .get])
    }

    /// The second attempt finds what the first one has done.
    @Test(arguments: [(HTTPMethod.delete, HTTPStatus.notFound), (.put, .conflict)])
    func aWriteThatIsRefusedAfterALostResponseInvalidates(method: HTTPMethod, status: HTTPStatus) async throws {
        let it = CachedClient(others: [RetryInterceptor(Self.retry)])
        it.transport.stub(.get, "/x", .text("1").header("Cache-Control", "max-age=60"))
        it.transport.stub(
            method,
            "/x",
            .failure(NetKitError(.connectionLost, "lost", outcome: .unknown)),
            .status(status)
        )
        _ = try await it.get()
        #expect(try await it.get(method: method).response.status == status)
        _ = try await it.get()
        #expect(it.transport.requests.map(\.method) == [.get, method, method, .get])
    }

    /// Each replay of a queue is a call of its own. The second one finds what the first one has done.
    @Test func aReplayThatIsRefusedInvalidates() async throws {
        let it = CachedClient()
        it.transport.stub(.get, "/x", .text("1").header("Cache-Control", "max-age=60"))
        it.transport.stub(.delete, "/x", .status(500), .status(404))
        var tags = CallTags()
        for attempt in 1...2 {
            _ = try await it.get()
            tags[QueuedReplay.self] = QueuedReplay(id: UUID(), attempt: attempt)
            _ = try await it.get(method: .delete, tags: tags)
        }
        _ = try await it.get()
        #expect(it.transport.requests.map(\.method) == [.get, .delete, .get, .delete, .get])
    }

    /// Otherwise, the store would have no time left for its own calls.
    @Test func anInvalidationDoesNotInheritTheDeadlineOfItsCall() async throws {
        let hasDeadline = Promise<Bool>()
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            if moment == .beforeInvalidating { hasDeadline.resolve(.success(InheritedDeadline.current != nil)) }
        }
        let it = CachedClient(store)
        it.transport.stub(.put, "/x", .stalled)
        let options = CallOptions(timeout: .seconds(5))
        let call = Task { try await it.client.send(HTTPRequest(.put, "/x"), options: options) }
        await it.transport.waitForRequests(1)
        it.time.advance(by: .seconds(5))
        #expect(await outcome(of: call) == "timeout")
        #expect(try await hasDeadline.value() == false)
    }

    @Test(arguments: Kind.allCases)
    func aChangeInvalidatesTheResponsesOfEveryUser(kind: Kind) async throws {
        let it = Self.client(kind.make(in: folder))
        let readers: [HTTPHeaders] = [[:], ["Cookie": "a"], ["Authorization": "b"]]
        for (reader, number) in zip(readers, 1...) { #expect(try await it.get("/x", reader).text == "\(number)") }
        _ = try await it.get("/y")
        _ = try await it.get("/x", ["X-CSRF-Token": "c", "Cookie": "d"], method: .put)
        for (reader, number) in zip(readers, 6...) { #expect(try await it.get("/x", reader).text == "\(number)") }
        #expect(try await it.get("/y").text == "4")
    }

    @Test(arguments: Kind.allCases)
    func aChangeInvalidatesEveryVariant(kind: Kind) async throws {
        let it = Self.client(kind.make(in: folder))
        it.transport.stub(
            .get,
            "/v",
            .respond { request, _ in
                .text(request.headers["Accept"] ?? "", ["Cache-Control": "max-age=600", "Vary": "Accept"])
            }
        )
        for _ in 0..<2 { for accept in ["a", "b"] { _ = try await it.get("/v", ["Accept": accept]) } }
        #expect(it.sent == 2)
        _ = try await it.get("/v", ["Accept": "c"], method: .delete)
        for accept in ["a", "b"] { _ = try await it.get("/v", ["Accept": accept]) }
        #expect(it.sent == 5)
    }

    /// The tag and the policy keep the cache from storing the response, but not from an invalidation.
    @Test func aChangeThatBypassesTheCacheInvalidatesToo() async throws {
        struct Feature: CallTag {}
        let it = Self.client(MemoryCacheStore())
        _ = try await it.get("/x")
        var tags = CallTags()
        tags[Feature.self] = Feature()
        _ = try await it.get("/x", method: .put, tags: tags)
        #expect(try await it.get("/x").text == "3")
        _ = try await it.get("/x", method: .put, policy: .noCache)
        #expect(try await it.get("/x").text == "5")
    }

    @Test(arguments: Kind.allCases)
    func clientsOverOneStoreShareInvalidation(kind: Kind) async throws {
        let store = kind.make(in: folder)
        let (one, other) = (Self.client(store), Self.client(store))
        #expect(try await one.get("/x").text == "1")
        _ = try await other.get("/x", method: .put)
        #expect(try await one.get("/x").text == "2")
    }

    /// It is unknown which response of the two includes the change of the other.
    @Test func ofTwoChangesThatEndAtOnceNoResponseIsStored() async throws {
        let store = AnyCacheStore.meeting()
        let (one, other) = (CachedClient(store), CachedClient(store))
        for it in [one, other] {
            it.respond { number, _ in .text("\(number)", ["Cache-Control": "max-age=600", "Content-Location": "x"]) }
        }
        let first = Task { try await one.get("/x", method: .post).text }
        let second = Task { try await other.get("/x", method: .post).text }
        #expect(try await first.value == "1")
        #expect(try await second.value == "1")
        #expect(try await one.get("/x").text == "2")
    }

    /// Two processes share a folder in this way: each knows only its own writes.
    @Test func storesOverOneFolderShareInvalidation() async throws {
        let one = Self.client(DiskCacheStore(directory: folder.url))
        let other = Self.client(DiskCacheStore(directory: folder.url))
        _ = try await other.get("/seen")
        #expect(try await one.get("/x", ["Cookie": "a"]).text == "1")
        _ = try await other.get("/x", method: .put)
        #expect(try await one.get("/x", ["Cookie": "a"]).text == "2")
        #expect(try await one.get("/x", ["Cookie": "a"]).text == "2")
    }

    @Test(arguments: [Kind.disk, .tiered])
    func aFolderOpenedAgainKnowsEveryEntryOfAURL(kind: Kind) async throws {
        do {
            let it = Self.client(kind.make(in: folder))
            _ = try await it.get("/x")
            _ = try await it.get("/x", ["Cookie": "a"])
            _ = try await it.get("/y")
        }
        do {
            let it = Self.client(kind.make(in: folder))
            _ = try await it.get("/x", method: .put)
        }
        let it = Self.client(kind.make(in: folder))
        it.respond { number, _ in .text("new \(number)", Self.fresh) }
        #expect(try await it.get("/x").text == "new 1")
        #expect(try await it.get("/x", ["Cookie": "a"]).text == "new 2")
        #expect(try await it.get("/y").text == "3")
    }

    /// The response is on its way when another client over the same store changes the resource.
    @Test(arguments: Kind.allCases, [false, true])
    func aChangeByAnotherClientWinsOverAResponseOnItsWay(kind: Kind, isStreamed: Bool) async throws {
        let store = kind.make(in: folder)
        let (one, other) = (Self.client(store), Self.client(store))
        one.transport.stub(.get, "/x", .text("old").header("Cache-Control", "max-age=600").delayed(by: .seconds(5)))
        let read = Task { try await one.get("/x", isStreamed: isStreamed).text }
        await one.time.waitForSleepers(1)
        _ = try await other.get("/x", ["Cookie": "a"], method: .put)
        one.time.advance(by: .seconds(5))
        #expect(try await read.value == "old")
        #expect(try await other.get("/x").text == "2")
    }

    /// The head has arrived, and the body is still being read.
    @Test(arguments: Kind.allCases)
    func aChangeWinsOverABodyThatIsBeingRead(kind: Kind) async throws {
        let store = kind.make(in: folder)
        let (one, other) = (Self.client(store), Self.client(store))
        one.transport.stub(
            .get,
            "/x",
            .stream([Data("ol".utf8), Data("d".utf8)]).header("Cache-Control", "max-age=600")
        )
        let options = CallOptions(delivery: .streamed)
        let response = try await one.client.send(HTTPRequest(.get, "/x"), options: options)
        _ = try await other.get("/x", method: .put)
        #expect(try await response.body.text(upTo: 10) == "old")
        #expect(try await other.get("/x").text == "2")
        #expect(await one.cache.statistics.writes == 0)
    }

    @Test func aConfirmationOnItsWayDoesNotBringAResponseBack() async throws {
        let store = MemoryCacheStore()
        let (one, other) = (Self.client(store), Self.client(store))
        one.transport.stub(
            .get,
            "/x",
            .text("old").header("Cache-Control", "max-age=10").header("ETag", "\"1\""),
            .status(304).header("Cache-Control", "max-age=600").delayed(by: .seconds(5))
        )
        _ = try await one.get("/x")
        one.time.advance(by: .seconds(20))
        let read = Task { try await one.get("/x").text }
        await one.time.waitForSleepers(1)
        _ = try await other.get("/x", method: .put)
        one.time.advance(by: .seconds(5))
        #expect(try await read.value == "old")
        #expect(try await other.get("/x").text == "2")
    }
}
