import Foundation

/// Entities behind a REST API: read through a cache, written to the server.
///
/// ```swift
/// let users = RemoteRepository<User>(client: client, cache: CacheService(), path: "/users")
/// let ada = try await users.get(id: "42")         // GET /users/42, then from the cache
/// try await users.save(ada)                       // PUT /users/42; the cache has the answer and forgets the list
/// ```
/// A subclass overrides what its API does differently. What is written goes to the server first; with `whenOffline`, what
/// could not leave is handed over instead, such as to a queue, and the cache has it meanwhile.
///
/// `@unchecked Sendable` because a class that can be subclassed cannot say it otherwise: what is stored here is constant or
/// behind its own lock. A subclass keeps to that.
open class RemoteRepository<Entity: Codable & Sendable & Identifiable>: Repository, @unchecked Sendable
where Entity.ID: CustomStringConvertible {
    /// Takes over a request that could not be sent.
    public typealias Handover = @Sendable (HTTPRequest) async throws -> Void

    /// What sends the requests.
    public let client: any RequestSending
    /// What keeps the entities.
    public let cache: CacheService
    /// Where the entities are, below the client's base URL.
    public let path: RequestPath
    /// When the cache answers.
    public let policy: CachePolicy
    private let whenOffline: Handover?
    /// What was written while something was read: that must not be kept behind it.
    private let writes = Locked<UInt64>(0)

    /// Makes a repository.
    ///
    /// - Parameters:
    ///   - client: What sends the requests.
    ///   - cache: What keeps the entities; those of another user belong into another one, or another scope.
    ///   - path: Where the entities are; nil for the name of their type in lower case with an `s`.
    ///   - policy: When the cache answers; its TTL is the life of what is kept, an hour unless set.
    ///   - whenOffline: Takes over what is written where nothing of it could be sent.
    public init(
        client: any RequestSending,
        cache: CacheService,
        path: RequestPath? = nil,
        policy: CachePolicy = .cacheFirst,
        whenOffline: Handover? = nil
    ) {
        self.client = client
        self.cache = cache
        self.path = path ?? RequestPath(raw: "/\(String(describing: Entity.self).lowercased())s")
        self.policy = policy
        self.whenOffline = whenOffline
    }

    /// Where one entity is.
    open func path(of id: String) -> RequestPath { "\(raw: path.encoded)/\(id)" }

    /// The entity of a name: from the cache or the server, as the policy says.
    @concurrent
    open func get(id: String) async throws -> Entity {
        let path = path(of: id)
        return try await reading(path.encoded) { client in
            let endpoint: Endpoint<Entity> = .get(path)
            return try await client.send(endpoint)
        }
    }

    /// All entities: from the cache or the server, as the policy says.
    @concurrent
    open func list() async throws -> [Entity] {
        let path = path
        return try await reading(path.encoded) { client in
            let endpoint: Endpoint<[Entity]> = .get(path)
            return try await client.send(endpoint)
        }
    }

    /// Keeps an entity on the server with PUT, and gives what the server made of it.
    @concurrent
    @discardableResult
    open func save(_ entity: Entity) async throws -> Entity {
        let path = path(of: String(describing: entity.id))
        let endpoint: Endpoint<Data> = .put(path, json: entity)
        let answer = try await writing(endpoint, path)
        let saved = answer.isEmpty ? entity : try decoded(answer)
        if policy.kind != .noCache { try? await cache.set(key: path.encoded, value: saved, ttl: ttl) }
        return saved
    }

    /// Removes an entity from the server with DELETE.
    @concurrent
    open func delete(id: String) async throws {
        let path = path(of: id)
        let endpoint: Endpoint<Data> = .delete(path)
        _ = try await writing(endpoint, path)
    }

    /// Forgets what the cache has of an entity and of the list: for a subclass that writes in other ways.
    @concurrent
    public final func forget(id: String) async {
        await forget(path(of: id))
    }

    private var ttl: Duration { policy.ttl ?? CacheService.usualTTL }

    private func decoded(_ answer: Data) throws -> Entity {
        do {
            return try client.payloadSettings.json.decoder.decode(Entity.self, from: answer)
        } catch {
            throw DecodingProblem.error(for: error, expected: Entity.self)
        }
    }

    /// Reads through the cache.
    private func reading<Value: Codable & Sendable>(
        _ key: String,
        _ fetch: (any RequestSending) async throws -> Value
    ) async throws -> Value {
        switch policy.kind {
        case .noCache: return try await fetch(client)
        case .cacheOnly: return try await cache.get(key: key)
        case .reload: return try await fetching(key, fetch)
        case .networkFirst:
            do {
                return try await fetching(key, fetch)
            } catch let error as NetKitError where error.status.map(\.isServerError) ?? (error.code != .decoding) {
                guard let value = try? await cache.get(key: key, as: Value.self) else { throw error }
                return value
            }
        case .standard, .cacheFirst:
            // What is there but cannot be read is as good as absent.
            if let value = try? await cache.get(key: key, as: Value.self) { return value }
            return try await fetching(key, fetch)
        }
    }

    private func fetching<Value: Codable & Sendable>(
        _ key: String,
        _ fetch: (any RequestSending) async throws -> Value
    ) async throws -> Value {
        let began = writes.withLock { $0 }
        let value = try await fetch(client)
        if writes.withLock({ $0 == began }) {
            try? await cache.set(key: key, value: value, ttl: ttl)
            if writes.withLock({ $0 != began }) { try? await cache.remove(key: key) }
        }
        return value
    }

    /// Sends what writes, and forgets what it makes wrong; nothing comes back where it was handed over.
    private func writing(_ endpoint: Endpoint<Data>, _ path: RequestPath) async throws -> Data {
        var options = CallOptions()
        var identity: RequestIdentity?
        if whenOffline != nil, let knowing = client as? any IdentityKnowing, knowing.mayAddCredentials {
            // What is handed over is that of the call which failed, also after a login in between.
            identity = knowing.identity(of: endpoint.request, tags: options.tags)
            if case .known(let known)? = identity { options.requiredIdentity = known }
        }
        do {
            let answer = try await client.send(endpoint, options: options)
            await forget(path)
            return answer
        } catch let error as NetKitError {
            // Nobody knows what became of what was sent without an answer.
            if error.outcome == .unknown { await forget(path) }
            guard let whenOffline, error.outcome == .notSent, Self.isOffline(error.code) else { throw error }
            try await HandedOver.$identity.withValue(identity) { try await whenOffline(endpoint.request) }
            await forget(path)
            return Data()
        }
    }

    private func forget(_ entity: RequestPath) async {
        writes.withLock { $0 &+= 1 }
        try? await cache.remove(key: entity.encoded)
        try? await cache.remove(key: path.encoded)
    }

    private static func isOffline(_ code: NetKitError.Code) -> Bool {
        [.offline, .dns, .connect, .connectionLost, .timeout, .circuitOpen].contains(code)
    }
}
