import Foundation

/// A token store's connection to the vault that it shares with other processes.
///
/// Before each refresh it asks the vault for the right to it, and learns of a newer token in the same step. It extends
/// the right until the new token is saved.
///
/// Flights and tokens carry the version of the login that they follow. A token of an earlier login never replaces one
/// of a later login.
final class VaultSession: TokenSource {
    /// The time after which the vault gives the right of a dead process to another one.
    private static let leaseDuration = Duration.seconds(15)
    /// The time after which the right is extended.
    private static let extensionInterval = Duration.seconds(5)
    /// The time between two questions to a vault that ends its waits at once.
    private static let pause = Duration.milliseconds(10)
    /// The time for which a refused refresh waits for the token of another process.
    private static let graceAfterRefusal = Duration.seconds(1)

    /// The newest thing that the vault may not have, because its save has failed or is under way.
    private enum Unsaved {
        case nothing, refresh, login
    }

    private struct State: ~Copyable {
        /// The newest token that the store has had, even if it was of no use, and the version in the vault.
        var newest = SharedToken()
        /// The version of the login or logout that the token follows, which distinguishes it from that of another user.
        var login = 0
        /// The thing that the vault may not have; after an unsaved login, its token is one of an earlier login.
        var unsaved = Unsaved.nothing
        /// The values of the tokens whose saves had no answer, the newest last; the vault may have one of them.
        var unconfirmed: [String] = []
        /// The name of the identity whose tokens are taken from the vault.
        var name: String?
        /// The holder of a right that was asked for without an answer, and that the vault may have granted.
        var unanswered: UUID?
        /// The right to refresh, and the task that extends it.
        var right: (right: RefreshRight, extending: Task<Void, any Error>)?

        /// The maximum number of unconfirmed values.
        private static let maxUnconfirmed = 16

        /// Notes a token that is about to be saved.
        mutating func noteSave(of token: AccessToken?) {
            guard let value = token?.value, unconfirmed.last != value else { return }
            unconfirmed = Array((unconfirmed + [value]).suffix(Self.maxUnconfirmed))
        }
    }

    private let vault: any TokenVault
    private let identity: String?
    /// Whether the store refreshes even if the vault does not answer, because no other process needs the vault.
    private let isAlone: Bool
    private let clock: NetKitClock
    private let refresh: (@Sendable (AccessToken?) async throws -> AccessToken)?
    private let state: Locked<State>

    init(
        _ vault: any TokenVault,
        identity: String?,
        isAlone: Bool,
        clock: NetKitClock,
        refresh: (@Sendable (AccessToken?) async throws -> AccessToken)?
    ) {
        (self.vault, self.identity, self.isAlone, self.clock, self.refresh) = (vault, identity, isAlone, clock, refresh)
        state = Locked(State(name: identity))
    }

    deinit { close() }

    var canLoad: Bool { true }
    var canFetch: Bool { refresh != nil }
    var saving: TokenSaving { .untilSaved(isRequired: !isAlone) }

    // MARK: - Loading and refreshing

    func load(after login: Int) async throws -> AccessToken? {
        let stored = try await asking { try await vault.read() }
        return try take(stored, after: login)
    }

    func next(after current: TokenBasis, willFetch: () -> Void) async throws -> ObtainedToken {
        guard let refresh else { throw TokenRefreshCoordinator.missing }
        let holder = state.withLock { $0.unanswered.take() } ?? UUID()
        var pauseEnd = clock.now
        while true {
            // A vault may end its wait at once, and without an error, after the flight was given up.
            try Task.checkCancellation()
            let known = state.withLock { $0.newest.version }
            switch try await lease(known, by: holder) {
            case .newer(let stored):
                let newer = try take(stored, after: current.login)
                // What a store without other processes finds is its own token, whose save had no answer.
                if let newer, isUsable(newer, after: current), !isAlone || newer.value != current.token?.value {
                    return ObtainedToken(token: newer, isFetched: false)
                }
            case .held(let time):
                try await asking { try await waitForChange(of: known, upTo: time, pausingUntil: &pauseEnd) }
            case .granted(let stored):
                let right = RefreshRight(version: stored.version, holder: holder)
                begin(right)
                willFetch()
                return try await fetch(after: current, stored, right, refresh)
            case nil:
                let basis = try basis(current)
                // Without a lease, the token still replaces only the version that is known, unless the vault does not
                // have the last login.
                let isLogin = state.withLock { $0.unsaved == .login }
                let right = isLogin ? nil : RefreshRight(version: known, holder: holder)
                return obtained(try await refresh(basis.token), after: basis, right)
            }
        }
    }

