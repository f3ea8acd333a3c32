import Foundation

/// The writes of a repository that were put into an offline queue, by the names whose values they outdate.
struct QueuedWriteTable: ~Copyable {
    /// The state of the writes of a name.
    enum State: Equatable {
        /// No write that matters.
        case none
        /// A write that waits, so the server still has the earlier value.
        case waiting
        /// A write that was delivered, given up or removed, and no response of the server since.
        ///
        /// The number is that of the latest such end.
        case ended(UInt64)

        var isEnded: Bool { if case .ended = self { true } else { false } }
    }

    /// The writes of a name.
    struct Writes {
        /// The latest write, whose queue knows the others as well.
        fileprivate(set) var latest: QueuedCall
        /// The number of the latest write among those of the repository.
        fileprivate(set) var number: UInt64 = 0
        /// The entries that the queue may still have.
        fileprivate(set) var ids: Set<UUID> = []
        /// Those of them that were given up, which wait again if a person retries them.
        private var deadLetters: Set<UUID> = []
        /// The number of the latest end of an entry, if the server has not been asked since.
        fileprivate var end: UInt64?

        fileprivate init(latest: QueuedCall) { self.latest = latest }

        /// The state of all of them together.
        var state: State {
            if ids != deadLetters { return .waiting }
            return end.map(State.ended) ?? State.none
        }

        /// Takes over the states of entries, and returns whether one of them has ended.
        fileprivate mutating func note(
            _ states: [UUID: OfflineEntry.State],
            of asked: Set<UUID>,
            _ number: UInt64
        ) -> Bool {
            let gone = ids.intersection(asked).subtracting(states.keys)
            ids.subtract(gone)
            let known = deadLetters
            deadLetters = ids.filter { states[$0] == .deadLetter }
            let hasEnded = !gone.isEmpty || !deadLetters.isSubset(of: known)
            if hasEnded { end = number }
            return hasEnded
        }
    }

    /// A removal of outdated values.
    struct Removal {
        /// The end of the removals before it, if there were any.
        let earlier: Promise<Void>?
        let end = Promise<Void>()
    }

    private static let minBound = 1_000

    private var writes: [ExactText: Writes] = [:]
    /// The end of all removals of outdated values that have begun.
    private(set) var removals: Promise<Void>?
    /// The number of the latest look for ends.
    private var latestLook: UInt64 = 0
    /// The number of writes that were added since the last search for those that have ended.
    private var newCount = 0
    /// The number of new writes at which the next search begins.
    private var bound = minBound

    subscript(_ name: ExactText) -> Writes? { writes[name] }

    /// Begins to remove outdated values, for which the value of a later write has to wait.
    mutating func beginRemoval() -> Removal {
        let removal = Removal(earlier: removals)
        removals = removal.end
        return removal
    }

    /// Adds a write with a number to its names, and returns the entries of the others if it is time to ask for their
    /// states.
    ///
    /// - Returns: The entries, or `nil` if there are few new ones. The new write is not among them, so its names are
    ///   not forgotten.
    mutating func add(_ write: QueuedCall, _ number: UInt64, to names: [ExactText]) -> Set<UUID>? {
        for name in names {
            writes[name, default: Writes(latest: write)].ids.insert(write.receipt.id)
            writes[name]?.latest = write
            writes[name]?.number = number
        }
        newCount += 1
        guard newCount >= bound else { return nil }
        let ids: Set<UUID> = writes.values.reduce(into: []) { $0.formUnion($1.ids) }
        (newCount, bound) = (0, max(Self.minBound, ids.count))
        return ids.subtracting([write.receipt.id])
    }

    /// Moves the writes of a name to another one, and returns whether there were any.
    mutating func move(_ earlier: ExactText, to name: ExactText) -> Bool {
        guard var moved = writes.removeValue(forKey: earlier) else { return false }
        if let later = writes[name] {
            moved.ids.formUnion(later.ids)
            (moved.latest, moved.number, moved.end) = (later.latest, later.number, later.end ?? moved.end)
        }
        writes[name] = moved
        return true
    }

    /// Takes over the states of the entries of a name.
    ///
    /// - Returns: Whether one of them has ended, and the state of the writes of the name.
    mutating func note(
        _ states: [UUID: OfflineEntry.State],
        of asked: Set<UUID>,
        for name: ExactText
    ) -> (hasEnded: Bool, state: State) {
        latestLook += 1
        let hasEnded = writes[name]?.note(states, of: asked, latestLook) ?? true
        return (hasEnded, writes[name]?.state ?? .ended(latestLook))
    }

    /// Notes that the server was asked for a name when its writes had a state, unless another one has ended since.
    mutating func noteResponse(for name: ExactText, after state: State) {
        guard state.isEnded, let known = writes[name], known.state == state else { return }
        if known.ids.isEmpty { writes[name] = nil } else { writes[name]?.end = nil }
    }

    /// Forgets the entries that have ended, and also the names without a write that waits if there are very many.
    ///
    /// - Returns: The names whose values are outdated.
    mutating func forgetEnded(_ states: [UUID: OfflineEntry.State], of asked: Set<UUID>) -> [ExactText] {
        let isFull = writes.count > Self.minBound
        var outdated: [ExactText] = []
        var remaining = Set<UUID>()
        latestLook += 1
        for (name, earlier) in writes {
            var known = earlier
            let hasEnded = known.note(states, of: asked, latestLook)
            let isWaiting = known.state == .waiting
            if !isWaiting, hasEnded || isFull { outdated.append(name) }
            writes[name] = isWaiting || !isFull ? known : nil
            remaining.formUnion(writes[name]?.ids ?? [])
        }
        bound = max(Self.minBound, remaining.count)
        return outdated
    }
}
