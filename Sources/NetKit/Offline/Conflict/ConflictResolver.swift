public import Foundation

/// A type that resolves conflicts between an entry and another version on the server.
///
/// ```swift
/// struct Merging: ConflictResolver {
///     func resolve(_ conflict: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution {
///         .send(try merge(conflict.baseData, conflict.localData, conflict.serverData), ifMatch: conflict.serverETag)
///     }
/// }
/// ```
public protocol ConflictResolver: Sendable {
    /// Returns the decision about a conflict; an error leaves the entry for a person.
    ///
    /// If the task is cancelled because the queue is closed, a `CancellationError` leaves the entry as it was. It is
    /// sent again after the queue is opened.
    func resolve(_ conflict: SyncConflict, strategy: ConflictResolutionStrategy) async throws -> ConflictResolution
}

/// A resolver that follows the strategy.
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

    /// The decision to keep the server's version; the entry is removed, with an event.
    public static let drop = ConflictResolution(kind: .drop)

    /// The decision to leave the conflict to a person, among `unresolvedConflicts`.
    public static let leaveUnresolved = ConflictResolution(kind: .leave)

    /// Returns the decision to send a version, the local one or a merge of both.
    ///
    /// With the server's `ETag`, no newer version is overwritten.
    public static func send(_ data: Data?, ifMatch etag: String? = nil) -> ConflictResolution {
        ConflictResolution(kind: .send(data, ifMatch: etag))
    }
}
