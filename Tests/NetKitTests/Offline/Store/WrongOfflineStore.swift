import Foundation
import NetKit
import NetKitTesting

/// A store that breaks one promise.
struct WrongOfflineStore: StoreWrapper {
    /// The behavior in which a wrong store differs.
    struct Wrong: Sendable {
        var append: (@Sendable (any OfflineStore, OfflineAddition, OfflineBounds) async throws -> OfflineAppendResult)?
        var lines: (@Sendable (OfflineListing) -> OfflineListing)?
        var linesOf: (@Sendable (any OfflineStore, Set<Int>?, Int) async throws -> OfflineListing)?
        var load: (@Sendable (StoredRequest) -> StoredRequest)?
        var loadAll: (@Sendable (any OfflineStore, [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>])?
        var begin: (@Sendable (any OfflineStore, UUID) async throws -> Bool)?
        var commit: (@Sendable (any OfflineStore, UUID, String?) async throws -> Void)?
        var release: (@Sendable (any OfflineStore, UUID, OfflineUpdate?) async throws -> Bool)?
        var revive: (@Sendable (any OfflineStore, [UUID]) async throws -> [OfflineEntry])?
        var remove: (@Sendable (any OfflineStore, [UUID]) async throws -> OfflineRemoval)?
        var browse: (@Sendable (any OfflineStore, OfflineFilter, Int64?, Int) async throws -> [OfflineEntry])?
        var tally: (@Sendable (any OfflineStore) async throws -> OfflineTally)?
        var pauseAlone: (@Sendable (any OfflineStore, String, Duration?) async throws -> Void)?
        var pause: (@Sendable (any OfflineStore, String, Duration?) async throws -> Void)?
        var resume: (@Sendable (any OfflineStore, String) async throws -> Void)?
        var resumeLanes: (@Sendable (any OfflineStore, OfflinePauseReason) async throws -> Void)?
        var removeDeadLetters: (@Sendable ([OfflineRemovedEntry]) -> [OfflineRemovedEntry])?
        var close: (@Sendable (any OfflineStore) async -> Void)?
        var open: (@Sendable (any OfflineStore) async throws -> Void)?
        var owns: (@Sendable (any OfflineStore, Int) -> Bool)?
        var hears: (@Sendable (OfflineNotice) -> Bool)?
    }

    let inner: any OfflineStore
    private let wrong: Wrong

    init(_ inner: any OfflineStore, _ wrong: Wrong) {
        (self.inner, self.wrong) = (inner, wrong)
    }

    func open(clock: NetKitClock, notify: @escaping @Sendable (OfflineNotice) -> Void) async throws {
        if let open = wrong.open { return try await open(inner) }
        let hears = wrong.hears
        try await inner.open(clock: clock) { notice in
            if hears?(notice) ?? true { notify(notice) }
        }
    }

    func owns(_ shard: Int) -> Bool { wrong.owns?(inner, shard) ?? inner.owns(shard) }

    func lines(of shards: Set<Int>?, depth: Int) async throws -> OfflineListing {
        if let linesOf = wrong.linesOf { return try await linesOf(inner, shards, depth) }
        let listing = try await inner.lines(of: shards, depth: depth)
        return wrong.lines?(listing) ?? listing
    }

    func load(_ ids: [UUID]) async throws -> [UUID: Result<StoredRequest, NetKitError>] {
        if let loadAll = wrong.loadAll { return try await loadAll(inner, ids) }
        return try await inner.load(ids).mapValues { found in found.map { wrong.load?($0) ?? $0 } }
    }

    func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult {
        if let append = wrong.append { return try await append(inner, addition, bounds) }
        return try await inner.append(addition, within: bounds)
    }

    func begin(_ id: UUID) async throws -> Bool {
        if let begin = wrong.begin { return try await begin(inner, id) }
        return try await inner.begin(id)
    }

    func commit(_ id: UUID, sentAs key: String?) async throws {
        if let commit = wrong.commit { return try await commit(inner, id, key) }
        try await inner.commit(id, sentAs: key)
    }

    func release(_ id: UUID, _ update: OfflineUpdate?) async throws -> Bool {
        if let release = wrong.release { return try await release(inner, id, update) }
        return try await inner.release(id, update)
    }

    func resume(_ lane: String) async throws {
        if let resume = wrong.resume { return try await resume(inner, lane) }
        try await inner.resume(lane)
    }

    func pause(_ lane: String, for time: Duration?) async throws {
        if let pauseAlone = wrong.pauseAlone { return try await pauseAlone(inner, lane, time) }
        try await inner.pause(lane, for: time)
    }

