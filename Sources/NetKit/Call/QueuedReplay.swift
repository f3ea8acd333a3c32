public import Foundation

/// The tag of a call that the offline queue makes for one of its entries.
///
/// Such a call is not queued again, retried or hedged, because the queue decides about further attempts. Your
/// interceptors find the tag in `context.tags`.
public struct QueuedReplay: OwnCallTag, Hashable {
    /// The identifier of the entry.
    public let id: UUID
    /// The number of the attempt, from 1.
    public let attempt: Int

    /// Creates the tag.
    public init(id: UUID, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }
}

extension Call {
    /// Whether the offline queue makes the call.
    var isReplay: Bool { !tags.isEmpty && tags[QueuedReplay.self] != nil }
}
