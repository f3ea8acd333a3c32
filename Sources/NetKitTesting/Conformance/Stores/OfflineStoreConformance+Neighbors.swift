import Foundation
import NetKit

extension OfflineStoreConformance {
    /// The cases about a queue that owns every shard, and another one.
    static let neighborCases: [Case] = [
        Case("neighbors.lane", "All entries of a lane have one shard, whichever queue adds them.") { trial in
            let (owner, _, other) = try await trial.neighbors()
            for lane in 0..<10 {
                let shards = [
                    try await owner.add(.sample("/1", lane: "\(lane)")).entry.shard,
                    try await other.add(.sample("/2", lane: "\(lane)")).entry.shard,
                ]
                let listed = try await owner.waiting().filter { $0.entry.lane == "\(lane)" }.map(\.entry.shard)
                try expect("the shards of a lane", Set(shards + listed).count, is: 1)
            }
        },
        Case("neighbors.order", "Entries that queues add in turn have rising positions.") { trial in
            let (owner, _, other) = try await trial.neighbors()
            var positions: [Int64] = []
            for number in 0..<20 {
                let store = number.isMultiple(of: 2) ? owner : other
                positions.append(try await store.add(.sample("/\(number)")).entry.position)
            }
            try expect("the positions in order", positions, is: positions.sorted())
            try expect("the number of positions", Set(positions).count, is: 20)
        },
        Case("neighbors.browse", "Every queue finds, reads and counts the entries of all shards.") { trial in
            let (owner, _, other) = try await trial.neighbors()
            let ids = try await owner.add(all: (0..<20).map { .sample("/\($0)", lane: "\(20 - $0)") }).map(\.id)
            for store in [owner, other] {
                let found = try await store.browse(OfflineFilter(), after: nil, limit: 100)
                try expect("the entries", found.map(\.id), is: ids)
                try expect("the number of entries", try await store.tally().pendingCount, is: 20)
                try expect("the target", try await store.stored(ids[7])?.request.endpoint, is: "/7")
            }
        },
        Case("neighbors.settled", "A dead letter or conflict is released by any queue.") { trial in
            let (owner, _, other) = try await trial.neighbors()
            let ids = try await owner.add(all: (0..<2).map { .sample("/\($0)") }).map(\.id)
            let entries = try await owner.front(2)
            try await owner.bury(entries[0])
            try await owner.dispute(entries[1])
            for entry in try await owner.browse(OfflineFilter(ids: Set(ids)), after: nil, limit: 2) {
                var update = OfflineUpdate(entry)
                update.state = .waiting
                try expect("\(entry.state) is released", try await other.release(entry.id, update), is: true)
            }
            try expect("what waits", try await owner.waitingIDs(), is: ids)
        },
    ]

    static let noticeCases: [Case] = [
        Case("notices.revive", "The owner of an entry is notified if another queue revives it.") { trial in
            let (owner, notices, other) = try await trial.neighbors()
            let entry = try await owner.add(.sample()).entry
            try await owner.bury(entry)
            try await notices.forgetAdditions()
            _ = try await other.revive([entry.id])
            try await wait(for: "a notice of work") { notices.hasWork(in: entry.shard) }
        },
        Case("notices.remove", "The owner of an entry is notified if another queue asks to remove it.") { trial in
            let (owner, notices, other) = try await trial.neighbors()
            let entry = try await owner.add(.sample()).entry
            try await notices.forgetAdditions()
            _ = try await other.remove([entry.id])
            try await wait(for: "a notice of work") { notices.hasWork(in: entry.shard) }
        },
        Case("notices.resume", "The owner of a lane is notified if another queue ends its pause.") { trial in
            let (owner, notices, other) = try await trial.neighbors()
            let entry = try await owner.add(.sample()).entry
            for isAlone in [false, true] {
                try await owner.pause(entry.lane, for: nil, because: .unauthorized)
                try await notices.forgetAdditions()
                if isAlone {
                    try await other.resume(entry.lane)
                } else {
                    try await other.resumeLanes(pausedBecause: .unauthorized)
                }
                try await wait(for: "a notice of work") { notices.hasWork(in: entry.shard) }
            }
        },
        Case("notices.gained", "A queue is notified of the shards that it owns from then on.") { trial in
            let first = try await trial.sharedStore()
            let shard = try await first.add(.sample()).entry.shard
            let (second, notices) = try await trial.open()
            await first.close()
            try await wait(for: "a notice of the shard of a closed queue") {
                second.owns(shard) && notices.gained.contains(shard)
            }
        },
    ]
}