    func pause(_ lane: String, for time: Duration?, because reason: OfflinePauseReason) async throws {
        if let pause = wrong.pause { return try await pause(inner, lane, time) }
        try await inner.pause(lane, for: time, because: reason)
    }

    func resumeLanes(pausedBecause reason: OfflinePauseReason) async throws {
        if let resumeLanes = wrong.resumeLanes { return try await resumeLanes(inner, reason) }
        try await inner.resumeLanes(pausedBecause: reason)
    }

    func removeDeadLetters(olderThan age: Duration?, above maxCount: Int?, limit: Int) async throws
        -> [OfflineRemovedEntry]
    {
        let removed = try await inner.removeDeadLetters(olderThan: age, above: maxCount, limit: limit)
        return wrong.removeDeadLetters?(removed) ?? removed
    }

    func revive(_ ids: [UUID]) async throws -> [OfflineEntry] {
        if let revive = wrong.revive { return try await revive(inner, ids) }
        return try await inner.revive(ids)
    }

    func remove(_ ids: [UUID]) async throws -> OfflineRemoval {
        if let remove = wrong.remove { return try await remove(inner, ids) }
        return try await inner.remove(ids)
    }

    func browse(_ filter: OfflineFilter, after position: Int64?, limit: Int) async throws -> [OfflineEntry] {
        if let browse = wrong.browse { return try await browse(inner, filter, position, limit) }
        return try await inner.browse(filter, after: position, limit: limit)
    }

    func tally() async throws -> OfflineTally {
        if let tally = wrong.tally { return try await tally(inner) }
        return try await inner.tally()
    }

