import Foundation
import NetKit
import NetKitTesting

/// A fault of a store and the cases that have to detect it; the other cases of their areas do not.
struct OfflineStoreFault: Sendable, CustomStringConvertible {
    typealias Wrong = WrongOfflineStore.Wrong

    let description: String
    let brokenCases: Set<String>
    private let makeWrong: @Sendable () -> Wrong

    /// Creates a fault; the closure is called once for each place.
    init(_ description: String, breaks cases: Set<String>, _ makeWrong: @escaping @Sendable () -> Wrong) {
        (self.description, brokenCases, self.makeWrong) = (description, cases, makeWrong)
    }

    /// The conformance tests of shared stores with the fault.
    var conformance: OfflineStoreConformance {
        OfflineStoreConformance(isShared: true, isLasting: true) { [makeWrong] in
            let (shared, wrong) = (InMemorySharedOfflineStore(), makeWrong())
            return { WrongOfflineStore(shared.replica(), wrong) }
        }
    }

    static let all = adding + sending + listing + pausing + lasting + neighboring + noticing
}

/// Faults of stores with single entries.
extension OfflineStoreFault {
    static let adding: [OfflineStoreFault] = [
        OfflineStoreFault("forgets the types of bodies", breaks: ["append.whole", "append.file"]) {
            reading { $0.body?.contentType = nil }
        },
        OfflineStoreFault("adds credentials to every request", breaks: ["append.whole"]) {
            reading { $0.requiresAuth = true }
        },
        OfflineStoreFault("keeps bodies as text", breaks: ["append.whole"]) {
            reading { request in
                let text = request.body?.bytes.map { Data(String(decoding: $0, as: UTF8.self).utf8) }
                if let text { request.body = .data(text, contentType: request.body?.contentType) }
            }
        },
        OfflineStoreFault("forgets the time of the change", breaks: ["append.whole"]) {
            reading { $0.timestamp = Date(timeIntervalSince1970: 0) }
        },
        OfflineStoreFault("keeps out new entries by those that are being sent", breaks: ["coalescing.keep-begun"]) {
            Wrong(append: { store, addition, bounds in
                let request = addition.request
                if request.coalescing == .keep {
                    let filter = OfflineFilter(lanes: [request.lane], states: [.waiting])
                    let waiting = try await store.browse(filter, after: nil, limit: .max)
                    let same = waiting.last { $0.coalescingKey == request.coalescingKey }
                    if let same { return .kept(same.id) }
                }
                return try await store.append(addition, within: bounds)
            })
        },
        OfflineStoreFault("replaces dead letters", breaks: ["coalescing.settled"]) {
            Wrong(append: { store, addition, bounds in
                let (added, letters) = (
                    try await store.append(addition, within: bounds),
                    try await store.browse(OfflineFilter(states: [.deadLetter]), after: nil, limit: .max)
                )
                let same = letters.filter { letter in
                    letter.coalescingKey != nil && letter.coalescingKey == addition.request.coalescingKey
                }
                guard case .added(let entry, let replaced, let dropped) = added, !same.isEmpty else { return added }
                _ = try await store.remove(same.map(\.id))
                return .added(entry, replaced: replaced + same, dropped: dropped)
            })
        },
        OfflineStoreFault("takes a postponed entry for one that is being sent", breaks: ["coalescing.postponed"]) {
            Wrong(release: { store, id, update in
                let isReleased = try await store.release(id, update)
                if update != nil { _ = try await store.begin(id) }
                return isReleased
            })
        },
        OfflineStoreFault("removes what a refused entry would replace", breaks: ["bounds.refused"]) {
            Wrong(append: { store, addition, bounds in
                do {
                    return try await store.append(addition, within: bounds)
                } catch {
                    let entries = try await store.browse(OfflineFilter(), after: nil, limit: .max)
                    let key = addition.request.coalescingKey
                    let same = entries.filter { $0.coalescingKey != nil && $0.coalescingKey == key }
                    _ = try await store.remove(same.map(\.id))
                    throw error
                }
            })
        },
        OfflineStoreFault("drops at most one entry", breaks: ["bounds.oldest-bytes"]) {
            Wrong(append: { store, addition, bounds in
                let (tally, oldest) = (
                    try await store.tally(), try await store.browse(OfflineFilter(), after: nil, limit: 1)
                )
                let rest = tally.byteCount - (oldest.first?.byteCount ?? 0)
                if bounds.dropsOldest, rest > bounds.maxBytes - addition.byteCount { throw bounds.refusal(tally) }
                return try await store.append(addition, within: bounds)
            })
        },
        OfflineStoreFault("drops an entry too many", breaks: ["bounds.oldest", "bounds.oldest-bytes"]) {
            Wrong(append: { store, addition, bounds in
                let added = try await store.append(addition, within: bounds)
                guard case .added(let entry, let replaced, let dropped) = added, !dropped.isEmpty else { return added }
                let more = try await store.browse(OfflineFilter(), after: nil, limit: 1)
                _ = try await store.remove(more.map(\.id))
                return .added(entry, replaced: replaced, dropped: dropped + more)
            })
        },
    ]