    /// Returns the token with which a refresh begins, and the name of its identity.
    ///
    /// The store's own token is at least as new as that of a granted right, because the vault knows no newer version.
    /// Throws if another login has followed, which ends the flight.
    private func basis(_ current: TokenBasis, granted stored: SharedToken? = nil) throws -> TokenBasis {
        try state.withLock { state in
            guard state.login == current.login else { throw CancellationError() }
            var own = state.newest
            if own.token == nil, state.unsaved != .login, let stored, stored.version != own.version,
                accepts(stored, for: state.name)
            {
                own = stored
            }
            return TokenBasis(token: own.token, identity: current.identity ?? own.identity, login: current.login)
        }
    }

    private func obtained(_ token: AccessToken, after basis: TokenBasis, _ right: RefreshRight?) -> ObtainedToken {
        ObtainedToken(token: token, isFetched: true, identity: basis.identity, login: basis.login, right: right)
    }

    /// Asks for the right to refresh; returns `nil` if the store does not need it.
    private func lease(_ version: Int64, by holder: UUID) async throws -> TokenLease? {
        do {
            return try await asking { try await vault.lease(version, by: holder, for: Self.leaseDuration) }
        } catch let error where isAlone && !(error is CancellationError) {
            return nil
        } catch {
            // The next flight takes the right over, whose refresh has not begun.
            state.withLock { $0.unanswered = holder }
            throw error
        }
    }

    private func fetch(
        after current: TokenBasis,
        _ stored: SharedToken,
        _ right: RefreshRight,
        _ refresh: @Sendable (AccessToken?) async throws -> AccessToken
    ) async throws -> ObtainedToken {
        do {
            let basis = try basis(current, granted: stored)
            // A refresh that is given up may never end, so its right is no longer extended.
            let token = try await withTaskCancellationHandler {
                try await refresh(basis.token)
            } onCancel: {
                state.withLock { $0.right?.right == right ? $0.right?.extending : nil }?.cancel()
            }
            return obtained(token, after: basis, right)
        } catch {
            let newer = error is CancellationError ? nil : await newer(than: right.version, current, after: error)
            await giveBack(right)
            guard let newer else { throw error }
            return ObtainedToken(token: newer, isFetched: false)
        }
    }

    /// Returns the token of another process after a refresh failed, if there is one.
    ///
    /// A server that refuses a refresh token may have accepted it before, from a process that lost its right and is
    /// about to save the new token.
    private func newer(than version: Int64, _ current: TokenBasis, after error: any Error) async -> AccessToken? {
        let isRefusal = (error as? NetKitError)?.status.map { $0.isClientError } ?? false
        var pauseEnd = clock.now
        let end = pauseEnd.advanced(by: isRefusal ? Self.graceAfterRefusal : .zero)
        while let stored = try? await vault.read() {
            if stored.version > version {
                guard let token = try? take(stored, after: current.login) else { return nil }
                return isUsable(token, after: current) ? token : nil
            }
            let rest = clock.now.duration(to: end)
            guard rest > .zero, !Task.isCancelled else { return nil }
            let wait: Void? = try? await waitForChange(of: version, upTo: rest, pausingUntil: &pauseEnd)
            guard wait != nil else { return nil }
        }
        return nil
    }

    /// Waits for a change of the vault, and until the end of a pause, because a vault may end its waits at once.
    ///
    /// The first wait has no pause, so that a right that was given back is taken without a delay.
    private func waitForChange(
        of version: Int64,
        upTo limit: Duration,
        pausingUntil pauseEnd: inout NetKitClock.Instant
    ) async throws {
        try await vault.waitForChange(of: version, upTo: max(limit, .milliseconds(1)), clock: clock)
        try await clock.waitForAlarm(at: pauseEnd)
        pauseEnd = clock.now.advanced(by: Self.pause)
    }

    private func isUsable(_ newer: AccessToken, after current: TokenBasis) -> Bool {
        !newer.isExpired(clock) && current.isReplaceable(by: newer)
    }

    /// Takes over a token of the vault; returns `nil` if there is none, or if it belongs to another identity or an
    /// earlier login.
    ///
    /// Throws if another login has followed, which ends the flight.
    private func take(_ stored: SharedToken, after login: Int) throws -> AccessToken? {
        try state.withLock { state in
            guard state.login == login else { throw CancellationError() }
            guard state.unsaved != .login, stored.token == nil || accepts(stored, for: state.name) else {
                // The store's own token is still the newest of its identity.
                state.newest.version = stored.version
                return nil
            }
            state.newest = stored
            return stored.token
        }
    }

