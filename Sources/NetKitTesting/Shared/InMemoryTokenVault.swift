public import Foundation
public import NetKit

/// A vault in memory that several token stores share, like replicas of a service that share a database.
///
/// ```swift
/// let vault = InMemoryTokenVault(clock: time.clock)
/// let first = TokenStore(shared: vault.replica("a")) { try await login.renew($0) }
/// let second = TokenStore(shared: vault.replica("b")) { try await login.renew($0) }
/// ```
/// Each replica can be stopped, slowed down or cut off, to test the effect on its tokens.
public final class InMemoryTokenVault: Sendable {
    private struct State {
        var stored = SharedToken()
        var holder: UUID?
        var end = NetKitClock.Instant(nanoseconds: 0)
        var waiting: [Int: Promise<Void>] = [:]
        var lastKey = 0
        var leaseCount = 0

        /// Removes and returns the waits, the oldest first.
        mutating func takeWaiting() -> [Promise<Void>] {
            defer { waiting = [:] }
            return waiting.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private let clock: NetKitClock
    private let state = Locked(State())

    /// Creates an empty vault.
    ///
    /// - Parameter clock: The clock of the vault, which determines the ends of leases.
    public init(clock: NetKitClock = .system) {
        self.clock = clock
    }

    /// Creates the vault of another process.
    public func replica(_ label: String = "") -> Replica { Replica(self, label: label) }

    /// The current token and its version.
    public var stored: SharedToken { state.withLock { $0.stored } }

    /// The number of leases that were granted, without extensions.
    public var leaseCount: Int { state.withLock { $0.leaseCount } }

    /// Replaces the token and its version, as if the vault had been restored from a backup.
    public func restore(_ stored: SharedToken) {
        state.withLock { $0.stored = stored }
    }

    fileprivate func lease(_ version: Int64, by holder: UUID, for duration: Duration) -> TokenLease {
        let now = clock.now
        return state.withLock { state in
            guard state.stored.version <= version else { return .newer(state.stored) }
            if let other = state.holder, other != holder, now < state.end {
                return .held(for: now.duration(to: state.end))
            }
            if state.holder != holder { state.leaseCount += 1 }
            (state.holder, state.end) = (holder, now.advanced(by: duration))
            return .granted(state.stored)
        }
    }

    fileprivate func save(_ token: AccessToken?, for identity: String?, over version: Int64?) -> Int64? {
        let (saved, waiting) = state.withLock { state -> (Int64?, [Promise<Void>]) in
            guard version == nil || state.stored.version == version else { return (nil, []) }
            let earlier = state.stored.version
            // A test may have restored the last version there is.
            state.stored = SharedToken(
                version: max(earlier, earlier &+ 1),
                token: token,
                identity: token == nil ? nil : identity
            )
            state.holder = nil
            return (state.stored.version, state.takeWaiting())
        }
        for wait in waiting { wait.resolve(.success(())) }
        return saved
    }

    fileprivate func release(_ version: Int64, by holder: UUID) {
        let waiting = state.withLock { state -> [Promise<Void>] in
            guard state.holder == holder, state.stored.version <= version else { return [] }
            state.holder = nil
            return state.takeWaiting()
        }
        for wait in waiting { wait.resolve(.success(())) }
    }

    fileprivate func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
        let wait = Promise<Void>()
        let key = state.withLock { state -> Int? in
            // After `restore`, the vault may have an older version, which another process has the right to refresh.
            guard state.stored.version <= version else { return nil }
            state.lastKey += 1
            state.waiting[state.lastKey] = wait
            return state.lastKey
        }
        guard let key else { return }
        let alarm = clock.schedule(at: clock.now.advanced(by: limit)) { wait.resolve(.success(())) }
        defer {
            alarm.cancel()
            state.withLock { _ = $0.waiting.removeValue(forKey: key) }
        }
        try await wait.cancellableValue()
    }
}

extension InMemoryTokenVault {
    /// The vault of one of several processes.
    public final class Replica: TokenVault {
        /// The label that tests use to distinguish replicas.
        public let label: String
        private let vault: InMemoryTokenVault
        private let faults: ReplicaFaults

        init(_ vault: InMemoryTokenVault, label: String) {
            (self.vault, self.label, faults) = (vault, label, ReplicaFaults(clock: vault.clock))
        }

        // MARK: Faults

        /// Pauses the replica, as if its process were stopped.
        ///
        /// Its calls wait for `resume()`.
        public func stop() { faults.stop() }

        /// Resumes a stopped replica.
        public func resume() { faults.resume() }

        /// Cuts the replica off from the vault, so that every call fails, or connects it again.
        public func cutOff(_ isCutOff: Bool = true) { faults.cutOff(isCutOff) }

        /// Delays every call, by half of the time before it reaches the vault and half after.
        public func slowDown(to delay: Duration) { faults.slowDown(to: delay) }

        /// Makes a number of saves take effect in the vault and fail for the caller.
        public func loseSaves(_ count: Int) { faults.loseResponses(count) }

        // MARK: TokenVault

        /// Returns the current token and its version.
        public func read() async throws -> SharedToken { try await faults.call { vault.stored } }

        /// Asks for the right to refresh.
        public func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
            try await faults.call { vault.lease(version, by: holder, for: duration) }
        }

        /// Saves a token over a version.
        public func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
            try await faults.call(mayLose: true) { vault.save(token, for: identity, over: version) }
        }

        /// Releases the right to refresh.
        public func release(_ version: Int64, by holder: UUID) async throws {
            try await faults.call { vault.release(version, by: holder) }
        }

        /// Waits until the token has another version or the lease was given back.
        public func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
            try await faults.pass()
            try await vault.waitForChange(of: version, upTo: min(limit, .seconds(1)), clock: clock)
        }
    }
}
