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

    func token(for key: CacheKey) async throws -> CacheWriteToken { try await base.token(for: key) }

    func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken?
    ) async throws -> (any CacheWriter)? {
        try await base.write(key, head, length: length, token: token)
    }

    func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken?) async throws -> Bool {
        try await base.write(key, head, body: body, token: token)
    }

    func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken?) async throws {
        try await base.update(key, head, token: token)
    }

    func remove(_ key: CacheKey, token: CacheWriteToken?) async throws { try await base.remove(key, token: token) }

    func invalidate(_ resource: CacheResource) async throws { try await base.invalidate(resource) }

    func removeAll() async throws { try await base.removeAll() }

    var statistics: CacheStoreStatistics {
        get async { await base.statistics }
    }
}
