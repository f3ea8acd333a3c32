import Foundation

/// The entities that a repository keeps in a cache, without the requests for them.
final class RepositoryCache: Sendable {
    /// The beginning of an exchange whose value is kept.
    struct Exchange {
        let name: ExactText
        let token: CacheWriteToken
        /// The number of direct writes of the repository that had ended; `nil` if it does not matter.
        let writes: UInt64?
    }

    private let cache: CacheService
    private let clock: NetKitClock
    private let writes = Locked<UInt64>(0)
    private let queued = Locked(QueuedWriteTable())

    init(_ cache: CacheService, clock: NetKitClock) { (self.cache, self.clock) = (cache, clock) }

    // MARK: Exchanges

    /// Notes the beginning of a read whose value is kept under a name; `nil` if it cannot be kept.
    func beginRead(_ name: ExactText?) async -> Exchange? { await begin(name, writes: nil) }

    /// Notes the beginning of a write whose value is kept under a name; `nil` if it cannot be kept.
    func beginWrite(_ name: ExactText?) async -> Exchange? { await begin(name, writes: writes.withLock { $0 }) }

    private func begin(_ name: ExactText?, writes: UInt64?) async -> Exchange? {
        guard let name, let token = try? await cache.token(for: name.text) else { return nil }
        return Exchange(name: name, token: token, writes: writes)
    }

    /// Keeps the value of an exchange, unless its name was invalidated meanwhile, or another direct write has ended.
    func keep(_ value: some Encodable & Sendable, of exchange: Exchange?, for ttl: Duration) async {
        guard let exchange, exchange.writes.map({ began in writes.withLock { $0 == began } }) ?? true else { return }
        try? await cache.set(key: exchange.name.text, value: value, ttl: ttl, token: exchange.token)
    }

    /// Removes the value that an exchange found gone, unless a later one has kept another.
    func forget(_ exchange: Exchange?) async {
        guard let exchange else { return }
        try? await cache.remove(exchange.name.text, token: exchange.token)
    }

    /// Notes the end of a direct write, and removes the values that it outdates.
    ///
    /// The value of a write that was queued meanwhile stays while that write waits, because the server carries it out
    /// later.
    ///
    /// - Returns: An exchange for the value of a write that began with another one; `nil` if the cache was cleared or
    ///   another write has ended meanwhile. Then it is unknown which of the two the server carried out last.
    @discardableResult
    func endWrite(of place: RepositoryPlace, renewing began: Exchange? = nil) async -> Exchange? {
        let count = countWrite()
        if let start = began?.writes, let name = place.name, let later = queued.withLock({ $0[name]?.number }),
            later > start, await queuedWrite(of: place) == .waiting
        {
            await remove([place.listName].compactMap(\.self))
            return nil
        }
        let earlier = began.flatMap { $0.writes.map { $0 &+ 1 } == count ? $0 : nil }
        // The removal has invalidated the token of the beginning.
        guard let token = await remove(place.names, since: earlier), let earlier else { return nil }
        return Exchange(name: earlier.name, token: token, writes: count)
    }

    /// Counts the end of a write, and returns its number.
    private func countWrite() -> UInt64 {
        writes.withLock { count in
            count &+= 1
            return count
        }
    }

    // MARK: Queued writes

    /// Notes that a write was put into an offline queue, and removes the values that it outdates.
    ///
    /// - Returns: An exchange for the value of the write, unless a later one of its name was queued meanwhile, or a
    ///   read has found that it ended.
    func endQueued(_ write: QueuedCall, of place: RepositoryPlace) async -> Exchange? {
        let number = countWrite()
        let (others, removals) = queued.withLock { ($0.add(write, number, to: place.names), $0.removals) }
        await remove(place.names)
        if let others, let states = await states(of: others, asking: write) {
            let (outdated, removal) = queued.withLock { ($0.forgetEnded(states, of: others), $0.beginRemoval()) }
            await remove(outdated, removal)
        }
        // A removal after the end of an earlier write must not remove the value of this one.
        try? await removals?.value()
        // The token comes first, because a write that is queued after the comparison invalidates it.
        let exchange = await beginRead(place.name)
        let known = place.name.flatMap { name in queued.withLock { $0[name] } }
        return known?.latest.receipt.id == write.receipt.id && known?.state == .waiting ? exchange : nil
    }

    /// Returns the state of the queued writes of a place, and removes its value after the last of them has ended.
    func queuedWrite(of place: RepositoryPlace) async -> QueuedWriteTable.State {
        guard let name = place.name else { return .none }
        // The queue sends what was queued before the first login under that login.
        if let earlier = place.earlierName, queued.withLock({ $0.move(earlier, to: name) }) { await remove([name]) }
        guard let known = queued.withLock({ $0[name] }) else { return .none }
        if known.ids.isEmpty { return known.state }
        guard let states = await states(of: known.ids, asking: known.latest) else { return .waiting }
        let (state, removal) = queued.withLock { table in
            let (hasEnded, state) = table.note(states, of: known.ids, for: name)
            return (state, hasEnded && state.isEnded ? table.beginRemoval() : nil)
        }
        if let removal { await remove([name], removal) }
        return state
    }

