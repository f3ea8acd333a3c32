/// An interface for reading and writing the entities of an application.
///
/// ``RemoteRepository`` is a repository over HTTP; a stand-in for tests is another.
public protocol Repository<Entity>: Sendable {
    /// The type of the entities.
    associatedtype Entity: Sendable

    /// Returns the entity with an identifier.
    func get(id: String) async throws -> Entity

    /// Returns the entity with an identifier, under a policy for this read.
    ///
    /// By default, a repository without a cache ignores the policy.
    func get(id: String, policy: CachePolicy) async throws -> Entity

    /// Returns all entities.
    func list() async throws -> [Entity]

    /// Returns all entities, under a policy for this read.
    ///
    /// By default, a repository without a cache ignores the policy.
    func list(policy: CachePolicy) async throws -> [Entity]

    /// Returns the stored entity with an identifier, if there is one, and then the current one.
    ///
    /// By default, nothing is stored.
    func updates(id: String) -> RepositoryUpdates<Entity>

    /// Returns the stored list of all entities, if there is one, and then the current one.
    ///
    /// By default, nothing is stored.
    func updates() -> RepositoryUpdates<[Entity]>

    /// Saves an entity, and returns it as it was saved.
    @discardableResult
    func save(_ entity: Entity) async throws -> Entity

    /// Deletes the entity with an identifier.
    func delete(id: String) async throws
}

extension Repository {
    /// Returns the entity with an identifier, whatever the policy.
    public func get(id: String, policy: CachePolicy) async throws -> Entity { try await get(id: id) }

    /// Returns all entities, whatever the policy.
    public func list(policy: CachePolicy) async throws -> [Entity] { try await list() }

    /// Returns the current entity with an identifier.
    public func updates(id: String) -> RepositoryUpdates<Entity> { RepositoryUpdates { try await get(id: id) } }

    /// Returns the current list of all entities.
    public func updates() -> RepositoryUpdates<[Entity]> { RepositoryUpdates { try await list() } }

    /// Returns the first entity that meets a condition.
    public func first(where isWanted: (Entity) -> Bool) async throws -> Entity? {
        try await list().first(where: isWanted)
    }

    /// Saves several entities, one after the other, and returns them as they were saved.
    ///
    /// After a logout or the login of another user, a ``RemoteRepository`` saves no more of them and throws
    /// `.unauthorized`.
    @discardableResult
    public func save(_ entities: [Entity]) async throws -> [Entity] {
        try await RepositorySequence.$current.withValue(RepositorySequence()) {
            var saved: [Entity] = []
            for entity in entities { saved.append(try await save(entity)) }
            return saved
        }
    }
}
