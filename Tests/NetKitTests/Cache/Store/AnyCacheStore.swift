import Foundation
import NetKit

/// Any store as one type.
struct AnyCacheStore: CacheStore {
    let base: any CacheStore

    init(_ base: any CacheStore) {
        self.base = base
    }

    var secret: CacheHashKey { base.secret }

    func read(_ key: CacheKey) async throws -> CacheRecord? { try await base.read(key) }

    func write(_ key: CacheKey, _ head: CacheHead, length: Int64?) async throws -> (any CacheWriter)? {
        try await base.write(key, head, length: length)
    }

    func write(_ key: CacheKey, _ head: CacheHead, body: Data) async throws {
        try await base.write(key, head, body: body)
    }

    func update(_ key: CacheKey, _ head: CacheHead) async throws { try await base.update(key, head) }

    func remove(_ key: CacheKey) async throws { try await base.remove(key) }

    func removeAll() async throws { try await base.removeAll() }

    var statistics: CacheStoreStatistics {
        get async { await base.statistics }
    }
}
