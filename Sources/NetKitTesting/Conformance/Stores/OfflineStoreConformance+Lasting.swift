import Foundation
import NetKit

extension OfflineStoreConformance {
    static let lastingCases: [Case] = [
        Case("reopen.all", "After one queue is closed, the next finds its entries unchanged.") { trial in
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
        Case("reopen.changes", "After one queue is closed, the next finds revived entries, and no removed ones.") {
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
        Case("reopen.pauses", "After one queue of a shared store is closed, the next finds the pauses.") { trial in
            guard trial.isShared, trial.isLasting else {
                throw ConformanceFailure.notPossible("the store need not keep pauses")
            }
            let first = try await trial.store()
            try await first.pause("a", for: nil)
            await first.close()
            let pauses = try await trial.store().lines(of: nil, depth: 1).pauses
            try expect("the paused lanes", Set(pauses.keys), is: ["a"])
        },
        Case("reopen.locked", "A store that is not shared has one owner at a time.") { trial in
            guard trial.isLasting, !trial.isShared else {
                throw ConformanceFailure.notPossible("the store has no owner, or several")
            }
            let first = try await trial.store()
            let opening = await errorCode { _ = try await trial.store() }
            try expect("the error of another owner", opening, is: .queueLocked)
            await first.close()
            _ = try await trial.store()
        },
        Case("close.for-good", "A shared store that was closed refuses additions, listings and another queue.") {
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
        Case("open.twice", "A store that is open refuses another queue, and continues for the first one.") { trial in
            let store = try await trial.store()
            let opening = await errorCode { try await store.open(clock: .system) { _ in } }
            try expect("the error of another queue", opening, is: .queueLocked)
            let entry = try await store.add(.sample()).entry
            try expect("what waits", try await store.waitingIDs(), is: [entry.id])
        },
    ]
}
