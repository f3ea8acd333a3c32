import Foundation

/// The entities that a repository keeps in a cache, without the requests for them.
final class RepositoryCache: Sendable {
    /// The beginning of an exchange whose value is kept.
    struct Exchange {
        let name: String
        let token: CacheWriteToken
        /// The number of direct writes of the repository that had ended; `nil` if it does not matter.
        let writes: UInt64?
    }

    /// The state of the writes of a name that were put into an offline queue.
    enum QueuedWrite {
        /// No write that matters.
        case none
        /// A write that waits, so the server still has the earlier value.
        case waiting
        /// A write that was delivered, given up or removed, and no response of the server since.
        case ended
    }

    private struct QueuedWrites {
        /// The latest write, whose queue knows the others as well.
        var latest: QueuedCall
        /// The entries that the queue may still have.
        var ids: Set<UUID> = []
        /// Those of them that were given up, which wait again if a person retries them.
        var deadLetters: Set<UUID> = []
        /// Whether an entry has ended and the server has not been asked since.
        var isOutdated = false

        /// The state of all of them together.
        var state: QueuedWrite {
            if ids != deadLetters { return .waiting }
            return isOutdated ? .ended : .none
        }

        /// Takes over the states of entries, and returns whether one of them has ended.
        mutating func note(_ states: [UUID: OfflineEntry.State], of asked: Set<UUID>) -> Bool {
            let gone = ids.intersection(asked).subtracting(states.keys)
            ids.subtract(gone)
            let known = deadLetters
            deadLetters = ids.filter { states[$0] == .deadLetter }
            let hasEnded = !gone.isEmpty || !deadLetters.isSubset(of: known)
            if hasEnded { isOutdated = true }
            return hasEnded
        }
    }

    private static let minBound = 1_000

    private let cache: CacheService
    private let clock: NetKitClock
    private let writes = Locked<UInt64>(0)
    private let queued = Locked<[String: QueuedWrites]>([:])
    /// The number of names with queued writes above which those that have ended are forgotten.
    private let bound = Locked(minBound)

    init(_ cache: CacheService, clock: NetKitClock) { (self.cache, self.clock) = (cache, clock) }

    // MARK: Exchanges

    /// Notes the beginning of a read whose value is kept under a name; `nil` if it cannot be kept.
    func beginRead(_ name: String?) async -> Exchange? { await begin(name, writes: nil) }

    /// Notes the beginning of a write whose value is kept under a name; `nil` if it cannot be kept.
    func beginWrite(_ name: String?) async -> Exchange? { await begin(name, writes: writes.withLock { $0 }) }

    private func begin(_ name: String?, writes: UInt64?) async -> Exchange? {
        guard let name, let token = try? await cache.token(for: name) else { return nil }
        return Exchange(name: name, token: token, writes: writes)
    }

    /// Keeps the value of an exchange, unless its name was invalidated meanwhile, or another direct write has ended.
    func keep(_ value: some Encodable & Sendable, of exchange: Exchange?, for ttl: Duration) async {
        guard let exchange, exchange.writes.map({ began in writes.withLock { $0 == began } }) ?? true else { return }
        try? await cache.set(key: exchange.name, value: value, ttl: ttl, token: exchange.token)
    }

    /// Notes the end of a direct write, and removes the values that it outdates.
    ///
    /// - Returns: An exchange for the value of a write that began with another one; `nil` if the cache was cleared or
    ///   another write has ended meanwhile. Then it is unknown which of the two the server carried out last.
    @discardableResult
    func endWrite(of place: RepositoryPlace, renewing began: Exchange? = nil) async -> Exchange? {
        let count = writes.withLock { count in
            count &+= 1
            return count
        }
        let earlier = began.flatMap { $0.writes.map { $0 &+ 1 } == count ? $0 : nil }
        // The removal has invalidated the token of the beginning.
        guard let token = await remove(place.names, since: earlier), let earlier else { return nil }
        return Exchange(name: earlier.name, token: token, writes: count)
    }

    // MARK: Queued writes

    /// Notes that a write was put into an offline queue, and removes the values that it outdates.
    ///
    /// - Returns: An exchange for the value of the write, unless a later one of its name was queued meanwhile.
    func endQueued(_ write: QueuedCall, of place: RepositoryPlace) async -> Exchange? {
        queued.withLock { queued in
            for name in place.names {
                queued[name, default: QueuedWrites(latest: write)].ids.insert(write.receipt.id)
                queued[name]?.latest = write
            }
        }
        writes.withLock { $0 &+= 1 }
        await remove(place.names)
        await forgetEnded(asking: write, except: place.listName)
        guard let name = place.name, queued.withLock({ $0[name]?.latest.receipt.id }) == write.receipt.id else {
            return nil
        }
        return await beginRead(name)
    }

