/// The choice between two versions if the server's version is not the one that was changed.
public struct ConflictResolutionStrategy: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: Hashable {
        case serverWins, clientWins, newerWins, manual
    }

    private let kind: Kind
    /// The field of the server's JSON with the time of its version; `nil` stands for `Last-Modified`.
    let field: String?
    /// The strategy in words.
    public let description: String

    private init(_ kind: Kind, field: String? = nil, _ description: String) {
        self.kind = kind
        self.field = field
        self.description = description
    }

    /// The server's version stays, and the entry is removed; the `.conflict` event before it has both versions.
    public static let serverWins = ConflictResolutionStrategy(.serverWins, "the server wins")
    /// The entry is sent again over the server's version, with the server's `ETag` as `If-Match` if there is one.
    public static let clientWins = ConflictResolutionStrategy(.clientWins, "the client wins")
    /// The newer version stays, according to the server's `Last-Modified`; without that field, a person decides.
    public static let newerWins = ConflictResolutionStrategy(.newerWins, "the newer wins")
    /// A person decides.
    public static let manual = ConflictResolutionStrategy(.manual, "a person decides")

    /// Returns a strategy that keeps the newer version, according to a field of the server's JSON.
    ///
    /// The field is a time as ISO 8601, or as seconds or milliseconds since 1970.
    public static func newerWins(field: String) -> ConflictResolutionStrategy {
        ConflictResolutionStrategy(.newerWins, field: field, "the newer wins, by the field \"\(field)\"")
    }

    /// Returns the decision of the strategy; both times count as those of one clock, and the server's version stays at
    /// a tie.
    func decide(_ conflict: SyncConflict) -> ConflictResolution {
        switch kind {
        case .serverWins: return .drop
        case .clientWins: return .send(conflict.localData, ifMatch: conflict.serverETag)
        case .newerWins:
            guard let server = conflict.serverTimestamp else { return .leaveUnresolved }
            // `Last-Modified` has whole seconds: changes within the same second count as a tie.
            let isNewer = conflict.timestamp.timeIntervalSince(server) >= (field == nil ? 1 : 0.001)
            return isNewer ? .send(conflict.localData, ifMatch: conflict.serverETag) : .drop
        case .manual: return .leaveUnresolved
        }
    }
}
