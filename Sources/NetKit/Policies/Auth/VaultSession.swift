import Foundation

/// The side of one store towards the vault that it shares with other processes.
///
/// Before each refresh it asks the vault for the right to it, and learns of a newer token in the same step. It extends
/// the right until the new token is saved.
final class VaultSession: TokenSource {
    /// The time after which the vault gives the right of a dead process to another one, and the time between extensions.
    private static let lease = (duration: Duration.seconds(15), interval: Duration.seconds(5))
    /// The time for which a refused refresh waits for the token of another process.
    private static let graceAfterRefusal = Duration.seconds(1)

    private struct State {
        /// The newest token that the store has had, even if it was of no use, and the version in the vault.
        var token: AccessToken?
        var version: Int64 = 0
        /// The right to refresh, and the task that extends it.
        var right: (right: RefreshRight, extending: Task<Void, any Error>)?
    }

    private let vault: any TokenVault
    private let identity: String?
    /// Whether a store without an answer of the vault refreshes nevertheless, because no other process needs the vault.
    private let isAlone: Bool
    private let clock: NetKitClock
    private let refresh: (@Sendable (AccessToken?) async throws -> AccessToken)?
    private let state = Locked(State())

    init(
        _ vault: any TokenVault,
        identity: String?,
        isAlone: Bool,
        clock: NetKitClock,
        refresh: (@Sendable (AccessToken?) async throws -> AccessToken)?
    ) {
        (self.vault, self.identity, self.isAlone, self.clock, self.refresh) = (vault, identity, isAlone, clock, refresh)
    }

    deinit { close() }

    var canLoad: Bool { true }
    var canFetch: Bool { refresh != nil }
    var saving: TokenSaving { .untilSaved(isRequired: !isAlone) }

    // MARK: - Loading and refreshing

    func load() async throws -> AccessToken? {
        let stored = try await asking { try await vault.read() }
        return take(stored)
    }

    func next(after current: AccessToken?, willFetch: () -> Void) async throws -> ObtainedToken {
        guard let refresh else { throw TokenRefreshCoordinator.missing }
        let holder = UUID()
        while true {
            let known = state.withLock { $0.version }
            switch try await lease(known, by: holder) {
            case .newer(let stored):
                if let newer = take(stored), !newer.isExpired(clock) {
                    return ObtainedToken(token: newer, isFetched: false)
                }
            case .held(let time):
                try await asking {
                    try await vault.waitForChange(of: known, upTo: max(time, .milliseconds(1)), clock: clock)
                }
            case .granted(let stored):
                // What the store has is at least as new, because the vault knows no newer version.
                let own = state.withLock { $0.token }
                let current = own ?? (stored.version == known ? nil : stored.token(for: identity))
                let right = RefreshRight(version: stored.version, holder: holder)
                begin(right)
                willFetch()
                return try await fetch(after: current, right, refresh)
            case nil:
                let own = state.withLock { $0.token }
                return ObtainedToken(token: try await refresh(own), isFetched: true)
            }
        }
    }

    /// Asks for the right to refresh; returns `nil` if the store does not need it.
    private func lease(_ version: Int64, by holder: UUID) async throws -> TokenLease? {
        do {
            return try await asking { try await vault.lease(version, by: holder, for: Self.lease.duration) }
        } catch let error where isAlone && !(error is CancellationError) {
            return nil
        }
    }

    private func fetch(
        after current: AccessToken?,
        _ right: RefreshRight,
        _ refresh: @Sendable (AccessToken?) async throws -> AccessToken
    ) async throws -> ObtainedToken {
        do {
            // A refresh that is given up may never end, so its right is no longer extended.
            let token = try await withTaskCancellationHandler {
                try await refresh(current)
            } onCancel: {
                state.withLock { $0.right?.right == right ? $0.right?.extending : nil }?.cancel()
            }
            return ObtainedToken(token: token, isFetched: true, right: right)
        } catch {
            let newer = error is CancellationError ? nil : await newer(than: right.version, after: error)
            await giveBack(right)
            guard let newer else { throw error }
            return ObtainedToken(token: newer, isFetched: false)
        }
    }

    /// Returns the token of another process after a refresh failed, if there is one.
    ///
    /// A server that refuses a refresh token may have accepted it before, from a process that lost its right and is
    /// about to save the new token.
    private func newer(than version: Int64, after error: any Error) async -> AccessToken? {
        let isRefusal = (error as? NetKitError)?.status.map { $0.isClientError } ?? false
        let end = clock.now.advanced(by: isRefusal ? Self.graceAfterRefusal : .zero)
        while let stored = try? await vault.read() {
            if stored.version > version {
                let token = take(stored)
                return token.flatMap { $0.isExpired(clock) ? nil : $0 }
            }
            let rest = clock.now.duration(to: end)
            guard rest > .zero else { return nil }
            guard (try? await vault.waitForChange(of: version, upTo: rest, clock: clock)) != nil else { return nil }
        }
        return nil
    }

    private func take(_ stored: SharedToken) -> AccessToken? {
        let token = stored.token(for: identity)
        state.withLock { ($0.token, $0.version) = (token, stored.version) }
        return token
    }

    /// Performs an operation of the vault, and turns an unknown error into one that says what to do.
    private func asking<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch let error where error is CancellationError {
            throw error
        } catch {
            let hint = "No token is loaded or fetched meanwhile, because another process may be fetching one."
            if let error = error as? NetKitError {
                throw error.code == .storeUnavailable ? error.adding(hint) : error
            }
            let message = "The token vault does not answer. Check the store that its processes share. \(hint)"
            throw NetKitError(.storeUnavailable, message, cause: error)
        }
    }

    // MARK: - Saving

    func save(_ job: TokenSaver.Job) async throws {
        state.withLock { $0.token = job.token }
        let version = try await vault.save(job.token, for: job.identity, over: job.right?.version)
        // Without a version, another process was faster. Its token is found before the next refresh.
        if let version { state.withLock { $0.version = version } }
        end(job.right)
    }

    func keepLate(_ token: ObtainedToken) async {
        guard let right = token.right else { return }
        // The next refresh finds it as a newer one.
        _ = try? await vault.save(token.token, for: identity, over: right.version)
        end(right)
    }

    func close() { end() }

    // MARK: - The right

    private func begin(_ right: RefreshRight) {
        end()
        let (vault, clock) = (vault, clock)
        let task = startImmediately {
            while true {
                try await clock.waitForAlarm(at: clock.now.advanced(by: Self.lease.interval))
                let answer = try? await vault.lease(right.version, by: right.holder, for: Self.lease.duration)
                if let answer, case .granted = answer { continue }
                if answer != nil { return }
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
        // reason: a right is given back even if its refresh was cancelled. The task ends with the vault's answer.
        let task = startImmediately { [vault] in try await vault.release(right.version, by: right.holder) }
        _ = await task.result
    }
}
