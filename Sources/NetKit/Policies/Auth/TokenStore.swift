public import Foundation

/// A token that is fetched and refreshed once for all calls that need it.
///
/// ```swift
/// let tokens = TokenStore(initial: "…") { current in try await refresh(current) }
/// let client = HTTPClient(baseURL: base, interceptors: .standard + [AuthInterceptor(tokens)])
/// ```
/// A call that needs a token during a refresh waits for it. The refresh continues if the call that started it is
/// cancelled. It ends with the store, or after `refreshTimeout`. If it fails, every waiting call throws its error, and
/// so does a refused request that was sent before the failure. A later request can start another refresh, within
/// `limit`.
public actor TokenStore: TokenProvider {
    private nonisolated let coordinator: TokenRefreshCoordinator
    /// Whether a refused token can be replaced, which requires a refresh closure.
    public nonisolated let canRefresh: Bool
    private nonisolated let settingWarnings: [String]

    /// Creates a store of tokens that can expire and be saved.
    ///
    /// The closures receive no name, so a store that is created with one saves and loads only tokens of that identity.
    /// While it has another one, after a logout or a login under another name, `save` receives `nil`, and `load` is not
    /// called. ``init(file:identity:refreshAhead:limit:refreshTimeout:clock:refresh:)`` saves the name as well.
    ///
    /// - Parameters:
    ///   - initial: The first token. If it is `nil`, a token is loaded or fetched for the first caller.
    ///   - identity: The name of the tokens' identity, for caches that outlive the process. The default is a random
    ///     name.
    ///   - refreshAhead: The time before its expiry at which a token is refreshed, while callers continue to use it. It
    ///     is at most half of the token's lifetime, and never below zero.
    ///   - limit: The limit for refreshes that do not help.
    ///   - refreshTimeout: The time limit for loading and refreshing.
    ///   - clock: The clock of the store.
    ///   - refresh: A closure that fetches a new token, given the current one. It may send requests through the client
    ///     whose calls wait for it, with `requiresAuth` set to `false`.
    ///   - load: A closure that returns the saved token. It is called if `initial` is `nil`, until it does not throw.
    ///     With `save`, it is called again before each refresh, once this store has loaded or saved a token. A token
    ///     that was saved elsewhere is then used instead.
    ///   - save: A closure that saves a token; `nil` means that there is none of this identity, and that the saved one
    ///     is to be removed. A refreshed token is saved before it is handed out. Calls never overlap: if it calls `set`
    ///     or `clear` itself, that is saved afterwards. An error is in `saveProblem` until the next save.
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
        save: (@Sendable (AccessToken?) async throws -> Void)? = nil
    ) {
        self.init(
            initial: initial,
            identity: identity,
            refreshAhead: refreshAhead,
            limit: limit,
            refreshTimeout: refreshTimeout,
            clock: clock,
            source: ClosureTokenSource(identity: identity, load: load, refresh: refresh, save: save, clock: clock)
        )
    }

    /// Creates a store that shares its token with other processes.
    ///
    /// ```swift
    /// let vault = FileTokenVault(file: folder.appending(path: "token.json"))
    /// let tokens = TokenStore(shared: vault, identity: "tenant-7") { current in try await login.renew(current) }
    /// ```
    /// One process refreshes for all of them: the others wait for its token, and use their own while it is valid. If
    /// the process dies, another one refreshes after 15 seconds, or later after an outage of a database. A token that
    /// was fetched is used even if it cannot be saved, and its save is repeated. After a refresh that failed, the vault
    /// is read again before the error is thrown. While the vault does not answer, calls use the token in memory until
    /// it expires. A refresh that is needed then throws `.storeUnavailable`.
    ///
    /// A refresh never replaces a token that another process saves in the meantime. A login or a logout always does,
    /// even if its save is repeated after an outage, because a vault does not tell later logins from refreshes.
    ///
    /// A process that dies after the server has replaced the refresh token, and before the new one is saved, has lost
    /// it. Only a grace period of the server helps then.
    ///
    /// - Parameters:
    ///   - vault: The vault, which has to be another one for each identity.
    ///   - identity: The name of the tokens' identity, until a login has another one. A token that was saved under
    ///     another name is not used. Without a name, each process has a random one.
    ///   - refreshAhead: The time before its expiry at which a token is refreshed, while callers continue to use it. It
    ///     is at most half of the token's lifetime, and never below zero.
    ///   - limit: The limit for refreshes that do not help.
    ///   - refreshTimeout: The time limit for reading the vault and waiting for another process, and then for
    ///     refreshing.
    ///   - clock: The clock of the store.
    ///   - refresh: A closure that fetches a new token, given the current one. Without it, call `set(_:identity:)`.
    public init(
        shared vault: some TokenVault,
        identity: String? = nil,
        refreshAhead: Duration = .seconds(60),
        limit: RefreshLimit = .standard,
        refreshTimeout: Duration = .seconds(30),
        clock: NetKitClock = .system,
        refresh: (@Sendable (AccessToken?) async throws -> AccessToken)? = nil
    ) {
        self.init(
            initial: nil,
            identity: identity,
            refreshAhead: refreshAhead,
            limit: limit,
            refreshTimeout: refreshTimeout,
            clock: clock,
            source: VaultSession(vault, identity: identity, isAlone: false, clock: clock, refresh: refresh)
        )
    }

    /// Creates a store that keeps its token in a file, for the next run of the program.
    ///
    /// ```swift
    /// let tokens = TokenStore(file: folder.appending(path: "token.json"), identity: "tenant-7") { current in
    ///     try await login.renew(current)
    /// }
    /// ```
    /// The file is a ``FileTokenVault``, so other processes may use it as well. A store that cannot write the file
    /// still refreshes, and keeps the token until the process ends. For several processes, or for an encrypted file,
    /// use ``init(shared:identity:refreshAhead:limit:refreshTimeout:clock:refresh:)``, which never refreshes twice.
    /// ``clear()`` removes the file.
    ///
    /// - Parameters:
    ///   - file: The file; its folder is created if it is missing, but not the folders above it.
    ///   - identity: The name of the tokens' identity. A token that was saved under another name is not used. Without a
    ///     name, each run of the program has a new identity.
    ///   - refreshAhead: The time before its expiry at which a token is refreshed, while callers continue to use it. It
    ///     is at most half of the token's lifetime, and never below zero.
    ///   - limit: The limit for refreshes that do not help.
    ///   - refreshTimeout: The time limit for reading the file and refreshing.
    ///   - clock: The clock of the store and of the lease in the file, which has to be the same for all processes.
    ///   - refresh: A closure that fetches a new token, given the current one. Without it, call `set(_:identity:)`.
    public init(
        file: URL,
        identity: String? = nil,
        refreshAhead: Duration = .seconds(60),
        limit: RefreshLimit = .standard,
        refreshTimeout: Duration = .seconds(30),
        clock: NetKitClock = .system,
        refresh: (@Sendable (AccessToken?) async throws -> AccessToken)? = nil
    ) {
        let vault = FileTokenVault(file: file, clock: clock)
        self.init(
            initial: nil,
            identity: identity,
            refreshAhead: refreshAhead,
            limit: limit,
            refreshTimeout: refreshTimeout,
            clock: clock,
            source: VaultSession(vault, identity: identity, isAlone: true, clock: clock, refresh: refresh)
        )
    }

    private init(
        initial: AccessToken?,
        identity: String?,
        refreshAhead: Duration,
        limit: RefreshLimit,
        refreshTimeout: Duration,
        clock: NetKitClock,
        source: some TokenSource
    ) {
        let canRefresh = source.canFetch
        let rules = TokenState.Rules(canRefresh: canRefresh, refreshAhead: refreshAhead, limit: limit)
        coordinator = TokenRefreshCoordinator(
            TokenState(rules: rules, needsLoad: source.canLoad && initial == nil, identity: identity),
            initial: initial,
            source: source,
            timeout: refreshTimeout,
            clock: clock
        )
        self.canRefresh = canRefresh
        var warnings = canRefresh ? limit.warnings : []
        if refreshAhead < .zero {
            warnings.append(
                "The store's refreshAhead is \(refreshAhead.shortText), which is out of range; 0 s is used instead."
            )
        }
        if refreshTimeout <= .zero {
            let text = refreshTimeout.shortText
            warnings.append("The store's refreshTimeout is \(text): no refresh can succeed. Give it some seconds.")
        }
        settingWarnings = warnings
    }

    /// Creates a store of tokens that are valid until a server refuses them.
    ///
    /// - Parameters:
    ///   - initial: The first token. If it is `nil`, a token is fetched for the first caller.
    ///   - identity: The name of the tokens' identity, for caches that outlive the process. The default is a random
    ///     name.
    ///   - limit: The limit for refreshes that do not help.
    ///   - refreshTimeout: The time limit for a refresh.
    ///   - clock: The clock of the store.
    ///   - refresh: A closure that fetches a new token, given the current one. Without it, a refusal is the response.
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

    deinit { coordinator.close() }

    /// Diagnostics about settings out of range, and about a token that could not be saved.
    public nonisolated var warnings: [String] {
        guard let saveProblem else { return settingWarnings }
        return settingWarnings + ["The token could not be saved, and is lost when the process ends. \(saveProblem)"]
    }

    /// The error of the last save, if it failed.
    ///
    /// Calls use a token that could not be saved until the process ends.
    public nonisolated var saveProblem: (any Error)? { coordinator.saveProblem }

    /// The name of the identity that the tokens stand for.
    ///
    /// It is the same before and after a refresh. A login begins another identity (`set(_:identity:)`), and `clear()`
    /// ends it.
    public nonisolated var identity: String? { coordinator.identity.name }

    /// The identity that the tokens stand for, and whether you named it.
    public nonisolated var credentialIdentity: CredentialIdentity? { coordinator.identity }

    /// The token, if there is one and it needs no refresh.
    public nonisolated var readyToken: IssuedToken? { coordinator.readyToken }

    /// Returns the token, and loads or fetches it if there is none.
    ///
    /// - Returns: The current token.
    /// - Throws: The error of the refresh, `.unauthorized` if there is no token and no way to get one or if the limit
    ///   is reached, or `CancellationError` if the caller is cancelled.
    public nonisolated func token() async throws -> AccessToken {
        guard let issued = try await current() else {
            throw NetKitError(.unauthorized, "There is no token while the first one is being fetched.")
        }
        return issued.token
    }

    /// Fetches a new token, or waits for the one that is being fetched.
    ///
    /// - Returns: The new token.
    /// - Throws: The errors of `token()`.
    @discardableResult
    public nonisolated func refresh() async throws -> AccessToken {
        guard let issued = try await coordinator.next() else { return try await token() }
        return issued.token
    }

    /// Replaces the token, as after a login.
    ///
    /// Calls that began under another identity are not sent with the new token: they throw `.unauthorized`. Calls that
    /// began while there was no token yet are sent with it.
    ///
    /// - Parameters:
    ///   - token: The new token.
    ///   - identity: The name of the token's identity. Use the same name for a new token of the same user. Without a
    ///     name, a store that was created with a name keeps it, and any other store begins a new identity.
    public func set(_ token: AccessToken, identity: String? = nil) async {
        await coordinator.set(token, identity: identity)
    }

    /// Forgets the token and ends the identity, as after a logout.
    ///
    /// A refresh under way ends, and its result is dropped. Calls that wait for it throw `.unauthorized`, with an
    /// ``IdentityChange`` as the cause. The next caller that needs a token fetches one. It stands for a new identity
    /// without a name, even if the previous one had a name; `set(_:identity:)` names it again. To only replace the
    /// token, call `refresh()`.
    public func clear() async { await coordinator.clear() }

    /// Waits for a refresh that is under way, and for the save of its token.
    ///
    /// Use it when a service stops, before you close the place where the tokens are saved. A refresh can outlive the
    /// call that began it, and even its own time limit, and its token would be lost. A save that failed is repeated
    /// once.
    ///
    /// - Parameter bound: The longest time that this may take.
    /// - Returns: Whether the newest token was saved in time, or the store saves none.
    @discardableResult
    public nonisolated func flush(within bound: Duration = .seconds(5)) async -> Bool {
        let isSaved = Promise<Bool>()
        let flushing = startImmediately { [coordinator] in
            isSaved.resolve(.success(try await coordinator.flush()))
        }
        defer { flushing.cancel() }
        return await isSaved.value(or: false, after: bound, coordinator.clock)
    }

    /// Returns the current token, for `AuthInterceptor`.
    public nonisolated func current() async throws -> IssuedToken? { try await coordinator.current() }

    /// Returns another token after a refusal, for `AuthInterceptor`.
    public nonisolated func replacement(for refused: IssuedToken) async throws -> IssuedToken? {
        try await coordinator.replacement(for: refused)
    }

    /// Marks the token as refused, so that the next caller refreshes it, unless no refresh may begin now.
    public nonisolated func noteRefused(_ refused: IssuedToken) { coordinator.noteRefused(refused) }

    /// Counts the refresh as one that helped, or as one that did not.
    public nonisolated func noteReplay(of issued: IssuedToken, isAccepted: Bool) {
        coordinator.noteReplay(of: issued, isAccepted: isAccepted)
    }
}
