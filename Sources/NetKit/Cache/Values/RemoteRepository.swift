import Foundation

/// Entities behind a REST API: read through a cache, written to the server.
///
/// ```swift
/// let users = RemoteRepository<User>(client: client, cache: CacheService(), path: "/users")
/// let ada = try await users.get(id: "42")         // GET /users/42, then from the cache
/// try await users.save(ada)                       // PUT /users/42; the cache has the response and forgets the list
/// for try await user in users.updates(id: "42") { show(user) }    // the stored one, then the server's
/// ```
/// A subclass overrides the methods for which its API differs. A write goes to the server first. With a lane, a write
/// that cannot be sent waits in the offline queue of the client, and the cache has the written entity meanwhile.
///
/// The class is `@unchecked Sendable` because the compiler cannot check a class that can be subclassed. Its stored
/// properties are constant or protected by a lock. Those of a subclass must be too.
open class RemoteRepository<Entity: Codable & Sendable & Identifiable>: Repository, @unchecked Sendable
where Entity.ID: CustomStringConvertible {
    /// The sender of requests.
    public let client: any RequestSending
    /// The cache of the entities.
    public let cache: CacheService
    /// The path of the entities, below the client's base URL.
    public let path: RequestPath
    /// The use of the cache.
    public let policy: CachePolicy
    private let lane: String?
    /// The prefix of the names in the cache.
    private let base: String
    private let entries: RepositoryCache

    /// Creates a repository.
    ///
    /// - Parameters:
    ///   - client: The sender of the requests.
    ///   - cache: The cache of the entities. A login that the client does not know as such, for example an API key in
    ///     a `HeadersInterceptor`, needs a cache or a scope of its own.
    ///   - path: The path of the entities; `nil` for the name of their type in lower case with an `s`.
    ///   - policy: The use of the cache; its TTL is the lifetime of the entities in it, an hour unless set.
    ///   - lane: The lane of the client's ``OfflineInterceptor`` for a write that cannot be sent; `nil` if such a write
    ///     fails.
    public init(
        client: any RequestSending,
        cache: CacheService,
        path: RequestPath? = nil,
        policy: CachePolicy = .cacheFirst,
        lane: String? = nil
    ) {
        self.client = client
        self.cache = cache
        self.path = path ?? RequestPath(raw: "/\(String(describing: Entity.self).lowercased())s")
        self.policy = policy
        self.lane = lane
        entries = RepositoryCache(cache, clock: client.payloadSettings.clock)
        let base = client.payloadSettings.baseURL.map(Self.base) ?? ""
        // A client certificate is a login as well, and another address may be that of another server.
        let transport = (client as? any IdentityKnowing)?.transportIdentity
        self.base = transport.map { "\($0.utf8.count):\($0)\n\(base)" } ?? base
    }

    /// Returns a base URL as the prefix of names in the cache: normalized, and without a slash at its end.
    private static func base(_ url: URL) -> String {
        let text = NormalizedURL.text(of: url)
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Returns the path of one entity: the path of the entities and the identifier, with one slash between them.
    open func path(of id: String) -> RequestPath { path.encoded.hasSuffix("/") ? "\(path)\(id)" : "\(path)/\(id)" }

    /// Returns the entity with an identifier, from the cache or the server as the repository's policy says.
    @concurrent
    public final func get(id: String) async throws -> Entity { try await get(id: id, policy: policy) }

    /// Returns the entity with an identifier, from the cache or the server as a policy says.
    ///
    /// The other reads of one entity call this method. A subclass that reads entities in another way overrides it.
    @concurrent
    open func get(id: String, policy: CachePolicy) async throws -> Entity {
        let path = path(of: id)
        return try await read(place(of: path), policy) { client, options in
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
        return try await read(place(of: path), policy) { client, options in
            let endpoint: Endpoint<[Entity]> = .get(path)
            return try await client.send(endpoint, options: options)
        }
    }

    /// Returns the stored entity with an identifier, if there is one, and then the server's.
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
    ///
    /// If the write was put into the offline queue, the entity is returned as it is.
    @concurrent
    @discardableResult
    open func save(_ entity: Entity) async throws -> Entity {
        let path = path(of: String(describing: entity.id))
        let endpoint: Endpoint<Entity?> = .put(path, json: entity)
        let (result, exchange) = try await write(endpoint, path)
        let saved = result.flatMap { $0 } ?? entity
        await entries.keep(saved, of: exchange, for: ttl(policy))
        return saved
    }

    /// Removes an entity from the server with DELETE.
    @concurrent
    open func delete(id: String) async throws {
        let path = path(of: id)
        let endpoint: Endpoint<Data> = .delete(path)
        _ = try await write(endpoint, path)
    }

    /// Removes an entity and the list from the cache, for a subclass that writes in other ways.
    @concurrent
    public final func forget(id: String) async { await entries.endWrite(of: place(of: path(of: id))) }

    /// Returns the place of a path in the cache.
    ///
    /// The place includes the base URL and the identity, so that neither two servers nor two users mix.
    private func place(of path: RequestPath, in sequence: CallSequence? = nil) -> RepositoryPlace {
        var options = CallOptions()
        options.sequence = sequence ?? RepositorySequence.current?.calls(of: self)
        func named(_ suffix: String, earlier: String? = nil) -> RepositoryPlace {
            RepositoryPlace(
                name: ExactText(base + path.encoded + suffix),
                listName: ExactText(base + self.path.encoded + suffix),
                earlierName: earlier.map { ExactText(base + path.encoded + $0) },
                options: options
            )
        }
        guard let client = client as? any IdentityKnowing else { return named("") }
        switch client.identity(of: HTTPRequest(.get, path), options: options) {
        case .anonymous: return named("")
        case .known(let identity):
            options.requiredIdentity = identity
            return named(" of \(identity.name)", earlier: identity.provisionalName.map { " of \($0)" })
        case .unknown: return RepositoryPlace(name: nil, listName: nil, options: options)
        }
    }

    private func ttl(_ policy: CachePolicy) -> Duration { policy.ttl ?? self.policy.ttl ?? CacheService.defaultTTL }

    /// Reads through the cache, which is not used without a name, while a removal is pending, or with `noCache`.
    private func read<Value: Codable & Sendable>(
        _ place: RepositoryPlace,
        _ policy: CachePolicy,
        _ fetch: (any RequestSending, CallOptions) async throws -> Value
    ) async throws -> Value {
        func fetchNoted(after write: QueuedWriteTable.State) async throws -> Value {
            let value = try await fetch(client, place.options(of: policy, after: write))
            // With `noCache`, the client may still have a response from before the delivery.
            if policy.kind != .noCache { entries.noteResponse(for: place, after: write) }
            return value
        }
        let queued = await entries.queuedWrite(of: place)
        guard let name = place.name, await entries.mayUse(name), policy.kind != .noCache else {
            guard policy.kind != .cacheOnly else { throw CacheMiss.absent.error(about: "The entity") }
            return try await fetchNoted(after: queued)
        }
        if policy.kind == .cacheOnly { return try await stored(name) }
        // An entry that cannot be read counts as absent.
        if !policy.alwaysSends, let value = try? await cache.get(key: name.text, as: Value.self) { return value }
        var began = await entries.beginRead(name)
        let state = await entries.queuedWrite(of: place)
        // Until the delivery, the server has what was there before the write.
        if state == .waiting { began = nil }
        do {
            let value = try await fetchNoted(after: state)
            await entries.keep(value, of: began, for: ttl(policy))
            return value
        } catch let error as NetKitError where error.status.map({ CacheEngine.isGone($0) }) ?? false {
            await entries.forget(began)
            throw error
        } catch let error where policy.kind == .networkFirst && CacheEngine.isFailure(error) {
            // Another call may have outdated the entity meanwhile, and failed to remove it.
            guard await entries.mayUse(name), let value = try? await cache.get(key: name.text, as: Value.self) else {
                throw error
            }
            return value
        }
    }

    /// Returns the stored value with a name, or throws `.cacheMiss`.
    private func stored<Value: Codable & Sendable>(_ name: ExactText) async throws -> Value {
        do {
            return try await cache.get(key: name.text)
        } catch let error as NetKitError {
            // Its message contains the name, and with it the user info and the query of the base URL.
            throw (error.cause as? CacheMiss)?.error(about: "The entity") ?? error
        }
    }

    /// Sends a write, and removes the entries that it outdates.
    ///
    /// - Returns: The result, or `nil` if the write was queued, and an exchange for the value that the write has
    ///   stored.
    private func write<Value: Sendable>(
        _ endpoint: Endpoint<Value>,
        _ path: RequestPath
    ) async throws -> (result: Value?, exchange: RepositoryCache.Exchange?) {
        let sequence = RepositorySequence.current?.calls(of: self) ?? CallSequence()
        let place = place(of: path, in: sequence)
        var options = place.options
        options.tags[RepositoryWrite.self] = RepositoryWrite(listPath: self.path)
        options.tags[Deferrable.self] = lane.map { Deferrable(lane: $0) }
        let began = policy.kind == .noCache ? nil : await entries.beginWrite(place.name)
        let result = await Result.catching { try await client.send(endpoint, options: options) }
        // A write that waited for the first login was sent, or queued, under that login.
        let end = self.place(of: path, in: sequence)
        switch result {
        case .success(let value): return (value, await entries.endWrite(of: end, renewing: began))
        case .failure(let error):
            let failure = error as? NetKitError
            if lane != nil, let queued = failure?.cause as? QueuedCall {
                let exchange = await entries.endQueued(queued, of: end)
                return (nil, policy.kind == .noCache ? nil : exchange)
            }
            // A cancelled write may have arrived.
            if failure.map(Self.outdates) ?? true { await entries.endWrite(of: end, renewing: began) }
            throw error
        }
    }

    /// Returns whether an error outdates the entity of a write: the server may have carried out the write, as after a
    /// 5xx or without a whole response, or has no such entity.
    ///
    /// If an earlier attempt may have arrived, a 4xx can be a result of the effect of that attempt.
    private static func outdates(_ error: NetKitError) -> Bool {
        switch error.outcome {
        case .notSent: false
        case .answered:
            error.status.map { !$0.isClientError || CacheEngine.isGone($0) } ?? true || error.attempts > 1
        default: true
        }
    }
}
