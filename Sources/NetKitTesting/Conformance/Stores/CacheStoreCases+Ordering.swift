import Foundation
import NetKit

extension CacheStoreCases {
    /// The cases about tokens and the secret.
    static let ordering: [Case] = [
        Case("token.numbers", "Later exchanges have tokens with larger numbers.") { trial in
            let key = trial.key(1)
            var numbers = [try await trial.store.token(for: key).number]
            numbers.append(try await trial.store.token(for: key).number)
            try await trial.put(CacheStoreEntry(1), key, token: try await trial.store.token(for: key))
            numbers.append(try await trial.store.token(for: key).number)
            try await trial.store.invalidate(key.resource)
            numbers.append(try await trial.store.token(for: key).number)
            try await trial.store.removeAll()
            numbers.append(try await trial.store.token(for: key).number)
            try expect("rising numbers: \(numbers)", zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
        },
        Case("token.generations", "The generation of a token changes only if its URL is invalidated.") {
            trial in
            let key = trial.key(1)
            let first = try await trial.store.token(for: key).generation
            try await trial.put(CacheStoreEntry(1), key)
            try expect("generation after a write", try await trial.store.token(for: key).generation, is: first)
            try await trial.store.invalidate(key.resource)
            let second = try await trial.store.token(for: key).generation
            try expect("another generation than \(first) after invalidate()", second != first)
            try await trial.store.invalidate(key.resource)
            let third = try await trial.store.token(for: key).generation
            try expect("another generation than before after the next invalidate()", ![first, second].contains(third))
        },
        Case("token.variants", "A token is valid for every key of its URL, until the URL is invalidated.") { trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let (key, other) = (trial.key(UInt32(number)), trial.key(UInt32(number), 1))
                let token = try await trial.store.token(for: key)
                try await trial.put(CacheStoreEntry(1), other, way, token: token)
                try await trial.expectEntry(CacheStoreEntry(1), other, "with a token for another key of the URL")
                try await trial.store.invalidate(key.resource)
                let reason = "with a token from before invalidate()"
                try await trial.expectRefusal(of: CacheStoreEntry(2), other, way, token: token, reason)
                try await trial.expectNothing(other, "after it was refused")
            }
        },
        Case("token.later-stays", "An earlier exchange does not replace the entry of a later one.") {
            trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(UInt32(number))
                let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
                let entry = CacheStoreEntry(1)
                try await trial.put(entry, key, way, token: second)
                let reason = "with an earlier token than the entry's"
                try await trial.expectRefusal(of: CacheStoreEntry(2), key, way, token: first, reason)
                try await trial.expectEntry(entry, key, "after an earlier exchange brought another")
                try? await trial.store.update(key, .response(3, bodyID: entry.head.bodyID), token: first)
                try await trial.expectEntry(entry, key, "after an update with an earlier token")
            }
        },
        Case("token.later-stays-large", "An earlier exchange does not replace a large entry of a later one.") { trial in
            let entry = CacheStoreEntry(1, count: CacheStoreEntry.large)
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(UInt32(number))
                let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
                try await trial.putLarge(entry, key, way, token: second)
                let reason = "with an earlier token than the entry's"
                try await trial.expectRefusal(of: CacheStoreEntry(2), key, way, token: first, reason)
                try await trial.expectEntry(entry, key, "after an earlier exchange brought another")
            }
        },
        Case("token.earlier-is-replaced", "A later exchange replaces the entry of an earlier one.") {
            trial in
            let key = trial.key(1)
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                for step in 0..<2 {
                    let token = try await trial.store.token(for: key)
                    let entry = CacheStoreEntry(2 * number + step)
                    try await trial.put(entry, key, way, token: token)
                    try await trial.expectEntry(entry, key, "after a later exchange brought it")
                    let newer = entry.updated(9, bodyID: entry.head.bodyID)
                    try await trial.store.update(key, newer.head, token: try await trial.store.token(for: key))
                    try await trial.expectEntry(newer, key, "after a later exchange updated it")
                }
            }
        },
        Case("secret.stable", "The secret of a store does not change.") { trial in
            let secret = trial.store.secret
            try await trial.put(CacheStoreEntry(1), trial.key(1))
            try expect("the same secret after a write", trial.store.secret == secret, seen: "another one")
            try await trial.store.invalidate(trial.key(1).resource)
            try await trial.store.removeAll()
            try expect("the same secret after removeAll()", trial.store.secret == secret, seen: "another one")
        },
    ]

    /// The cases about statistics.
    static let counting: [Case] = [
        Case("statistics.counts", "The statistics count entries and their bytes.") { trial in
            try expect("statistics of an empty store", await trial.store.statistics, is: CacheStoreStatistics())
            for number in 1...6 {
                let key = trial.key(UInt32(number) / 2, UInt32(number) % 2)
                try await trial.put(CacheStoreEntry(number), key, number % 2 == 0 ? .inPieces : .atOnce)
                let statistics = await trial.store.statistics
                try expect("entries after \(number) writes", statistics.entryCount, is: number)
                let bytes = 3000 * Int64(number)
                try expect("at least \(bytes) bytes", statistics.byteCount >= bytes, seen: "\(statistics.byteCount)")
                try expect("evictions", statistics.evictions, is: 0)
            }
        },
        Case("statistics.overwritten", "Replaced, refused and aborted entries are not counted.") { trial in
            let key = trial.key(1)
            try await trial.put(CacheStoreEntry(1, count: 100_000), key)
            let large = await trial.store.statistics.byteCount
            try await trial.put(CacheStoreEntry(2), key)
            let small = await trial.store.statistics
            try expect("entries after one was replaced", small.entryCount, is: 1)
            try expect("less than \(large) bytes", small.byteCount < large, seen: "\(small.byteCount)")
            let old = try await trial.store.token(for: trial.key(2))
            try await trial.store.invalidate(trial.key(2).resource)
            for way in CacheStoreTrial.Way.allCases {
                try await trial.expectRefusal(
                    of: CacheStoreEntry(3),
                    trial.key(2),
                    way,
                    token: old,
                    "with an old token"
                )
            }
            try await trial.beginHalf(CacheStoreEntry(4, count: 100_000), trial.key(3)).abort()
            try expect("statistics after refusals", await trial.store.statistics, is: small)
        },
        Case("statistics.removed", "The statistics are zero after everything is removed.") { trial in
            func fill() async throws {
                for number in 0..<4 { try await trial.put(CacheStoreEntry(number), trial.key(1, UInt32(number))) }
            }
            let nothing = CacheStoreStatistics()
            try await fill()
            for number in 0..<4 { try await trial.store.remove(trial.key(1, UInt32(number)), token: nil) }
            try expect("statistics after remove()", await trial.store.statistics, is: nothing)
            try await fill()
            try await trial.store.invalidate(trial.key(1).resource)
            try expect("statistics after invalidate()", await trial.store.statistics, is: nothing)
            try await fill()
            try await trial.store.removeAll()
            try expect("statistics after removeAll()", await trial.store.statistics, is: nothing)
        },
    ]
}
