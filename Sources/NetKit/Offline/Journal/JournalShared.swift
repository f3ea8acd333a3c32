import Foundation

/// What the journal's thread knows and others look up: entries are read from any thread.
final class JournalShared: Sendable {
    let index = Locked(JournalIndex())
    /// What was set aside and nobody was told of yet.
    let quarantined = Locked<[QuarantinedRecord]>([])
    /// The entries that may have files beside the journal.
    let owners = Locked<Set<UUID>>([])
}
