import Foundation
import NetKit

extension CacheStoreCases {
    /// The cases about complete entries.
    static let writing: [Case] = [
        Case("write.at-once", "A body written at once is read back byte for byte, with its head.") { trial in
            for (number, count) in [1, 3000, 100_000].enumerated() {
                let entry = CacheStoreEntry(number, count: count)
                try await trial.put(entry, trial.key(1, UInt32(number)))
                try await trial.expectEntry(entry, trial.key(1, UInt32(number)), "after it was written")
            }
            // Data whose start index is not 0.
            let entry = CacheStoreEntry(4)
            let slice = CacheStoreEntry(
                head: entry.head,
                body: (Data([0, 1]) + entry.body).dropFirst(2),
                name: "a slice"
            )
            try await trial.put(slice, trial.key(2))
            try await trial.expectEntry(slice, trial.key(2), "after it was written")
        },
        Case("write.in-pieces", "A body written in pieces is read back byte for byte, with its head.") {
            trial in
            for (number, count) in [1, 3000, 100_000].enumerated() {
                let (known, unknown) = (trial.key(1, UInt32(number)), trial.key(2, UInt32(number)))
                let entry = CacheStoreEntry(number, count: count)
                try await trial.put(entry, known, .inPieces)
                try await trial.expectEntry(entry, known, "after a writer that knew the length")
                let writer = try await trial.begin(entry, unknown)
                for piece in entry.pieces { try await writer.append(piece) }
                try expect("commit()", try await writer.commit(), is: true)
                try await trial.expectEntry(entry, unknown, "after a writer that did not know the length")
            }
        },
        Case("write.empty", "An empty body can be stored.") { trial in
            let entry = CacheStoreEntry(1, count: 0)
            try await trial.put(entry, trial.key(1))
            try await trial.expectEntry(entry, trial.key(1), "after it was written at once")
            let writer = try await trial.begin(entry, trial.key(2))
            try expect("commit() without a piece", try await writer.commit(), is: true)
            try await trial.expectEntry(entry, trial.key(2), "after a writer that got no piece")
        },
        Case("write.large", "A body of 3 MiB is read back byte for byte.") { trial in
            let entry = CacheStoreEntry(1, count: CacheStoreEntry.largest)
            try await trial.putLarge(entry, trial.key(1), .inPieces)
            try await trial.expectEntry(entry, trial.key(1), "after it was written in pieces")
            try await trial.putLarge(entry, trial.key(2), .atOnce)
            try await trial.expectEntry(entry, trial.key(2), "after it was written at once")
        },
        Case("write.heads", "Heads of every kind are read back unchanged.") { trial in
            let heads: [CacheHead] = [.response(1), .variants(2), .value]
            for (number, head) in heads.enumerated() {
                let entry = CacheStoreEntry(head: head, body: Data("body".utf8), name: "head \(number)")
                for way in CacheStoreTrial.Way.allCases {
                    try await trial.put(entry, trial.key(1, UInt32(number)), way)
                    try await trial.expectEntry(entry, trial.key(1, UInt32(number)), "written \(way.rawValue)")
                }
            }
        },
        Case("write.overwrites", "A write replaces the previous head and body.") { trial in
            let key = trial.key(1)
            for (number, count) in [3000, 200, 0, 10_000, 2999].enumerated() {
                for (round, way) in CacheStoreTrial.Way.allCases.enumerated() {
                    let entry = CacheStoreEntry(10 * number + round, count: count)
                    try await trial.put(entry, key, way)
                    try await trial.expectEntry(entry, key, "after it replaced another, written \(way.rawValue)")
                }
            }
        },
        Case("write.result", "A write returns whether the entry was stored.") { trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(UInt32(number))
                let isKept = try await trial.write(CacheStoreEntry(1), key, way, token: nil)
                try expect("what writing \(way.rawValue) returns", isKept, is: true)
                try await trial.expectEntry(CacheStoreEntry(1), key, "after writing returned true")
                let token = try await trial.store.token(for: key)
                try await trial.store.invalidate(key.resource)
                let isRefused = try? await trial.write(CacheStoreEntry(2), key, way, token: token)
                try expect("what writing \(way.rawValue) with an old token returns", isRefused ?? false, is: false)
                try await trial.expectNothing(key, "after writing returned false")
            }
        },
    ]

    /// The cases about incomplete entries.
    static let unfinished: [Case] = [
        Case("writer.uncommitted", "An entry is not visible before `commit()`.") { trial in
            let entry = CacheStoreEntry(1)
            let writer = try await trial.begin(entry, trial.key(1))
            try await trial.expectNothing(trial.key(1), "before the first piece")
            for piece in entry.pieces {
                try await writer.append(piece)
                try await trial.expectNothing(trial.key(1), "between pieces")
            }
            try expect("entries before commit()", await trial.store.statistics.entryCount, is: 0)
            try expect("commit()", try await writer.commit(), is: true)
            try await trial.expectEntry(entry, trial.key(1), "after commit()")
        },
        Case("writer.uncommitted-over", "An unfinished entry does not affect the one it will replace.") {
            trial in
            let (old, new) = (CacheStoreEntry(1), CacheStoreEntry(2))
            try await trial.put(old, trial.key(1))
            let writer = try await trial.begin(new, trial.key(1))
            try await trial.expectNothingBut(old, trial.key(1), "before the first piece of another")
            for piece in new.pieces {
                try await writer.append(piece)
                try await trial.expectNothingBut(old, trial.key(1), "between pieces of another")
            }
            try expect("commit()", try await writer.commit(), is: true)
            try await trial.expectEntry(new, trial.key(1), "after commit()")
        },
        Case("writer.aborted", "An aborted entry leaves nothing behind.") { trial in
            let writer = try await trial.beginHalf(CacheStoreEntry(1), trial.key(1))
            writer.abort()
            try await trial.expectNothing(trial.key(1), "after abort()")
            try? await writer.append(Data("more".utf8))
            try expect("commit() after abort()", (try? await writer.commit()) ?? false, is: false)
            try await trial.expectNothing(trial.key(1), "after abort() and commit()")
            try expect("entries", await trial.store.statistics.entryCount, is: 0)
        },
        Case("writer.aborted-over", "An aborted entry does not affect the one it would have replaced.") {
            trial in
            let old = CacheStoreEntry(1)
            try await trial.put(old, trial.key(1))
            let writer = try await trial.beginHalf(CacheStoreEntry(2), trial.key(1))
            writer.abort()
            try await trial.expectNothingBut(old, trial.key(1), "after abort() of another")
            try await trial.put(CacheStoreEntry(3), trial.key(1), .inPieces)
            try await trial.expectEntry(CacheStoreEntry(3), trial.key(1), "after a writer that was not given up")
        },
        Case("writer.dropped", "An entry whose writer was released leaves nothing behind.") { trial in
            let old = CacheStoreEntry(1)
            try await trial.put(old, trial.key(1))
            for key in [trial.key(1), trial.key(2)] { _ = try await trial.beginHalf(CacheStoreEntry(2), key) }
            try await trial.expectNothingBut(old, trial.key(1), "after a writer over it was dropped")
            try await trial.expectNothing(trial.key(2), "after its writer was dropped")
        },
    ]
}
