import Foundation
import NetKit

extension OfflineStoreConformance {
    static let readingCases: [Case] = [
        Case("lines.time", "A listing has the remaining time of each entry.") {
            let store = try await $0.store()
            var request = QueuedRequest.sample()
            request.expiresAt = Date().addingTimeInterval(1000)
            try await store.add(request)
            let left = try await store.waiting().first?.timeLeft ?? .zero
            try expect("up to 1000 s", left > .seconds(500) && left <= .seconds(1001), seen: "\(left)")
        },
        Case("lines.pause", "A listing has the pauses of lanes with their remaining times, until they end.") {
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
        Case("browse.filter", "Every condition of a filter applies.") {
            let store = try await $0.store()
            var mine = QueuedRequest.sample("/1", lane: "a")
            mine.identity = "ada"
            let entries = try await store.add(all: [mine, .sample("/2", lane: "b"), .sample("/3", lane: "b")])
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
        Case("browse.pages", "Pages have no gaps.") {
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
        Case("tally.counts", "Entries and their bytes are counted by state.") {
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

    static let listingCases: [Case] = [
        Case("load.several", "Several requests are read at once, and absent ones are left out.") {
            let store = try await $0.store()
            var targets: [UUID: String] = [:]
            for target in (0..<40).map({ "/\($0)" }) {
                let id = try await store.add(.sample(target)).entry.id
                targets[id] = target
            }
            let found = try await store.load(Array(targets.keys) + [UUID()])
            try expect("the targets", try found.mapValues { try $0.get().request.endpoint }, is: targets)
        },
        Case("lines.depth", "A shared store lists the first entries of each lane, as many as it is asked for.") {
            trial in
            let store = try await trial.sharedStore()
            let entries = try await store.add(
                all: (0..<8).map { .sample("/\($0)", lane: $0.isMultiple(of: 2) ? "a" : "b") }
            )
            let lines = try await store.lines(of: nil, depth: 2).lines
            try expect("the entries", lines.map(\.entry.id), is: entries.prefix(4).map(\.id))
        },
        Case("lines.held-up", "A dead letter is listed in its place if it holds up its lane.") { trial in
            let store = try await trial.store()
            let entries = try await store.add(
                all: (0..<4).map { .sample("/\($0)", lane: $0 < 2 ? "a" : "b") }
            )
            try await store.bury(entries[0], holdsUpLane: true)
            try await store.bury(entries[2])
            var ids = try await store.lines(of: nil, depth: .max).lines.map(\.entry.id)
            // A store that is not shared may list every dead letter.
            if !trial.isShared { ids.removeAll { $0 == entries[2].id } }
            try expect("the entries", ids, is: [entries[0].id, entries[1].id, entries[3].id])
        },
        Case("lines.shards", "A listing of shards has the entries of those that are owned.") { trial in
            let (owner, _, other) = try await trial.neighbors()
            for number in 0..<20 { try await owner.add(.sample("/\(number)", lane: "\(number)")) }
            let all = try await owner.front(20)
            let shard = all[0].shard
            let expected = all.filter { $0.shard == shard }.map(\.id)
            let listed = try await owner.lines(of: [shard], depth: .max).lines
            try expect("the entries of a shard", listed.map(\.entry.id), is: expected)
            let foreign = try await other.lines(of: [shard], depth: .max).lines
            try expect("what another queue lists", foreign.count, is: 0)
        },
        Case("lines.asked", "An entry whose removal was requested is listed, however long its lane is.") { trial in
            let (owner, _, other) = try await trial.neighbors()
            let entries = try await owner.add(all: (0..<3).map { .sample("/\($0)") })
            try expect("what is asked for", try await other.remove([entries[2].id]).asked, is: [entries[2].id])
            let lines = try await owner.lines(of: [entries[2].shard], depth: 1).lines
            try expect("the entries", lines.map(\.entry.id), is: [entries[0].id, entries[2].id])
            try expect("those to be removed", lines.map(\.isToBeRemoved), is: [false, true])
        },
    ]

    static let pauseCases: [Case] = [
        Case("pause.replaces", "A pause replaces the earlier one of its lane, even a longer one.") {
            let store = try await $0.store()
            try await store.add(.sample())
            try await store.pause("a", for: nil)
            try await store.pause("a", for: .seconds(600))
            try await store.pause("a", for: .seconds(60))
            let pauses = try await store.lines(of: nil, depth: .max).pauses
            let rest = (pauses["a"] ?? nil) ?? .zero
            try expect("up to 60 s", rest > .seconds(30) && rest <= .seconds(60), seen: "\(rest)")
        },
        Case("pause.ends", "A pause ends by itself.") {
            let store = try await $0.store()
            try await store.add(.sample())
            try await store.pause("a", for: .milliseconds(50))
            try await NetKitClock.system.sleep(for: .milliseconds(200))
            try expect("the pauses", try await store.lines(of: nil, depth: .max).pauses.count, is: 0)
        },
    ]
}