    /// Returns a store that changes every request that it reads.
    private static func reading(_ change: @escaping @Sendable (inout QueuedRequest) -> Void) -> Wrong {
        Wrong(load: { stored in
            var stored = stored
            change(&stored.request)
            return stored
        })
    }

    static let sending: [OfflineStoreFault] = [
        OfflineStoreFault("lets an absent entry be sent", breaks: ["begin.gone"]) {
            Wrong(begin: { store, id in
                let isAbsent = try await store.load([id]).isEmpty
                return try await store.begin(id) || isAbsent
            })
        },
        OfflineStoreFault("forgets the details of conflicts", breaks: ["release.conflict"]) {
            Wrong(release: { store, id, update in
                var update = update
                if update?.state == .conflict { update?.detail = nil }
                return try await store.release(id, update)
            })
        },
        OfflineStoreFault("does not release conflicts", breaks: ["release.conflict"]) {
            Wrong(release: { store, id, update in
                if update?.previousState == .conflict { return false }
                return try await store.release(id, update)
            })
        },
        OfflineStoreFault("does not revive conflicts", breaks: ["revive.conflict"]) {
            Wrong(revive: { try await $0.revive(undisputed($1, in: $0)) })
        },
        OfflineStoreFault("does not remove conflicts", breaks: ["remove.told"]) {
            Wrong(remove: { try await $0.remove(undisputed($1, in: $0)) })
        },
    ]

    /// Returns the identifiers of entries that are no conflicts.
    private static func undisputed(_ ids: [UUID], in store: any OfflineStore) async throws -> [UUID] {
        let filter = OfflineFilter(ids: Set(ids), states: [.waiting, .deadLetter])
        return try await store.browse(filter, after: nil, limit: .max).map(\.id)
    }
}

/// Faults of stores with listings and pauses.
extension OfflineStoreFault {
    static let listing: [OfflineStoreFault] = [
        OfflineStoreFault("reads one request at a time", breaks: ["load.several"]) {
            Wrong(loadAll: { try await $0.load(Array($1.prefix(1))) })
        },
        OfflineStoreFault("lists whole lanes", breaks: ["lines.depth", "lines.asked"]) {
            Wrong(linesOf: { store, shards, _ in try await store.lines(of: shards, depth: .max) })
        },
        OfflineStoreFault("counts the entries of all lanes together", breaks: ["lines.depth", "lines.asked"]) {
            Wrong(linesOf: { store, shards, depth in
                var listing = try await store.lines(of: shards, depth: depth)
                listing.lines = Array(listing.lines.prefix(depth))
                return listing
            })
        },
        OfflineStoreFault("lists the last entries of each lane", breaks: ["lines.depth", "lines.asked"]) {
            Wrong(linesOf: { store, shards, depth in
                var listing = try await store.lines(of: shards, depth: .max)
                listing.lines = front(listing.lines.reversed(), depth: depth).reversed()
                return listing
            })
        },
        OfflineStoreFault("lists requests to remove within the depth only", breaks: ["lines.asked"]) {
            Wrong(linesOf: { store, shards, depth in
                var listing = try await store.lines(of: shards, depth: depth)
                listing.lines = front(listing.lines, depth: depth)
                return listing
            })
        },
        OfflineStoreFault("knows no requests to remove", breaks: ["lines.asked"]) {
            Wrong(lines: { listing in
                var listing = listing
                for index in listing.lines.indices { listing.lines[index].isToBeRemoved = false }
                return listing
            })
        },
        OfflineStoreFault("always lists all its shards", breaks: ["lines.shards"]) {
            Wrong(linesOf: { store, _, depth in try await store.lines(of: nil, depth: depth) })
        },
        OfflineStoreFault("lists the shards of other queues", breaks: ["lines.shards"]) {
            Wrong(linesOf: { store, shards, depth in
                var listing = try await store.lines(of: shards, depth: depth)
                let foreign = try await store.browse(OfflineFilter(), after: nil, limit: .max).filter { entry in
                    !store.owns(entry.shard) && shards?.contains(entry.shard) ?? false
                }
                listing.lines += foreign.map { OfflineListedEntry(entry: $0) }
                return listing
            })
        },
        OfflineStoreFault("lists no dead letters", breaks: ["lines.held-up"]) {
            Wrong(lines: { listing in
                var listing = listing
                listing.lines.removeAll { $0.entry.state == .deadLetter }
                return listing
            })
        },
        OfflineStoreFault("lists all dead letters", breaks: ["lines.held-up"]) {
            Wrong(linesOf: { store, shards, depth in
                var listing = try await store.lines(of: shards, depth: depth)
                let letters = try await store.browse(OfflineFilter(states: [.deadLetter]), after: nil, limit: .max)
                let known = Set(listing.lines.map(\.entry.id))
                listing.lines += letters.filter { !known.contains($0.id) }.map { OfflineListedEntry(entry: $0) }
                listing.lines.sort { $0.entry.position < $1.entry.position }
                return listing
            })
        },
    ]

