import Foundation
import NetKit

extension OfflineStoreConformance.Case {
    static var releaseCases: [Self] {
        [
            Self("release.wait", "A postponed entry keeps its counts, and waits only until its time.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample()).entry
                var update = OfflineUpdate(entry)
                update.retryCount = 3
                update.wait = .seconds(600)
                update.failingFor = .seconds(5)
                try expect("it is released", try await store.release(entry.id, update), is: true)
                guard let line = try await store.waiting().first else {
                    throw ConformanceFailure.broken(expected: "the entry waits", seen: "it does not")
                }
                try expect("the attempts", line.entry.retryCount, is: 3)
                try expect("the time of failure", line.entry.failingFor, is: .seconds(5))
                let wait = line.wait ?? .zero
                try expect("a wait up to 600 s", wait > .seconds(300) && wait <= .seconds(600), seen: "\(wait)")
                try expect("the request's attempts", try await store.stored(entry.id)?.request.retryCount, is: 3)
            },
            Self("release.dead-letter", "A dead letter keeps its reason, and is not sent.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample()).entry
                try await store.bury(entry)
                try expect("what waits", try await store.waitingIDs(), is: [])
                let stored = try await store.stored(entry.id)
                try expect("the reason", stored?.detail?.reason, is: .refused)
                try expect("the message", stored?.detail?.message, is: "It was refused.")
                let found = try await store.browse(OfflineFilter(states: [.deadLetter]), after: nil, limit: 10)
                try expect("the dead letters", found.map(\.id), is: [entry.id])
                try expect("the status", found.first?.status, is: 422)
                try expect("a time", found.first?.settledAt != nil)
            },
            Self("release.state", "An update from another state is refused, and changes nothing.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample()).entry
                try await store.bury(entry)
                try expect("a second one", try await store.release(entry.id, OfflineUpdate(entry)), is: false)
                try expect("the dead letters", try await store.tally().deadLetterCount, is: 1)
            },
            Self("release.gone", "A removed entry cannot be released.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample()).entry
                try await store.commit(entry.id, sentAs: "key of /")
                try expect("it is released", try await store.release(entry.id, OfflineUpdate(entry)), is: false)
                try expect("without a change", try await store.release(entry.id, nil), is: false)
                try expect("the number of entries", try await store.tally().count, is: 0)
            },
            Self("release.request", "A changed request is sent from then on.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample("/1")).entry
                var update = OfflineUpdate(entry)
                var request = QueuedRequest.sample("/1")
                request.id = entry.id
                request.idempotencyKey = "second"
                request.body = .text("merged")
                update.request = request
                try expect("it is released", try await store.release(entry.id, update), is: true)
                let stored = try await store.stored(entry.id)?.request
                try expect("the key", stored?.idempotencyKey, is: "second")
                try expect("the body", stored?.body?.bytes, is: Data("merged".utf8))
            },
            Self("release.conflict", "A conflict keeps its details, is not sent, and can be released to wait again.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample()).entry
                try await store.dispute(entry)
                try expect("what waits", try await store.waitingIDs(), is: [])
                try expect("the message", try await store.stored(entry.id)?.detail?.message, is: "It was changed.")
                let found = try await store.browse(OfflineFilter(states: [.conflict]), after: nil, limit: 10)
                try expect("the conflicts", found.map(\.id), is: [entry.id])
                try expect("their status", found.first?.status, is: 409)
                try expect("their number of conflicts", found.first?.conflictCount, is: 1)
                var update = OfflineUpdate(found.first ?? entry)
                update.state = .waiting
                try expect("it is released", try await store.release(entry.id, update), is: true)
                try expect("what waits then", try await store.waitingIDs(), is: [entry.id])
            },
            Self("begin.gone", "An entry that was removed or delivered, or never added, cannot be sent.") {
                let store = try await $0.store()
                let removed = try await store.add(.sample("/1")).entry.id
                let delivered = try await store.add(.sample("/2")).entry.id
                _ = try await store.remove([removed])
                try await store.commit(delivered, sentAs: "key of /2")
                for id in [removed, delivered, UUID()] {
                    try expect("it may be sent", try await store.begin(id), is: false)
                }
            },
            Self("commit.gone", "A delivered entry is removed, and committing it again has no effect.") {
                let store = try await $0.store()
                let ids = try await store.add(all: [.sample("/1"), .sample("/2")]).map(\.id)
                for _ in 0..<2 { try await store.commit(ids[0], sentAs: "key of /1") }
                try expect("what waits", try await store.waitingIDs(), is: [ids[1]])
                try expect("what is stored", try await store.stored(ids[0]) != nil, is: false)
            },
        ]
    }

