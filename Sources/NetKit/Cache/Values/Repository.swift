/// Entities behind a server, or wherever else: what the rest of an application needs of them.
///
/// ``RemoteRepository`` is one over HTTP; a stand-in of yours in tests is another.
public protocol Repository<Entity>: Sendable {
    /// The type of the entities.
    associatedtype Entity: Sendable

    /// The entity of a name.
    func get(id: String) async throws -> Entity

    /// All entities.
    func list() async throws -> [Entity]

    /// Keeps an entity, and gives it as it is kept.
    @discardableResult
    func save(_ entity: Entity) async throws -> Entity

    /// Forgets the entity of a name.
    func delete(id: String) async throws
}

extension Repository {
    /// The first entity that fulfils a condition.
    public func first(where isWanted: (Entity) -> Bool) async throws -> Entity? {
        try await list().first(where: isWanted)
    }

    /// Keeps several entities, one after the other, and gives them as they are kept.
    @discardableResult
    public func save(_ entities: [Entity]) async throws -> [Entity] {
        var kept: [Entity] = []
        for entity in entities { kept.append(try await save(entity)) }
        return kept
    }
}