    func close(within bound: Duration) async {
        if let close = wrong.close { return await close(inner) }
        await inner.close()
    }
}

extension WrongOfflineStore {
    /// A wrong store for a case, by the name of the case; other cases may refuse it as well.
    static let wrongs: [String: Wrong] = [
        "append.order": Wrong(lines: { OfflineListing(lines: $0.lines.reversed()) }),
        "append.whole": Wrong(load: { StoredRequest(request: $0.request.changed { $0.tags = [:] }) }),
        "append.file": Wrong(load: { StoredRequest(request: $0.request.changed { $0.body = nil }) }),
        "append.taken-file": Wrong(append: { try await $0.append($1.changed { $0.takesFile = false }, within: $2) }),
        "append.name": Wrong(append: { try await $0.append(renamed($1), within: $2) }),
        "append.again": Wrong(append: { try await $0.append(renamed($1), within: $2) }),
        "append.together": Wrong(lines: { OfflineListing(lines: $0.lines.map { $0.changed { $0.position = 1 } }) }),
        "coalescing.replace": Wrong(append: { try await $0.append($1.with(.append), within: $2) }),
        "coalescing.keep": Wrong(append: { try await $0.append($1.with(.replace), within: $2) }),
        "coalescing.append": Wrong(append: { try await $0.append($1.with(.replace), within: $2) }),
        "coalescing.identity": Wrong(append: { try await $0.append($1.changed { $0.identity = nil }, within: $2) }),
        "coalescing.exact": Wrong(append: { try await $0.append($1.changed(composeNames), within: $2) }),
        "coalescing.begun": Wrong(begin: { _, _ in true }),
        "coalescing.gone": Wrong(begin: { _, _ in true }),
        "coalescing.together": Wrong(append: { store, addition, bounds in
            guard case .added(let entry, let replaced, _) = try await store.append(addition, within: bounds) else {
                throw NetKitError(.custom, "kept")
            }
            return .added(entry, replaced: replaced + replaced, dropped: [])
        }),
        "bounds.count": Wrong(append: { store, addition, _ in try await store.append(addition, within: OfflineBounds())
        }),
        "bounds.bytes": Wrong(append: { store, addition, bounds in
            try await store.append(addition, within: OfflineBounds(maxEntries: bounds.maxEntries))
        }),
        "bounds.replace": Wrong(append: { store, addition, bounds in
            if try await store.tally().count >= bounds.maxEntries { throw NetKitError(.queueFull, "full") }
            return try await store.append(addition, within: bounds)
        }),
        "bounds.oldest": Wrong(append: { store, addition, bounds in
            var bounds = bounds
            bounds.dropsOldest = false
            return try await store.append(addition, within: bounds)
        }),
        "bounds.begun": Wrong(begin: { _, _ in true }),
        "bounds.identity": Wrong(append: { try await $0.append($1.changed { $0.identity = nil }, within: $2) }),
        "bounds.exact": Wrong(append: { try await $0.append($1.changed(composeNames), within: $2) }),
        "bounds.dead-letters": Wrong(append: { store, addition, _ in
            try await store.append(addition, within: OfflineBounds())
        }),
        "release.wait": Wrong(lines: { OfflineListing(lines: $0.lines.map { OfflineListedEntry(entry: $0.entry) }) }),
        "release.dead-letter": Wrong(load: { StoredRequest(request: $0.request) }),
        "release.state": Wrong(release: { store, id, update in
            _ = try await store.release(id, update)
            return true
        }),
        "release.gone": Wrong(release: { store, id, update in
            _ = try await store.release(id, update)
            return true
        }),
        "release.request": Wrong(release: { store, id, update in
            var update = update
            update?.request = nil
            return try await store.release(id, update)
        }),
        "commit.gone": Wrong(commit: { _, _, _ in }),
        "revive.dead-letter": Wrong(revive: { store, ids in
            try await store.browse(OfflineFilter(ids: Set(ids)), after: nil, limit: .max)
        }),
        "revive.waiting": Wrong(revive: { store, ids in
            try await store.browse(OfflineFilter(ids: Set(ids)), after: nil, limit: .max)
        }),
        "remove.told": Wrong(remove: { store, ids in
            _ = try await store.remove(ids)
            return OfflineRemoval()
        }),
        "shards.trim-count": Wrong(removeDeadLetters: { $0.reversed() }),
        "lines.time": Wrong(lines: { OfflineListing(lines: $0.lines.map { OfflineListedEntry(entry: $0.entry) }) }),
        "lines.pause": Wrong(resume: { _, _ in }),
        "browse.filter": Wrong(browse: { store, _, position, limit in
            try await store.browse(OfflineFilter(), after: position, limit: limit)
        }),
        "browse.pages": Wrong(browse: { store, filter, _, limit in
            try await store.browse(filter, after: nil, limit: limit)
        }),
        "tally.counts": Wrong(tally: { store in
            var tally = try await store.tally()
            tally.conflictCount = 0
            return tally
        }),
        "reopen.all": Wrong(release: { _, _, _ in true }),
        "reopen.locked": Wrong(open: { _ in }),
        "close.for-good": Wrong(close: { _ in }),
        "open.twice": Wrong(open: { store in
            do { try await store.open(clock: .system) { _ in } } catch let error as NetKitError {
                guard error.code == .queueLocked else { throw error }
            }
        }),
        "shards.alone": Wrong(owns: { _, shard in shard % 2 == 0 }),
        "shards.divided": Wrong(owns: { _, _ in true }),
        "shards.release": Wrong(begin: { _, _ in true }),
        "shards.commit": Wrong(commit: { store, id, _ in
            try await store.commit(id, sentAs: store.load([id])[id]?.get().request.idempotencyKey)
        }),
        "shards.remove": Wrong(lines: { OfflineListing(lines: $0.lines.map { OfflineListedEntry(entry: $0.entry) }) }),
        "shards.remove.free": Wrong(remove: { store, ids in
            _ = try await store.remove(ids)
            return OfflineRemoval(asked: ids)
        }),
        "shards.dead-letter": Wrong(revive: { _, _ in [] }),
        "shards.trim": Wrong(removeDeadLetters: { $0 + $0 }),
        "shards.pause": Wrong(resumeLanes: { _, _ in }),
        "shards.pause.longer": Wrong(pause: { store, lane, time in try await store.pause(lane, for: time) }),
        "shards.work": Wrong(hears: { if case .work = $0 { false } else { true } }),
        "shards.close": Wrong(close: { _ in }),
    ]

    private static func renamed(_ addition: OfflineAddition) -> OfflineAddition {
        addition.changed { $0.id = UUID() }
    }

    /// Writes each accented letter of the names as one character.
    private static func composeNames(of request: inout QueuedRequest) {
        request.coalescingKey = request.coalescingKey?.precomposedStringWithCanonicalMapping
        request.identity = request.identity?.precomposedStringWithCanonicalMapping
    }
}

extension QueuedRequest {
    fileprivate func changed(_ change: (inout QueuedRequest) -> Void) -> QueuedRequest {
        var request = self
        change(&request)
        return request
    }
}

extension OfflineAddition {
    fileprivate func changed(_ change: (inout QueuedRequest) -> Void) -> OfflineAddition {
        OfflineAddition(request: request.changed(change), byteCount: byteCount, identity: nil)
    }

    fileprivate func with(_ rule: CoalescingRule) -> OfflineAddition { changed { $0.coalescing = rule } }
}

extension OfflineListedEntry {
    fileprivate func changed(_ change: (inout OfflineEntry) -> Void) -> OfflineListedEntry {
        var line = self
        change(&line.entry)
        return line
    }
}
