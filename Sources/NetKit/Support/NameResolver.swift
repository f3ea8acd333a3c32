/// The error of a name without an address.
package struct ResolverError: Error {
    package let host: String
    package let reason: String
    /// Whether the cause is a lack of resources on this machine, which says nothing about the name.
    var isLocalShortage = false
}

/// A resolver that asks the system for the addresses of names, on its own threads.
///
/// A thread that asks the system cannot be interrupted. Nothing waits for such a thread: a response arrives in a
/// callback, and a caller that gives up only forgets its callback. There is one lookup for a name at a time, and a
/// maximum for all names. A part of the maximum is reserved for names that had an address before, so that names without
/// a working server cannot use up the threads.
package final class NameResolver: Sendable {
    package typealias Lookup = Result<[String], any Error>

    /// The limits of a resolver.
    struct Settings: Sendable {
        /// The maximum number of lookups at a time.
        var maxLookups = 32
        /// The part of `maxLookups` that is reserved for names that had an address before.
        var reservedLookups = 8
        /// The time for which a failure is remembered, unless its cause is a shortage on this machine.
        var failureAge = Duration.seconds(1)
        /// The maximum number of names that are remembered.
        var maxNames = 1024
    }

    /// One caller's wait for a response.
    package struct Ticket: Sendable {
        fileprivate let host: String
        fileprivate let number: Int
    }

    private struct Name {
        var success: (addresses: [String], instant: NetKitClock.Instant)?
        /// The latest failure since the last success.
        var failure: (error: ResolverError, instant: NetKitClock.Instant)?
    }

    private struct State: ~Copyable {
        var names: RecentTable<String, Name>
        /// The callbacks that wait for each lookup.
        var lookups: [String: [Int: @Sendable (Lookup) -> Void]] = [:]
        var lastNumber = 0
    }

    /// The resolver of the process.
    package static let system = NameResolver()

    /// The age up to which addresses are used unless the caller says otherwise.
    package static let standardAge = Duration.seconds(60)

    private let settings: Settings
    private let clock: NetKitClock
    private let lookUp: @Sendable (String) throws -> [String]
    private let spawn: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state: Locked<State>

    /// Creates a resolver.
    ///
    /// `spawn` runs a lookup on a thread that may block, and returns `false` if there is none. `lookUp` returns the
    /// addresses of a name.
    init(
        settings: Settings = Settings(),
        clock: NetKitClock = .system,
        spawn: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = {
            SystemThread.start("netkit.names", $0)
        },
        lookUp: @escaping @Sendable (String) throws -> [String] = { try SystemLookup.addresses(of: $0) }
    ) {
        (self.settings, self.clock, self.spawn, self.lookUp) = (settings, clock, spawn, lookUp)
        state = Locked(State(names: RecentTable(maxCount: settings.maxNames)))
    }

    /// The number of lookups that have no response yet.
    var lookupCount: Int { state.withLock { $0.lookups.count } }

    /// Returns the addresses of a name, in the system's order.
    func addresses(of host: String) async throws -> [String] {
        let wait = Promise<[String]>()
        let ticket = ask(host) { wait.resolve($0) }
        return try await withTaskCancellationHandler {
            try await wait.value()
        } onCancel: {
            if let ticket { forget(ticket) }
            wait.resolve(.failure(CancellationError()))
        }
    }

    /// Returns the remembered result for a name, without a lookup; `nil` if there is none.
    func remembered(_ host: String, notOlderThan age: Duration = standardAge) -> Lookup? {
        let (host, now) = (host.lowercased(), clock.now)
        return state.withLock { remembered(host, age, now, $0) }
    }

    /// Calls back with the addresses of a name: at once if they are remembered, or else when the resolver has
    /// responded.
    ///
    /// - Parameters:
    ///   - host: The name.
    ///   - age: The age up to which a remembered result is used; a failure is never used for longer than a second.
    ///   - completion: A closure that is called once, on the caller's thread or another.
    /// - Returns: The ticket to give up with; `nil` if the result was passed already.
    @discardableResult
    package func ask(
        _ host: String,
        notOlderThan age: Duration = standardAge,
        _ completion: @escaping @Sendable (Lookup) -> Void
    ) -> Ticket? {
        let (known, ticket) = wait(for: host.lowercased(), age, completion)
        if let known { completion(known) }
        return ticket
    }

    /// Adds a callback to those that wait for a name, unless its result is known.
    ///
    /// It calls none itself, because the compiler makes a copy of such a function for each callback.
    private func wait(
        for host: String,
        _ age: Duration,
        _ completion: @escaping @Sendable (Lookup) -> Void
    ) -> (known: Lookup?, ticket: Ticket?) {
        if let addresses = SystemLookup.literal(host) { return (.success(addresses), nil) }
        let now = clock.now
        var known: Lookup?
        var isNew = false
        let ticket = state.withLock { state -> Ticket? in
            known = remembered(host, age, now, state) ?? overload(host, state)
            guard known == nil else { return nil }
            state.lastNumber += 1
            isNew = state.lookups[host] == nil
            state.lookups[host, default: [:]][state.lastNumber] = completion
            return Ticket(host: host, number: state.lastNumber)
        }
        guard isNew, !spawn({ [self] in finish(host, Result { try lookUp(host) }) }) else { return (known, ticket) }
        let reason = "the system could not create a thread for the lookup; raise the limit of processes and threads"
        finish(host, .failure(ResolverError(host: host, reason: reason, isLocalShortage: true)))
        return (nil, nil)
    }

    /// Gives up waiting; the lookup continues, and its response is remembered.
    func forget(_ ticket: Ticket) {
        state.withLock { _ = $0.lookups[ticket.host]?.removeValue(forKey: ticket.number) }
    }

    private func remembered(
        _ host: String,
        _ age: Duration,
        _ now: NetKitClock.Instant,
        _ state: borrowing State
    ) -> Lookup? {
        guard let name = state.names[host] else { return nil }
        if let (error, instant) = name.failure, instant.duration(to: now) < min(settings.failureAge, age) {
            return .failure(error)
        }
        guard let (addresses, instant) = name.success, instant.duration(to: now) < age else { return nil }
        return .success(addresses)
    }

    /// Returns the failure of a name for which there is no thread.
    private func overload(_ host: String, _ state: borrowing State) -> Lookup? {
        guard state.lookups[host] == nil else { return nil }
        let isKnown = state.names[host]?.success != nil
        let maximum = isKnown ? settings.maxLookups : settings.maxLookups - settings.reservedLookups
        guard state.lookups.count >= maximum else { return nil }
        let reason =
            "the resolver has not answered \(state.lookups.count) other lookups, and no more are started"
        return .failure(ResolverError(host: host, reason: reason))
    }

    private func finish(_ host: String, _ lookup: Lookup) {
        let now = clock.now
        let waiting = state.withLock { state -> [Int: @Sendable (Lookup) -> Void] in
            state.names.withValue(of: host, default: Name()) { name in
                switch lookup {
                case .success(let addresses):
                    (name.success, name.failure) = ((addresses, now), nil)
                case .failure(let error):
                    let error = error as? ResolverError ?? ResolverError(host: host, reason: "\(error)")
                    // A shortage says nothing about the name, and may be over at the next call.
                    if !error.isLocalShortage { name.failure = (error, now) }
                }
            }
            return state.lookups.removeValue(forKey: host) ?? [:]
        }
        for (_, callback) in waiting.orderedByNumber({ Int64($0.key) }) { callback(lookup) }
    }
}
