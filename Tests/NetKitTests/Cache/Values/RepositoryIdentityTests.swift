import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of repositories whose reads and writes belong together, while another user logs in between them.
@Suite(.timeLimit(.minutes(5)))
struct RepositoryIdentityTests {
    private typealias Item = RemoteRepositoryTests.Item

    private let time = TestClock()
    private let tokens = TokenStore(initial: "a", identity: "ada")

    /// A server that writes the credential into each entity.
    private func server() -> MockTransport {
        MockTransport { request, _ in
            let item = Item(id: 1, name: request.headers["Authorization"] ?? "nobody")
            return HTTPResponse(status: .ok, body: ResponseBody(try JSONEncoder().encode(item)))
        }
    }

    private func client(_ transport: MockTransport, _ tokens: TokenStore) -> HTTPClient {
        HTTPClient.testing(transport, AuthInterceptor(tokens), time: time)
    }

    private func names(_ updates: RepositoryUpdates<Item>) async throws -> [String] {
        try await updates.reduce(into: []) { $0.append($1.name) }
    }

    @Test func bothUpdatesAreOfOneUser() async throws {
        let transport = server()
        let cache = CacheService(clock: time.clock)
        let items = RemoteRepository<Item>(client: client(transport, tokens), cache: cache)
        _ = try await items.get(id: "1")
        let updates = items.updates(id: "1")
        var iterator = updates.makeAsyncIterator()
        #expect(try await iterator.next()?.name == "Bearer a")
        await tokens.set(AccessToken("b"), identity: "bob")
        let error = await #expect(throws: NetKitError.self) { try await iterator.next() }
        #expect(error?.code == .unauthorized)
        #expect(error?.cause is IdentityChange)
        #expect(transport.requests.count == 1)
        #expect(try await names(updates) == ["Bearer b"])
        #expect(try await names(updates) == ["Bearer b", "Bearer b"])
    }

    @Test func bothUpdatesMayHaveDifferentTokensOfOneUser() async throws {
        let cache = CacheService(clock: time.clock)
        let items = RemoteRepository<Item>(client: client(server(), tokens), cache: cache)
        _ = try await items.get(id: "1")
        var iterator = items.updates(id: "1").makeAsyncIterator()
        #expect(try await iterator.next()?.name == "Bearer a")
        await tokens.clear()
        await tokens.set(AccessToken("a-2"), identity: "ada")
        #expect(try await iterator.next()?.name == "Bearer a-2")
    }

    /// The entity is in the cache from an earlier login of the same user.
    @Test(arguments: [false, true])
    func aWriteThatWaitsForTheFirstLoginOutdatesTheEntityOfThatUser(isDeletion: Bool) async throws {
        let isWaiting = Promise<Void>()
        let tokens = TokenStore(initial: nil as AccessToken?, clock: time.clock) { _ in
            isWaiting.resolve(.success(()))
            return try await Promise<AccessToken>().cancellableValue()
        }
        let transport = server()
        let cache = CacheService(clock: time.clock)
        let items = RemoteRepository<Item>(client: client(transport, tokens), cache: cache)
        await tokens.set(AccessToken("b"), identity: "bob")
        #expect(try await items.get(id: "1").name == "Bearer b")
        await tokens.clear()
        let write = Task {
            if isDeletion { try await items.delete(id: "1") } else { try await items.save(Item(id: 1, name: "new")) }
        }
        try await isWaiting.cancellableValue()
        await tokens.set(AccessToken("b-2"), identity: "bob")
        try await write.value
        #expect(try await items.get(id: "1").name == "Bearer b-2")
        #expect(transport.requests.map(\.headers["Authorization"]) == ["Bearer b", "Bearer b-2", "Bearer b-2"])
    }

    /// Another user logs in before the server responds.
    @Test func aWriteThatHasWaitedForTheFirstLoginOutdatesNothingOfALaterUser() async throws {
        let (isWaiting, isSent, mayRespond) = (Promise<Void>(), Promise<Void>(), Promise<Void>())
        defer { mayRespond.resolve(.success(())) }
        let tokens = TokenStore(initial: nil as AccessToken?, clock: time.clock) { _ in
            isWaiting.resolve(.success(()))
            return try await Promise<AccessToken>().cancellableValue()
        }
        let transport = MockTransport { request, _ in
            if request.method == .delete {
                isSent.resolve(.success(()))
                try await mayRespond.value()
            }
            let item = Item(id: 1, name: request.headers["Authorization"] ?? "nobody")
            return HTTPResponse(status: .ok, body: ResponseBody(try JSONEncoder().encode(item)))
        }
        let cache = CacheService(clock: time.clock)
        let items = RemoteRepository<Item>(client: client(transport, tokens), cache: cache)
        for user in ["ada", "bob"] {
            await tokens.set(AccessToken(user), identity: user)
            _ = try await items.get(id: "1")
        }
        await tokens.clear()
        let write = Task { try await items.delete(id: "1") }
        try await isWaiting.cancellableValue()
        await tokens.set(AccessToken("bob-2"), identity: "bob")
        try await isSent.cancellableValue()
        await tokens.set(AccessToken("ada-2"), identity: "ada")
        mayRespond.resolve(.success(()))
        try await write.value
        #expect(try await items.get(id: "1").name == "Bearer ada")
        await tokens.set(AccessToken("bob-3"), identity: "bob")
        #expect(try await items.get(id: "1").name == "Bearer bob-3")
    }

