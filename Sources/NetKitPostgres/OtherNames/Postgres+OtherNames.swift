// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
import NetKit

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
    @available(
        *,
        unavailable,
        message: "Share a limit: RateLimitInterceptor(permits: 10, per: .seconds(1), shared: database.rate(name))."
    )
    @_alwaysEmitIntoClient
    public func rateLimit(_ name: String, limit: Int, per interval: Duration) -> PostgresRate { rate(name) }
    @available(*, unavailable, renamed: "close(within:)")
    @_alwaysEmitIntoClient public func shutdown() async {}
}

extension Postgres {
    @available(
        *,
        unavailable,
        message: "Pass the connection string: try await Postgres(\"postgres://user@host:5432/database\")."
    )
    @_alwaysEmitIntoClient public convenience init(url: String) async throws { try await self.init(url) }
    @available(
        *,
        unavailable,
        message: "Pass the connection string: try await Postgres(\"postgres://user@host:5432/database\")."
    )
    @_alwaysEmitIntoClient public convenience init(connectionString: String) async throws {
        try await self.init(connectionString)
    }
    @available(
        *,
        unavailable,
        message: "Pass the connection string: try await Postgres(\"postgres://user@host:5432/database\")."
    )
    @_alwaysEmitIntoClient public convenience init(_ url: URL) async throws { try await self.init(url.absoluteString) }
    @available(
        *,
        unavailable,
        message: "Pass the connection string: try await Postgres(\"postgres://user@host:5432/database\")."
    )
    @_alwaysEmitIntoClient public convenience init(
        host: String,
        port: Int = 5432,
        database: String? = nil,
        user: String? = nil,
        username: String? = nil,
        password: String? = nil
    ) async throws { try await self.init(host) }
    @available(*, unavailable, renamed: "outbox(_:shards:spill:seal:)")
    @_alwaysEmitIntoClient public func outbox(name: String) -> PostgresOutbox { outbox(name) }
    @available(*, unavailable, message: "Name the outbox: database.outbox(\"orders\").")
    @_alwaysEmitIntoClient public func outbox() -> PostgresOutbox { outbox("") }
    @available(*, unavailable, renamed: "outbox(_:shards:spill:seal:)")
    @_alwaysEmitIntoClient public func store(_ name: String) -> PostgresOutbox { outbox(name) }
    @available(*, unavailable, renamed: "outbox(_:shards:spill:seal:)")
    @_alwaysEmitIntoClient public func offlineStore(_ name: String) -> PostgresOutbox { outbox(name) }
    @available(*, unavailable, renamed: "token(_:seal:)")
    @_alwaysEmitIntoClient public func tokens(_ name: String) -> PostgresTokenVault { token(name) }
    @available(*, unavailable, renamed: "token(_:seal:)")
    @_alwaysEmitIntoClient public func token(name: String) -> PostgresTokenVault { token(name) }
    @available(
        *,
        unavailable,
        message: "Share a limit: RateLimitInterceptor(permits: 10, per: .seconds(1), shared: database.rate(name))."
    )
    @_alwaysEmitIntoClient public func rate(_ name: String, permits: Int, per interval: Duration) -> PostgresRate {
        rate(name)
    }
    @available(*, unavailable, renamed: "rate(_:)")
    @_alwaysEmitIntoClient public func limit(_ name: String) -> PostgresRate { rate(name) }
    @available(*, unavailable, renamed: "rate(_:)")
    @_alwaysEmitIntoClient public func rateLimiter(_ name: String) -> PostgresRate { rate(name) }
    @available(*, unavailable, message: "A schema has one cache: database.cache(maxBytes: 1 << 30).")
    @_alwaysEmitIntoClient public func cache(_ name: String) async throws -> PostgresCacheStore { try await cache() }
    @available(*, unavailable, renamed: "cache(maxBytes:seal:)")
    @_alwaysEmitIntoClient public func cacheStore() async throws -> PostgresCacheStore { try await cache() }
    @available(*, unavailable, renamed: "migrate()")
    @_alwaysEmitIntoClient public func runMigrations() async throws {}
    @available(*, unavailable, renamed: "health.isConnected")
    @_alwaysEmitIntoClient public var isConnected: Bool { false }
    @available(*, unavailable, message: "Read health.isConnected and health.problem.")
    @_alwaysEmitIntoClient public func ping() async throws {}
    @available(*, unavailable, renamed: "close(within:)")
    @_alwaysEmitIntoClient public func disconnect() async {}
}

extension Postgres.Configuration {
    @available(
        *,
        unavailable,
        message: "Set its properties: var configuration = Postgres.Configuration(); configuration.schema = \"netkit\"."
    )
    @_alwaysEmitIntoClient public init(schema: String) { self.init() }
    @available(*, unavailable, renamed: "encryption")
    @_alwaysEmitIntoClient public var tls: Postgres.Encryption {
        get { encryption }
        set { _ = newValue }
    }

    @available(*, unavailable, message: "Set connectTimeout or statementTimeout.")
    @_alwaysEmitIntoClient public var timeout: Duration {
        get { statementTimeout }
        set { _ = newValue }
    }

}

extension Postgres.Migrations {
    @available(*, unavailable, renamed: "migrate")
    @_alwaysEmitIntoClient public static var automatic: Postgres.Migrations { .migrate }
    @available(*, unavailable, renamed: "migrate")
    @_alwaysEmitIntoClient public static var run: Postgres.Migrations { .migrate }
}

extension Postgres.Encryption {
    @available(*, unavailable, message: "Write .verified, which verifies the certificate of the server as well.")
    @_alwaysEmitIntoClient public static var required: Postgres.Encryption { .verified }
    @available(*, unavailable, message: "Write .verified, which verifies the certificate of the server as well.")
    @_alwaysEmitIntoClient public static var require: Postgres.Encryption { .verified }
    @available(*, unavailable, message: "Write .fromConnectionString, with sslmode=disable in the connection string.")
    @_alwaysEmitIntoClient public static var none: Postgres.Encryption { .fromConnectionString }
}
