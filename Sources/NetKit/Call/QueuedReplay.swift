public import Foundation

/// Marks a call that the offline queue makes for one of its entries.
///
/// Retry and hedging leave it alone, because the queue itself says when there is another attempt, and it is not queued
/// again. Interceptors of yours find it among the tags.
public struct QueuedReplay: CallTag, Hashable {
    /// The entry.
    public let id: UUID
    /// Which attempt it is, from 1.
    public let attempt: Int

    /// Makes the mark.
    public init(id: UUID, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }
}

extension Call {
    /// Whether the offline queue makes the call.
    var isReplay: Bool { !tags.isEmpty && tags[QueuedReplay.self] != nil }
}
