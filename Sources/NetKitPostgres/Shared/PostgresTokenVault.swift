public import Foundation
public import NetKit

extension Postgres {
    /// Returns the vault of a token that the processes of the database share.
    ///
    /// ```swift
    /// let tokens = TokenStore(shared: database.token("crm", seal: seal)) { current in try await login.renew(current) }
    /// ```
    /// One process refreshes, and the others wait for its result. Without a seal, every role that can read the table
    /// can read the token.
    ///
    /// - Parameters:
    ///   - name: The name of the token, without the character 0.
    ///   - seal: The encryption of the token; none by default.
    /// - Returns: The vault.
    public func token(_ name: String, seal: RecordSeal? = nil) -> PostgresTokenVault {
        PostgresTokenVault(self, name: name, seal: seal)
    }
}

/// A vault in a PostgreSQL database, which the replicas of a service share for one refreshable token.
///
/// `Postgres.token(_:seal:)` returns one. The right to refresh is a row with an end, and no transaction is open while
/// the request is in progress. Vaults of the same name share one token.
///
/// If a process ends during a refresh, another one gets the right after 15 seconds. After an outage of the database, it
/// gets the right no earlier than 11 seconds after its connection returned, because the process that had the right may
/// still have to save its new token.
///
/// The database's clock measures the lifetime of a token, so the clocks of the processes may differ. If it goes back,
/// the right of a process that has ended lasts longer by as much, unless a login or logout ends it.
public final class PostgresTokenVault: TokenVault {
    private struct Listening {
        var key: UInt64?
        var waiting: [UInt64: Promise<Void>] = [:]
        var lastNumber: UInt64 = 0

        mutating func takeWaiting() -> [Promise<Void>] { Array(exchange(&waiting, with: [:]).values) }
    }

    /// The suffix of the notification channel for changes.
    private static let topic = "token"
    /// The longest wait for a notice before the row is read again, because a notice can be late.
    private static let maxWait = Duration.milliseconds(500)
    /// The same while the connection receives no notices.
    private static let pollInterval = Duration.milliseconds(100)
    /// The time after an outage for which a lease of another process counts, even if it has ended meanwhile.
    ///
    /// The process may have spent the refresh token. It connects again after up to five seconds, and repeats its save
    /// after up to five more.
    private static let graceAfterAbsence = Duration.seconds(11)
    /// The maximum number of tries when other processes change the row first.
    private static let maxTries = 5

    private let database: Postgres
    private let name: String
    private let seal: RecordSeal?
    private let listening = Locked(Listening())

    init(_ database: Postgres, name: String, seal: RecordSeal?) {
        (self.database, self.name, self.seal) = (database, name, seal)
    }

    deinit {
        if let key = listening.withLock({ $0.key }) { database.stopListening(key) }
    }

    /// Returns the current token and its version.
    public func read() async throws -> SharedToken { try await readRow().stored }

    /// Asks for the right to refresh, with one statement if no other process has it.
    public func lease(_ version: Int64, by holder: UUID, for duration: Duration) async throws -> TokenLease {
        for _ in 0..<Self.maxTries {
            let grace = database.timeSinceAbsence.map { Self.graceAfterAbsence - $0 } ?? .zero
            let statement = Statement(
                """
                INSERT INTO netkit.token AS t (name, holder, held_until) VALUES ($1, $3, clock_timestamp() + $4)
                ON CONFLICT (name) DO UPDATE SET holder = $3, held_until = clock_timestamp() + $4
                WHERE t.version <= $2
                  AND (t.holder IS NULL OR t.holder = $3 OR $5 AND t.held_until < clock_timestamp())
                RETURNING t.version, t.sealed, t.expires_at - clock_timestamp() AS time_left
                """,
                .text(name),
                .int8(version),
                .uuid(holder),
                .interval(duration),
                .bool(grace <= .zero),
                isRepeatable: true
            )
            let rows = try await database.run(statement)
            if let row = rows.first { return .granted(try token(of: row)) }
            let (stored, leaseLeft) = try await readRow()
            if stored.version > version { return .newer(stored) }
            if let leaseLeft { return .held(for: leaseLeft) }
            if grace > .zero { return .held(for: grace) }
        }
        // Others took the right and gave it back between the statements.
        return .held(for: Self.pollInterval)
    }

