/// Does what the strategy says.
public struct DefaultConflictResolver: ConflictResolver {
    /// Makes a resolver.
    public init() {}

    /// Returns the decision of the strategy.
    public func resolve(
        _ conflict: SyncConflict,
        strategy: ConflictResolutionStrategy
    ) async throws -> ConflictResolution {
        strategy.decide(conflict)
    }
}
