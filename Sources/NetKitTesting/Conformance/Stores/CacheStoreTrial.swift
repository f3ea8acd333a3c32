import Foundation
import NetKit

/// The context of a case, with the store.
public struct CacheStoreTrial: Sendable {
    /// The ways to write a body.
    enum Way: String, CaseIterable {
        case atOnce = "at once"
        case inPieces = "in pieces"
    }

    let store: any CacheStore
    private let reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)?

    init(store: any CacheStore, reopen: (@Sendable (any CacheStore) async throws -> any CacheStore)?) {
        (self.store, self.reopen) = (store, reopen)
    }

    /// Returns the same store as the next process opens it.
    func reopened() async throws -> CacheStoreTrial {
        guard let reopen else { throw ConformanceFailure.notPossible("the store cannot be opened again") }
        return CacheStoreTrial(store: try await reopen(store), reopen: reopen)
    }

    /// Returns the key of an entry of a URL, distributed like a hash.
    func key(_ url: UInt32, _ variant: UInt32 = 0) -> CacheKey {
        let mixed = (UInt64(url) << 32 | UInt64(variant)) &* 0x9E37_79B9_7F4A_7C15
        let parts = [
            url &* 0x9E37_79B1, variant &* 0x85EB_CA6B, UInt32(mixed >> 32), UInt32(truncatingIfNeeded: mixed),
        ]
        return Self.key(parts.map(Self.digits).joined())
    }

    /// Returns the key with 32 digits.
    static func key(_ digits: String) -> CacheKey {
        guard let key = CacheKey(digits) else { preconditionFailure("\(digits) is no key") }
        return key
    }

    private static func digits(_ number: UInt32) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 8 - text.count) + text
    }
}

// MARK: - Writing

extension CacheStoreTrial {
    /// Writes an entry, which a store with room has to accept.
    func put(
        _ entry: CacheStoreEntry,
        _ key: CacheKey,
        _ way: Way = .atOnce,
        token: CacheWriteToken? = nil
    ) async throws {
        let isKept = try await write(entry, key, way, token: token)
        try expect("\(entry), written \(way.rawValue), is kept", isKept, seen: "it was refused")
    }

    /// Writes an entry.
    ///
    /// If the store refuses it and may do so because of its size, the case is skipped.
    func putLarge(
        _ entry: CacheStoreEntry,
        _ key: CacheKey,
        _ way: Way = .inPieces,
        token: CacheWriteToken? = nil
    ) async throws {
        if entry.body.count < CacheStoreEntry.large { return try await put(entry, key, way, token: token) }
        guard try await write(entry, key, way, token: token) else {
            throw ConformanceFailure.notPossible("the store refuses a body of \(entry.body.count) bytes")
        }
    }

    /// Writes an entry and returns whether the store reports that it was stored.
    func write(_ entry: CacheStoreEntry, _ key: CacheKey, _ way: Way, token: CacheWriteToken?) async throws -> Bool {
        switch way {
        case .atOnce: return try await store.write(key, entry.head, body: entry.body, token: token)
        case .inPieces:
            let length = Int64(entry.body.count)
            guard let writer = try await store.write(key, entry.head, length: length, token: token) else {
                return false
            }
            for piece in entry.pieces { try await writer.append(piece) }
            return try await writer.commit()
        }
    }

    /// Begins an entry, which a store with room has to accept.
    func begin(_ entry: CacheStoreEntry, _ key: CacheKey, token: CacheWriteToken? = nil) async throws -> any CacheWriter
    {
        let writer = try await store.write(key, entry.head, length: nil, token: token)
        return try require("a writer for \(entry)", writer)
    }

    /// Begins an entry and writes the first half of its pieces.
    func beginHalf(_ entry: CacheStoreEntry, _ key: CacheKey) async throws -> any CacheWriter {
        let writer = try await begin(entry, key)
        for piece in entry.pieces.prefix(entry.pieces.count / 2) { try await writer.append(piece) }
        return writer
    }

    /// Fails the case unless writing is refused, by its result or by an error.
    func expectRefusal(
        of entry: CacheStoreEntry,
        _ key: CacheKey,
        _ way: Way,
        token: CacheWriteToken?,
        _ reason: String
    ) async throws {
        let isKept = (try? await write(entry, key, way, token: token)) ?? false
        try expect("\(entry), written \(way.rawValue) \(reason), is refused", !isKept, seen: "it was accepted")
    }
}

// MARK: - Reading

extension CacheStoreTrial {
    /// Fails the case unless a key has exactly an entry.
    func expectEntry(_ entry: CacheStoreEntry, _ key: CacheKey, _ when: String) async throws {
        let record = try require("\(entry) \(when)", try await store.read(key))
        try await expectSame(record, entry, when)
    }

    /// Fails the case unless a key has no entry.
    func expectNothing(_ key: CacheKey, _ when: String) async throws {
        guard let record = try await store.read(key) else { return }
        let seen = "an entry of \(record.body.length) bytes"
        throw ConformanceFailure.broken(expected: "nothing \(when)", seen: seen)
    }

    /// Fails the case unless a key has no entry or the previous one.
    func expectNothingBut(_ entry: CacheStoreEntry, _ key: CacheKey, _ when: String) async throws {
        guard let record = try await store.read(key) else { return }
        try await expectSame(record, entry, when)
    }

    /// Fails the case unless a record matches an entry in head and body.
    func expectSame(_ record: CacheRecord, _ entry: CacheStoreEntry, _ when: String) async throws {
        try expect("the head of \(entry) \(when)", record.head.encoded == entry.head.encoded, seen: "another head")
        try expect("length of \(entry) \(when)", record.body.length, is: Int64(entry.body.count))
        var reading = try await CacheStoreReading(record)
        try entry.expectBody(try await reading.rest(), when)
    }

    /// Fails the case unless a record matches one of several entries in head and body, and returns that entry.
    @discardableResult
    func expectOne(of entries: [CacheStoreEntry], _ record: CacheRecord?, _ when: String) async throws -> Int {
        let record = try require("an entry \(when)", record)
        let same = entries.firstIndex { $0.head.encoded == record.head.encoded }
        let index = try require("a head that was written \(when)", same, seen: "another head")
        try await expectSame(record, entries[index], when)
        return index
    }
}