    /// Saves a token over a version, and tells the other processes.
    public func save(_ token: AccessToken?, for identity: String?, over version: Int64?) async throws -> Int64? {
        let sealed = try token.map { try TokenRecord(token: $0, identity: identity).data(sealedBy: seal) }
        for _ in 0..<Self.maxTries {
            let statement = Statement(
                """
                WITH clock AS (
                  -- A version never returns, even if the row is deleted or an older one restored.
                  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
                ), changed AS (
                  UPDATE netkit.token SET version = greatest(version + 1, (SELECT now FROM clock)), sealed = $3, expires_at = clock_timestamp() + $4,
                    holder = NULL, held_until = NULL
                  WHERE name = $1 AND ($2::bigint IS NULL OR version = $2) RETURNING version
                ), made AS (
                  INSERT INTO netkit.token (name, version, sealed, expires_at)
                  SELECT $1, (SELECT now FROM clock), $3, clock_timestamp() + $4
                  WHERE coalesce($2, 0) = 0 AND NOT EXISTS (SELECT FROM netkit.token WHERE name = $1)
                  ON CONFLICT DO NOTHING RETURNING version
                )
                SELECT version FROM changed UNION ALL SELECT version FROM made
                """,
                .text(name),
                .int8(version),
                .bytea(sealed),
                .interval(token?.lifetime(database.clock).flatMap { $0 < AccessToken.maxLifetime ? $0 : nil })
            )
            let rows = try await database.run(statement)
            if let row = rows.first {
                let saved: Int64 = try row.value("version")
                await notifyOthers()
                return saved
            }
            // Without a version, the row was made by another process between the parts of the statement.
            if version != nil { return nil }
        }
        return nil
    }

    /// Releases the right to refresh, and tells the other processes.
    public func release(_ version: Int64, by holder: UUID) async throws {
        let statement = Statement(
            """
            UPDATE netkit.token SET holder = NULL, held_until = NULL
            WHERE name = $1 AND holder = $3 AND version <= $2
            """,
            .text(name),
            .int8(version),
            .uuid(holder),
            isRepeatable: true
        )
        let rows = try await database.run(statement)
        if rows.affectedCount > 0 { await notifyOthers() }
    }

    /// Waits for a notice of a change, or else for a moment.
    public func waitForChange(of version: Int64, upTo limit: Duration, clock: NetKitClock) async throws {
        let wait = Promise<Void>()
        let (number, isNew) = listening.withLock { state in
            state.lastNumber += 1
            state.waiting[state.lastNumber] = wait
            return (state.lastNumber, state.key == nil)
        }
        if isNew { listen() }
        let longest = database.health.isListening ? Self.maxWait : Self.pollInterval
        let time = min(max(limit, .milliseconds(1)), longest)
        defer { listening.withLock { _ = $0.waiting.removeValue(forKey: number) } }
        try await clock.waitForAlarm(at: clock.now.advanced(by: time), or: wait)
    }

    /// Listens from now on; one of two calls at the same time has no effect.
    private func listen() {
        let key = database.listen(to: Self.topic) { [weak self] notice in
            guard let self else { return }
            if case .message(let name) = notice, name != self.name { return }
            for wait in self.listening.withLock({ $0.takeWaiting() }) { wait.resolve(.success(())) }
        }
        let isSecond = listening.withLock { state in
            defer { state.key = state.key ?? key }
            return state.key != nil
        }
        if isSecond { database.stopListening(key) }
    }

    /// Notifies the processes that wait for a change; those that miss the notice find the change soon after.
    private func notifyOthers() async {
        let channel = database.schema.channel(Self.topic)
        _ = try? await database.run(Statement("SELECT pg_notify($1, $2)", .text(channel), .text(name)))
    }

    /// Returns the token, and the time left of a lease that a process has.
    private func readRow() async throws -> (stored: SharedToken, leaseLeft: Duration?) {
        let statement = Statement(
            """
            SELECT version, sealed, expires_at - clock_timestamp() AS time_left,
              CASE WHEN holder IS NOT NULL AND held_until > clock_timestamp() THEN held_until - clock_timestamp() END AS rest
            FROM netkit.token WHERE name = $1
            """,
            .text(name),
            isRepeatable: true
        )
        let rows = try await database.run(statement)
        guard let row = rows.first else { return (SharedToken(), nil) }
        return (try token(of: row), try row.optional("rest"))
    }

    private func token(of row: Row) throws -> SharedToken {
        let version: Int64 = try row.value("version")
        guard let sealed: Data = try row.optional("sealed") else { return SharedToken(version: version) }
        do {
            var record = try TokenRecord(sealed, sealedBy: seal)
            record.token.setTimeLeft(try row.optional("time_left"), on: database.clock)
            return SharedToken(version: version, token: record.token, identity: record.identity)
        } catch {
            throw NetKitError(
                .storeUnavailable,
                "The token \"\(name)\" in the database cannot be read. If its seal has changed, delete its row from "
                    + "\(database.schema.name).token, and the next refresh or login saves a new one.",
                cause: error
            )
        }
    }
}

extension AccessToken {
    /// The largest difference between two clocks that agree.
    private static let tolerance = Duration.seconds(5)
    /// The longest lifetime that is stored, a century; a token with a longer one is taken to have no end.
    fileprivate static let maxLifetime = Duration.seconds(3_155_760_000)

    /// Sets the expiry by another clock, unless the two agree.
    fileprivate mutating func setTimeLeft(_ rest: Duration?, on clock: NetKitClock) {
        guard let rest, let own = lifetime(clock), max(own, rest) - min(own, rest) > Self.tolerance else { return }
        expiry = clock.date.addingTimeInterval(rest.inSeconds)
    }
}
