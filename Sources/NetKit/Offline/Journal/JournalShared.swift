import Foundation

/// The part of the journal's state that other threads read: entries are read from any thread.
final class JournalShared: Sendable {
    let index = Locked(JournalIndex())
    /// The damaged parts that were set aside and not reported yet.
    let quarantined = Locked<[QuarantinedRecord]>([])
    /// The entries that may have files beside the journal.
    let owners = Locked<Set<UUID>>([])
}
