/// The removals that a store has not carried out yet, so that nothing outdated is used before.
///
/// They are those under way, and those that have failed and are to be repeated. Beyond a bound of failed ones, it is
/// no longer known which resources they concern, and everything in the store counts as outdated.
struct PendingRemovals: ~Copyable {
    /// The removal of a resource, or of everything.
    struct Removal: Sendable {
        /// The resource, or `nil` for everything.
        let resource: CacheResource?
        /// The number of the latest failure before it began.
        fileprivate let number: UInt64?

        /// Whether it makes up for an earlier one, of which the store does not know because it has failed.
        var followsFailure: Bool { number != nil }
    }

    /// Whether a resource may be used.
    enum Use: Sendable {
        case allowed
        /// A removal is under way.
        case refused
        /// The resource may be used if this removal, which has begun, succeeds.
        case after(Removal)
    }

    private static let maxResources = 1_000

    /// The number of the latest failure of each resource.
    private var failures: [CacheResource: UInt64] = [:]
    /// The number of the latest failure, if there have been too many.
    private var failureOfAll: UInt64?
    /// The numbers of removals under way; that of everything has no resource.
    private var running: [CacheResource?: Int] = [:]
    private var latest: UInt64 = 0

    /// Notes that the removal of a resource begins.
    mutating func begin(_ resource: CacheResource) -> Removal {
        noteBegin(Removal(resource: resource, number: failures[resource]))
    }

    private mutating func noteBegin(_ removal: Removal) -> Removal {
        running[removal.resource, default: 0] += 1
        return removal
    }

    /// Whether no removal is under way or to be repeated.
    var isEmpty: Bool { running.isEmpty && failures.isEmpty && failureOfAll == nil }

    /// Returns whether a resource may be used; a removal of it that has failed begins again.
    mutating func use(_ resource: CacheResource) -> Use {
        // Even empty dictionaries would hash the resource.
        if isEmpty { return .allowed }
        if running[resource] != nil || running[nil] != nil { return .refused }
        if let failureOfAll { return .after(noteBegin(Removal(resource: nil, number: failureOfAll))) }
        guard let number = failures[resource] else { return .allowed }
        return .after(noteBegin(Removal(resource: resource, number: number)))
    }

    /// Notes the end of a removal, which is to be repeated if it has failed.
    ///
    /// One that was done makes up for the failures before it began, but not for those of later changes.
    mutating func end(_ removal: Removal, isDone: Bool) {
        running[removal.resource] = running[removal.resource].flatMap { $0 > 1 ? $0 - 1 : nil }
        if isDone {
            forget(removal)
        } else if let resource = removal.resource {
            noteFailure(of: resource)
        }
    }

    private mutating func noteFailure(of resource: CacheResource) {
        latest += 1
        if failureOfAll == nil, failures[resource] != nil || failures.count < Self.maxResources {
            failures[resource] = latest
        } else {
            (failures, failureOfAll) = ([:], latest)
        }
    }

    private mutating func forget(_ removal: Removal) {
        if let resource = removal.resource {
            if failures[resource] == removal.number { failures[resource] = nil }
        } else if failureOfAll == removal.number {
            failureOfAll = nil
        }
    }
}
