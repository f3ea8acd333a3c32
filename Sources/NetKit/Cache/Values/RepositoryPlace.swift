/// The names under which the cache keeps an entity and the list, and the options of their calls.
///
/// If the identity is unknown, there are no names and nothing is kept.
struct RepositoryPlace {
    let name: String?
    let listName: String?
    /// The options of a call whose response is kept here: it has to be sent under the identity of the names.
    let options: CallOptions
    /// The names for the order of writes, which do not change if the identity gets a name.
    let order: HandedOverWrites.Place

    /// Returns the options of a read, which the cache of the client follows as well.
    ///
    /// The TTL of the policy is for the entity. It says nothing about other uses of the response.
    func options(of policy: CachePolicy) -> CallOptions {
        var options = options
        switch policy.kind {
        case .standard, .cacheFirst, .cacheOnly: break
        case .noCache: options.cachePolicy = .noCache
        // After a failure, the repository uses its own entity, and must not take an older one for the server's.
        case .reload, .networkFirst: options.cachePolicy = .reload
        }
        return options
    }
}

/// The beginning of an exchange whose value is kept.
struct RepositoryExchange {
    let name: String
    let token: CacheWriteToken
    /// The number of writes that had ended.
    let writes: UInt64
}

/// A mark of a write that also invalidates the stored responses of the list, even after an error of the server.
///
/// The server may have made the change before. The repository forgets its entity and the list then, and the cache of
/// its client must not give them back.
struct RepositoryWrite: OwnCallTag {
    let listPath: RequestPath
}