    /// The server knows its users by their certificates.
    @Test func anEntityIsKeptForItsClientCertificate() async throws {
        let cache = CacheService(clock: time.clock)
        for name in ["ada", "bob", "ada"] {
            let server = MockTransport { _, _ in
                let item = Item(id: 1, name: name)
                return HTTPResponse(status: .ok, body: ResponseBody(try JSONEncoder().encode(item)))
            }
            let transport = IdentityTransport(identity: "\(name).pem", transport: server)
            let client = HTTPClient.testing(transport, time: time)
            #expect(try await RemoteRepository<Item>(client: client, cache: cache).get(id: "1").name == name)
        }
    }

    /// The other one is of another service, where another user is logged in.
    @Test func anOverrideMayUseAnotherRepository() async throws {
        // `@unchecked Sendable`: it adds a constant to its superclass, whose own locks guard what there is.
        final class Joined: RemoteRepository<Item>, @unchecked Sendable {
            let other: RemoteRepository<Item>

            init(client: HTTPClient, cache: CacheService, other: RemoteRepository<Item>) {
                self.other = other
                super.init(client: client, cache: cache)
            }

            override func get(id: String, policy: CachePolicy) async throws -> Item {
                var item = try await super.get(id: id, policy: policy)
                let name = try await other.get(id: id, policy: policy).name
                item.name += " and \(name)"
                return item
            }
        }
        let transport = server()
        let cache = CacheService(clock: time.clock)
        let service = client(transport, TokenStore(initial: "b", identity: "bob"))
        let other = RemoteRepository<Item>(client: service, cache: cache)
        let items = Joined(client: client(transport, tokens), cache: cache, other: other)
        #expect(try await items.get(id: "1").name == "Bearer a and Bearer b")
        #expect(try await names(items.updates(id: "1")) == ["Bearer a and Bearer b", "Bearer a and Bearer b"])
    }

    @Test func theRestOfSeveralEntitiesIsNotSavedForAnotherUser() async throws {
        let transport = MockTransport()
        transport.stub(.put, "/items/1", .status(204).delayed(by: .seconds(5)))
        transport.stub(.put, "/items/2", .status(204))
        let cache = CacheService(clock: time.clock)
        let items = RemoteRepository<Item>(client: client(transport, tokens), cache: cache)
        let save = Task { try await items.save([Item(id: 1, name: "x"), Item(id: 2, name: "y")]) }
        await time.waitForSleepers(1)
        await tokens.set(AccessToken("b"), identity: "bob")
        time.advance(by: .seconds(5))
        let error = await #expect(throws: NetKitError.self) { try await save.value }
        #expect(error?.cause is IdentityChange)
        #expect(transport.requests.map { $0.headers["Authorization"] } == ["Bearer a"])
    }

    @Test func severalEntitiesMayHaveIdentitiesOfTheirOwn() async throws {
        let transport = MockTransport()
        transport.stub(.put, "/items/*", .status(204))
        let client = HTTPClient.testing(transport, TenantKey(), time: time)
        let items = RemoteRepository<Item>(client: client, cache: CacheService(clock: time.clock))
        try await items.save([Item(id: 1, name: "x"), Item(id: 2, name: "y")])
        #expect(transport.requests.map { $0.headers["X-Key"] } == ["1", "2"])
    }

    /// To a server, they can be two users, although the strings are equal.
    @Test func aRemovalDoesNotMakeUpForThatOfAUserWhoseNameHasOtherBytes() async throws {
        struct Refused: Error {}
        let refuses = Shared(true)
        let store = AnyCacheStore(MemoryCacheStore()) { moment in
            if moment == .beforeInvalidating, refuses.withLock({ $0 }) { throw Refused() }
        }
        let (transport, cache) = (MockTransport(), CacheService(store: store, clock: time.clock))
        transport.stub(.get, "/items/1", .json(Item(id: 1, name: "old")))
        transport.stub(.put, "/items/1", .status(204))
        func repository(of name: String) -> RemoteRepository<Item> {
            RemoteRepository(client: client(transport, TokenStore(initial: "a", identity: name)), cache: cache)
        }
        let (one, other) = (repository(of: "jos\u{E9}"), repository(of: "jose\u{301}"))
        #expect(try await one.get(id: "1").name == "old")
        try await one.save(Item(id: 1, name: "new"))
        refuses.withLock { $0 = false }
        try await other.save(Item(id: 1, name: "new"))
        #expect(await thrownCode { try await one.get(id: "1", policy: .cacheOnly) } == .cacheMiss)
    }
}
