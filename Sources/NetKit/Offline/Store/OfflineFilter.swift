public import Foundation

/// A condition on the entries of a queue, to inspect, retry or remove many of them.
///
/// ```swift
/// try await queue.retry(where: OfflineFilter(lanes: ["orders"], states: [.deadLetter], statuses: [503]))
/// try await queue.remove(where: OfflineFilter(states: [.deadLetter], olderThan: .seconds(30 * 86_400)))
/// ```
/// An entry has to meet every part that is given. A filter without parts matches all entries.
public struct OfflineFilter: Sendable, Hashable {
    /// The identifiers of the entries.
    public var ids: Set<UUID>?
    /// The lanes.
    public var lanes: Set<String>?
    /// The states.
    public var states: Set<OfflineEntry.State>?
    /// The statuses of the latest responses to dead letters and conflicts.
    public var statuses: Set<HTTPStatus>?
    /// The identities under which entries have to be sent.
    public var identities: Set<String>?
    /// The minimum age: the time since an entry was given up or became a conflict, or since a waiting entry was made.
    public var olderThan: Duration?

    /// Creates a filter.
    public init(
        ids: Set<UUID>? = nil,
        lanes: Set<String>? = nil,
        states: Set<OfflineEntry.State>? = nil,
        statuses: Set<HTTPStatus>? = nil,
        identities: Set<String>? = nil,
        olderThan: Duration? = nil
    ) {
        self.ids = ids
        self.lanes = lanes
        self.states = states
        self.statuses = statuses
        self.identities = identities
        self.olderThan = olderThan
    }

    /// Returns whether an entry meets the condition at a date.
    public func matches(_ entry: OfflineEntry, at date: Date) -> Bool {
        if let ids, !ids.contains(entry.id) { return false }
        if let lanes, !lanes.containsExactly(entry.lane) { return false }
        if let states, !states.contains(entry.state) { return false }
        if let statuses, !(entry.status.map(statuses.contains) ?? false) { return false }
        if let identities, !(entry.identity.map(identities.containsExactly) ?? false) { return false }
        guard let olderThan else { return true }
        let age = date.timeIntervalSince(entry.settledAt ?? entry.timestamp)
        return age >= olderThan.inSeconds
    }

    /// Returns the first entries after a position that meet the condition at a date, in order.
    package func page(
        of entries: some Sequence<OfflineEntry>,
        at date: Date,
        after position: Int64?,
        limit: Int
    ) -> [OfflineEntry] {
        let found = entries.filter { entry in
            position.map { entry.position > $0 } ?? true && matches(entry, at: date)
        }
        return Array(found.orderedByNumber(\.position).prefix(max(0, limit)))
    }
}
