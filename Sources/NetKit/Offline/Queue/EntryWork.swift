import Foundation

/// The work on entries that is under way, and what follows when an entry is free again.
///
/// A busy entry has at most one task. Within the task, the sender or a conflict resolver runs, or a write stalls. The
/// entry has no task while a call changes it in the store. In both cases, its removal and its loss wait until it is
/// free. The removal comes first, because a person has decided it.
struct EntryWork: ~Copyable {
    enum Purpose {
        case sending
        case expiring
        /// A person decides about the entry or removes it, which also holds after its shard was lost.
        case deciding
    }

    /// The step that follows for a busy entry when it is free again.
    enum FollowUp {
        case removal
        /// The entry is forgotten, because it is gone or may belong to another queue by now.
        case loss
        case nothing
    }

    private final class Job {
        let task: Task<Void, any Error>
        let purpose: Purpose
        /// Whether the sender or a conflict resolver runs, whose code the queue cannot stop.
        var isOutsideQueue = false
        /// Whether the store cannot write the new state of the entry.
        var isStalled = false

        init(_ task: Task<Void, any Error>, _ purpose: Purpose) { (self.task, self.purpose) = (task, purpose) }
    }

    private var jobs: [UUID: Job] = [:]
    private(set) var expiringCount = 0
    /// The busy entries that a person has removed.
    private var removals: Set<UUID> = []
    /// The busy entries that are gone, or may belong to another queue by now.
    private var lost: Set<UUID> = []
    /// The entries whose tasks were abandoned, which stay lost even after the entries are forgotten.
    private var abandoned: Set<UUID> = []
    private var drained: Promise<Bool>?
    /// The number of calls that change entries in the store, each of which reports what it has changed.
    private var callCount = 0
    private var callsEnded: Promise<Bool>?
    /// The entries that the store is removing, some of which the queue may not know yet.
    private var beingRemoved: Set<UUID> = []
    /// The entries that are being added, each with its request until its first event.
    ///
    /// Several calls may add the same request to a shared store at once.
    private var adding: [UUID: (request: QueuedRequest?, callCount: Int)] = [:]
    /// Those of them that have already left again.
    private var departed: Set<UUID> = []

    /// The number of tasks that send, decide or remove.
    var sendingCount: Int { jobs.count - expiringCount }

    var tasks: some Collection<Task<Void, any Error>> { jobs.values.lazy.map(\.task) }

    var stalledTasks: [Task<Void, any Error>] { jobs.values.filter(\.isStalled).map(\.task) }

    func hasTask(_ id: UUID) -> Bool { jobs[id] != nil }

    mutating func begin(_ id: UUID, as purpose: Purpose, _ task: Task<Void, any Error>) {
        // An entry that left the queue during its task may be added again before the task has ended.
        end(id)
        jobs[id] = Job(task, purpose)
        if purpose == .expiring { expiringCount += 1 }
    }

    mutating func end(_ id: UUID) {
        if jobs.removeValue(forKey: id)?.purpose == .expiring { expiringCount -= 1 }
    }

    /// Notes whether the sender or a conflict resolver runs for an entry.
    mutating func note(_ id: UUID, isOutsideQueue: Bool) { jobs[id]?.isOutsideQueue = isOutsideQueue }

    /// Notes whether the store cannot write the new state of an entry.
    mutating func note(_ id: UUID, isStalled: Bool) { jobs[id]?.isStalled = isStalled }

    /// Returns whether the tasks without those of some entries can end by themselves; `nil` if there are none.
    func canProgress(without others: Set<UUID>) -> Bool? {
        let rest = jobs.lazy.filter { !others.contains($0.key) }
        return rest.isEmpty ? nil : rest.contains { !$0.value.isStalled }
    }

    /// Returns a promise that ends with the last task.
    mutating func drain() -> Promise<Bool> {
        let drained = Promise<Bool>()
        self.drained = drained
        return drained
    }

