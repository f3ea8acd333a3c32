import Foundation
import NetKit

/// Any store as one type, of which a test can make some operations slow or fail.
struct AnyCacheStore: CacheStore {
    /// A moment in an operation of the store.
    enum Moment {
        case beforeReading
        case afterReading
        case beforeIssuing
        case beforeRemoving
        case beforeInvalidating
        case afterInvalidating
    }

    let base: any CacheStore
    /// A closure that is called whenever a body is read, and may prevent it; with it, bodies are streamed.
    var onOpen: (@Sendable () throws -> Void)?
    /// The stated length of streamed bodies, if it is a wrong one.
    var length: Int64?
    private let hook: @Sendable (Moment) async throws -> Void

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - base: The store that does the work.
    ///   - hook: A closure that is called at each moment.
    init(_ base: any CacheStore, hook: @escaping @Sendable (Moment) async throws -> Void = { _ in }) {
        (self.base, self.hook) = (base, hook)
    }

    var secret: CacheHashKey { base.secret }

    func read(_ key: CacheKey) async throws -> CacheRecord? {
        try await hook(.beforeReading)
        let record = try await base.read(key)
        try await hook(.afterReading)
        guard let onOpen, let record, let data = record.body.data else { return record }
        let body = CachedBody.stream(length: length ?? record.body.length) { part in
            try onOpen()
            let pipe = BodyPipe(maxBytes: .max)
            pipe.offer(data.dropFirst(Int(part.lowerBound)).prefix(part.count))
            pipe.finish()
            return pipe
        }
        return CacheRecord(head: record.head, body: body)
    }

    func token(for key: CacheKey) async throws -> CacheWriteToken {
        try await hook(.beforeIssuing)
        return try await base.token(for: key)
    }

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

    func remove(_ key: CacheKey, token: CacheWriteToken?) async throws {
        try await hook(.beforeRemoving)
        try await base.remove(key, token: token)
    }

    func invalidate(_ resource: CacheResource) async throws {
        try await hook(.beforeInvalidating)
        try await base.invalidate(resource)
        try await hook(.afterInvalidating)
    }

    func invalidate(_ key: CacheKey, since token: CacheWriteToken) async throws -> CacheWriteToken? {
        try await hook(.beforeInvalidating)
        let renewed = try await base.invalidate(key, since: token)
        try await hook(.afterInvalidating)
        return renewed
    }

    func removeAll() async throws { try await base.removeAll() }

    var statistics: CacheStoreStatistics {
        get async { await base.statistics }
    }
}

extension AnyCacheStore {
    /// Returns a store whose first two invalidations wait for each other, as those of two machines at the same time.
    static func meeting() -> AnyCacheStore {
        let (arrivals, haveMet) = (Shared(0), Promise<Void>())
        return AnyCacheStore(MemoryCacheStore()) { moment in
            guard moment == .beforeInvalidating else { return }
            let number = arrivals.withLock { arrivals in
                arrivals += 1
                return arrivals
            }
            if number == 2 { haveMet.resolve(.success(())) }
            try await haveMet.value()
        }
    }
}
