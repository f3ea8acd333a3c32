public import Foundation

/// The front of each lane, as a store lists it.
public struct OfflineListing: Sendable {
    /// The entries, in the order of their positions.
    public var lines: [OfflineLine]
    /// The lanes of the listed shards that are paused, each with the rest of its pause; `nil` has no end.
    public var pauses: [String: Duration?]
    /// The damaged parts that were set aside since the last listing.
    public var quarantined: [QuarantinedRecord]
    /// The reason why nothing can be written at the moment, if there is one.
    public var problem: NetKitError?

    /// Creates a listing.
    public init(
        lines: [OfflineLine],
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

/// An entry in a listing, with its times as durations: clocks of two machines, or of one before and after it was set, differ.
public struct OfflineLine: Sendable {
    /// The entry.
    public var entry: OfflineEntry
    /// The time until its next attempt; `nil` if it need not wait.
    public var wait: Duration?
    /// The time until it is too late; `nil` if it never is.
    public var timeLeft: Duration?
    /// A Boolean value that indicates whether another queue has asked to remove it.
    public var isToBeRemoved: Bool

    /// Creates a line.
    public init(entry: OfflineEntry, wait: Duration? = nil, timeLeft: Duration? = nil, isToBeRemoved: Bool = false) {
        self.entry = entry
        self.wait = wait
        self.timeLeft = timeLeft
        self.isToBeRemoved = isToBeRemoved
    }

    /// Creates the line of an entry at a time of day.
    ///
    /// An entry never waits longer than when it was postponed, however the clock was set since.
    public init(_ entry: OfflineEntry, at date: Date) {
        self.init(entry: entry)
        if let notBefore = entry.notBefore, notBefore > date {
            let left = Duration(clampingSeconds: notBefore.timeIntervalSince(date)) ?? .zero
            wait = min(left, entry.postponedFor ?? left)
        }
        timeLeft = entry.expiresAt.map { Duration(clampingSeconds: max(0, $0.timeIntervalSince(date))) ?? .zero }
    }
}

/// A part of the journal that is no record any more; it is kept in `quarantine.jsonl`.
public struct QuarantinedRecord: Sendable, Hashable {
    /// The file it was in.
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
