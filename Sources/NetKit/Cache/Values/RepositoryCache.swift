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

    /// The queued writes of all names.
    private struct QueuedNames {
        private static let minBound = 1_000

        var writes: [ExactText: QueuedWrites] = [:]
        /// The number of writes that were added since the last search for those that have ended.
        private var newCount = 0
        /// The number of new writes at which the next search begins.
        private var bound = minBound

        /// Adds a write to its names, and returns the entries of the others if it is time to ask for their states.
        ///
        /// - Returns: The entries, or `nil` if there are few new ones. The new write is not among them, so its names
        ///   are not forgotten.
        mutating func add(_ write: QueuedCall, to names: [ExactText]) -> Set<UUID>? {
            for name in names {
                writes[name, default: QueuedWrites(latest: write)].ids.insert(write.receipt.id)
                writes[name]?.latest = write
            }
            newCount += 1
            guard newCount >= bound else { return nil }
            let ids: Set<UUID> = writes.values.reduce(into: []) { $0.formUnion($1.ids) }
            (newCount, bound) = (0, max(Self.minBound, ids.count))
            return ids.subtracting([write.receipt.id])
        }

        /// Forgets the entries that have ended, and also the names without a write that waits if there are very many.
        ///
        /// - Returns: The names whose values are outdated.
        mutating func forgetEnded(_ states: [UUID: OfflineEntry.State], of asked: Set<UUID>) -> [ExactText] {
            let isFull = writes.count > Self.minBound
            var outdated: [ExactText] = []
            var remaining = Set<UUID>()
            for (name, earlier) in writes {
                var known = earlier
                let hasEnded = known.note(states, of: asked)
                let isWaiting = known.state == .waiting
                if !isWaiting, hasEnded || isFull { outdated.append(name) }
                writes[name] = isWaiting || !isFull ? known : nil
                remaining.formUnion(writes[name]?.ids ?? [])
            }
            bound = max(Self.minBound, remaining.count)
            return outdated
        }
    }

    private let cache: CacheService
    private let clock: NetKitClock
    private let writes = Locked<UInt64>(0)
    private let queued = Locked(QueuedNames())

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
        let others = queued.withLock { $0.add(write, to: place.names) }
        writes.withLock { $0 &+= 1 }
        await remove(place.names)
        if let others, let states = await states(of: others, asking: write) {
            await remove(queued.withLock { $0.forgetEnded(states, of: others) })
        }
        guard let name = place.name, queued.withLock({ $0.writes[name]?.latest.receipt.id }) == write.receipt.id else {
            return nil
        }
        return await beginRead(name)
    }

    /// Returns the state of the queued writes of a place, and removes its value after the last of them has ended.
    @discardableResult
    func queuedWrite(of place: RepositoryPlace) async -> QueuedWrite {
        guard let name = place.name, let known = queued.withLock({ $0.writes[name] }) else { return .none }
        if known.ids.isEmpty { return known.state }
        guard let states = await states(of: known.ids, asking: known.latest) else { return .waiting }
        let (hasEnded, state) = queued.withLock { queued in
            let hasEnded = queued.writes[name]?.note(states, of: known.ids) ?? true
            return (hasEnded, queued.writes[name]?.state ?? .ended)
        }
        if hasEnded, state == .ended { await remove([name]) }
        return state
    }

    /// Notes that the server was asked for a place after its queued writes had ended.
    func noteResponse(for place: RepositoryPlace) {
        guard let name = place.name else { return }
        queued.withLock { queued in
            guard let known = queued.writes[name], known.state == .ended else { return }
            if known.ids.isEmpty { queued.writes[name] = nil } else { queued.writes[name]?.isOutdated = false }
        }
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
    private func remove(_ names: [ExactText], since began: Exchange? = nil) async -> CacheWriteToken? {
        let end = Promise<CacheWriteToken?>()
        let begun = names.map { name in cache.removals.withLock { $0.begin(name) } }
        _ = startWithoutDeadline { [self] in
            var token: CacheWriteToken?
            for removal in begun {
                // The store does not know of an earlier removal that has failed.
                if let began, removal.name == began.name, !removal.followsFailure {
                    token =
                        await carryOut(removal) { cache in
                            try await cache.invalidate(began.name.text, since: began.token)
                        } ?? nil
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
    private func carryOut(_ removal: PendingRemovals<ExactText>.Removal) async -> Bool {
        await carryOut(removal) { cache -> Void in
            if let name = removal.name { try await cache.invalidate(name.text) } else { try await cache.clear() }
        } != nil
    }

    /// Carries out a removal that has begun in a given way, and returns its result; `nil` if it failed.
    private func carryOut<Success>(
        _ removal: PendingRemovals<ExactText>.Removal,
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
    let name: ExactText?
    let listName: ExactText?
    /// The options of a call whose response is kept here: it has to be sent under the identity of the names.
    let options: CallOptions

    /// The names that a write to the entity outdates.
    var names: [ExactText] { [name, listName].compactMap(\.self) }

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
