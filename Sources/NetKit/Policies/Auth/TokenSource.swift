import Foundation

/// The place from which a store loads, fetches and saves its tokens.
protocol TokenSource: AnyObject, Sendable {
    /// Whether there may be a stored token.
    var canLoad: Bool { get }
    /// Whether tokens can be fetched.
    var canFetch: Bool { get }
    /// Whether tokens are saved, and whether a save that failed is repeated.
    var saving: TokenSaving { get }

    /// Returns the stored token, for a flight after a login.
    func load(after login: Int) async throws -> AccessToken?
    /// Returns a token that replaces the current one of the store.
    ///
    /// A source that knows a newer one of the same login begins with that. It says when it begins to fetch, if it had
    /// to wait before.
    func next(after current: TokenBasis, willFetch: () -> Void) async throws -> ObtainedToken
    /// Saves a token.
    func save(_ job: TokenSaver.Job) async throws
    /// Saves a token that was fetched too late for the store that asked for it.
    func keepLate(_ token: ObtainedToken) async
    /// Ends background work when the store is deallocated.
    func close()
}

/// The token of a store when a flight begins.
struct TokenBasis: Sendable {
    /// The token, if there is one.
    var token: AccessToken?
    /// The name of the token's identity, unless it is random.
    var identity: String?
    /// The version of the last login or logout; 0 if there was none.
    ///
    /// A token that was obtained after an earlier one may belong to another user.
    var login = 0
    /// Whether the stored token was loaded by the flight itself.
    var isLoaded = false
    /// Whether a server has refused the token.
    var isRefused = false

    /// Returns whether a newer token can replace this one.
    ///
    /// A server may have issued the same value with a later expiry. That does not help if the value was refused.
    func isReplaceable(by newer: AccessToken) -> Bool { !isRefused || newer.value != token?.value }
}

/// A token that a store obtained.
struct ObtainedToken: Sendable {
    let token: AccessToken
    /// Whether the token was fetched, and has to be saved.
    let isFetched: Bool
    /// The name of the identity for which it was fetched, unless it is random.
    var identity: String?
    /// The version of the login after which it was fetched.
    var login = 0
    /// The right with which it was fetched, even if no vault confirmed it; `nil` if it replaces any version.
    var right: RefreshRight?
}

/// The right to refresh a version of a shared token.
struct RefreshRight: Sendable, Equatable {
    let version: Int64
    let holder: UUID
}

/// The saving of a store's tokens.
enum TokenSaving {
    case never, once
    /// A save that failed is repeated; if it is required, nothing is fetched before it has succeeded.
    case untilSaved(isRequired: Bool)
}

/// A token source made of closures.
///
/// The closures know no names, so they keep only a token of the store's own identity.
final class ClosureTokenSource: TokenSource {
    /// The name that the store was created with.
    private let identity: String?
    private let loading: (@Sendable () async throws -> AccessToken?)?
    private let refresh: (@Sendable (AccessToken?) async throws -> AccessToken)?
    private let storing: (@Sendable (AccessToken?) async throws -> Void)?
    private let clock: NetKitClock
    private let state = Locked(State())

    private struct State: ~Copyable {
        /// The token that was last loaded or saved, if it is known.
        var stored: AccessToken??
        /// The login after which it was loaded or saved.
        var login = 0
    }

    init(
        identity: String?,
        load: (@Sendable () async throws -> AccessToken?)?,
        refresh: (@Sendable (AccessToken?) async throws -> AccessToken)?,
        save: (@Sendable (AccessToken?) async throws -> Void)?,
        clock: NetKitClock
    ) {
        self.identity = identity
        (loading, self.refresh, storing, self.clock) = (load, refresh, save, clock)
    }

    var canLoad: Bool { loading != nil }
    var canFetch: Bool { refresh != nil }
    var saving: TokenSaving { storing == nil ? .never : .once }

    func load(after login: Int) async throws -> AccessToken? {
        let token = try await loading?()
        note(token, after: login)
        return token
    }

    func next(after current: TokenBasis, willFetch: () -> Void) async throws -> ObtainedToken {
        guard let refresh else { throw TokenRefreshCoordinator.missing }
        var token = current.token
        if !current.isLoaded, let changed = await changed(after: current) {
            if !changed.isExpired(clock), current.isReplaceable(by: changed) {
                return ObtainedToken(token: changed, isFetched: false)
            }
            token = changed
        }
        return ObtainedToken(
            token: try await refresh(token),
            isFetched: true,
            identity: current.identity,
            login: current.login
        )
    }

    /// Returns a token that another process has stored since this one last looked.
    ///
    /// It needs both closures: without `save`, the stored token is always an older one.
    private func changed(after current: TokenBasis) async -> AccessToken? {
        guard storing != nil, isOwn(current.identity), let loading, let known = state.withLock({ $0.stored }) else {
            return nil
        }
        guard let found = try? await loading(), found != known else { return nil }
        note(found, after: current.login)
        return found == current.token ? nil : found
    }

    /// Remembers the stored token, unless another login has followed the one after which it was looked at.
    private func note(_ token: AccessToken?, after login: Int) {
        state.withLock { state in
            if login >= state.login { state = State(stored: .some(token), login: login) }
        }
    }

    /// Returns whether a token of an identity may be kept; a store without a name has a new identity in each process.
    private func isOwn(_ name: String?) -> Bool { identity.map { $0.isExactly(name) } ?? true }

    func save(_ job: TokenSaver.Job) async throws {
        let token = isOwn(job.identity) ? job.token : nil
        // Until it is known that the token was saved, the stored one says nothing.
        state.withLock { $0 = State(stored: nil, login: max($0.login, job.login)) }
        try await storing?(token)
        note(token, after: job.login)
    }

    func keepLate(_ token: ObtainedToken) async {}

    func close() {}
}
