/// The entities that a repository keeps in a cache, without the requests for them.
final class RepositoryCache: Sendable {
    /// The beginning of an exchange whose value is kept.
    struct Exchange {
        let name: String
        let token: CacheWriteToken
        /// The number of writes of the repository that had ended.
        let writes: UInt64
    }

    /// The state of the latest write of a name that was put into an offline queue.
    enum QueuedWrite {
        /// No write, or one whose end a read has noticed.
        case none
        /// A write that waits, so the server has what was there before it.
        case waiting
        /// A write that was delivered, given up or removed since the last read.
        case ended
    }

    private struct QueuedWrites {
        /// The latest write of each name; those of one lane are delivered in order.
        var latest: [String: QueuedCall] = [:]
        /// The number of names above which those whose writes have ended are forgotten.
        var bound = minBound

        static let minBound = 1_000
    }

    private let cache: CacheService
    private let clock: NetKitClock
    private let writes = Locked<UInt64>(0)
    private let removals = Locked(PendingRemovals<String>())
    private let queued = Locked(QueuedWrites())

    init(_ cache: CacheService, clock: NetKitClock) { (self.cache, self.clock) = (cache, clock) }

    // MARK: Exchanges

    /// Notes the beginning of an exchange whose value is kept under a name; `nil` if it cannot be kept.
    func begin(_ name: String?) async -> Exchange? { await begin(name, writes: writes.withLock { $0 }) }

    private func begin(_ name: String?, writes: UInt64) async -> Exchange? {
        guard let name, let token = try? await cache.token(for: name) else { return nil }
        return Exchange(name: name, token: token, writes: writes)
    }

    /// Keeps the value of an exchange, unless its name was invalidated or a write has ended meanwhile.
    func keep(_ value: some Encodable & Sendable, of exchange: Exchange?, for ttl: Duration) async {
        guard let exchange, writes.withLock({ $0 == exchange.writes }) else { return }
        try? await cache.set(key: exchange.name, value: value, ttl: ttl, token: exchange.token)
    }

    // MARK: Writes

    /// Notes the end of a write, and removes what it outdates.
    ///
    /// - Returns: An exchange for the value of a write that began with another one; `nil` if the cache was cleared or
    ///   another write has ended meanwhile. Then it is unknown which of the two the server carried out last.
    @discardableResult
    func endWrite(
        of place: RepositoryPlace,
        renewing began: Exchange? = nil,
        beforeError: Bool = false
    ) async -> Exchange? {
        let count = writes.withLock { count in
            count &+= 1
            return count
        }
        var isAlone = false
        if let began, began.writes &+ 1 == count, let now = try? await cache.token(for: began.name) {
            isAlone = now.wholeGeneration == began.token.wholeGeneration
        }
        await remove(place.names, beforeError: beforeError)
        // The removal has invalidated the token of the beginning.
        return isAlone ? await begin(began?.name, writes: count) : nil
    }

    /// Notes that a write was put into an offline queue.
    func note(_ write: QueuedCall, of place: RepositoryPlace) async {
        let excess = queued.withLock { queued in
            for name in place.names { queued.latest[name] = write }
            return queued.latest.count > queued.bound ? queued.latest : [:]
        }
        if excess.isEmpty { return }
        for (name, write) in excess where await !write.isPending() { await forget(write, of: name) }
        queued.withLock { $0.bound = max(QueuedWrites.minBound, 2 * $0.latest.count) }
    }

    /// Returns the state of the latest queued write of a place, and removes the value of one that has ended.
    func queuedWrite(of place: RepositoryPlace) async -> QueuedWrite {
        guard let name = place.name, let write = queued.withLock({ $0.latest[name] }) else { return .none }
        if await write.isPending() { return .waiting }
        await forget(write, of: name)
        return .ended
    }

    private func forget(_ write: QueuedCall, of name: String) async {
        let isLatest = queued.withLock { queued in
            guard queued.latest[name]?.receipt.id == write.receipt.id else { return false }
            queued.latest[name] = nil
            return true
        }
        if isLatest { await remove([name]) }
    }

    // MARK: Removals

    /// Returns whether a value may be read or stored under a name, after repeating a removal that failed.
    func mayUse(_ name: String) async -> Bool {
        switch removals.withLock({ $0.use(name) }) {
        case .allowed: true
        case .refused: false
        case .after(let removal): await carryOut(removal)
        }
    }

    /// Removes entries, even if the call was cancelled or has no more time, because the server may have others.
    ///
    /// As with other code that outlasts its call, a call that is cancelled or about to throw waits for half a second at
    /// most.
    private func remove(_ names: [String], beforeError: Bool = false) async {
        let (removed, wait) = (Promise<Bool>(), Promise<Void>())
        // Until the cache has removed them, they are not used.
        let begun = names.map { name in removals.withLock { $0.begin(name) } }
        _ = startWithoutDeadline { [self] in
            for removal in begun { await carryOut(removal) }
            removed.resolve(.success(true))
            wait.resolve(.success(()))
        }
        if !beforeError, (try? await wait.cancellableValue()) != nil { return }
        _ = await removed.value(orFalseAfter: .milliseconds(500), onSystemOr: clock)
    }

    /// Carries out a removal that has begun, and returns whether it succeeded.
    @discardableResult
    private func carryOut(_ removal: PendingRemovals<String>.Removal) async -> Bool {
        var isDone = true
        do {
            if let name = removal.name { try await cache.remove(key: name) } else { try await cache.clear() }
        } catch {
            isDone = false
        }
        removals.withLock { [isDone] in $0.end(removal, isDone: isDone) }
        return isDone
    }
}

/// The names under which the cache keeps an entity and the list, and the options of their calls.
///
/// If the identity is unknown, there are no names and nothing is kept.
struct RepositoryPlace {
    let name: String?
    let listName: String?
    /// The options of a call whose response is kept here: it has to be sent under the identity of the names.
    let options: CallOptions

    /// The names that a write to the entity outdates.
    var names: [String] { [name, listName].compactMap(\.self) }

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
