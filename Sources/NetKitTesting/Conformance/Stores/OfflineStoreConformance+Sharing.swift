import Foundation
import NetKit

extension OfflineStoreConformance {
    static let sharingCases: [Case] = [
        Case("shards.alone", "A single queue owns every shard.") { trial in
            let store = try await trial.store()
            for number in 0..<50 { try await store.add(.sample("/\(number)", lane: "\(number)")) }
            let lines = try await store.waiting()
            try expect("what it may send", lines.count, is: 50)
            try expect("the shards that it owns", lines.allSatisfy { store.owns($0.entry.shard) })
        },
        Case("shards.divided", "Two queues own different shards, and each lists only the entries of its own.") {
            trial in
            let (first, second, lanes) = try await trial.pair()
            let (one, two) = (Set(try await first.lanes()), Set(try await second.lanes()))
            for lane in lanes {
                try expect("lane \(lane) has one owner", one.contains(lane) != two.contains(lane))
            }
            for line in try await first.waiting() {
                try expect("a shard has one owner", !second.owns(line.entry.shard))
            }
        },
        Case("shards.release", "Only the owner of a shard may begin or release its entries.") { trial in
            let (first, second, _) = try await trial.pair()
            let entry = try await first.front(1)[0]
            try expect("another begins", try await second.begin(entry.id), is: false)
            try expect("another gives back", try await second.release(entry.id, OfflineUpdate(entry)), is: false)
            try expect("another gives back unchanged", try await second.release(entry.id, nil), is: false)
            try expect("the owner begins", try await first.begin(entry.id), is: true)
            try expect("the owner gives back", try await first.release(entry.id, OfflineUpdate(entry)), is: true)
        },
        Case("shards.commit", "A delivered entry is removed by any queue, unless it was changed.") { trial in
            let (first, second, _) = try await trial.pair()
            let entries = try await first.front(2)
            var update = OfflineUpdate(entries[1])
            update.request = try await first.stored(entries[1].id)?.request
            update.request?.idempotencyKey = "changed"
            _ = try await first.release(entries[1].id, update)
            for entry in entries { try await second.commit(entry.id, sentAs: "key of /\(entry.lane)") }
            try expect("what was delivered is there", try await first.stored(entries[0].id) != nil, is: false)
            try expect("what was changed is there", try await first.stored(entries[1].id) != nil, is: true)
        },
        Case(
            "shards.remove",
            "Another queue asks the owner to remove an entry, and the owner is notified and lists it."
        ) { trial in
            let (first, second, _) = try await trial.pair()
            let entry = try await first.front(1)[0]
            let removal = try await second.remove([entry.id])
            try expect("what is removed", removal.removed.count, is: 0)
            try expect("what is asked for", removal.asked, is: [entry.id])
            let line = try await first.lines(of: [entry.shard], depth: 1).lines.first { $0.entry.id == entry.id }
            try expect("the owner finds it", line?.isToBeRemoved, is: true)
            try expect("the owner removes it", try await first.remove([entry.id]).removed.count, is: 1)
        },
        Case("shards.remove.free", "An entry whose shard no queue owns is removed at once.") { trial in
            let store = try await trial.sharedStore()
            let entry = try await store.add(.sample()).entry
            await store.relinquish([entry.shard])
            let removal = try await store.remove([entry.id])
            try expect("what is removed", removal.removed.map(\.id), is: [entry.id])
            try expect("what is asked for", removal.asked, is: [])
        },
        Case("shards.dead-letter", "Dead letters are revived and removed by any queue.") { trial in
            let (first, second, _) = try await trial.pair()
            let entries = try await first.front(2)
            for entry in entries { try await first.bury(entry) }
            try expect("what is revived", try await second.revive([entries[0].id]).count, is: 1)
            try expect("what is removed", try await second.remove([entries[1].id]).removed.count, is: 1)
            let ids = try await first.waitingIDs()
            try expect("the owner finds what was revived", ids.contains(entries[0].id))
        },
        Case("shards.trim-count", "The oldest dead letters above a number are removed and returned.") { trial in
            let store = try await trial.sharedStore()
            var ids: [UUID] = []
            for number in 0..<6 {
                let entry = try await store.add(.sample("/\(number)", lane: "\(number)")).entry
                if number != 1 { try await store.bury(entry) }
                ids.append(entry.id)
            }
            let none = try await store.removeDeadLetters(olderThan: .seconds(86_400), above: 5, limit: 10)
            try expect("what is removed without an excess", none.map(\.entry.id), is: [])
            let first = try await store.removeDeadLetters(olderThan: nil, above: 2, limit: 2)
            try expect("what is removed first", first.map(\.entry.id), is: [ids[0], ids[2]])
            let stored = try first.first?.stored.get()
            try expect("its target", stored?.request.endpoint, is: "/0")
            try expect("its reason", stored?.detail?.reason, is: .refused)
            let second = try await store.removeDeadLetters(olderThan: nil, above: 2, limit: 2)
            try expect("what is removed then", second.map(\.entry.id), is: [ids[3]])
            let third = try await store.removeDeadLetters(olderThan: .zero, above: nil, limit: 10)
            try expect("what is too old", third.map(\.entry.id), is: [ids[4], ids[5]])
            try expect("what is left", try await store.tally().count, is: 1)
        },
        Case("shards.trim", "Queues that remove dead letters above a number at the same time leave that number.") {
            trial in
            let (first, second, _) = try await trial.pair()
            let (letters, most) = (try await first.front(30), 5)
            for entry in letters { try await first.bury(entry) }
            let removed = try await withThrowingTaskGroup(of: [UUID].self) { group in
                for number in 0..<8 {
                    let store = number % 2 == 0 ? first : second
                    group.addTask {
                        let removed = try await store.removeDeadLetters(olderThan: nil, above: most, limit: 10)
                        return removed.map(\.entry.id)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expect("each is returned once", removed.count, is: Set(removed).count)
            try expect("what is removed", Set(removed), is: Set(letters.dropLast(most).map(\.id)))
            try expect("what is left", try await second.tally().deadLetterCount, is: min(most, letters.count))
        },
        Case("shards.pause", "A queue ends the pauses of every other one that have a reason, and only those.") {
            trial in
            let (first, second, _) = try await trial.pair()
            let lanes = try await first.lanes().sorted()
            try expect("three lanes or more", lanes.count > 2, seen: "\(lanes.count)")
            try await first.pause(lanes[0], for: .seconds(600), because: .unauthorized)
            try await first.pause(lanes[1], for: nil)
            try await first.pause(lanes[2], for: nil, because: .unauthorized)
            try await first.pause(lanes[2], for: nil)
            let paused = try await first.lines(of: nil, depth: 1).pauses
            try expect("the paused lanes", Set(paused.keys), is: Set(lanes.prefix(3)))
            try await second.resumeLanes(pausedBecause: .unauthorized)
            let left = try await first.lines(of: nil, depth: 1).pauses
            try expect("the lanes that stay paused", Set(left.keys), is: Set(lanes[1...2]))
        },
        Case("shards.pause.longer", "A pause with a reason replaces only a shorter one.") { trial in
            let (first, second, _) = try await trial.pair()
            let lanes = try await first.lanes().sorted()
            try expect("three lanes or more", lanes.count > 2, seen: "\(lanes.count)")
            try await second.pause(lanes[0], for: nil)
            try await second.pause(lanes[1], for: .seconds(600))
            try await second.pause(lanes[2], for: .seconds(60))
            for lane in lanes[0...2] { try await first.pause(lane, for: .seconds(300), because: .unauthorized) }
            let paused = try await first.lines(of: nil, depth: 1).pauses
            try expect("the paused lanes", Set(paused.keys), is: Set(lanes[0...2]))
            try expect("no end", (paused[lanes[0]] ?? .some(.zero)) == nil)
            let rest = (paused[lanes[2]] ?? nil) ?? .zero
            try expect("more than 60 s", rest > .seconds(60), seen: "\(rest)")
            try await first.resumeLanes(pausedBecause: .unauthorized)
            let left = try await first.lines(of: nil, depth: 1).pauses
            try expect("the lanes that stay paused", Set(left.keys), is: Set(lanes[0...1]))
        },
        Case("shards.work", "The owner of a shard is notified if another queue adds an entry.") { trial in
            let (first, notices, second) = try await trial.neighbors()
            var count = 0
            try await wait(for: "a notice of work") {
                count += 1
                let entry = try await second.add(.sample("/\(count)", lane: "\(count)")).entry
                return first.owns(entry.shard) && notices.hasWork(in: entry.shard)
            }
        },
        Case("shards.close", "After one queue is closed, another one owns its shards.") { trial in
            let (first, second, lanes) = try await trial.pair()
            let shards = try await first.waiting().map(\.entry.shard)
            await first.close()
            try await wait(for: "the other owns every lane") { try await second.lanes().count == lanes.count }
            try expect("the first owns some", shards.contains { first.owns($0) }, is: false)
        },
    ]
}
