// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Names that are guessed for the parts of a database. None of them can be called: the compiler says what to write.

extension Postgres {
    @available(
        *,
        unavailable,
        message: "Pass the store to a queue: OfflineQueue(store: database.outbox(name), sender: client)."
    )
    @_alwaysEmitIntoClient public func queue(_ name: String) -> PostgresOutbox { outbox(name) }
    @available(*, unavailable, renamed: "token(_:seal:)")
    @_alwaysEmitIntoClient public func vault(_ name: String) -> PostgresTokenVault { token(name) }
    @available(*, unavailable, renamed: "token(_:seal:)")
    @_alwaysEmitIntoClient public func tokenVault(_ name: String) -> PostgresTokenVault { token(name) }
    @available(*, unavailable, message: "Share a limit: RateLimitInterceptor(permits:per:shared: database.rate(name)).")
    @_alwaysEmitIntoClient
    public func rateLimit(_ name: String, limit: Int, per interval: Duration) -> PostgresRate { rate(name) }
    @available(*, unavailable, renamed: "close(within:)")
    @_alwaysEmitIntoClient public func shutdown() async {}
}
