import Foundation
package import NetKit

/// A PostgreSQL database that several processes share for their queues, tokens, limits and caches.
///
/// It is no database driver: it only runs NetKit's own statements, on tables of its own schema. One thread makes at
/// most three connections: one for heartbeats and notices, and two for work. Lost connections are re-established.
///
/// ```swift
/// let database = try await Postgres()    // DATABASE_URL, or PGHOST, PGUSER and so on
/// ```
///
/// PostgreSQL 13 or later is needed, and its client library libpq on the machine (the package `libpq5` of Debian).
public final class Postgres: Sendable {
    /// The configuration that the database was opened with.
    public let configuration: Configuration

    let clock: NetKitClock
    let schema: Schema
    private let inbox: PostgresInbox
    private let status = PostgresStatus()
    private let lastKey = Locked<UInt64>(0)
    /// Whether the schema was checked or migrated.
    private let isPrepared = Flag()
    /// The statements that wait for the check or migration that is under way; `nil` if there is none.
    private let preparation = Locked<[UInt64: Promise<Void>]?>(nil)
    /// The instant of the next removal of unused rate limits; `nil` before the first one.
    let nextRateRemoval = Locked<NetKitClock.Instant?>(nil)

    /// Connects to a database, and checks or migrates its schema.
    ///
    /// Parameters that the URL does not have come from the variables `PGHOST`, `PGUSER` and so on, the service file and
    /// the password file, as in every program that uses libpq.
    ///
    /// - Parameters:
    ///   - url: The URL or list of parameters; `nil` for the variable `DATABASE_URL`.
    ///   - configuration: The configuration.
    /// - Throws: `.unsupported` if libpq is missing, `.invalidConfiguration` if the server refuses the settings or the
    ///   schema does not fit, and `.storeUnavailable` if this machine lacks the resources to open libpq, or if the
    ///   server cannot be reached, unless ``Configuration/startsWithoutServer`` is `true`.
    public convenience init(_ url: String? = nil, configuration: Configuration = Configuration()) async throws {
        try await self.init(url, configuration: configuration, clock: .system)
    }

    /// Connects to a database with a clock, a source of random numbers, a resolver of names, and the time for a
    /// response to a cancellation or a test.
    package init(
        _ url: String? = nil,
        configuration: Configuration = Configuration(),
        clock: NetKitClock,
        random: RandomSource = .system,
        names: NameResolver = .system,
        patience: Duration = .seconds(3)
    ) async throws {
        let library = try PostgresLibrary.standard()
        let schema = try Schema(configuration.schema)
        let settings = try ConnectionSettings(url, encryption: configuration.encryption, library: library)
        inbox = try PostgresInbox()
        (self.configuration, self.clock, self.schema) = (configuration, clock, schema)
        let options = PostgresLoop.Options(
            settings: settings,
            library: library,
            clock: clock,
            random: random,
            names: names,
            connectTimeout: settings.connectTimeout ?? configuration.connectTimeout,
            patience: patience,
            testChannel: schema.channel("test")
        )
        guard PostgresLoop(options, inbox, status).start() else {
            throw NetKitError(
                .storeUnavailable,
                "The system could not create a thread for the database. Raise the limit of processes and threads."
            )
        }
        do {
            try await prepare()
            isPrepared.set()
        } catch let error as NetKitError where configuration.startsWithoutServer && error.isAbsence {
            // The first statement repeats it.
        } catch {
            await close(within: .zero)
            throw error
        }
    }

    deinit { inbox.post(.close(deadline: clock.now, done: {})) }

    static let closed = NetKitError(.closed, "The database was closed. Create another `Postgres`.")

    /// The state of the connections at this moment.
    public var health: Health { status.health }

    /// The time since the connection was restored; zero while there is none, and `nil` if the first one was never lost.
    var timeSinceAbsence: Duration? {
        absence == nil ? status.returnedAt.map { $0.duration(to: clock.now) } : Duration.zero
    }

    /// The events from now on; each stream gets all of them.
    public var events: AsyncStream<Event> { status.events }

    /// Finishes the statements that were begun, and closes the connections.
    ///
    /// Queues, tokens and caches of the database are closed first.
    ///
    /// - Parameter bound: The time limit; statements that take longer are cut off.
    public func close(within bound: Duration = .seconds(5)) async {
        let end = Promise<Void>()
        let deadline = clock.now.advanced(by: bound)
        guard inbox.post(.close(deadline: deadline, done: { end.resolve(.success(())) })) else { return }
        try? await end.value()
    }

    func note(_ kind: Event.Kind, _ error: NetKitError? = nil) { status.note(kind, error) }

    // MARK: - Statements