    /// Returns the state of the queued writes of a place, and removes its value after the last of them has ended.
    @discardableResult
    func queuedWrite(of place: RepositoryPlace) async -> QueuedWrite {
        guard let name = place.name, let known = queued.withLock({ $0[name] }) else { return .none }
        if known.ids.isEmpty { return known.state }
        guard let states = await states(of: known.ids, asking: known.latest) else { return .waiting }
        let (hasEnded, state) = queued.withLock { queued in
            let hasEnded = queued[name]?.note(states, of: known.ids) ?? true
            return (hasEnded, queued[name]?.state ?? .ended)
        }
        if hasEnded, state == .ended { await remove([name]) }
        return state
    }

    /// Notes that the server was asked for a place after its queued writes had ended.
    func noteResponse(for place: RepositoryPlace) {
        guard let name = place.name else { return }
        queued.withLock { queued in
            guard let writes = queued[name], writes.state == .ended else { return }
            if writes.ids.isEmpty { queued[name] = nil } else { queued[name]?.isOutdated = false }
        }
    }

    /// Forgets the names whose writes have ended, if there are very many, and removes their values.
    private func forgetEnded(asking write: QueuedCall, except listName: String?) async {
        let bound = bound.withLock { $0 }
        let known = queued.withLock { $0.count > bound ? $0 : [:] }
        if known.isEmpty { return }
        let asked: Set<UUID> = known.values.reduce(into: []) { $0.formUnion($1.ids) }
        let states = await states(of: asked, asking: write)
        // Without states, each of them may still wait.
        let pending = states.map { Set($0.filter { $0.value != .deadLetter }.keys) } ?? asked
        let ended = queued.withLock { queued in
            // A write that was queued meanwhile was not asked for.
            let ended = queued.filter { name, writes in
                name != listName && writes.ids == known[name]?.ids && writes.ids.isDisjoint(with: pending)
            }
            for name in ended.keys { queued[name] = nil }
            return Array(ended.keys)
        }
        self.bound.withLock { [count = known.count - ended.count] in $0 = max(Self.minBound, 2 * count) }
        await remove(ended)
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
    func mayUse(_ name: String) async -> Bool {
        switch cache.removals.withLock({ $0.use(name) }) {
        case .allowed: true
        case .refused: false
        case .after(let removal): await carryOut(removal)
        }
    }

    /// Removes entries, even if the call was cancelled or has no more time, because the server may have others.
    ///
    /// Until the cache has removed them, they are not used. The call waits for that for half a second at most.
    ///
    /// - Returns: A token for the value that an exchange has written; `nil` if there is no exchange, its name was
    ///   invalidated between its beginning and this removal, or the removal fails or goes on.
    @discardableResult
    private func remove(_ names: [String], since began: Exchange? = nil) async -> CacheWriteToken? {
        let end = Promise<CacheWriteToken?>()
        let begun = names.map { name in cache.removals.withLock { $0.begin(name) } }
        _ = startWithoutDeadline { [self] in
            var token: CacheWriteToken?
            for removal in begun {
                // The store does not know of an earlier removal that has failed.
                if let began, removal.name == began.name, !removal.followsFailure {
                    token = await carryOut(removal) { try await $0.invalidate(began.name, since: began.token) } ?? nil
                } else {
                    await carryOut(removal)
                }
            }
            end.resolve(.success(token))
        }
        return await end.value(or: nil, after: .milliseconds(500), onSystemOr: clock)
    }

    /// Carries out a removal that has begun, and returns whether it succeeded.
    @discardableResult
    private func carryOut(_ removal: PendingRemovals<String>.Removal) async -> Bool {
        await carryOut(removal) { cache -> Void in
            if let name = removal.name { try await cache.invalidate(name) } else { try await cache.clear() }
        } != nil
    }

    /// Carries out a removal that has begun in a given way, and returns its result; `nil` if it failed.
    private func carryOut<Success>(
        _ removal: PendingRemovals<String>.Removal,
        _ remove: (CacheService) async throws -> Success
    ) async -> Success? {
        do {
            let success = try await remove(cache)
            cache.removals.withLock { $0.end(removal, isDone: true) }
            return success
        } catch {
            cache.removals.withLock { $0.end(removal, isDone: false) }
            return nil
        }
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
