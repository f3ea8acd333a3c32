/// The removals that a store has not carried out yet, so that nothing outdated is used before.
///
/// They are those under way, and those that have failed and are to be repeated. Beyond a bound of failed ones, it is
/// no longer known which names they concern, and everything in the store counts as outdated.
struct PendingRemovals<Name: Hashable & Sendable>: Sendable {
    /// The removal of a name, or of everything.
    struct Removal: Sendable {
        /// The name, or `nil` for everything.
        let name: Name?
        /// The number of the latest failure before it began.
        fileprivate let number: UInt64?

        /// Whether it makes up for an earlier one, of which the store does not know because it has failed.
        var followsFailure: Bool { number != nil }
    }

    /// Whether a name may be used.
    enum Use: Sendable {
        case allowed
        /// A removal is under way.
        case refused
        /// The name may be used if this removal, which has begun, succeeds.
        case after(Removal)
    }

    private static var maxNames: Int { 1_000 }

    /// The number of the latest failure of each name.
    private var failures: [Name: UInt64] = [:]
    /// The number of the latest failure, if there have been too many.
    private var failureOfAll: UInt64?
    /// The numbers of removals under way; that of everything has no name.
    private var running: [Name?: Int] = [:]
    private var latest: UInt64 = 0

    /// Notes that the removal of a name begins.
    mutating func begin(_ name: Name) -> Removal { noteBegin(Removal(name: name, number: failures[name])) }

    private mutating func noteBegin(_ removal: Removal) -> Removal {
        running[removal.name, default: 0] += 1
        return removal
    }

    /// Returns whether a name may be used; a removal of it that has failed begins again.
    mutating func use(_ name: Name) -> Use {
        // Even empty dictionaries would hash the name.
        if running.isEmpty, failures.isEmpty, failureOfAll == nil { return .allowed }
        if running[name] != nil || running[nil] != nil { return .refused }
        if let failureOfAll { return .after(noteBegin(Removal(name: nil, number: failureOfAll))) }
        guard let number = failures[name] else { return .allowed }
        return .after(noteBegin(Removal(name: name, number: number)))
    }

    /// Notes the end of a removal, which is to be repeated if it has failed.
    ///
    /// One that was done makes up for the failures before it began, but not for those of later changes.
    mutating func end(_ removal: Removal, isDone: Bool) {
        running[removal.name] = running[removal.name].flatMap { $0 > 1 ? $0 - 1 : nil }
        if isDone {
            forget(removal)
        } else if let name = removal.name {
            noteFailure(of: name)
        }
    }

    private mutating func noteFailure(of name: Name) {
        latest += 1
        if failureOfAll == nil, failures[name] != nil || failures.count < Self.maxNames {
            failures[name] = latest
        } else {
            (failures, failureOfAll) = ([:], latest)
        }
    }

    private mutating func forget(_ removal: Removal) {
        if let name = removal.name {
            if failures[name] == removal.number { failures[name] = nil }
        } else if failureOfAll == removal.number {
            failureOfAll = nil
        }
    }
}
