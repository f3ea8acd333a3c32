public import Foundation

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

/// Does what the strategy says.
public struct DefaultConflictResolver: ConflictResolver {
    /// Creates a resolver.
    public init() {}

    /// Returns the decision of the strategy.
    public func resolve(
        _ conflict: SyncConflict,
        strategy: ConflictResolutionStrategy
    ) async throws -> ConflictResolution {
        strategy.decide(conflict)
    }
}

/// The decision about an entry in conflict.
public struct ConflictResolution: Sendable, Hashable {
    enum Kind: Hashable {
        case drop
        case send(Data?, ifMatch: String?)
        case leave
    }

    let kind: Kind

    /// The server's version stays; the entry is removed, and an event says so.
    public static let drop = ConflictResolution(kind: .drop)

    /// A person decides: the entry stays among `unresolvedConflicts`.
    public static let leaveForPerson = ConflictResolution(kind: .leave)

    /// A version is sent, the local one or a merge of both; with the server's `ETag` nothing newer is overwritten.
    public static func send(_ data: Data?, ifMatch etag: String? = nil) -> ConflictResolution {
        ConflictResolution(kind: .send(data, ifMatch: etag))
    }
}
