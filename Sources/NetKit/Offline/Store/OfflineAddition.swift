public import Foundation

/// A request to add to a store, which returns its entry.
public struct OfflineAddition: Sendable {
    /// The request, as it is kept.
    public var request: QueuedRequest
    /// The number of bytes of the entry, including the body; less than zero counts as zero, and 1 TiB or more as 1 TiB
    /// without a byte.
    public var byteCount: Int { didSet { byteCount = OfflineEntry.limited(byteCount) } }
    /// The identity under which the entry has to be sent.
    ///
    /// It can be an identity without a persistent name, which is not kept. An entry replaces only entries of the same
    /// identity, and only those are dropped to make room for it.
    public var identity: String?

    /// Creates an addition.
    public init(request: QueuedRequest, byteCount: Int, identity: String? = nil) {
        self.request = request
        self.byteCount = OfflineEntry.limited(byteCount)
        self.identity = identity
    }
}

/// The bounds of a queue.
public struct OfflineBounds: Sendable, Hashable {
    /// The maximum number of entries, including dead letters and conflicts.
    public var maxEntries: Int { didSet { maxEntries = max(0, maxEntries) } }
    /// The maximum number of bytes of all entries.
    public var maxBytes: Int { didSet { maxBytes = max(0, maxBytes) } }
    /// The number of dead letters at which nothing is added anymore; `nil` if they have no bound.
    public var maxDeadLetters: Int? { didSet { maxDeadLetters = maxDeadLetters.map { max(0, $0) } } }
    /// Whether the oldest entries are dropped to make room, dead letters first.
    ///
    /// Otherwise the addition fails. An entry for which `begin` returned `true` is not dropped before it is released.
    public var dropsOldest: Bool

    /// Creates bounds; by default there are none.
    ///
    /// A bound below zero counts as zero.
    public init(maxEntries: Int = .max, maxBytes: Int = .max, maxDeadLetters: Int? = nil, dropsOldest: Bool = false) {
        self.maxEntries = max(0, maxEntries)
        self.maxBytes = max(0, maxBytes)
        self.maxDeadLetters = maxDeadLetters.map { max(0, $0) }
        self.dropsOldest = dropsOldest
    }

    /// Returns the error for an addition that finds no room.
    public func refusal(_ tally: OfflineTally) -> NetKitError {
        if let maxDeadLetters, tally.deadLetterCount >= maxDeadLetters {
            return NetKitError(
                .queueFull,
                "The queue has \(tally.deadLetterCount) dead letters, and accepts no entries until some are retried or "
                    + "removed. Use `retry(where:)` or `remove(where:)`, set `deadLetters.maxAge`, or raise `deadLetters.maxEntries`."
            )
        }
        return NetKitError(
            .queueFull,
            "The queue is full: \(tally.count) entries with \(tally.byteCount) bytes. Let it drain, remove dead letters, or "
                + "raise `maxEntries` or `maxBytes`."
        )
    }
}

extension NetKitError {
    /// The error of a queue after `close`.
    static let queueClosed = NetKitError(.closed, "The queue was closed. Open another one.")

    /// Returns the error for an entry whose identifier another entry has.
    package static func entryExists(_ id: UUID) -> NetKitError {
        NetKitError(.invalidRequest, "An entry \(id) exists already. Give each entry its own identifier.")
    }
}

/// The result of adding an entry to a store.
public enum OfflineAppendResult: Sendable {
    /// The entry was added. With the same write, `replaced` left because of its coalescing key, and `dropped` to make
    /// room.
    case added(OfflineEntry, replaced: [OfflineEntry], dropped: [OfflineEntry])
    /// An entry with the same coalescing key stays instead; nothing was added.
    case kept(UUID)
}

/// The result of removing entries from a store.
public struct OfflineRemoval: Sendable {
    /// The entries that were removed.
    public var removed: [OfflineEntry]
    /// The identifiers of entries whose owners were asked to remove them.
    public var asked: [UUID]

    /// Creates a result.
    public init(removed: [OfflineEntry] = [], asked: [UUID] = []) {
        self.removed = removed
        self.asked = asked
    }
}

/// The numbers of entries in a store.
public struct OfflineTally: Sendable, Hashable {
    /// The number of entries that wait or are being sent.
    public var pendingCount = 0
    /// The number of entries that were given up.
    public var deadLetterCount = 0
    /// The number of entries that wait for a person.
    public var conflictCount = 0
    /// The bytes of all entries.
    public var byteCount = 0
    /// The last position that was assigned to an entry.
    public var lastPosition: Int64 = 0

    /// Creates an empty tally.
    public init() {}

    /// The number of all entries.
    public var count: Int { pendingCount + deadLetterCount + conflictCount }

    /// Counts an entry; with a `number` of -1, an entry no longer counts.
    public mutating func add(_ entry: OfflineEntry, _ number: Int = 1) {
        switch entry.state {
        case .waiting: pendingCount += number
        case .conflict: conflictCount += number
        default: deadLetterCount += number
        }
        byteCount += number * entry.byteCount
        lastPosition = max(lastPosition, entry.position)
    }
}

extension OfflineTally {
    /// The numbers as metrics: `netkit_queue_entries` by state, and `netkit_queue_bytes`.
    public var samples: [MetricSample] {
        let counts = [("waiting", pendingCount), ("dead", deadLetterCount), ("conflict", conflictCount)]
        let samples = counts.map { state, count in
            MetricSample(
                "netkit_queue_entries",
                .gauge,
                "Entries of offline queues, by state.",
                labels: ["state": state],
                value: Double(count)
            )
        }
        let help = "Bytes of the entries of offline queues."
        return samples + [MetricSample("netkit_queue_bytes", .gauge, help, value: Double(byteCount))]
    }
}
