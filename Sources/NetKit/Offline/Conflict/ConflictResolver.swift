/// Decides what becomes of an entry for which the server holds another version.
///
/// ```swift
/// struct Merging: ConflictResolver {
///     func resolve(_ conflict: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution {
///         .send(try merge(conflict.baseData, conflict.localData, conflict.serverData), ifMatch: conflict.serverETag)
///     }
/// }
/// ```
public protocol ConflictResolver: Sendable {
    /// Decides; an error leaves the entry for a person.
    func resolve(_ conflict: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution
}
