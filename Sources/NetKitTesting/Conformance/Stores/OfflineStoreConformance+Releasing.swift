import Foundation
import NetKit

extension OfflineStoreConformance {
    static let releaseCases: [Case] = [
        Case("release.wait", "A postponed entry keeps its counts, and waits only until its time.") {
            let store = try await $0.store()
            let entry = try await store.add(.sample()).entry
            var update = OfflineUpdate(entry)
            update.retryCount = 3
            update.wait = .seconds(600)
            update.failingFor = .seconds(5)
            try expect("it is released", try await store.release(entry.id, update), is: true)
            let line = try require("the entry waits", try await store.waiting().first)
            try expect("the attempts", line.entry.retryCount, is: 3)
            try expect("the time of failure", line.entry.failingFor, is: .seconds(5))
            let wait = line.wait ?? .zero
            try expect("a wait up to 600 s", wait > .seconds(300) && wait <= .seconds(600), seen: "\(wait)")
            try expect("the request's attempts", try await store.stored(entry.id)?.request.retryCount, is: 3)
        },
        Case("release.dead-letter", "A dead letter keeps its reason, and is not sent.") {
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
        Case("release.state", "An update from another state is refused, and changes nothing.") {
            let store = try await $0.store()
            let entry = try await store.add(.sample()).entry
            try await store.bury(entry)
            try expect("a second one", try await store.release(entry.id, OfflineUpdate(entry)), is: false)
            try expect("the dead letters", try await store.tally().deadLetterCount, is: 1)
        },
        Case("release.gone", "A removed entry cannot be released.") {
            let store = try await $0.store()
            let entry = try await store.add(.sample()).entry
            try await store.commit(entry.id, sentAs: "key of /")
            try expect("it is released", try await store.release(entry.id, OfflineUpdate(entry)), is: false)
            try expect("without a change", try await store.release(entry.id, nil), is: false)
            try expect("the number of entries", try await store.tally().count, is: 0)
        },
        Case("release.request", "A changed request is sent from then on.") {
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
        Case("release.conflict", "A conflict keeps its details, is not sent, and can be released to wait again.") {
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
        Case("begin.gone", "An entry that was removed or delivered, or never added, cannot be sent.") {
            let store = try await $0.store()
            let removed = try await store.add(.sample("/1")).entry.id
            let delivered = try await store.add(.sample("/2")).entry.id
            _ = try await store.remove([removed])
            try await store.commit(delivered, sentAs: "key of /2")
            for id in [removed, delivered, UUID()] {
                try expect("it may be sent", try await store.begin(id), is: false)
            }
        },
        Case("commit.gone", "A delivered entry is removed, and committing it again has no effect.") {
            let store = try await $0.store()
            let ids = try await store.add(all: [.sample("/1"), .sample("/2")]).map(\.id)
            for _ in 0..<2 { try await store.commit(ids[0], sentAs: "key of /1") }
            try expect("what waits", try await store.waitingIDs(), is: [ids[1]])
            try expect("what is stored", try await store.stored(ids[0]) != nil, is: false)
        },
    ]

    static let removalCases: [Case] = [
        Case("revive.dead-letter", "A dead letter starts over, without an expiry.") {
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
        Case("revive.waiting", "A postponed entry stops waiting for its time.") {
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
        Case("revive.conflict", "A conflict starts over without its earlier attempts.") {
            let store = try await $0.store()
            let entry = try await store.add(.sample()).entry
            try await store.dispute(entry)
            try expect("what is revived", try await store.revive([entry.id]).map(\.state), is: [.waiting])
            let line = try await store.waiting().first
            try expect("what waits", line?.entry.id, is: entry.id)
            try expect("its attempts", line?.entry.retryCount, is: 0)
            try expect("its conflicts", line?.entry.conflictCount, is: 0)
        },
        Case("remove.told", "Removed entries of every state are returned, and absent ones are not.") {
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
