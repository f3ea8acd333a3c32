import Foundation
import NetKit

extension CacheStoreCases {
    /// The cases about invalidating the entries of a URL.
    static let invalidating: [Case] = [
        Case("invalidate.entries", "All entries of the URL are removed, in every partition and variant.") { trial in
            let keys = (0..<6).map { trial.key(1, $0) }
            for (number, key) in keys.enumerated() {
                let token = number % 2 == 0 ? try await trial.store.token(for: key) : nil
                try await trial.put(CacheStoreEntry(number), key, number % 3 == 0 ? .inPieces : .atOnce, token: token)
            }
            try await trial.store.invalidate(trial.key(1).resource)
            for key in keys { try await trial.expectNothing(key, "after its URL was invalidated") }
            // A URL without entries.
            try await trial.store.invalidate(trial.key(1).resource)
        },
        Case("invalidate.other-entries", "Entries of other URLs are kept.") { trial in
            let others = (2..<8).map { trial.key($0) }
            for key in [trial.key(1)] + others { try await trial.put(CacheStoreEntry(1), key) }
            try await trial.store.invalidate(trial.key(1).resource)
            for key in others {
                try await trial.expectEntry(CacheStoreEntry(1), key, "after another URL was invalidated")
            }
        },
        Case("invalidate.refuses-at-once", "A complete write with an earlier token is refused.") { trial in
            try await expectRefusal(trial, .atOnce)
        },
        Case("invalidate.refuses-in-pieces", "A write in pieces with an earlier token is refused.") {
            trial in
            try await expectRefusal(trial, .inPieces)
        },
        Case("invalidate.refuses-commit", "A writer with an earlier token does not commit.") { trial in
            let token = try await trial.store.token(for: trial.key(1))
            try await expectRefusedCommit(trial, trial.key(1), token: token, "invalidate()") {
                try await trial.store.invalidate(trial.key(1).resource)
            }
        },
        Case("invalidate.refuses-update", "An update with an earlier token is refused.") { trial in
            let key = trial.key(1)
            let entry = CacheStoreEntry(1)
            let old = try await trial.store.token(for: key)
            try await trial.put(entry, key)
            try await trial.store.invalidate(key.resource)
            try? await trial.store.update(key, .response(2, bodyID: entry.head.bodyID), token: old)
            try await trial.expectNothing(key, "after an update of what was invalidated")
            let new = try await trial.store.token(for: key)
            try await trial.put(entry, key, token: new)
            try? await trial.store.update(key, .response(2, bodyID: entry.head.bodyID), token: old)
            try await trial.expectEntry(entry, key, "after an update with a token from before invalidate()")
        },
        Case("invalidate.admits-later", "A write with a later token is accepted.") { trial in
            let key = trial.key(1)
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                try await trial.store.invalidate(key.resource)
                let entry = CacheStoreEntry(number)
                let token = try await trial.store.token(for: key)
                try await trial.put(entry, key, way, token: token)
                try await trial.expectEntry(entry, key, "with a token from after invalidate()")
                let newer = entry.updated(7, bodyID: entry.head.bodyID)
                try await trial.store.update(key, newer.head, token: token)
                try await trial.expectEntry(newer, key, "after an update with a token from after invalidate()")
            }
        },
        Case("invalidate.admits-others", "A token for another URL stays valid.") { trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(2, UInt32(number))
                let token = try await trial.store.token(for: key)
                try await trial.store.invalidate(trial.key(1).resource)
                try await trial.put(CacheStoreEntry(1), key, way, token: token)
                try await trial.expectEntry(CacheStoreEntry(1), key, "after another URL was invalidated")
            }
        },
        Case("invalidate.without-token", "A write without a token is always accepted.") { trial in
            let key = trial.key(1)
            for way in CacheStoreTrial.Way.allCases {
                try await trial.store.invalidate(key.resource)
                try await trial.put(CacheStoreEntry(1), key, way)
                try await trial.expectEntry(CacheStoreEntry(1), key, "after it was written without a token")
            }
        },
        Case("invalidate.without-token-commit", "A writer without a token returns whether its entry was stored.") {
            trial in
            let key = trial.key(1)
            let writer = try await trial.beginHalf(CacheStoreEntry(1), key)
            try await trial.store.invalidate(key.resource)
            for piece in CacheStoreEntry(1).pieces.dropFirst(CacheStoreEntry(1).pieces.count / 2) {
                try await writer.append(piece)
            }
            if try await writer.commit() {
                try await trial.expectEntry(CacheStoreEntry(1), key, "after commit() returned true")
            } else {
                try await trial.expectNothing(key, "after commit() returned false")
            }
        },
        Case("invalidate.since", "An invalidation since a token replaces the token, if nothing came in between.") {
            trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(UInt32(number))
                let token = try await trial.store.token(for: key)
                try await trial.put(CacheStoreEntry(1), key)
                // Neither a write nor another URL counts.
                try await trial.store.invalidate(trial.key(9).resource)
                let renewed = try require("a token", try await trial.store.invalidate(key, since: token))
                try await trial.expectNothing(key, "after its URL was invalidated")
                let reason = "with a token from before the invalidation"
                try await trial.expectRefusal(of: CacheStoreEntry(2), key, way, token: token, reason)
                try await trial.put(CacheStoreEntry(3), key, way, token: renewed)
                try await trial.expectEntry(CacheStoreEntry(3), key, "with the token of the invalidation")
            }
        },
        Case("invalidate.since-changed", "An invalidation since a token returns none if another came in between.") {
            trial in
            let key = trial.key(1)
            let changes: [(name: String, change: (CacheWriteToken) async throws -> Void)] = [
                ("invalidate(_:)", { _ in try await trial.store.invalidate(key.resource) }),
                ("invalidate(_:since:)", { _ = try await trial.store.invalidate(key, since: $0) }),
                ("removeAll()", { _ in try await trial.store.removeAll() }),
            ]
            for (name, change) in changes {
                let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
                try await change(first)
                try await trial.put(CacheStoreEntry(1), key)
                let renewed = try await trial.store.invalidate(trial.key(1, 1), since: second)
                try expect("no token after \(name)", renewed == nil, seen: "a token")
                try await trial.expectNothing(key, "after its URL was invalidated nevertheless")
            }
        },
        Case("invalidate.since-overtaken", "The token of an invalidation is refused after the next one.") { trial in
            for (number, way) in CacheStoreTrial.Way.allCases.enumerated() {
                let key = trial.key(UInt32(number))
                let (first, second) = (try await trial.store.token(for: key), try await trial.store.token(for: key))
                let renewed = try require("a token", try await trial.store.invalidate(key, since: first))
                _ = try await trial.store.invalidate(key, since: second)
                let reason = "with the token of the invalidation before"
                try await trial.expectRefusal(of: CacheStoreEntry(1), key, way, token: renewed, reason)
                try await trial.expectNothing(key, "after it was refused")
            }
        },
    ]

    /// Fails the case unless a token from before an invalidation is refused, without an entry and over a newer one.
    private static func expectRefusal(_ trial: CacheStoreTrial, _ way: CacheStoreTrial.Way) async throws {
        let key = trial.key(1)
        let old = try await trial.store.token(for: key)
        try await trial.put(CacheStoreEntry(1), key, token: old)
        try await trial.store.invalidate(key.resource)
        let reason = "with a token from before invalidate()"
        try await trial.expectRefusal(of: CacheStoreEntry(2), key, way, token: old, reason)
        try await trial.expectNothing(key, "after it was refused")
        let new = try await trial.store.token(for: key)
        try await trial.put(CacheStoreEntry(3), key, token: new)
        try await trial.expectRefusal(of: CacheStoreEntry(4), key, way, token: old, reason)
        try await trial.expectEntry(CacheStoreEntry(3), key, "after an older one was refused")
    }
}
