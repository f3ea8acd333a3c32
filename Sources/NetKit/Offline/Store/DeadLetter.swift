public import Foundation

/// An entry that was given up: kept, to be looked at, sent again with `retry` or removed.
public struct DeadLetter: Sendable, Identifiable {
    /// The entry's name.
    public var id: UUID { request.id }
    /// The request.
    public let request: QueuedRequest
    /// Why it was given up.
    public let reason: DeadLetterReason
    /// What happened, in a sentence.
    public let message: String
    /// When that was.
    public let date: Date
    /// What the server answered, bounded and without secret fields.
    public let answer: NetKitError.Answer?

    init(_ kept: KeptRequest) {
        request = kept.request
        reason = kept.detail?.reason ?? .unreadable
        message = kept.detail?.message ?? ""
        date = kept.detail?.date ?? kept.request.timestamp
        answer = kept.detail?.answer
    }
}
