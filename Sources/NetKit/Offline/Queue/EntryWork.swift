import Foundation

/// The work on entries that is under way, and what follows when an entry is free again.
///
/// A busy entry has at most one task, within which code of others runs or a write stalls. It has none while a call
/// changes it in the store. In both cases, its removal and its loss wait until it is free, and the removal comes first,
/// because a person has decided it.
struct EntryWork {
    enum Purpose {
        case sending
        case expiring
        /// A person decides about the entry or removes it, which also holds after its shard was lost.
        case deciding
    }

    enum Sequel {
        case removal
        /// The entry is forgotten, because it is gone or may belong to another queue by now.
        case loss
        case nothing
    }

    private struct Job {
        let task: Task<Void, any Error>
        let purpose: Purpose
        var isForeign = false
        var isStalled = false
    }

    private var jobs: [UUID: Job] = [:]
    private(set) var expiringCount = 0
    private var removals: Set<UUID> = []
    private var lost: Set<UUID> = []
    /// The entries whose tasks were abandoned, which stay lost even after the entries are forgotten.
    private var abandoned: Set<UUID> = []
    private var drained: Promise<Bool>?

    /// The number of tasks that send, decide or remove.
    var sendingCount: Int { jobs.count - expiringCount }

    var tasks: some Collection<Task<Void, any Error>> { jobs.values.lazy.map(\.task) }

    var stalledTasks: [Task<Void, any Error>] { jobs.values.filter(\.isStalled).map(\.task) }

    func hasTask(_ id: UUID) -> Bool { jobs[id] != nil }

    mutating func begin(_ id: UUID, as purpose: Purpose, _ task: Task<Void, any Error>) {
        // An entry that left the queue during its task may be added again before the task has ended.
        end(id)
        jobs[id] = Job(task: task, purpose: purpose)
        if purpose == .expiring { expiringCount += 1 }
    }

    mutating func end(_ id: UUID) {
        if jobs.removeValue(forKey: id)?.purpose == .expiring { expiringCount -= 1 }
    }

    /// Notes whether code of others runs for an entry.
    mutating func note(_ id: UUID, isForeign: Bool) { jobs[id]?.isForeign = isForeign }

    /// Notes whether the store cannot write the new state of an entry.
    mutating func note(_ id: UUID, isStalled: Bool) { jobs[id]?.isStalled = isStalled }

    /// Returns whether the tasks without those of some entries can end by themselves; `nil` if there are none.
    func goesOn(without others: Set<UUID>) -> Bool? {
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
    func tellIfDrained() {
        if jobs.isEmpty { drained?.resolve(.success(true)) }
    }

    /// Abandons the tasks in which code of others runs, and returns those of their entries that are to be removed now.
    ///
    /// Otherwise, the code would carry out the removals at its end, when another queue may have the store.
    mutating func abandonForeignCode() -> Set<UUID> {
        let foreign = jobs.filter(\.value.isForeign).keys
        for id in foreign { end(id) }
        abandoned.formUnion(foreign)
        let due = removals.intersection(foreign)
        removals.subtract(due)
        return due
    }

    func sequel(of id: UUID) -> Sequel { removals.contains(id) ? .removal : isLost(id) ? .loss : .nothing }

    /// Returns whether this queue still owns an entry and is not to remove it.
    func isKept(_ id: UUID) -> Bool { sequel(of: id) == .nothing }

    func isLost(_ id: UUID) -> Bool { lost.contains(id) || isAbandoned(id) }

    func isAbandoned(_ id: UUID) -> Bool { abandoned.contains(id) }

    /// Removes a busy entry when it is free again.
    mutating func removeLater(_ id: UUID) { removals.insert(id) }

    mutating func noteRemoved(_ id: UUID) { removals.remove(id) }

    /// Loses a busy entry, which is forgotten when it is free again.
    mutating func lose(_ id: UUID) { lost.insert(id) }

    /// Notes that the shard of a busy entry was lost, and returns its task if that has to be cancelled.
    mutating func loseShard(of id: UUID) -> Task<Void, any Error>? {
        lose(id)
        guard let job = jobs[id], job.purpose != .deciding else { return nil }
        return job.task
    }

    mutating func forgetSequel(of id: UUID) {
        removals.remove(id)
        lost.remove(id)
    }
}