    /// Returns the first entries of each lane.
    private static func front(_ lines: [OfflineListedEntry], depth: Int) -> [OfflineListedEntry] {
        var counts: [String: Int] = [:]
        return lines.filter { line in
            counts[line.entry.lane, default: 0] += 1
            return counts[line.entry.lane, default: 0] <= depth
        }
    }

    static let pausing: [OfflineStoreFault] = [
        OfflineStoreFault("pauses a lane only for longer", breaks: ["pause.replaces"]) {
            Wrong(pauseAlone: { store, lane, time in
                let endless = Duration.seconds(1 << 30)
                let pauses = try await store.lines(of: nil, depth: 1).pauses
                if let rest = pauses[lane], rest ?? endless > time ?? endless { return }
                try await store.pause(lane, for: time)
            })
        },
        OfflineStoreFault("pauses a lane without an end", breaks: ["pause.replaces", "pause.ends"]) {
            Wrong(pauseAlone: { store, lane, _ in try await store.pause(lane, for: nil) })
        },
    ]

    static let lasting: [OfflineStoreFault] = [
        OfflineStoreFault("forgets the pauses with its end", breaks: ["reopen.pauses"]) {
            Wrong(close: { store in
                let pauses = try? await store.lines(of: nil, depth: 1).pauses
                for lane in (pauses ?? [:]).keys { try? await store.resume(lane) }
                await store.close()
            })
        },
        OfflineStoreFault("forgets with its end what was revived", breaks: ["reopen.changes"]) {
            let revived = Shared<Set<UUID>>([])
            return Wrong(
                revive: { store, ids in
                    revived.withLock { $0.formUnion(ids) }
                    return try await store.revive(ids)
                },
                close: { store in
                    let filter = OfflineFilter(ids: revived.withLock { $0 })
                    for entry in (try? await store.browse(filter, after: nil, limit: .max)) ?? [] {
                        var update = OfflineUpdate(entry)
                        update.state = .deadLetter
                        _ = try? await store.release(entry.id, update)
                    }
                    await store.close()
                }
            )
        },
        OfflineStoreFault("forgets with its end what was removed", breaks: ["reopen.changes"]) {
            let removed = Shared<[QueuedRequest]>([])
            return Wrong(
                remove: { store, ids in
                    let requests = try await store.load(ids).values.compactMap { try? $0.get().request }
                    removed.withLock { $0 += requests }
                    return try await store.remove(ids)
                },
                close: { store in
                    for request in removed.withLock({ $0 }) {
                        let addition = OfflineAddition(request: request, byteCount: 10)
                        _ = try? await store.append(addition, within: OfflineBounds())
                    }
                    await store.close()
                }
            )
        },
    ]
}

