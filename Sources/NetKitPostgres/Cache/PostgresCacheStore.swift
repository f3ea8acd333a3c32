public import Foundation
public import NetKit

/// A store of cache entries in a PostgreSQL database, which the replicas of a service share.
///
/// `Postgres.cache(maxBytes:seal:)` returns one. Put it behind memory with `TieredCacheStore(store:)`: a response that
/// one replica has fetched then serves the others, and a change to a URL removes its entries from the memory of all.
/// A body of more than 8 MiB is not kept. While the database is unreachable, or takes longer than a second, calls work
/// without it. Only an invalidation may take as long as any other statement. The tables are not written to the server's
/// log, so that they cost little. After a crash of the server, the cache is empty.
public final class PostgresCacheStore: CacheStore {
    /// Whether keys are made from the secret of the database.
    private enum Keys { case unknown, beingRead, known }

    private struct State {
        var secret: CacheHashKey
        var keys: Keys
        var listening: (key: UInt64, polling: Task<Void, any Error>)?
        var nextTrim: NetKitClock.Instant?
        /// The latest removal of entries that have expired or exceed the bound.
        var trimming: Task<Void, any Error>?
        var evictions = 0
    }

    /// The maximum number of bytes of a body.
    static let maxBodyBytes = 8 << 20
    private static let topic = "cache"
    /// The time limit of the statements that a call waits for, because it works without them as well.
    private static let patience = Duration.seconds(1)
    private static let trimInterval = Duration.seconds(60)
    /// The time after which entries may be outdated if notices do not arrive.
    private static let pollInterval = Duration.seconds(1)

    /// The secret from which keys are made, the same in every process; another one until the server could be reached.
    public var secret: CacheHashKey { state.withLock { $0.secret } }
    /// The maximum number of bytes of all entries.
    public let maxBytes: Int64
    private let database: Postgres
    private let seal: RecordSeal?
    private let state: Locked<State>

    /// Creates a store; without a secret, it is read by the first operation that finds a connection.
    init(_ database: Postgres, secret: CacheHashKey?, maxBytes: Int64, seal: RecordSeal?) {
        (self.database, self.maxBytes, self.seal) = (database, maxBytes, seal)
        state = Locked(State(secret: secret ?? CacheHashKey(), keys: secret == nil ? .unknown : .known))
    }

    deinit {
        let state = state.withLock { $0 }
        endListening(state.listening)
        state.trimming?.cancel()
    }

    private func endListening(_ listening: (key: UInt64, polling: Task<Void, any Error>)?) {
        guard let (key, polling) = listening else { return }
        database.stopListening(key)
        polling.cancel()
    }

    /// Runs a statement that a call waits for, unless there is no connection.
    private func run(_ statement: Statement) async throws -> Rows {
        if let absence = database.absence { throw absence.with(outcome: .notSent) }
        try checkKeys()
        return try await database.run(statement, within: Self.patience)
    }

    /// Fails as long as keys are not those of the other processes, and begins to read the secret.
    private func checkKeys() throws {
        let keys = state.withLock { state in
            defer { if state.keys == .unknown { state.keys = .beingRead } }
            return state.keys
        }
        if keys == .known { return }
        if keys == .unknown {
            // The task ends with its statements, which have time limits.
            _ = startImmediately { [self] in
                let isTaken = (try? await takeSecret()) != nil
                state.withLock { $0.keys = isTaken ? .known : .unknown }
            }
        }
        throw NetKitError(
            .storeUnavailable,
            "The database could not be reached when the cache was opened. Its secret is read now.",
            outcome: .notSent
        )
    }

    /// Makes keys from the secret of the database from now on.
    ///
    /// Entries that were to be removed before had other keys. As it is unknown which ones they are, all are removed.
    private func takeSecret() async throws {
        let secret = try await database.cacheSecret()
        state.withLock { $0.secret = secret }
        try await removeAll()
    }

    /// Returns the entry of a key, or `nil`.
    public func read(_ key: CacheKey) async throws -> CacheRecord? {
        let statement = Statement(
            """
            SELECT head, body FROM netkit.cache
            WHERE key = $1 AND body IS NOT NULL AND (drop_after IS NULL OR drop_after > clock_timestamp())
            """,
            .text(key.description),
            isRepeatable: true
        )
        let rows = try await run(statement)
        guard let row = rows.first else { return nil }
        let (head, body): (Data, Data) = (try row.value("head"), try row.value("body"))
        // An entry of another seal or version is as good as none.
        guard let opened = try? (seal?.open(head) ?? head, seal?.open(body) ?? body),
            let decoded = CacheHead(encoded: opened.0)
        else { return nil }
        return CacheRecord(head: decoded, body: .data(opened.1))
    }

