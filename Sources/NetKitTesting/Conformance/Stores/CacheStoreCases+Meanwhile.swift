import Foundation
import NetKit

extension CacheStoreCases {
    /// The cases about entries that change while they are read.
    static let meanwhile: [Case] = [
        changing("overwritten-at-once", "is overwritten at once") { trial, key, new in
            try await trial.putLarge(new, key, .atOnce)
        },
        changing("overwritten-in-pieces", "is overwritten in pieces") { trial, key, new in
            try await trial.putLarge(new, key, .inPieces)
        },
        changing("updated", "gets another head") { trial, key, _ in
            // Each body is longer than the previous one.
            for number in [10, 100, 1000] {
                try await trial.store.update(key, .response(number, bodyID: 1), token: nil)
            }
        },
        changing("removed", "is removed") { trial, key, _ in
            try await trial.store.remove(key, token: nil)
        },
        changing("invalidated", "is made invalid") { trial, key, _ in
            try await trial.store.invalidate(key.resource)
            try await trial.put(CacheStoreEntry(3), key)
        },
        changing("forgotten", "is forgotten with all others") { trial, key, _ in
            try await trial.store.removeAll()
            try await trial.put(CacheStoreEntry(3), key)
        },
    ]

    /// Returns a case in which an entry changes while two readers have it, one of which has begun to read the body.
    private static func changing(
        _ name: String,
        _ what: String,
        _ change: @escaping @Sendable (CacheStoreTrial, CacheKey, CacheStoreEntry) async throws -> Void
    ) -> Case {
        let promise = "A reader of an entry that \(what) gets the old body whole, or an error."
        return Case("reader.\(name)", promise) { trial in
            // A store on disk reads small bodies at once, and large ones while they are used.
            for (number, count) in [3000, CacheStoreEntry.large].enumerated() {
                let key = trial.key(UInt32(number))
                let (old, new) = (CacheStoreEntry(1, count: count), CacheStoreEntry(2, count: count))
                try await trial.putLarge(old, key)
                let record = try require("\(old)", try await trial.store.read(key))
                var begun = try await CacheStoreReading(record)
                try await begun.step()
                try await change(trial, key, new)
                try expect("the head that was read", record.head.encoded == old.head.encoded, seen: "another head")
                try await expectOld(old, &begun, "that was being read while it \(what)")
                if var late = try? await CacheStoreReading(record) {
                    try await expectOld(old, &late, "that was found before it \(what)")
                }
            }
        }
    }

    /// Fails the case unless the whole body of an entry is read, or a part of it followed by an error.
    private static func expectOld(
        _ old: CacheStoreEntry,
        _ reading: inout CacheStoreReading,
        _ when: String
    ) async throws {
        do {
            _ = try await reading.rest()
        } catch {
            return try old.expectPrefix(reading.bytes, when)
        }
        try old.expectBody(reading.bytes, when)
    }

    /// The cases about concurrent readers and writers.
    static let atOnce: [Case] = [
        Case("concurrent.writers", "One of several writers of a key leaves its complete entry.") { trial in
            let entries = (0..<6).map { CacheStoreEntry($0, count: 20_000 + $0) }
            var writers: [any CacheWriter] = []
            for entry in entries { writers.append(try await trial.begin(entry, trial.key(1))) }
            // The writers alternate piece by piece and finish at the same time.
            for (entry, writer) in zip(entries, writers) { try await writer.append(entry.body.prefix(7000)) }
            try await withThrowingTaskGroup { group in
                for (entry, writer) in zip(entries, writers) {
                    group.addTask {
                        try await writer.append(entry.body.dropFirst(7000))
                        try await writer.commit()
                    }
                }
                for entry in entries {
                    group.addTask { _ = try await trial.write(entry, trial.key(1), .atOnce, token: nil) }
                }
                try await group.waitForAll()
            }
            let record = try await trial.store.read(trial.key(1))
            try await trial.expectOne(of: entries, record, "after several were written at the same time")
            try expect("entries", await trial.store.statistics.entryCount, is: 1)
        },
        Case("concurrent.exchanges", "The last of several concurrent exchanges to begin leaves its entry.") {
            trial in
            let key = trial.key(1)
            let entries = (0..<6).map { CacheStoreEntry($0) }
            var exchanges: [(CacheStoreEntry, CacheWriteToken)] = []
            for entry in entries { exchanges.append((entry, try await trial.store.token(for: key))) }
            await withTaskGroup { group in
                for (number, (entry, token)) in exchanges.enumerated() {
                    group.addTask {
                        // Most writes are refused, possibly with an error.
                        _ = try? await trial.write(entry, key, number % 2 == 0 ? .atOnce : .inPieces, token: token)
                    }
                }
            }
            try await trial.expectEntry(entries[5], key, "after exchanges that began earlier")
        },
        Case("concurrent.keys", "Concurrent reads and writes of many keys do not mix entries.") { trial in
            let keys = (0..<8).map { trial.key($0 / 2, $0 % 2) }
            let entries = keys.indices.map { key in
                (0..<4).map { CacheStoreEntry(10 * key + $0, count: 9000 + 50 * $0) }
            }
            for (key, entries) in zip(keys, entries) { try await trial.put(entries[0], key) }
            for round in 1..<4 {
                var writers: [any CacheWriter] = []
                for (key, entries) in zip(keys, entries) {
                    writers.append(try await trial.begin(entries[round], key))
                }
                try await withThrowingTaskGroup { group in
                    for ((key, entries), writer) in zip(zip(keys, entries), writers) {
                        group.addTask {
                            for piece in entries[round].pieces { try await writer.append(piece) }
                            try expect("commit()", try await writer.commit(), is: true)
                        }
                        group.addTask {
                            for _ in 0..<4 {
                                if let record = try await trial.store.read(key) {
                                    try await trial.expectOne(of: entries, record, "while others are written")
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                for (key, entries) in zip(keys, entries) {
                    try await trial.expectEntry(entries[round], key, "after others were written at the same time")
                }
            }
        },
    ]
}
