import Foundation

/// Entities behind a REST API: read through a cache, written to the server.
///
/// ```swift
/// let users = RemoteRepository<User>(client: client, cache: CacheService(), path: "/users")
/// let ada = try await users.get(id: "42")         // GET /users/42, then from the cache
/// try await users.save(ada)                       // PUT /users/42; the cache has the response and forgets the list
/// for try await user in users.updates(id: "42") { show(user) }    // the stored one, then the server's
/// ```
/// A subclass overrides the methods for which its API differs. A write goes to the server first. With `whenUnsent`, a
/// write that could not be sent is handed over instead, such as to a queue, and the cache keeps the entity meanwhile.
///
/// The class is `@unchecked Sendable` because the compiler cannot check a class that can be subclassed. Its stored
/// properties are constant or protected by a lock. Those of a subclass must be too.
open class RemoteRepository<Entity: Codable & Sendable & Identifiable>: Repository, @unchecked Sendable
where Entity.ID: CustomStringConvertible {
    /// A closure that takes over a request that could not be sent.
    public typealias Handover = @Sendable (HTTPRequest) async throws -> Void

    /// The sender of requests.
    public let client: any RequestSending
    /// The cache of the entities.
    public let cache: CacheService
    /// The path of the entities, below the client's base URL.
    public let path: RequestPath
    /// The use of the cache.
    public let policy: CachePolicy
    private let whenUnsent: Handover?
    /// The prefix of the names in the cache.
    private let base: String
    /// The number of writes, so that a value that was read during a write is not kept.
    private let writes = Locked<UInt64>(0)
    private let removals = Locked(PendingRemovals<String>())

    /// Creates a repository.
    ///
    /// - Parameters:
    ///   - client: The sender of the requests.
    ///   - cache: The cache of the entities; those of another user belong in another cache, or another scope.
    ///   - path: The path of the entities; `nil` for the name of their type in lower case with an `s`.
    ///   - policy: The use of the cache; its TTL is the lifetime of the entities in it, an hour unless set.
    ///   - whenUnsent: A closure that takes over a write that was never sent.
    public init(
        client: any RequestSending,
        cache: CacheService,
        path: RequestPath? = nil,
        policy: CachePolicy = .cacheFirst,
        whenUnsent: Handover? = nil
    ) {
        self.client = client
        self.cache = cache
        self.path = path ?? RequestPath(raw: "/\(String(describing: Entity.self).lowercased())s")
        self.policy = policy
        self.whenUnsent = whenUnsent
        base = client.payloadSettings.baseURL.map(Self.base) ?? ""
    }

    /// Returns a base URL as the prefix of names in the cache: normalized, and without a slash at its end.
    private static func base(_ url: URL) -> String {
        let text = CacheAddress.text(of: url)
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Returns the path of one entity.
    open func path(of id: String) -> RequestPath { "\(raw: path.encoded)/\(id)" }

    /// Returns the entity of an identifier, from the cache or the server as the repository's policy says.
    @concurrent
    public final func get(id: String) async throws -> Entity { try await get(id: id, policy: policy) }

    /// Returns the entity of an identifier, from the cache or the server as a policy says.
    ///
    /// The other reads of one entity call this method. A subclass that reads entities in another way overrides it.
    @concurrent
    open func get(id: String, policy: CachePolicy) async throws -> Entity {
        let path = path(of: id)
        return try await reading(place(of: path), policy) { client, options in
            let endpoint: Endpoint<Entity> = .get(path)
            return try await client.send(endpoint, options: options)
        }
    }

    /// Returns all entities, from the cache or the server as the repository's policy says.
    @concurrent
    public final func list() async throws -> [Entity] { try await list(policy: policy) }

    /// Returns all entities, from the cache or the server as a policy says.
    ///
    /// The other reads of all entities call this method. A subclass that reads them in another way overrides it.
    @concurrent
    open func list(policy: CachePolicy) async throws -> [Entity] {
        let path = path
        return try await reading(place(of: path), policy) { client, options in
            let endpoint: Endpoint<[Entity]> = .get(path)
            return try await client.send(endpoint, options: options)
        }
    }

    /// Returns the stored entity of an identifier, if there is one, and then the server's.
    ///
    /// If the policy of the repository is `noCache` or `cacheOnly`, there is one entity, as that policy says.
    public final func updates(id: String) -> RepositoryUpdates<Entity> {
        updates { [self] in try await get(id: id, policy: $0) }
    }

    /// Returns the stored list of all entities, if there is one, and then the server's.
    ///
    /// If the policy of the repository is `noCache` or `cacheOnly`, there is one list, as that policy says.
    public final func updates() -> RepositoryUpdates<[Entity]> {
        updates { [self] in try await list(policy: $0) }
    }

    private func updates<Value>(
        _ read: @escaping @Sendable (CachePolicy) async throws -> Value
    ) -> RepositoryUpdates<Value> {
        let policy = policy
        switch policy.kind {
        case .noCache, .cacheOnly: return RepositoryUpdates { try await read(policy) }
        default: return RepositoryUpdates(stored: { try? await read(.cacheOnly) }, fresh: { try await read(.reload) })
        }
    }

    /// Saves an entity on the server with PUT, and returns the server's version of it.
    @concurrent
    @discardableResult
    open func save(_ entity: Entity) async throws -> Entity {
        let path = path(of: String(describing: entity.id))
        let endpoint: Endpoint<Data> = .put(path, json: entity)
        let place = place(of: path)
        let exchange = await beginExchange(policy.kind == .noCache ? nil : place.name)
        let response = try await writing(endpoint, place)
        let saved = response.isEmpty ? entity : try decoded(response)
        // After a write that ended meanwhile, it is unknown which of the two the server carried out last.
        await keep(saved, of: exchange, ownWrites: 1, policy)
        return saved
    }

    /// Removes an entity from the server with DELETE.
    @concurrent
    open func delete(id: String) async throws {
        let path = path(of: id)
        let endpoint: Endpoint<Data> = .delete(path)
        _ = try await writing(endpoint, place(of: path))
    }

    /// Removes an entity and the list from the cache, for a subclass that writes in other ways.
    @concurrent
    public final func forget(id: String) async { await forget(place(of: path(of: id))) }

    /// Returns the place of a path in the cache.
    ///
    /// It includes the base URL and the identity, so that neither two servers nor two users mix.
    private func place(of path: RequestPath) -> RepositoryPlace {
        var options = CallOptions()
        options.sequence = RepositorySequence.current?.calls(of: self)
        func named(_ suffix: String) -> RepositoryPlace {
            RepositoryPlace(
                name: base + path.encoded + suffix,
                listName: base + self.path.encoded + suffix,
                options: options
            )
        }
        guard let client = client as? any IdentityKnowing else { return named("") }
        switch client.identity(of: HTTPRequest(.get, path), options: options) {
        case .anonymous: return named("")
        case .known(let identity):
            options.requiredIdentity = identity
            return named(" of \(identity.name)")
        case .unknown: return RepositoryPlace(name: nil, listName: nil, options: options)
        }
    }

    private func ttl(_ policy: CachePolicy) -> Duration { policy.ttl ?? self.policy.ttl ?? CacheService.defaultTTL }

    private func decoded(_ response: Data) throws -> Entity {
        do {
            return try client.payloadSettings.json.decoder.decode(Entity.self, from: response)
        } catch {
            throw DecodingProblem.error(for: error, expected: Entity.self, in: response)
        }
    }

    /// Reads through the cache.
    private func reading<Value: Codable & Sendable>(
        _ place: RepositoryPlace,
        _ policy: CachePolicy,
        _ fetch: (any RequestSending, CallOptions) async throws -> Value
    ) async throws -> Value {
        guard let key = place.name, await mayUse(key) else {
            guard policy.kind != .cacheOnly else { throw CacheMiss.absent.error("The entity") }
            return try await fetch(client, place.options(of: policy))
        }
        switch policy.kind {
        case .noCache: return try await fetch(client, place.options(of: policy))
        case .cacheOnly: return try await cache.get(key: key)
        case .reload: return try await fetching(key, place, policy, fetch)
        case .networkFirst:
            do {
                return try await fetching(key, place, policy, fetch)
            } catch let error where CacheEngine.isFailure(error) {
                guard let value = try? await cache.get(key: key, as: Value.self) else { throw error }
                return value
            }
        case .standard, .cacheFirst:
            // An entry that cannot be read counts as absent.
            if let value = try? await cache.get(key: key, as: Value.self) { return value }
            return try await fetching(key, place, policy, fetch)
        }
    }

    private func fetching<Value: Codable & Sendable>(
        _ key: String,
        _ place: RepositoryPlace,
        _ policy: CachePolicy,
        _ fetch: (any RequestSending, CallOptions) async throws -> Value
    ) async throws -> Value {
        let began = await beginExchange(key)
        let value = try await fetch(client, place.options(of: policy))
        await keep(value, of: began, ownWrites: 0, policy)
        return value
    }

    /// Notes the beginning of an exchange whose value is kept under a name; `nil` if it cannot be kept.
    private func beginExchange(_ name: String?) async -> RepositoryExchange? {
        guard let name, let token = try? await cache.token(for: name) else { return nil }
        return RepositoryExchange(name: name, token: token, writes: writes.withLock { $0 })
    }

    /// Keeps the value of an exchange, unless the cache was cleared or another write has ended meanwhile.
    private func keep(
        _ value: some Encodable & Sendable,
        of exchange: RepositoryExchange?,
        ownWrites: UInt64,
        _ policy: CachePolicy
    ) async {
        guard let exchange, isLatest(since: exchange.writes, own: ownWrites) else { return }
        try? await cache.set(key: exchange.name, value: value, ttl: ttl(policy), token: exchange.token)
        if !isLatest(since: exchange.writes, own: ownWrites) { await remove([exchange.name]) }
    }

    /// Sends a write, and removes the entries that it outdates; returns no bytes if it was handed over.
    private func writing(_ endpoint: Endpoint<Data>, _ place: RepositoryPlace) async throws -> Data {
        do {
            var options = place.options
            options.tags[RepositoryWrite.self] = RepositoryWrite(listPath: path)
            let response = try await client.send(endpoint, options: options)
            await forget(place)
            return response
        } catch let error as NetKitError {
            if Self.mayHaveWritten(error) { await forget(place, beforeError: true) }
            let codes: [NetKitError.Code] = [.offline, .dns, .connect, .proxy, .connectionLost, .timeout, .circuitOpen]
            guard let whenUnsent, error.outcome == .notSent, codes.contains(error.code) else { throw error }
            // The closure may only know the current identity; a queue of NetKit receives that of the call.
            if let began = place.options.requiredIdentity, let knowing = client as? any IdentityKnowing {
                guard case .known(let now) = knowing.identity(of: endpoint.request, tags: CallTags()),
                    now.continues(began)
                else { throw IdentityChange.error(outcome: .notSent) }
            }
            try await HandoverContext.$identity.withValue(place.options.requiredIdentity.map { .known($0) }) {
                try await whenUnsent(endpoint.request)
            }
            await forget(place)
            return Data()
        } catch {
            // A cancelled write may have arrived.
            await forget(place, beforeError: true)
            throw error
        }
    }

    /// Returns whether no write has ended since a count of them, apart from a number of the caller's own.
    private func isLatest(since began: UInt64, own: UInt64) -> Bool { writes.withLock { $0 == began &+ own } }

    private func forget(_ place: RepositoryPlace, beforeError: Bool = false) async {
        writes.withLock { $0 &+= 1 }
        await remove([place.name, place.listName].compactMap(\.self), beforeError: beforeError)
    }

    /// Removes entries, even if the call was cancelled or has no more time, because the server may have others.
    ///
    /// As with other code that outlasts its call, a call that is cancelled or about to throw waits for half a second at
    /// most.
    private func remove(_ names: [String], beforeError: Bool = false) async {
        let (removed, wait) = (Promise<Bool>(), Promise<Void>())
        // Until the cache has removed them, they are not used.
        let begun = names.map { name in removals.withLock { $0.begin(name) } }
        _ = startWithoutDeadline { [self] in
            for removal in begun { await carryOut(removal) }
            removed.resolve(.success(true))
            wait.resolve(.success(()))
        }
        if !beforeError, (try? await wait.cancellableValue()) != nil { return }
        _ = await removed.value(orFalseAfter: .milliseconds(500), onSystemOr: client.payloadSettings.clock)
    }

    /// Returns whether a value may be read or stored under a name, after repeating a removal that failed.
    private func mayUse(_ name: String) async -> Bool {
        switch removals.withLock({ $0.use(name) }) {
        case .allowed: true
        case .refused: false
        case .after(let removal): await carryOut(removal)
        }
    }

    /// Carries out a removal that has begun, and returns whether it succeeded.
    @discardableResult
    private func carryOut(_ removal: PendingRemovals<String>.Removal) async -> Bool {
        var isDone = true
        do {
            if let name = removal.name { try await cache.remove(key: name) } else { try await cache.clear() }
        } catch {
            isDone = false
        }
        removals.withLock { [isDone] in $0.end(removal, isDone: isDone) }
        return isDone
    }

    /// Returns whether the server may have carried out a write, as after a 5xx or without a whole response.
    ///
    /// If an earlier attempt may have arrived, a 4xx can be the response to what that attempt has done.
    private static func mayHaveWritten(_ error: NetKitError) -> Bool {
        switch error.outcome {
        case .notSent: false
        case .answered: error.status?.isClientError != true || error.attempts > 1
        default: true
        }
    }
}

/// The names under which the cache keeps an entity and the list, and the options of their calls.
///
/// If the identity is unknown, there are no names and nothing is kept.
private struct RepositoryPlace {
    let name: String?
    let listName: String?
    /// The options of a call whose response is kept here: it has to be sent under the identity of the names.
    let options: CallOptions

    /// Returns the options of a read, which the cache of the client follows as well.
    ///
    /// The TTL of the policy is for the entity. It says nothing about other uses of the response.
    func options(of policy: CachePolicy) -> CallOptions {
        var options = options
        switch policy.kind {
        case .standard, .cacheFirst, .cacheOnly: break
        case .noCache: options.cachePolicy = .noCache
        // After a failure, the repository uses its own entity, and must not take an older one for the server's.
        case .reload, .networkFirst: options.cachePolicy = .reload
        }
        return options
    }
}

/// The beginning of an exchange whose value is kept.
private struct RepositoryExchange {
    let name: String
    let token: CacheWriteToken
    /// The number of writes that had ended.
    let writes: UInt64
}

/// A mark of a write that also invalidates the stored responses of the list, even after an error of the server.
///
/// The server may have made the change before. The repository forgets its entity and the list then, and the cache of
/// its client must not give them back.
struct RepositoryWrite: OwnCallTag {
    let listPath: RequestPath
}
