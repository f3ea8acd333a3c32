public import Foundation

/// An entry that was given up, and is kept for inspection, for `retry` or for removal.
public struct DeadLetter: Sendable, Identifiable {
    /// The entry's identifier.
    public var id: UUID { request.id }
    /// The request.
    public var request: QueuedRequest { ownRequest.value }
    /// The reason why the entry was given up.
    public let reason: DeadLetterReason
    /// The reason, as a sentence.
    public let message: String
    /// The time at which the entry was given up.
    public let date: Date
    /// The response of the server, bounded and without sensitive fields.
    public let response: NetKitError.Response?

    // Behind a pointer: few events have a dead letter, and each would have the size of a request.
    private let ownRequest: Box<QueuedRequest>

    init(_ entry: OfflineEntry, _ stored: Result<StoredRequest, NetKitError>) {
        switch stored {
        case .success(let stored):
            ownRequest = Box(stored.request)
            reason = stored.detail?.reason ?? .unreadable
            message = stored.detail?.message ?? ""
            date = stored.detail?.date ?? entry.settledAt ?? entry.timestamp
            response = stored.detail?.response
        case .failure(let error):
            ownRequest = Box(QueuedRequest(unreadable: entry))
            reason = .unreadable
            message = error.message
            date = entry.settledAt ?? entry.timestamp
            response = nil
        }
    }
}

extension QueuedRequest {
    /// Creates a placeholder for a request that cannot be read.
    fileprivate init(unreadable entry: OfflineEntry) {
        self.init(
            HTTPRequest(.get, RequestPath(raw: "")),
            id: entry.id,
            lane: entry.lane,
            priority: entry.priority,
            expiresAt: entry.expiresAt,
            maxAttempts: entry.maxAttempts,
            coalescingKey: entry.coalescingKey,
            timestamp: entry.timestamp,
            identity: entry.identity
        )
        retryCount = entry.retryCount
        conflictCount = entry.conflictCount
    }
}

/// The reason why an entry was given up.
public struct DeadLetterReason: Sendable, Hashable, CustomStringConvertible {
    /// The reason's name, as it is kept on disk.
    public let description: String

    /// The server refused the request with a status that another attempt would not change.
    public static let refused = DeadLetterReason("refused")
    /// The server redirected the request, and the redirect could not be followed or led to another origin.
    public static let redirected = DeadLetterReason("redirected")
    /// All attempts of the entry were used up.
    public static let attemptsUsedUp = DeadLetterReason("attempts used up")
    /// The entry expired.
    public static let expired = DeadLetterReason("expired")
    /// The request cannot be sent as it is.
    public static let notSendable = DeadLetterReason("not sendable")
    /// The stored request cannot be read.
    public static let unreadable = DeadLetterReason("unreadable")

    init(_ description: String) { self.description = description }
}