    /// Ends the promise of `drain` if no task is left.
    func resolveIfDrained() {
        if jobs.isEmpty { drained?.resolve(.success(true)) }
    }

    mutating func beginCall() { callCount += 1 }

    mutating func endCall() {
        callCount -= 1
        if callCount == 0 { callsEnded?.resolve(.success(true)) }
    }

    /// Returns a promise that ends with the last call; `nil` if there is none.
    mutating func endOfCalls() -> Promise<Bool>? {
        callsEnded = callCount > 0 ? Promise() : nil
        return callsEnded
    }

    /// Abandons the tasks in which the sender or a resolver runs, and returns those of their entries that are to be
    /// removed now.
    ///
    /// Otherwise, the tasks would carry out the removals at their ends, when another queue may have the store.
    mutating func abandonOutsideCode() -> Set<UUID> {
        let outside = jobs.filter(\.value.isOutsideQueue).keys
        for id in outside { end(id) }
        abandoned.formUnion(outside)
        let due = removals.intersection(outside)
        removals.subtract(due)
        return due
    }

    func followUp(of id: UUID) -> FollowUp { isToBeRemoved(id) ? .removal : isLost(id) ? .loss : .nothing }

    func isToBeRemoved(_ id: UUID) -> Bool { removals.contains(id) }

    /// Returns whether this queue still owns an entry and is not to remove it.
    func remains(_ id: UUID) -> Bool { followUp(of: id) == .nothing }

    func isLost(_ id: UUID) -> Bool { lost.contains(id) || isAbandoned(id) }

    func isAbandoned(_ id: UUID) -> Bool { abandoned.contains(id) }

    /// Removes a busy entry when it is free again.
    mutating func removeLater(_ id: UUID) { removals.insert(id) }

    mutating func noteRemoved(_ id: UUID) { removals.remove(id) }

    /// Notes that a busy entry was lost; it is forgotten when it is free again.
    mutating func markLost(_ id: UUID) { lost.insert(id) }

    /// Notes that the shard of a busy entry was lost, and returns its task if that has to be cancelled.
    mutating func markShardLost(of id: UUID) -> Task<Void, any Error>? {
        markLost(id)
        guard let job = jobs[id], job.purpose != .deciding else { return nil }
        return job.task
    }

    /// Notes that the store is removing entries, so that none of them begins.
    mutating func beginRemoval(of ids: [UUID]) { beingRemoved.formUnion(ids) }

    func isBeingRemoved(_ id: UUID) -> Bool { beingRemoved.contains(id) }

    /// Ends a removal, and returns the entries that are still there and that no task makes free.
    mutating func endRemoval(of ids: [UUID]) -> Set<UUID> {
        let rest = beingRemoved.intersection(ids)
        beingRemoved.subtract(rest)
        return rest.filter { !hasTask($0) && !isAbandoned($0) }
    }

    /// Forgets what was to follow for an entry that has left.
    mutating func forgetFollowUp(of id: UUID) {
        removals.remove(id)
        lost.remove(id)
        beingRemoved.remove(id)
        if isBeingAdded(id) { departed.insert(id) }
    }

    mutating func beginAdding(_ request: QueuedRequest) { adding[request.id, default: (request, 0)].callCount += 1 }

    func isBeingAdded(_ id: UUID) -> Bool { adding[id] != nil }

    /// Returns the request of an entry that is being added, for its first event; `nil` if it has had one.
    mutating func takeUnreported(_ id: UUID) -> QueuedRequest? { adding[id]?.request.take() }

    /// Returns whether an entry that is being added has already left again.
    func hasLeft(_ id: UUID) -> Bool { departed.contains(id) }

    mutating func endAdding(_ id: UUID) {
        departed.remove(id)
        adding[id]?.callCount -= 1
        if adding[id]?.callCount == 0 { adding[id] = nil }
    }
}
