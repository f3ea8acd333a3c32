public import Foundation

/// A store that keeps entries in memory, for tests and for requests that may be lost with the process.
///
/// A body that is a file is read into memory when its request is added.
public final class InMemoryOfflineStore: OfflineStore {
    private struct State: EntryTable {
        var entries: [UUID: OfflineEntry] = [:]
        var stored: [UUID: StoredRequest] = [:]
        var bookkeeping = StoreBookkeeping()
        var clock = NetKitClock.system

        var allEntries: [OfflineEntry] { Array(entries.values) }

        func entry(_ id: UUID) -> OfflineEntry? { entries[id] }

        mutating func put(_ entry: OfflineEntry) {
            if let old = entries.updateValue(entry, forKey: entry.id) {
                bookkeeping.change(old, to: entry)
            } else {
                bookkeeping.insert(entry)
            }
        }

        @discardableResult
        mutating func remove(_ id: UUID) -> OfflineEntry? {
            guard let entry = entries.removeValue(forKey: id) else { return nil }
            stored[id] = nil
            bookkeeping.remove(entry)
            return entry
        }

        mutating func update(_ id: UUID, _ update: OfflineUpdate) -> OfflineEntry? {
            guard let entry = entries[id]?.updated(by: update, at: clock.date) else { return nil }
            put(entry)
            if let request = update.request { stored[id]?.request = request }
            stored[id]?.detail = update.detail
            return entry
        }
    }

    private let state = Locked(State())
    private let life = StoreLifeCycle()

    /// Creates an empty store.
    public init() {}

    /// Notes the clock of the queue.
    ///
    /// A store that was closed is opened after its additions that are still under way have ended.
    ///
    /// - Throws: `.queueLocked` if the store has a queue already.
    public func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
        _ = try await life.open()
        state.withLock { $0.clock = clock }
    }

    /// Lists every entry.
    public func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
        state.withLock { state in
            let date = state.clock.date
            return OfflineListing(
                lines: state.entries.values.orderedByNumber(\.position).map { OfflineListedEntry($0, at: date) },
                pauses: state.bookkeeping.pauses(at: state.clock.now)
            )
        }
    }

    /// Reads entries.
    public func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
        state.withLock { state in
            var found: [UUID: Result<StoredRequest, NetKitError>] = [:]
            for id in ids {
                if let entry = state.entries[id] { found[id] = state.stored[id].map { .success($0.counting(entry)) } }
            }
            return found
        }
    }

    /// Adds an entry, after the bytes of a file were read into memory.
    public func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult {
        // The queue can be closed while the file is read. The next one waits, because it has to list the entry.
        life.beginChange()
        defer { life.endChange() }
        // An entry that is too large by itself is refused, and its file may be larger than the memory.
        let isTooLarge = addition.byteCount > bounds.maxBytes
        let request = isTooLarge ? addition.request : try await addition.request.holdingBytes()
        let result = try state.withLock { state -> OfflineAppendResult in
            switch try state.admit(addition, within: bounds) {
            case .kept(let id): return .kept(id)
            case .admitted(let plan):
                for id in plan.leaving { state.remove(id) }
                state.put(plan.entry)
                state.stored[plan.entry.id] = StoredRequest(request: request)
                state.bookkeeping.finish(plan)
                return .added(plan.entry, replaced: plan.replaced, dropped: plan.dropped)
            }
        }
        if case .added = result { addition.request.removeTakenFile() }
        return result
    }

    /// Notes that an entry is being sent.
    public func begin(_ id: UUID) async throws -> Bool {
        state.withLock { $0.entries[id] != nil && $0.bookkeeping.begin(id) }
    }

    /// Removes an entry that was delivered.
    public func commit(_ id: UUID, sentAs key: String?) async throws {
        state.withLock { _ = $0.remove(id) }
    }

    /// Gives an entry back.
    public func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
        state.withLock { state in
            guard let entry = state.entries[id] else { return false }
            state.bookkeeping.endBegin(id)
            guard let update else { return true }
            guard entry.state == update.previousState else { return false }
            return state.update(id, update) != nil
        }
    }

    /// Pauses a lane.
    public func pause(_ lane: String, for time: Duration?) async throws {
        state.withLock { state in
            state.bookkeeping.pause(lane, until: time.map { state.clock.now.advanced(by: $0) })
        }
    }

    /// Ends the pause of a lane.
    public func resume(_ lane: String) async throws {
        state.withLock { $0.bookkeeping.resume(lane) }
    }

    /// Makes entries due now.
    public func revive(_ ids: [UUID]) async throws -> [OfflineEntry] {
        state.withLock { state in
            ids.compactMap { id in state.entries[id].flatMap { state.update(id, .revival(of: $0)) } }
        }
    }

    /// Removes entries.
    public func remove(_ ids: [UUID]) async throws -> OfflineRemoval {
        state.withLock { state in OfflineRemoval(removed: ids.compactMap { state.remove($0) }) }
    }

    /// Lists entries that meet a condition.
    public func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry] {
        state.withLock { state in
            filter.page(of: state.entries.values, at: state.clock.date, after: position, limit: limit)
        }
    }

    /// Counts the entries.
    public func tally() async throws -> OfflineTally { state.withLock { $0.bookkeeping.tally } }

    /// Lets another queue open the store; its entries stay until the store is released.
    public func close(within bound: Duration) async {
        life.beginClosing()
        life.endClosing()
    }
}
