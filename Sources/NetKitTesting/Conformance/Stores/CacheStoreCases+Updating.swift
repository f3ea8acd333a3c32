import Foundation
import NetKit

extension CacheStoreCases {
    /// The cases about replacing heads.
    static let updating: [Case] = [
        Case("update.head", "An update replaces the head of its body, and keeps the body.") {
            trial in
            for (number, count) in [3000, CacheStoreEntry.large].enumerated() {
                let key = trial.key(UInt32(number))
                let entry = CacheStoreEntry(1, count: count)
                try await trial.putLarge(entry, key)
                for number in 2...4 {
                    let newer = entry.updated(number, bodyID: entry.head.bodyID)
                    let token = number == 3 ? try await trial.store.token(for: key) : nil
                    try await trial.store.update(key, newer.head, token: token)
                    try await trial.expectEntry(newer, key, "after the update")
                }
            }
        },
        Case("update.other-body", "An update does not change an entry with another body.") { trial in
            let entry = CacheStoreEntry(1)
            try await trial.put(entry, trial.key(1))
            try await trial.store.update(trial.key(1), .response(2, bodyID: 8), token: nil)
            try await trial.expectEntry(entry, trial.key(1), "after an update that belongs to another body")
            let token = try await trial.store.token(for: trial.key(1))
            try await trial.store.update(trial.key(1), .response(2, bodyID: 8), token: token)
            try await trial.expectEntry(
                entry,
                trial.key(1),
                "after an update with a token that belongs to another body"
            )
        },
        Case("update.absent", "An update of an absent entry has no effect.") { trial in
            try await trial.store.update(trial.key(1), .response(1), token: nil)
            try await trial.expectNothing(trial.key(1), "after an update of nothing")
            try await trial.put(CacheStoreEntry(1), trial.key(1))
            try await trial.store.remove(trial.key(1), token: nil)
            try await trial.store.update(trial.key(1), .response(1), token: nil)
            try await trial.expectNothing(trial.key(1), "after an update of what was removed")
            try expect("entries", await trial.store.statistics.entryCount, is: 0)
        },
        Case("update.other-keys", "An update does not change the entries of other keys.") { trial in
            let entry = CacheStoreEntry(1)
            let others = [trial.key(1, 1), trial.key(2)]
            for key in [trial.key(1)] + others { try await trial.put(entry, key) }
            try await trial.store.update(trial.key(1), .response(2, bodyID: entry.head.bodyID), token: nil)
            for key in others { try await trial.expectEntry(entry, key, "after an update of another key") }
        },
    ]
}
