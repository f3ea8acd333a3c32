import Foundation
import NetKit

extension OfflineEntry {
    /// The columns of an entry, if its table is called `e`.
    static let outboxColumns = """
        e.id, e.position, e.shard, e.lane, e.state, e.priority, e.attempts, e.conflicts, e.max_attempts, \
        e.not_before, e.failing_for, e.made_at, e.expires_at, e.settled_at, e.status, e.subject, e.identity, e.size
        """

    /// Creates an entry from the columns that every statement about entries returns.
    init(outbox row: Row) throws {
        self.init(
            id: try row.value("id"),
            position: try row.value("position"),
            lane: try row.value("lane"),
            priority: try row.value("priority"),
            timestamp: try row.value("made_at"),
            byteCount: try row.value("size")
        )
        shard = try row.value("shard")
        state = State(outboxLetter: try row.value("state"))
        retryCount = try row.value("attempts")
        conflictCount = try row.value("conflicts")
        coalescingKey = try row.optional("subject")
        identity = try row.optional("identity")
    }

    /// Reads the columns that an entry has besides those of every statement.
    mutating func addRest(_ row: Row) throws {
        maxAttempts = try row.optional("max_attempts")
        expiresAt = try row.optional("expires_at")
        failingFor = try row.optional("failing_for")
        settledAt = try row.optional("settled_at")
        status = try row.optional("status", as: Int.self).map { HTTPStatus($0) }
    }

    /// Creates an entry from all of its columns.
    init(wholeOutbox row: Row) throws {
        try self.init(outbox: row)
        try addRest(row)
        notBefore = try row.optional("not_before")
    }
}

extension OfflineEntry.State {
    /// The letter of the state in the database.
    var outboxLetter: String {
        switch self {
        case .waiting: "w"
        case .conflict: "c"
        default: "d"
        }
    }

    init(outboxLetter letter: String) {
        self = [OfflineEntry.State.waiting, .conflict].first { $0.outboxLetter == letter } ?? .deadLetter
    }
}

extension OfflineListedEntry {
    /// Creates a line from a row of `netkit.lines_1`.
    init(outbox row: Row, at date: Date) throws {
        var entry = try OfflineEntry(outbox: row)
        try entry.addRest(row)
        let wait = try row.optional("wait", as: Duration.self).flatMap { $0 > .zero ? $0 : nil }
        entry.notBefore = wait.map { date.addingTimeInterval($0.inSeconds) }
        self.init(
            entry: entry,
            wait: wait,
            timeLeft: try row.optional("time_left", as: Duration.self).map { max(.zero, $0) },
            isToBeRemoved: try row.value("to_be_removed")
        )
    }
}
