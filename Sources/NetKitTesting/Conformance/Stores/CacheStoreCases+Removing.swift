import Foundation
import NetKit

extension CacheStoreCases {
    /// The cases about removing entries.
    static let removing: [Case] = [
        Case("remove.entry", "Only the removed entry is gone.") { trial in
            let others = [trial.key(1, 1), trial.key(2)]
            for key in [trial.key(1)] + others { try await trial.put(CacheStoreEntry(1), key) }
            try await trial.store.remove(trial.key(1), token: nil)
            try await trial.expectNothing(trial.key(1), "after it was removed")
            for key in others { try await trial.expectEntry(CacheStoreEntry(1), key, "after another was removed") }
            try await trial.put(CacheStoreEntry(2), trial.key(1))
            try await trial.expectEntry(CacheStoreEntry(2), trial.key(1), "after it was written again")
        },
        Case("remove.absent", "Removing an absent entry is not an error.") { trial in
            try await trial.store.remove(trial.key(1), token: nil)
            let token = try await trial.store.token(for: trial.key(1))
            try await trial.store.remove(trial.key(1), token: token)
            try await trial.expectNothing(trial.key(1), "after nothing was removed")
        },
        Case("remove.own-token", "An exchange removes its own entry and earlier ones.") { trial in
            let key = trial.key(1)
            let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
            try await trial.put(CacheStoreEntry(1), key, token: first)
            try await trial.store.remove(key, token: first)
            try await trial.expectNothing(key, "after its own exchange removed it")
            try await trial.put(CacheStoreEntry(2), key, token: first)
            try await trial.store.remove(key, token: second)
            try await trial.expectNothing(key, "after a later exchange removed it")
            try await trial.put(CacheStoreEntry(3), key)
            try await trial.store.remove(key, token: second)
            try await trial.expectNothing(key, "that was written without a token")
        },
        Case("remove.later-stays", "An earlier token does not remove the entry of a later exchange.") { trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(UInt32(number))
                let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
                try await trial.put(CacheStoreEntry(1), key, way, token: second)
                try await trial.store.remove(key, token: first)
                try await trial.expectEntry(CacheStoreEntry(1), key, "after it was removed with an earlier token")
            }
        },
        Case("remove.refuses-earlier", "After an exchange removed an entry, writes of earlier ones are refused.") {
            trial in
            for way in CacheStoreTrial.Way.allCases {
                let key = trial.key(1)
                let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
                try await trial.store.remove(key, token: second)
                let reason = "with a token from before that of remove()"
                try await trial.expectRefusal(of: CacheStoreEntry(1), key, way, token: first, reason)
                try await trial.expectNothing(key, "after it was refused")
            }
        },
        Case("remove.refuses-commit", "After an exchange removed an entry, earlier writers do not commit.") {
            trial in
            let key = trial.key(1)
            let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
            try await expectRefusedCommit(trial, key, token: first, "remove() with a later token") {
                try await trial.store.remove(key, token: second)
            }
        },
        Case("remove.refuses-update", "After an exchange removed an entry, updates of earlier ones are refused.") {
            trial in
            let key = trial.key(1)
            let entry = CacheStoreEntry(1)
            let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
            try await trial.store.remove(key, token: second)
            try await trial.put(entry, key)
            try? await trial.store.update(key, .response(2, bodyID: entry.head.bodyID), token: first)
            try await trial.expectEntry(entry, key, "after an update with a token from before that of remove()")
        },
        Case("remove.admits-later", "Writes of the removing exchange and later ones are accepted.") { trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(UInt32(number))
                let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
                try await trial.store.remove(key, token: first)
                for (number, token) in [first, second, try await trial.store.token(for: key), nil].enumerated() {
                    try await trial.put(CacheStoreEntry(number), key, way, token: token)
                    try await trial.expectEntry(CacheStoreEntry(number), key, "after an earlier remove()")
                }
            }
        },
        Case("remove.all", "After `removeAll()`, the store is empty and accepts new entries.") { trial in
            let keys = (0..<8).map { trial.key($0 / 2, $0 % 2) }
            for (number, key) in keys.enumerated() {
                try await trial.put(CacheStoreEntry(number), key, number % 3 == 0 ? .inPieces : .atOnce)
            }
            try await trial.store.removeAll()
            for key in keys { try await trial.expectNothing(key, "after removeAll()") }
            for (number, key) in keys.enumerated() {
                let token = try await trial.store.token(for: key)
                try await trial.put(CacheStoreEntry(number), key, token: token)
            }
            for (number, key) in keys.enumerated() {
                try await trial.expectEntry(CacheStoreEntry(number), key, "that was written after removeAll()")
            }
        },
    ]

    /// Fails the case unless a writer with a token ends without an entry if something happens before its commit.
    static func expectRefusedCommit(
        _ trial: CacheStoreTrial,
        _ key: CacheKey,
        token: CacheWriteToken,
        _ reason: String,
        after action: () async throws -> Void
    ) async throws {
        let entry = CacheStoreEntry(1)
        let writer = try await trial.begin(entry, key, token: token)
        let pieces = entry.pieces
        for piece in pieces.dropLast() { try await writer.append(piece) }
        try await action()
        // The refusal may be an error, as early as the next piece.
        try? await writer.append(pieces.last ?? Data())
        try expect("commit() after \(reason)", (try? await writer.commit()) ?? false, is: false)
        try await trial.expectNothing(key, "after \(reason) while it was written")
    }
}