    static var removalCases: [Self] {
        [
            Self("revive.dead-letter", "A dead letter starts over, without an expiry.") {
                let store = try await $0.store()
                var request = QueuedRequest.sample()
                request.expiresAt = Date().addingTimeInterval(1000)
                let entry = try await store.add(request).entry
                try await store.bury(entry)
                let revived = try await store.revive([entry.id, UUID()])
                try expect("what is revived", revived.map(\.id), is: [entry.id])
                try expect("its state", revived.first?.state, is: .waiting)
                let line = try await store.waiting().first
                try expect("what waits", line?.entry.id, is: entry.id)
                try expect("no end", line?.timeLeft, is: nil)
                try expect("no end of the request", try await store.stored(entry.id)?.request.expiresAt, is: nil)
            },
            Self("revive.waiting", "A postponed entry stops waiting for its time.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample()).entry
                var update = OfflineUpdate(entry)
                update.wait = .seconds(600)
                update.retryCount = 2
                _ = try await store.release(entry.id, update)
                _ = try await store.revive([entry.id])
                let line = try await store.waiting().first
                try expect("its wait", line?.wait, is: nil)
                try expect("its attempts", line?.entry.retryCount, is: 2)
            },
            Self("revive.conflict", "A conflict starts over without its earlier attempts.") {
                let store = try await $0.store()
                let entry = try await store.add(.sample()).entry
                try await store.dispute(entry)
                try expect("what is revived", try await store.revive([entry.id]).map(\.state), is: [.waiting])
                let line = try await store.waiting().first
                try expect("what waits", line?.entry.id, is: entry.id)
                try expect("its attempts", line?.entry.retryCount, is: 0)
                try expect("its conflicts", line?.entry.conflictCount, is: 0)
            },
            Self("remove.told", "Removed entries of every state are returned, and absent ones are not.") {
                let store = try await $0.store()
                let entries = try await store.add(all: [.sample("/1"), .sample("/2"), .sample("/3")])
                try await store.bury(entries[1])
                try await store.dispute(entries[2])
                let removal = try await store.remove(entries.map(\.id) + [UUID()])
                try expect("what is removed", Set(removal.removed.map(\.id)), is: Set(entries.map(\.id)))
                try expect("what is asked for", removal.asked, is: [])
                try expect("the number of entries", try await store.tally().count, is: 0)
            },
        ]
    }

    static var readingCases: [Self] {
        [
            Self("lines.time", "A listing has the remaining time of each entry.") {
                let store = try await $0.store()
                var request = QueuedRequest.sample()
                request.expiresAt = Date().addingTimeInterval(1000)
                try await store.add(request)
                let left = try await store.waiting().first?.timeLeft ?? .zero
                try expect("up to 1000 s", left > .seconds(500) && left <= .seconds(1001), seen: "\(left)")
            },
            Self("lines.pause", "A listing has the pauses of lanes with their remaining times, until they end.") {
                let store = try await $0.store()
                try await store.add(.sample(lane: "a"))
                try await store.add(.sample(lane: "b"))
                try await store.pause("a", for: .seconds(600))
                try await store.pause("b", for: nil)
                let pauses = try await store.lines(of: nil, depth: .max).pauses
                try expect("the lanes", Set(pauses.keys), is: ["a", "b"])
                let rest = (pauses["a"] ?? nil) ?? .zero
                try expect("up to 600 s", rest > .seconds(300) && rest <= .seconds(600), seen: "\(rest)")
                try expect("no end", (pauses["b"] ?? .some(.zero)) == nil)
                try await store.resume("a")
                let left = try await store.lines(of: nil, depth: .max).pauses
                try expect("the lanes after one goes on", Set(left.keys), is: ["b"])
            },
            Self("browse.filter", "Every condition of a filter applies.") {
                let store = try await $0.store()
                var mine = QueuedRequest.sample("/1", lane: "a")
                mine.identity = "ada"
                let entries = try await store.add(
                    all: [mine, .sample("/2", lane: "b"), .sample("/3", lane: "b")]
                )
                try await store.bury(entries[2], status: 410)
                let filters: [(OfflineFilter, [Int])] = [
                    (OfflineFilter(), [0, 1, 2]),
                    (OfflineFilter(ids: [entries[1].id]), [1]),
                    (OfflineFilter(lanes: ["b"]), [1, 2]),
                    (OfflineFilter(states: [.waiting]), [0, 1]),
                    (OfflineFilter(statuses: [410]), [2]),
                    (OfflineFilter(statuses: [500]), []),
                    (OfflineFilter(identities: ["ada"]), [0]),
                    (OfflineFilter(lanes: ["b"], states: [.deadLetter]), [2]),
                    (OfflineFilter(olderThan: .seconds(86_400)), []),
                    (OfflineFilter(olderThan: .zero), [0, 1, 2]),
                ]
                for (filter, expected) in filters {
                    let found = try await store.browse(filter, after: nil, limit: 100)
                    try expect("what meets \(filter)", found.map(\.id), is: expected.map { entries[$0].id })
                }
            },
            Self("browse.pages", "Pages have no gaps.") {
                let store = try await $0.store()
                let ids = try await store.add(all: (0..<25).map { .sample("/\($0)") }).map(\.id)
                var found: [OfflineEntry] = []
                for _ in 0..<10 {
                    let page = try await store.browse(OfflineFilter(), after: found.last?.position, limit: 10)
                    try expect("at most 10", page.count <= 10, seen: "\(page.count)")
                    if page.isEmpty { break }
                    found += page
                }
                try expect("the entries", found.map(\.id), is: ids)
            },
            Self("tally.counts", "Entries and their bytes are counted by state.") {
                let store = try await $0.store()
                let entries = try await store.add(all: (0..<4).map { .sample("/\($0)") })
                try await store.bury(entries[0])
                var update = OfflineUpdate(entries[1])
                update.state = .conflict
                _ = try await store.release(entries[1].id, update)
                try await store.commit(entries[2].id, sentAs: "key of /2")
                let tally = try await store.tally()
                try expect("waiting", tally.pendingCount, is: 1)
                try expect("dead letters", tally.deadLetterCount, is: 1)
                try expect("conflicts", tally.conflictCount, is: 1)
                try expect("bytes", tally.byteCount, is: 30)
                try expect("the last position", tally.lastPosition, is: entries[3].position)
            },
        ]
    }