    /// Returns a token for an exchange that begins now.
    public func token(for key: CacheKey) async throws -> CacheWriteToken {
        let statement = Statement(
            """
            SELECT nextval('netkit.cache_number') AS number,
              coalesce((SELECT max(c.number) FROM netkit.cache_change c WHERE c.resource IN ($1, '')), 0) AS generation
            """,
            .text(key.resource.description)
        )
        let row = try await run(statement).one()
        let (number, generation): (Int64, Int64) = (try row.value("number"), try row.value("generation"))
        return CacheWriteToken(number: UInt64(clamping: number), generation: UInt64(clamping: generation))
    }

    /// Begins to write an entry; returns `nil` for a body that is known to be too large.
    public func write(
        _ key: CacheKey,
        _ head: CacheHead,
        length: Int64?,
        token: CacheWriteToken?
    ) async throws -> (any CacheWriter)? {
        if let length, length > Self.maxBodyBytes {
            try await remove(key, token: token)
            return nil
        }
        return PostgresCacheWriter(self, key, head, token)
    }

    /// Writes an entry, and returns whether it is kept; one that is too large removes the entry that it would replace.
    public func write(_ key: CacheKey, _ head: CacheHead, body: Data, token: CacheWriteToken?) async throws -> Bool {
        guard body.count <= Self.maxBodyBytes else {
            try await remove(key, token: token)
            return false
        }
        let encoded = head.encoded
        let statement = Statement(
            "SELECT netkit.keep_1($1, $2, $3, $4, $5, $6, clock_timestamp() + $7) AS is_kept",
            .text(key.description),
            .text(key.resource.description),
            .int8(token?.signedNumber),
            .int8(Int64(bitPattern: head.bodyID)),
            .bytea(try seal?.seal(encoded) ?? encoded),
            .bytea(try seal?.seal(body) ?? body),
            .interval(timeLeft(of: head))
        )
        let row = try await run(statement).one()
        trimIfDue()
        return try row.value("is_kept")
    }

    /// Replaces the head of an entry that still has the body that the head belongs to.
    public func update(_ key: CacheKey, _ head: CacheHead, token: CacheWriteToken?) async throws {
        let encoded = head.encoded
        let statement = Statement(
            """
            UPDATE netkit.cache SET head = $3, number = coalesce($4, number), drop_after = clock_timestamp() + $5
            WHERE key = $1 AND body_id = $2 AND body IS NOT NULL AND ($4::bigint IS NULL OR number <= $4)
            """,
            .text(key.description),
            .int8(Int64(bitPattern: head.bodyID)),
            .bytea(try seal?.seal(encoded) ?? encoded),
            .int8(token?.signedNumber),
            .interval(timeLeft(of: head)),
            isRepeatable: true
        )
        _ = try await run(statement)
    }

    /// Returns the time until an entry cannot be used, rather than a date, because the clock of this machine may be
    /// wrong.
    private func timeLeft(of head: CacheHead) -> Duration? {
        head.deadline.flatMap { Duration(clampingSeconds: $0.timeIntervalSince(database.clock.date)) }
    }

    /// Removes the entry of a key, unless a later exchange than the token's has written it.
    public func remove(_ key: CacheKey, token: CacheWriteToken?) async throws {
        let statement = Statement(
            "SELECT netkit.forget_1($1, $2, $3)",
            .text(key.description),
            .text(key.resource.description),
            .int8(token?.signedNumber),
            isRepeatable: true
        )
        _ = try await run(statement)
    }

    /// Removes all entries of a URL, and tells the other processes.
    public func invalidate(_ resource: CacheResource) async throws {
        try checkKeys()
        try await invalidate(resource.description)
    }

    /// Removes all entries of a key's URL, tells the other processes, and returns a token for what takes their place.
    ///
    /// One statement compares, removes and issues the token, so that of several machines only the first gets one.
    public func invalidate(_ key: CacheKey, since token: CacheWriteToken) async throws -> CacheWriteToken? {
        try checkKeys()
        let statement = Statement(
            "SELECT netkit.invalidate_2($1, $2, $3) AS number",
            .text(key.resource.description),
            .text(database.schema.channel(Self.topic)),
            .int8(token.signedNumber),
            isRepeatable: true
        )
        let row = try await database.run(statement).one()
        let number: Int64? = try row.optional("number")
        return number.map { CacheWriteToken(number: UInt64(clamping: $0), generation: UInt64(clamping: $0)) }
    }