/// Faults of stores that several queues share.
extension OfflineStoreFault {
    static let neighboring: [OfflineStoreFault] = [
        OfflineStoreFault("has several shards for a lane", breaks: ["neighbors.lane"]) {
            Wrong(append: { store, addition, bounds in
                try await changed(store.append(addition, within: bounds)) { $0.shard += Int($0.position % 2) }
            })
        },
        OfflineStoreFault("has positions in blocks", breaks: ["neighbors.order"]) {
            Wrong(append: { store, addition, bounds in
                try await changed(store.append(addition, within: bounds)) { $0.position += $0.position % 2 * 1000 }
            })
        },
        OfflineStoreFault("finds only the entries of its own shards", breaks: ["neighbors.browse"]) {
            Wrong(browse: { store, filter, position, limit in
                try await store.browse(filter, after: position, limit: limit).filter { store.owns($0.shard) }
            })
        },
        OfflineStoreFault("finds entries lane by lane", breaks: ["neighbors.browse"]) {
            Wrong(browse: { store, filter, position, limit in
                try await store.browse(filter, after: position, limit: limit).sorted { $0.lane < $1.lane }
            })
        },
        OfflineStoreFault("reads only the entries of its own shards", breaks: ["neighbors.browse"]) {
            Wrong(loadAll: { store, ids in
                let found = try await store.browse(OfflineFilter(ids: Set(ids)), after: nil, limit: .max)
                return try await store.load(found.filter { store.owns($0.shard) }.map(\.id))
            })
        },
        OfflineStoreFault("counts only the entries of its own shards", breaks: ["neighbors.browse"]) {
            Wrong(tally: { store in
                let entries = try await store.browse(OfflineFilter(), after: nil, limit: .max)
                return entries.filter { store.owns($0.shard) }.reduce(into: OfflineTally()) { $0.add($1) }
            })
        },
        OfflineStoreFault("releases only the entries of its own shards", breaks: ["neighbors.settled"]) {
            Wrong(release: { store, id, update in
                let found = try await store.browse(OfflineFilter(ids: [id]), after: nil, limit: 1)
                guard let entry = found.first, store.owns(entry.shard) else { return false }
                return try await store.release(id, update)
            })
        },
    ]

    /// Returns the result of an addition with a change to its entry.
    private static func changed(
        _ result: OfflineAppendResult,
        _ change: (inout OfflineEntry) -> Void
    ) -> OfflineAppendResult {
        guard case .added(var entry, let replaced, let dropped) = result else { return result }
        change(&entry)
        return .added(entry, replaced: replaced, dropped: dropped)
    }

    static let noticing: [OfflineStoreFault] = [
        OfflineStoreFault("is not told of revived entries", breaks: ["notices.revive"]) {
            let isQuiet = Shared(false)
            return Wrong(
                revive: { store, ids in try await quietly(isQuiet) { try await store.revive(ids) } },
                hears: { _ in isQuiet.withLock { !$0 } }
            )
        },
        OfflineStoreFault("is not told of requests to remove", breaks: ["notices.remove"]) {
            let isQuiet = Shared(false)
            return Wrong(
                remove: { store, ids in try await quietly(isQuiet) { try await store.remove(ids) } },
                hears: { _ in isQuiet.withLock { !$0 } }
            )
        },
        OfflineStoreFault("is not told of the ends of pauses", breaks: ["notices.resume"]) {
            let isQuiet = Shared(false)
            return Wrong(
                resumeLanes: { store, reason in
                    try await quietly(isQuiet) { try await store.resumeLanes(pausedBecause: reason) }
                },
                hears: { _ in isQuiet.withLock { !$0 } }
            )
        },
        OfflineStoreFault("is not told of the end of a single pause", breaks: ["notices.resume"]) {
            let isQuiet = Shared(false)
            return Wrong(
                resume: { store, lane in try await quietly(isQuiet) { try await store.resume(lane) } },
                hears: { _ in isQuiet.withLock { !$0 } }
            )
        },
        OfflineStoreFault("is not told of shards that it gains", breaks: ["notices.gained"]) {
            Wrong(hears: { if case .gained = $0 { false } else { true } })
        },
    ]

    /// Performs a call during which no store of the place hears of anything.
    private static func quietly<Success: Sendable>(
        _ isQuiet: Shared<Bool>,
        _ body: () async throws -> Success
    ) async throws -> Success {
        isQuiet.withLock { $0 = true }
        defer { isQuiet.withLock { $0 = false } }
        return try await body()
    }
}
