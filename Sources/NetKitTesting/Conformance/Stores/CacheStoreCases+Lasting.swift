import Foundation
import NetKit

extension CacheStoreCases {
    /// The cases about reopened stores.
    static let lasting: [Case] = [
        Case("reopen.secret", "A reopened store has the same secret.") { trial in
            let again = try await trial.reopened()
            try expect("the same secret", again.store.secret == trial.store.secret, seen: "another one")
            try await again.store.removeAll()
            let later = try await again.reopened()
            try expect(
                "the same secret after removeAll()",
                later.store.secret == trial.store.secret,
                seen: "another one"
            )
        },
        Case("reopen.entries", "A reopened store has complete entries.") { trial in
            let entries = [0, 1, 3000, 100_000].enumerated().map { CacheStoreEntry($0, count: $1) }
            for (number, entry) in entries.enumerated() {
                try await trial.put(entry, trial.key(UInt32(number), 0))
                let token = try await trial.store.token(for: trial.key(UInt32(number), 1))
                try await trial.put(entry, trial.key(UInt32(number), 1), .inPieces, token: token)
            }
            let updated = entries[2].updated(9, bodyID: entries[2].head.bodyID)
            try await trial.store.update(trial.key(2), updated.head, token: nil)
            let again = try await trial.reopened()
            for (number, entry) in entries.enumerated() {
                let when = "after the store was opened again"
                try await again.expectEntry(number == 2 ? updated : entry, trial.key(UInt32(number), 0), when)
                try await again.expectEntry(entry, trial.key(UInt32(number), 1), when)
            }
            try expect("entries", await again.store.statistics.entryCount, is: 2 * entries.count)
        },
        Case("reopen.large", "A reopened store has complete bodies of 3 MiB.") { trial in
            let entry = CacheStoreEntry(1, count: CacheStoreEntry.largest)
            try await trial.putLarge(entry, trial.key(1))
            try await trial.reopened().expectEntry(entry, trial.key(1), "after the store was opened again")
        },
        Case("reopen.unfinished", "A reopened store has no uncommitted entries.") { trial in
            let old = CacheStoreEntry(1)
            try await trial.put(old, trial.key(1))
            // This writer is still open when the process ends.
            let unfinished = [
                try await trial.beginHalf(CacheStoreEntry(2), trial.key(1)),
                try await trial.beginHalf(CacheStoreEntry(2), trial.key(2)),
            ]
            try await trial.beginHalf(CacheStoreEntry(2), trial.key(3)).abort()
            let again = try await trial.reopened()
            try await again.expectNothingBut(old, trial.key(1), "under the key of an unfinished one")
            try await again.expectNothing(trial.key(2), "under the key of an unfinished one")
            try await again.expectNothing(trial.key(3), "under the key of one that was given up")
            withExtendedLifetime(unfinished) {}
        },
        Case("reopen.removed", "A reopened store has no removed or invalidated entries.") {
            trial in
            let keys = (1...3).map { trial.key($0) }
            for key in keys { try await trial.put(CacheStoreEntry(1), key) }
            try await trial.store.remove(keys[0], token: nil)
            try await trial.store.invalidate(keys[1].resource)
            let again = try await trial.reopened()
            try await again.expectNothing(keys[0], "that was removed")
            try await again.expectNothing(keys[1], "whose URL was invalidated")
            try await again.expectEntry(CacheStoreEntry(1), keys[2], "that was left alone")
            try await again.store.removeAll()
            try await again.reopened().expectNothing(keys[2], "after removeAll()")
        },
        Case("reopen.works", "A reopened store accepts, replaces and refuses as before.") { trial in
            let key = trial.key(1)
            let first = try await trial.store.token(for: key)
            try await trial.put(CacheStoreEntry(1), key, token: first)
            let again = try await trial.reopened()
            let token = try await again.store.token(for: key)
            try await again.put(CacheStoreEntry(2), key, .inPieces, token: token)
            try await again.expectEntry(CacheStoreEntry(2), key, "that replaces one of the last process")
            try await again.store.invalidate(key.resource)
            try await again.expectNothing(key, "after its URL was invalidated")
            try await again.expectRefusal(of: CacheStoreEntry(3), key, .atOnce, token: token, "with an old token")
            try await again.expectNothing(key, "after it was refused")
        },
    ]
}
