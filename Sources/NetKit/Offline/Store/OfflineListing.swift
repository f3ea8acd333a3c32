public import Foundation

/// The first entries of each lane, as a store lists them.
public struct OfflineListing: Sendable {
    /// The entries, in the order of their positions.
    public var lines: [OfflineListedEntry]
    /// The paused lanes of the listed shards, each with the rest of its pause; `nil` stands for a pause without an end.
    public var pauses: [String: Duration?]
    /// The damaged parts that were set aside since the last listing.
    public var quarantined: [QuarantinedRecord]
    /// The reason why nothing can be written at the moment, if there is one.
    public var problem: NetKitError?

    /// Creates a listing.
    public init(
        lines: [OfflineListedEntry],
        pauses: [String: Duration?] = [:],
        quarantined: [QuarantinedRecord] = [],
        problem: NetKitError? = nil
    ) {
        self.lines = lines
        self.pauses = pauses
        self.quarantined = quarantined
        self.problem = problem
    }
}

/// An entry in a listing, with its times as durations.
///
/// Dates would be wrong if the clocks of two machines differ, or if a clock was set.
public struct OfflineListedEntry: Sendable {
    /// The entry.
    public var entry: OfflineEntry
    /// The time until its next attempt; `nil` if it need not wait.
    public var wait: Duration?
    /// The time until the entry expires; `nil` if it never does.
    public var timeLeft: Duration?
    /// Whether another queue has asked to remove the entry.
    public var isToBeRemoved: Bool

    /// Creates a line.
    public init(entry: OfflineEntry, wait: Duration? = nil, timeLeft: Duration? = nil, isToBeRemoved: Bool = false) {
        self.entry = entry
        self.wait = wait
        self.timeLeft = timeLeft
        self.isToBeRemoved = isToBeRemoved
    }

    /// Creates the line of an entry at a date.
    ///
    /// An entry never waits longer than its original wait, even if the clock was set since.
    public init(_ entry: OfflineEntry, at date: Date) {
        self.init(entry: entry)
        if let notBefore = entry.notBefore, notBefore > date {
            let left = Duration(clampingSeconds: notBefore.timeIntervalSince(date)) ?? .zero
            wait = min(left, entry.postponedFor ?? left)
        }
        timeLeft = entry.expiresAt.map { Duration(clampingSeconds: max(0, $0.timeIntervalSince(date))) ?? .zero }
    }
}

/// A damaged or missing part of the journal, as recorded in `quarantine.jsonl` or `quarantine-2.jsonl`.
public struct QuarantinedRecord: Sendable, Hashable {
    /// The file of the part.
    public let file: String
    /// The position in the file.
    public let offset: Int64
    /// The length in bytes.
    public let byteCount: Int
    /// The kind of damage.
    public let reason: String

    /// Creates a description of a damaged part.
    public init(file: String, offset: Int64, byteCount: Int, reason: String) {
        self.file = file
        self.offset = offset
        self.byteCount = byteCount
        self.reason = reason
    }
}