    /// Runs a statement, and returns the rows of its result.
    ///
    /// It waits for a connection, and is only sent once unless it is repeatable. A statement that is rolled back
    /// because of a deadlock runs again. The limit, by default that of the configuration, includes the wait for a
    /// connection. The outcome of an error says whether the statement may have taken effect: not if it is `.notSent` or
    /// `.answered`, perhaps if it is `.unknown`.
    func run(
        _ statement: Statement,
        on role: ConnectionRole = .work,
        within limit: Duration? = nil
    ) async throws -> Rows {
        if isPrepared.isSet { return try await runUnprepared(statement, on: role, within: limit) }
        let end = clock.now.advanced(by: limit ?? configuration.statementTimeout)
        try await waitForPreparation(until: end)
        return try await runUnprepared(statement, on: role, within: clock.now.duration(to: end))
    }

    /// Waits for the check or migration of the schema, which the server could not do when the database was opened.
    ///
    /// Statements that need it at the same time wait for the same attempt, and fail with it. The attempt does not end
    /// with one of them.
    private func waitForPreparation(until end: NetKitClock.Instant) async throws {
        let (key, wait) = (nextKey(), Promise<Void>())
        let isFirst = preparation.withLock { waiting in
            let isFirst = waiting == nil
            if isFirst { waiting = [:] }
            waiting?[key] = wait
            return isFirst
        }
        if isFirst { beginPreparing() }
        let alarm = clock.scheduleWakeUp(at: end) { [status] in
            wait.resolve(.failure(status.connectProblem ?? Self.unprepared))
        }
        defer {
            alarm.cancel()
            preparation.withLock { _ = $0?.removeValue(forKey: key) }
        }
        try await wait.cancellableValue()
    }

    private func beginPreparing() {
        // The task ends with its statements, which have time limits.
        _ = startImmediately { [self] in
            var result = Result<Void, any Error>.success(())
            do {
                try await prepare()
                isPrepared.set()
            } catch {
                // Whatever became of the attempt, the statements that wait for it were not sent.
                result = .failure((error as? NetKitError)?.with(outcome: .notSent) ?? error)
            }
            // The next statement after a failure begins another attempt.
            let waiting = preparation.withLock { exchange(&$0, with: nil) }
            for wait in (waiting ?? [:]).values { wait.resolve(result) }
        }
    }

    private static let unprepared = NetKitError(
        .storeUnavailable,
        "The schema of the database could not be checked in time.",
        outcome: .notSent
    )

    /// Runs a statement that does not need the schema.
    func runUnprepared(
        _ statement: Statement,
        on role: ConnectionRole = .work,
        within limit: Duration? = nil
    ) async throws -> Rows {
        var job = job(schema.naming(statement.text), statement.parameters, role, limit)
        job.0.isRepeatable = statement.isRepeatable
        job.0.endsPipeline = statement.endsPipeline
        return try await wait(for: job)
    }

    /// Runs several statements without parameters as one transaction, and reads nothing of their results.
    package func runScript(_ text: String, within limit: Duration? = nil) async throws {
        var job = job(text, [], .work, limit)
        job.0.isScript = true
        _ = try await wait(for: job)
    }

    /// Waits for the first connection; returns with the error of the first attempt if there is one.
    ///
    /// Each step of an attempt has a time limit of its own.
    func connect() async throws {
        var job = job("SELECT 1 AS one", [], .control, nil)
        job.0.deadline = .distantFuture
        job.0.failsAtOnce = true
        _ = try await wait(for: job)
    }

    private typealias Job = (PostgresJob, Promise<Rows>)

    private func job(_ text: String, _ parameters: [Parameter], _ role: ConnectionRole, _ limit: Duration?) -> Job {
        let promise = Promise<Rows>()
        let job = PostgresJob(
            id: nextKey(),
            text: text,
            parameters: parameters,
            role: role,
            deadline: clock.now.advanced(by: limit ?? configuration.statementTimeout),
            purpose: .caller { promise.resolve($0) }
        )
        return (job, promise)
    }

    private func wait(for job: Job) async throws -> Rows {
        try Task.checkCancellation()
        guard inbox.post(.run(job.0)) else { throw Self.closed }
        return try await withTaskCancellationHandler {
            try await job.1.value()
        } onCancel: {
            job.1.resolve(.failure(CancellationError()))
            inbox.post(.cancel(job.0.id))
        }
    }

    private func nextKey() -> UInt64 {
        lastKey.withLock { key in
            key += 1
            return key
        }
    }

    // MARK: - Notices

    /// Tells a closure of the notifications of a channel, and each time some may have been missed.
    ///
    /// The closure is called on the thread of the connections, so it returns at once. It is only a hint: also poll for
    /// changes, more often while `health.isListening` is `false`. The topic is the end of the channel's name;
    /// `schema.channel(topic)` is the whole name. It returns a key for `stopListening`.
    func listen(to topic: String, _ take: @escaping @Sendable (PostgresNotice) -> Void) -> UInt64 {
        let key = nextKey()
        inbox.post(.listen(key: key, channel: schema.channel(topic), take: take))
        return key
    }

    func stopListening(_ key: UInt64) {
        inbox.post(.stopListening(key: key))
    }
}
