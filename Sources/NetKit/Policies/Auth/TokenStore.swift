import Foundation

/// A token that is fetched and refreshed once for all calls that need it.
///
/// ```swift
/// let tokens = TokenStore(initial: "…") { current in try await refresh(current) }
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor(tokens)])
/// ```
/// A call that needs a token during a refresh waits for it. The refresh continues if the call that started it is
/// canceled. It ends with the store, or after `refreshTimeout`. If it fails, every waiting call throws its error, and
/// so does a refused request that was sent before the failure. A later request can start another refresh, within
/// `limit`.
public actor TokenStore: TokenProvider {
    private nonisolated let cell: TokenRefreshCoordinator
    /// Whether a refused token can be replaced: if there is a refresh closure.
    public nonisolated let canRefresh: Bool
    /// Diagnostics about settings out of range.
    public nonisolated let warnings: [String]

    /// Creates a store of tokens that may run out and be kept.
    ///
    /// - Parameters:
    ///   - initial: The token to begin with; nil loads or fetches one for the first caller.
    ///   - identity: Who the tokens stand for, for caches that outlive the process; a random name if there is none.
    ///   - refreshAhead: How long before its end a token is refreshed, while callers go on with it: at most half of its
    ///     life, and never below zero.
    ///   - limit: How often the store refreshes while that does not help.
    ///   - refreshTimeout: How long loading and refreshing may take.
    ///   - clock: The clock of the store.
    ///   - refresh: Fetches a new token, given the current one. It may send through the client whose requests wait for it,
    ///     with `requiresAuth` false.
    ///   - load: Gives the token that was saved, asked once where `initial` is nil.
    ///   - save: Keeps a token before it is handed out; nil was cleared. Calls come one after the other.
    @_disfavoredOverload
    public init(
        initial: AccessToken?,
        identity: String? = nil,
        refreshAhead: Duration = .seconds(60),
        limit: RefreshLimit = .standard,
        refreshTimeout: Duration = .seconds(30),
        clock: NetKitClock = .system,
        refresh: (@Sendable (AccessToken?) async throws -> AccessToken)? = nil,
        load: (@Sendable () async throws -> AccessToken?)? = nil,
        save: (@Sendable (AccessToken?) async -> Void)? = nil
    ) {
        let rules = TokenState.Rules(canRefresh: refresh != nil, refreshAhead: refreshAhead, limit: limit)
        cell = TokenRefreshCoordinator(
            TokenState(rules: rules, needsLoad: load != nil && initial == nil, identity: identity),
            initial: initial,
            hooks: TokenRefreshCoordinator.Hooks(load: load, refresh: refresh, timeout: refreshTimeout),
            saver: save.map { TokenSaver($0) },
            clock: clock
        )
        canRefresh = refresh != nil
        var warnings = refresh == nil ? [] : limit.warnings
        if refreshAhead < .zero {
            warnings.append("The store's refreshAhead is \(refreshAhead.shortText), which counts as zero.")
        }
        if refreshTimeout <= .zero {
            let text = refreshTimeout.shortText
            warnings.append("The store's refreshTimeout is \(text): no refresh can succeed. Give it some seconds.")
        }
        self.warnings = warnings
    }

    /// Creates a store of tokens that are good until a server refuses them.
    ///
    /// - Parameters:
    ///   - initial: The token to begin with; nil fetches one for the first caller.
    ///   - identity: Who the tokens stand for, for caches that outlive the process; a random name if there is none.
    ///   - limit: How often the store refreshes while that does not help.
    ///   - refreshTimeout: How long a refresh may take.
    ///   - clock: The clock of the store.
    ///   - refresh: Fetches a new token, given the current one; without it a refusal is simply the response.
    public init(
        initial: String?,
        identity: String? = nil,
        limit: RefreshLimit = .standard,
        refreshTimeout: Duration = .seconds(30),
        clock: NetKitClock = .system,
        refresh: (@Sendable (String?) async throws -> String)? = nil
    ) {
        let first: AccessToken? = initial.map { AccessToken($0) }
        var fetching: (@Sendable (AccessToken?) async throws -> AccessToken)?
        if let refresh { fetching = { current in AccessToken(try await refresh(current?.value)) } }
        self.init(
            initial: first,
            identity: identity,
            limit: limit,
            refreshTimeout: refreshTimeout,
            clock: clock,
            refresh: fetching,
            load: nil
        )
    }

    deinit {
        cell.close()
    }

    /// The name of the identity that the tokens stand for.
    ///
    /// It is the same before and after a refresh. A login begins another one (`set(_:identity:)`), and `clear()` ends it.
    public nonisolated var identity: String? { cell.identity.name }

    /// The identity that the tokens stand for, and whether you named it.
    public nonisolated var credentialIdentity: CredentialIdentity? { cell.identity }

    /// The token where it is there and need not be refreshed.
    public nonisolated var ready: IssuedToken? { cell.ready }

    /// The token, loaded or fetched if there is none.
    ///
    /// - Returns: The current token.
    /// - Throws: What the refresh threw, `.unauthorized` if there is neither a token nor a way to one or the limit is
    ///   reached, or `CancellationError` for a caller that is cancelled.
    public nonisolated func token() async throws -> AccessToken {
        guard let issued = try await current() else {
            throw NetKitError(.unauthorized, "There is no token while the first one is being fetched.")
        }
        return issued.token
    }

    /// Fetches a new token, or waits for the one that is being fetched.
    ///
    /// - Returns: The new token.
    /// - Throws: What `token()` throws.
    @discardableResult
    public nonisolated func refresh() async throws -> AccessToken {
        guard let issued = try await cell.next() else { return try await token() }
        return issued.token
    }

    /// Replaces the token, as after a login.
    ///
    /// Calls that began under another identity are not sent with the new token: they end with `.unauthorized`. Calls that began
    /// while there was no token yet are sent with it.
    ///
    /// - Parameters:
    ///   - token: The new token.
    ///   - identity: The name of the identity that it stands for, the same as before for a new token of the same user. Without
    ///     one, a store that was created with a name keeps it, and in any other store another identity begins.
    public func set(_ token: AccessToken, identity: String? = nil) async {
        await cell.set(token, identity: identity)
    }

    /// Forgets the token and ends the identity, as after a logout; a refresh under way ends, and its result is dropped.
    ///
    /// The next caller that needs a token fetches one. It stands for a new identity without a name, also if you named the one
    /// before; `set(_:identity:)` names it again. To only replace the token, call `refresh()`.
    public func clear() async {
        await cell.clear()
    }

    /// Returns the current token, for `AuthInterceptor`.
    public nonisolated func current() async throws -> IssuedToken? { try await cell.current() }

    /// Returns another token after a refusal, for `AuthInterceptor`.
    public nonisolated func replacement(for refused: IssuedToken) async throws -> IssuedToken? {
        try await cell.replacement(for: refused)
    }

    /// Refreshes for the next caller.
    public nonisolated func noteRefused(_ refused: IssuedToken) {
        cell.noteRefused(refused)
    }

    /// Counts the refresh as one that helped, or as one that did not.
    public nonisolated func noteReplay(of issued: IssuedToken, isAccepted: Bool) {
        cell.noteReplay(of: issued, isAccepted: isAccepted)
    }
}