    /// Returns whether a stored token belongs to an identity.
    ///
    /// A store that was created without a name, and whose login has none, shares the identity of its vault. After a
    /// login without a name, a store that was created with one takes no token from the vault.
    private func accepts(_ stored: SharedToken, for name: String?) -> Bool {
        name.map { $0.isExactly(stored.identity) } ?? (identity == nil)
    }

    /// Performs an operation of the vault, and turns an unknown error into one that says what to do.
    private func asking<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch {
            throw Self.failure(error)
        }
    }

    /// Returns the error of an operation of the vault.
    ///
    /// It is not inlined, because the compiler would copy it for each of the operations.
    @inline(never)
    private static func failure(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        let hint = "No token is loaded or fetched meanwhile, because another process may be fetching one."
        if let error = error as? NetKitError {
            return error.code == .storeUnavailable ? error.adding(hint) : error
        }
        let message = "The token vault does not answer. Check the store that its processes share. \(hint)"
        return NetKitError(.storeUnavailable, message, cause: error)
    }

    // MARK: - Saving

    func save(_ job: TokenSaver.Job) async throws {
        state.withLock { state in
            if job.login > state.login {
                state.unsaved = .login
                // After a logout, the token of another process of the same name is taken again.
                (state.login, state.name) = (job.login, job.identity ?? (job.token == nil ? identity : nil))
            }
            if state.unsaved == .nothing { state.unsaved = .refresh }
            (state.newest.token, state.newest.identity) = (job.token, job.identity)
            state.noteSave(of: job.token)
        }
        var version = try await vault.save(job.token, for: job.identity, over: job.right?.version)
        if version == nil { version = try await saveOverOwn(job) }
        state.withLock { [version] state in
            (state.unsaved, state.unconfirmed) = (.nothing, [])
            if let version { state.newest.version = version }
        }
        end(job.right)
    }

    /// Saves a token that the vault did not save, if the vault has an earlier one of this store.
    ///
    /// The answer to a save of that one was lost. Returns the version of the token, or `nil` if the vault has the token
    /// of another process. That token was faster, and is found before the next refresh.
    private func saveOverOwn(_ job: TokenSaver.Job) async throws -> Int64? {
        // A vault may keep the times of a token less exactly.
        let stored = try await vault.read()
        guard stored.identity == job.identity else { return nil }
        if stored.token?.value == job.token?.value { return stored.version }
        guard let value = stored.token?.value, state.withLock({ $0.unconfirmed.contains(value) }) else { return nil }
        return try await vault.save(job.token, for: job.identity, over: stored.version)
    }

    func keepLate(_ token: ObtainedToken) async {
        guard let right = token.right else { return }
        // After another login, the token is of no use to anyone.
        guard state.withLock({ $0.login == token.login }) else { return await giveBack(right) }
        // The next refresh finds it as a newer one. Its own refresh was cancelled, which must not end the save.
        let task = startImmediately { [vault] in
            try await vault.save(token.token, for: token.identity, over: right.version)
        }
        _ = await task.result
        end(right)
    }

    func close() { end() }

    // MARK: - The right

    private func begin(_ right: RefreshRight) {
        end()
        let (vault, clock) = (vault, clock)
        let task = startImmediately {
            while true {
                try await clock.waitForAlarm(at: clock.now.advanced(by: Self.extensionInterval))
                let lease = try? await vault.lease(right.version, by: right.holder, for: Self.leaseDuration)
                if let lease, case .granted = lease { continue }
                if lease != nil { return }
            }
        }
        state.withLock { $0.right = (right, task) }
    }

    /// Forgets a right, or any right, which has ended in the vault or ends by itself.
    private func end(_ right: RefreshRight? = nil) {
        let extending = state.withLock { state -> Task<Void, any Error>? in
            guard let own = state.right, right == nil || own.right == right else { return nil }
            state.right = nil
            return own.extending
        }
        extending?.cancel()
    }

    private func giveBack(_ right: RefreshRight) async {
        end(right)
        // A right is given back even if its refresh was cancelled. The task ends with the vault's answer.
        let task = startImmediately { [vault] in try await vault.release(right.version, by: right.holder) }
        _ = await task.result
    }
}
