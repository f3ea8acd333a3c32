/// Does what the strategy says.
public struct DefaultConflictResolver: ConflictResolver {
    /// Makes a resolver.
    public init() {}

    /// What the strategy says.
    public func resolve(
        _ conflict: SyncConflict,
        strategy: ConflictResolutionStrategy
    ) async throws -> ConflictResolution {
        strategy.decide(conflict)
    }
}