    /// Notes that the server was asked for a place when its queued writes had a state.
    func noteResponse(for place: RepositoryPlace, after state: QueuedWriteTable.State) {
        if let name = place.name { queued.withLock { $0.noteResponse(for: name, after: state) } }
    }

    /// Returns the states of those of several entries that their queue still has; `nil` if it does not know them within
    /// half a second.
    ///
    /// A shared store that is away waits for its server for longer than a read may.
    private func states(of ids: Set<UUID>, asking write: QueuedCall) async -> [UUID: OfflineEntry.State]? {
        let found = Promise<[UUID: OfflineEntry.State]?>()
        let task = startImmediately { found.resolve(.success(await write.states(ids))) }
        defer { task.cancel() }
        return await withTaskCancellationHandler {
            await found.value(or: nil, after: .milliseconds(500), clock)
        } onCancel: {
            task.cancel()
        }
    }

    // MARK: Removals

    /// Returns whether a value may be read or stored under a name, after repeating a removal that failed.
    func mayUse(_ name: ExactText) async -> Bool {
        // The resource of the name is a hash, which most reads do not need.
        if cache.removals.withLock({ $0.isEmpty }) { return true }
        let resource = cache.resource(of: name.text)
        switch cache.removals.withLock({ $0.use(resource) }) {
        case .allowed: return true
        case .refused: return false
        case .after(let removal): return await carryOut(removal).isDone
        }
    }

    /// Removes entries, even if the call was cancelled or has no more time, because the server may have others.
    ///
    /// Until the cache has removed them, they are not used. The call waits for that for half a second at most.
    ///
    /// - Returns: A token for the value that an exchange has written; `nil` if there is no exchange, its name was
    ///   invalidated between its beginning and this removal, or the removal fails or goes on.
    @discardableResult
    private func remove(_ names: [ExactText], since began: Exchange? = nil) async -> CacheWriteToken? {
        let end = Promise<CacheWriteToken?>()
        let begun = names.map { name in
            let resource = cache.resource(of: name.text)
            return (name: name, removal: cache.removals.withLock { $0.begin(resource) })
        }
        _ = startWithoutDeadline { [self] in
            var token: CacheWriteToken?
            for (name, removal) in begun {
                let own = name == began?.name ? began : nil
                let issued = await carryOut(removal, since: own).token
                if own != nil { token = issued }
            }
            end.resolve(.success(token))
        }
        return await end.value(or: nil, after: .milliseconds(500), onSystemOr: clock)
    }

    /// Removes entries that ended writes outdate.
    private func remove(_ names: [ExactText], _ removal: QueuedWriteTable.Removal) async {
        await remove(names)
        try? await removal.earlier?.value()
        removal.end.resolve(.success(()))
    }

    /// Carries out a removal that has begun, and returns whether it succeeded.
    ///
    /// For the name of an exchange, it also returns a token for its value, unless the name was invalidated since. It is
    /// not inlined into the loop over the removals, which would be repeated for each wait.
    @inline(never)
    private func carryOut(
        _ removal: PendingRemovals.Removal,
        since began: Exchange? = nil
    ) async -> (isDone: Bool, token: CacheWriteToken?) {
        var token: CacheWriteToken?
        var isDone = true
        do {
            // The store does not know of an earlier removal that has failed.
            if let began, !removal.followsFailure {
                token = try await cache.invalidate(began.name.text, since: began.token)
            } else if let resource = removal.resource {
                try await cache.invalidate(resource)
            } else {
                try await cache.clear()
            }
        } catch {
            isDone = false
        }
        cache.removals.withLock { $0.end(removal, isDone: isDone) }
        return (isDone, token)
    }
}

/// The names under which the cache keeps an entity and the list, and the options of their calls.
///
/// If the identity is unknown, there are no names and nothing is kept. An object, because a call that waits would hold
/// several copies of a value.
final class RepositoryPlace: Sendable {
    let name: ExactText?
    let listName: ExactText?
    /// The name of the place before the first login; `nil` if the identity had the same name then.
    let earlierName: ExactText?
    /// The options of a call whose response is kept here: it has to be sent under the identity of the names.
    let options: CallOptions

    init(name: ExactText?, listName: ExactText?, earlierName: ExactText? = nil, options: CallOptions) {
        (self.name, self.listName, self.earlierName, self.options) = (name, listName, earlierName, options)
    }

    /// The names that a write to the entity outdates.
    var names: [ExactText] { [name, listName].compactMap(\.self) }

    /// Returns the options of a read, which the cache of the client follows as well.
    ///
    /// The TTL of the policy is for the entity. It says nothing about other uses of the response.
    func options(of policy: CachePolicy, after write: QueuedWriteTable.State) -> CallOptions {
        var options = options
        switch policy.kind {
        // The client may have a list from before the delivery.
        case .standard, .cacheFirst, .cacheOnly: if write.isEnded { options.cachePolicy = .reload }
        case .noCache: options.cachePolicy = .noCache
        // After a failure, the repository uses its own entity, and must not take an older one for the server's.
        case .reload, .networkFirst: options.cachePolicy = .reload
        }
        return options
    }
}
