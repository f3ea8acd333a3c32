import Foundation
public import NetKit

extension Postgres {
    /// Returns a store of cache entries that the processes of the database share.
    ///
    /// ```swift
    /// let store = TieredCacheStore(store: try await database.cache())
    /// let client = HTTPClient(baseURL: base, interceptors: .standard + [CacheInterceptor(store)])
    /// ```
    /// If the server cannot be reached and ``Configuration/startsWithoutServer`` is `true`, calls work without the
    /// store. Its first operation after the server is back removes all entries, because it is not known which of them
    /// were to be removed before. The store is used after that.
    ///
    /// - Parameters:
    ///   - maxBytes: The maximum number of bytes of all entries. It is enforced about once a minute, and
    ///     ``Event`` reports if that fails.
    ///   - seal: The encryption of heads and bodies; none by default.
    /// - Returns: The store.
    /// - Throws: The error that keeps the database from answering, unless it can be opened without the server.
    public func cache(maxBytes: Int64 = 1 << 30, seal: RecordSeal? = nil) async throws -> PostgresCacheStore {
        var secret: CacheHashKey?
        do {
            secret = try await cacheSecret()
        } catch let error as NetKitError where configuration.startsWithoutServer && error.isAbsence {
            // The first operation of the store repeats it.
        }
        return PostgresCacheStore(self, secret: secret, maxBytes: max(0, maxBytes), seal: seal)
    }

    /// Reads the secret from which all processes make the keys of a cache.
    func cacheSecret() async throws -> CacheHashKey {
        let rows = try await run(
            Statement("SELECT value FROM netkit.meta WHERE key = 'cache_secret'", isRepeatable: true)
        )
        let text: String = try rows.one().value("value")
        guard let uuid = UUID(uuidString: text),
            let secret = CacheHashKey(bytes: withUnsafeBytes(of: uuid.uuid) { Array($0) })
        else {
            throw NetKitError(
                .invalidConfiguration,
                "The value of cache_secret in \(schema.name).meta is not a UUID. Set it to that of gen_random_uuid()."
            )
        }
        return secret
    }
}