    /// Removes all entries, and tells the other processes.
    ///
    /// They are removed in portions at first, because one statement could take too long, and would be rolled back.
    public func removeAll() async throws {
        var last: String? = ""
        while let key = last {
            let portion = Statement(
                Self.removal(of: "c.key > $2 ORDER BY c.key", returning: "max(key) AS last"),
                .int8(Int64(Self.maxRemoved)),
                .text(key),
                isRepeatable: true,
                endsPipeline: true
            )
            last = try await database.run(portion).one().optional("last")
        }
        try await invalidate("")
    }

    private func invalidate(_ resource: String) async throws {
        let statement = Statement(
            "SELECT netkit.invalidate_1($1, $2)",
            .text(resource),
            .text(database.schema.channel(Self.topic)),
            isRepeatable: true
        )
        _ = try await database.run(statement)
    }

    /// Calls a closure whenever any process has invalidated entries; replaces the closure of an earlier call.
    ///
    /// While notices do not arrive, for example behind a pooler, all entries count as invalidated each second.
    public func onInvalidation(_ notify: @escaping @Sendable (CacheInvalidation) -> Void) {
        let key = database.listen(to: Self.topic) { notice in
            guard case .message(let text) = notice, let resource = CacheResource(text) else { return notify(.all) }
            notify(.resource(resource))
        }
        let polling = startImmediately { [database] in
            while true {
                try await database.clock.waitForAlarm(at: database.clock.now.advanced(by: Self.pollInterval))
                if !database.health.isListening { notify(.all) }
            }
        }
        let former = state.withLock { state in
            defer { state.listening = (key, polling) }
            return state.listening
        }
        endListening(former)
    }

    /// The number and the size of all entries, and the number of those that this process has evicted.
    public var statistics: CacheStoreStatistics {
        get async {
            let count = Statement(
                """
                SELECT count(*) AS entries, coalesce(sum(size), 0)::bigint AS bytes FROM netkit.cache
                WHERE body IS NOT NULL AND (drop_after IS NULL OR drop_after > clock_timestamp())
                """,
                isRepeatable: true
            )
            let evictions = state.withLock { $0.evictions }
            guard let row = try? await database.run(count).one(), let entries: Int = try? row.value("entries"),
                let bytes: Int64 = try? row.value("bytes")
            else { return CacheStoreStatistics(evictions: evictions) }
            return CacheStoreStatistics(entryCount: entries, byteCount: bytes, evictions: evictions)
        }
    }

    /// Removes expired and excess entries, at most once a minute, without delaying the write that starts it.
    private func trimIfDue() {
        let now = database.clock.now
        let isDue = state.withLock { state in
            if let next = state.nextTrim, now < next { return false }
            // The time after the end of the removal counts, however long it takes.
            state.nextTrim = .distantFuture
            return true
        }
        guard isDue else { return }
        // The store owns the task, and ends it.
        let task = startImmediately { [weak self, database, maxBytes] in
            defer { self?.noteTrimmed() }
            let evicted = try await Self.trim(database, to: maxBytes)
            self?.state.withLock { $0.evictions += evicted }
        }
        state.withLock { $0.trimming = task }
    }

    private func noteTrimmed() {
        let next = database.clock.now.advanced(by: Self.trimInterval)
        state.withLock { $0.nextTrim = next }
    }

    /// Waits for the end of the removal that the latest write has begun, for tests.
    func waitForTrim() async throws {
        try await state.withLock { $0.trimming }?.value
    }
}

extension CacheWriteToken {
    /// The number as PostgreSQL has it.
    fileprivate var signedNumber: Int64 { Int64(clamping: number) }
}

/// A writer that collects a body in memory, because a row is written as a whole.
private final class PostgresCacheWriter: CacheWriter {
    private let store: PostgresCacheStore
    private let key: CacheKey
    private let head: CacheHead
    private let token: CacheWriteToken?
    /// The bytes so far; `nil` after an abort, and once there are too many.
    private let body = Locked<Data?>(Data())

    init(_ store: PostgresCacheStore, _ key: CacheKey, _ head: CacheHead, _ token: CacheWriteToken?) {
        (self.store, self.key, self.head, self.token) = (store, key, head, token)
    }

    func append(_ chunk: Data) async throws {
        body.withLock { body in
            guard let count = body?.count else { return }
            if chunk.count > PostgresCacheStore.maxBodyBytes - count { body = nil } else { body?.append(chunk) }
        }
    }

    func commit() async throws -> Bool {
        guard let whole = body.withLock({ $0 }) else {
            try await store.remove(key, token: token)
            return false
        }
        return try await store.write(key, head, body: whole, token: token)
    }

    func abort() { body.withLock { $0 = nil } }
}