    static var lastingCases: [Self] {
        [
            Self("reopen.all", "After one queue is closed, the next finds its entries unchanged.") { trial in
                guard trial.isLasting else { throw ConformanceFailure.notPossible("the store does not last") }
                let first = try await trial.store()
                let entries = try await first.add(all: (0..<4).map { .sample("/\($0)") })
                try await first.bury(entries[0])
                var update = OfflineUpdate(entries[1])
                update.wait = .seconds(600)
                update.retryCount = 2
                _ = try await first.release(entries[1].id, update)
                try await first.commit(entries[2].id, sentAs: "key of /2")
                await first.close()
                let second = try await trial.store()
                let lines = try await second.waiting()
                try expect("what waits", lines.map(\.entry.id), is: [entries[1].id, entries[3].id])
                try expect("the attempts", lines.first?.entry.retryCount, is: 2)
                let wait = lines.first?.wait ?? .zero
                try expect("a wait up to 600 s", wait > .seconds(300) && wait <= .seconds(600), seen: "\(wait)")
                try expect("the reason", try await second.stored(entries[0].id)?.detail?.reason, is: .refused)
                try expect("the dead letters", try await second.tally().deadLetterCount, is: 1)
                let next = try await second.add(.sample("/5")).entry.position
                try expect("a later position", next > entries[3].position, seen: "\(next)")
            },
            Self("reopen.changes", "After one queue is closed, the next finds revived entries, and no removed ones.") {
                trial in
                guard trial.isLasting else { throw ConformanceFailure.notPossible("the store does not last") }
                let first = try await trial.store()
                let entries = try await first.add(all: (0..<3).map { .sample("/\($0)") })
                try await first.bury(entries[0])
                _ = try await first.revive([entries[0].id])
                _ = try await first.remove([entries[1].id])
                await first.close()
                let second = try await trial.store()
                try expect("what waits", try await second.waitingIDs(), is: [entries[0].id, entries[2].id])
                try expect("the number of entries", try await second.tally().count, is: 2)
            },
            Self("reopen.pauses", "After one queue of a shared store is closed, the next finds the pauses.") { trial in
                guard trial.isShared, trial.isLasting else {
                    throw ConformanceFailure.notPossible("the store need not keep pauses")
                }
                let first = try await trial.store()
                try await first.pause("a", for: nil)
                await first.close()
                let pauses = try await trial.store().lines(of: nil, depth: 1).pauses
                try expect("the paused lanes", Set(pauses.keys), is: ["a"])
            },
            Self("reopen.locked", "A store that is not shared has one owner at a time.") { trial in
                guard trial.isLasting, !trial.isShared else {
                    throw ConformanceFailure.notPossible("the store has no owner, or several")
                }
                let first = try await trial.store()
                let opening = await errorCode { _ = try await trial.store() }
                try expect("the error of another owner", opening, is: .queueLocked)
                await first.close()
                _ = try await trial.store()
            },
            Self("close.for-good", "A shared store that was closed refuses additions, listings and another queue.") {
                trial in
                let store = try await trial.sharedStore()
                try await store.add(.sample("/1"))
                await store.close()
                try expect("the error of an addition", await store.refusal(of: .sample("/2")), is: .closed)
                let listing = await errorCode { _ = try await store.lines(of: nil, depth: 1) }
                try expect("the error of a listing", listing, is: .closed)
                let opening = await errorCode { try await store.open(clock: .system) { _ in } }
                try expect("the error of another queue", opening, is: .queueLocked)
            },
            Self("open.twice", "A store that is open refuses another queue, and continues for the first one.") {
                trial in
                let store = try await trial.store()
                let opening = await errorCode { try await store.open(clock: .system) { _ in } }
                try expect("the error of another queue", opening, is: .queueLocked)
                let entry = try await store.add(.sample()).entry
                try expect("what waits", try await store.waitingIDs(), is: [entry.id])
            },
        ]
    }
}
