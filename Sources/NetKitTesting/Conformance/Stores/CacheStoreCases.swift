import Foundation
import NetKit

/// The cases of `CacheStoreConformance`, area by area.
enum CacheStoreCases {
    typealias Case = CacheStoreConformance.Case

    /// The cases about reading.
    static let reading: [Case] = [
        Case("read.absent", "A key that was never written has no entry.") { trial in
            try await trial.expectNothing(trial.key(1), "in an empty store")
            try await trial.put(CacheStoreEntry(1), trial.key(1))
            try await trial.expectNothing(trial.key(2), "under a key of another URL")
            try await trial.expectNothing(trial.key(1, 1), "under another key of the URL")
        },
        Case("read.keys-apart", "Keys that differ in a single digit have separate entries.") { trial in
            let zeros = String(repeating: "0", count: 32)
            let keys = [zeros] + zeros.indices.map { zeros.replacingCharacters(in: $0...$0, with: "f") }
            let entries = keys.indices.map { CacheStoreEntry($0, count: 50) }
            for (key, entry) in zip(keys, entries) { try await trial.put(entry, CacheStoreTrial.key(key)) }
            for (key, entry) in zip(keys, entries) {
                try await trial.expectEntry(entry, CacheStoreTrial.key(key), "under \(key)")
            }
        },
        Case("read.repeated", "A record can be read several times, even concurrently.") { trial in
            for count in [3000, CacheStoreEntry.large] {
                let entry = CacheStoreEntry(1, count: count)
                try await trial.putLarge(entry, trial.key(1))
                let record = try require("\(entry)", try await trial.store.read(trial.key(1)))
                var first = try await CacheStoreReading(record)
                var second = try await CacheStoreReading(record)
                try await first.step()
                try entry.expectBody(try await second.rest(), "in a second read")
                try entry.expectBody(try await first.rest(), "in a first read that a second one overtook")
            }
        },
        Case("read.part", "A body can be read in part.") { trial in
            for count in [3000, CacheStoreEntry.large] {
                let entry = CacheStoreEntry(1, count: count)
                try await trial.putLarge(entry, trial.key(1))
                for part in [0..<1, 700..<2100, 1..<count - 1, count - 1..<count] {
                    let record = try require("\(entry)", try await trial.store.read(trial.key(1)))
                    var reading = try await CacheStoreReading(record, part: part)
                    let isRight = try await reading.rest() == entry.body[part]
                    try expect("bytes \(part) of \(count)", isRight, seen: "other bytes")
                }
            }
        },
    ]
}
