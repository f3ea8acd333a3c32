import CNetKitPostgres
import Foundation
import NetKit

/// The thread of a `Postgres`: it makes its three connections, sends the statements, and reads the results.
///
/// `@unchecked Sendable` because it is handed to its thread, which is the only owner of all state from then on.
final class PostgresLoop: @unchecked Sendable {
    /// The settings that a loop needs.
    struct Options: Sendable {
        var settings: ConnectionSettings
        var library: PostgresLibrary
        var clock: NetKitClock
        var random: RandomSource
        var names: NameResolver
        var connectTimeout: Duration
        /// The time for a response to a cancellation or a test.
        var patience: Duration
        /// The channel of the test of notices.
        var testChannel: String
    }

    /// The maximum number of statements that wait for a connection.
    static let maxWaiting = 20_000
    /// The maximum number of unfinished statements of one connection.
    static let maxInFlight = 32
    /// The time after which an unused control connection is tested.
    static let pingInterval = Duration.seconds(5)
    /// The time after which a cancellation is repeated; a server ignores one that comes before its statement.
    static let cancelInterval = Duration.milliseconds(200)

    let options: Options
    let inbox: PostgresInbox
    let status: PostgresStatus
    var slots = [PostgresSlot(.control), PostgresSlot(.work), PostgresSlot(.work)]
    private var waiting: [ConnectionRole: ArraySlice<PostgresJob>] = [.control: [], .work: []]
    /// The statements that were cancelled, until the lines are searched for all of them together.
    private var cancelled: Set<UInt64> = []
    /// The earliest deadline of a statement.
    private var firstDeadline = NetKitClock.Instant.distantFuture
    private var alarm: (time: NetKitClock.Instant, alarm: ClockAlarm)?
    private var closing: (deadline: NetKitClock.Instant, done: [@Sendable () -> Void])?
    /// The targets whose names did not get a response in time, until they get an address.
    var hanging: Set<Int> = []
    var listening = PostgresListening()
    /// Whether connections are known to pass through a pooler.
    var isPooled = true
    /// Whether the kind of server at the other end of the control connection is known.
    var isIntroduced = false

    var clock: NetKitClock { options.clock }

    init(_ options: Options, _ inbox: PostgresInbox, _ status: PostgresStatus) {
        (self.options, self.inbox, self.status) = (options, inbox, status)
    }

    /// Starts the thread, which ends after a `close` command; returns `false` if the system could not create one.
    func start() -> Bool { SystemThread.start("netkit.postgres", stackSize: 1 << 20) { [self] in run() } }

    private func run() {
        nk_pg_enter()
        defer { nk_pg_leave() }
        while true {
            nk_pg_wake_clear(inbox.descriptor)
            for command in inbox.take() { perform(command) }
            giveUpCancelled()
            expire()
            for index in slots.indices { performDueStep(of: index) }
            dispatch()
            if let closing, isIdle || clock.now >= closing.deadline { break }
            setAlarm()
            wait()
        }
        end()
    }

    private func perform(_ command: PostgresInbox.Command) {
        switch command {
        case .run(let job): add(job)
        case .cancel(let id): cancelled.insert(id)
        case .listen(let key, let channel, let take): listen(key, channel, take)
        case .stopListening(let key): listening.listeners[key] = nil
        case .resolved(let slot, let attempt, let number, let lookup): takeLookup(slot, attempt, number, lookup)
        case .cancelSent(let slot):
            let earlier = exchange(&slots[slot].cancelled, with: nil)
            // The next statement may have begun meanwhile, and nothing may wait for that one either.
            guard let first = slots[slot].connection?.inFlight.first?.job.id, first == earlier else {
                return cancelAbandoned(slot)
            }
            _ = clock.scheduleWakeUp(at: clock.now.advanced(by: Self.cancelInterval)) { [weak inbox] in
                inbox?.post(.cancelAgain(slot: slot, id: first))
            }
        case .cancelAgain(let slot, let id):
            if slots[slot].connection?.inFlight.first?.job.id == id { cancelAbandoned(slot) }
        case .wake: alarm = nil
        case .close(let deadline, let done):
            closing = (min(closing?.deadline ?? deadline, deadline), (closing?.done ?? []) + [done])
        }
    }

    // MARK: - Waiting

    private func wait() {
        var watches = [nk_pg_watch(descriptor: inbox.descriptor, wants_reading: 1, wants_writing: 0, is_ready: 0)]
        for slot in slots {
            let connection = slot.connection
            watches.append(
                nk_pg_watch(
                    descriptor: connection?.descriptor ?? -1,
                    wants_reading: connection?.wantsReading == true ? 1 : 0,
                    wants_writing: connection?.wantsWriting == true ? 1 : 0,
                    is_ready: 0
                )
            )
        }
        nk_pg_leave()
        nk_pg_wait(&watches, Int32(watches.count))
        nk_pg_enter()
        for index in slots.indices where watches[index + 1].is_ready != 0 { useSocket(of: index) }
    }

    private func setAlarm() {
        let times = [firstDeadline, closing?.deadline ?? .distantFuture, listening.wakeTime] + slots.map(wakeTime(of:))
        guard let time = times.min(), time < .distantFuture else { return }
        if let alarm, alarm.time <= time { return }
        alarm?.alarm.cancel()
        alarm = (time, clock.scheduleWakeUp(at: time) { [inbox] in inbox.post(.wake) })
    }

    /// Returns the instant at which a slot has to be looked at again.
    private func wakeTime(of slot: PostgresSlot) -> NetKitClock.Instant {
        switch slot.phase {
        case .closed(let time): slot.role == .control || waiting[slot.role]?.isEmpty == false ? time : .distantFuture
        case .open where slot.role == .control && slot.connection?.inFlight.isEmpty == true:
            min(slot.deadline, slot.lastUse.advanced(by: Self.pingInterval))
        default: slot.deadline
        }
    }

    private var isIdle: Bool {
        waiting.values.allSatisfy(\.isEmpty) && slots.allSatisfy { $0.connection?.inFlight.isEmpty ?? true }
    }

    // MARK: - Statements

    private func add(_ job: PostgresJob) {
        if closing != nil { return job.finish(.failure(Postgres.closed)) }
        guard waiting[job.role, default: []].count < Self.maxWaiting else {
            let text = "\(Self.maxWaiting) statements wait for the database already; it is too slow for so many."
            return job.finish(.failure(NetKitError(.storeUnavailable, text)))
        }
        enqueue(job)
    }

    /// Queues a statement at the front or the back of the line.
    func enqueue(_ job: PostgresJob, first: Bool = false) {
        firstDeadline = min(firstDeadline, job.deadline)
        if first {
            waiting[job.role, default: []].insert(job, at: waiting[job.role]?.startIndex ?? 0)
        } else {
            waiting[job.role, default: []].append(job)
        }
    }

    private func dispatch() {
        for role in [ConnectionRole.control, .work] {
            while let job = waiting[role]?.first, let index = slot(for: job) {
                waiting[role]?.freeFirst()
                send(job, to: index)
            }
        }
    }

    /// Returns the slot whose connection accepts a statement now; requests another connection if all are busy.
    private func slot(for job: PostgresJob) -> Int? {
        let candidates = slots.indices.filter { slots[$0].role == job.role }
        let best = candidates.filter { index in
            guard slots[index].isOpen, let connection = slots[index].connection else { return false }
            return mayTake(job, connection)
        }
        .min { load(of: $0) < load(of: $1) }
        if best.map({ load(of: $0) > 0 }) ?? true {
            for index in candidates {
                if case .closed(let time) = slots[index].phase, time <= clock.now { open(index) }
            }
        }
        return best
    }

    private func load(of index: Int) -> Int {
        (slots[index].connection?.inFlight.count ?? 0) + (slots[index].isCancelling ? Self.maxInFlight : 0)
    }

    private func mayTake(_ job: PostgresJob, _ connection: PostgresConnection) -> Bool {
        guard let last = connection.inFlight.last else { return true }
        // It might no longer respond, and a cancellation could hit the next statement.
        guard connection.retirement == nil, !connection.inFlight.contains(where: \.isAbandoned) else { return false }
        // A pooler may hand the connection to another client between two statements.
        let bound = connection.library.hasPipelines && !isPooled ? Self.maxInFlight : 1
        guard !job.isScript, !last.job.isScript, !last.job.endsPipeline else { return false }
        return connection.inFlight.count < bound
    }

    func send(_ job: PostgresJob, to index: Int) {
        guard let connection = slots[index].connection else { return enqueue(job, first: true) }
        slots[index].lastUse = clock.now
        var sent = job
        sent.tryCount += 1
        do {
            try connection.send(sent, isCancelling: slots[index].isCancelling)
            if connection.inFlight.count == 1 { limitFirst(index) }
        } catch {
            lose(index, error)
            guard job.outlivesConnection else { return }
            // Another connection takes it, unless libpq refuses the statement itself.
            if sent.tryCount < PostgresJob.maxTries { return enqueue(sent, first: true) }
            job.finish(.failure(error.error(outcome: .notSent)))
        }
    }

    /// Limits the time of the statement that runs if no caller limits it.
    ///
    /// Without that, a connection on which nothing arrives anymore would stay, with all statements behind it.
    func limitFirst(_ index: Int) {
        guard let first = slots[index].connection?.inFlight.first else { return }
        switch first.job.purpose {
        case .caller where !first.job.failsAtOnce: break
        case .caller, .introduction: slots[index].deadline = clock.now.advanced(by: options.connectTimeout)
        case .listen, .test, .ping, .rollback: slots[index].deadline = clock.now.advanced(by: options.patience)
        }
    }

    /// Handles the result of a statement; one that the server has ended in favor of another is sent again.
    func take(_ flight: PostgresConnection.Flight, _ result: Result<Rows, PostgresFailure>, from index: Int) {
        if flight.job.isScript, case .failure = result { rollBack(index) }
        // Not sent again, even if a late cancellation hit it: another connection does not have the transaction.
        if case (.rollback, .failure(let failure)) = (flight.job.purpose, result) { return lose(index, failure) }
        if flight.isAbandoned { return }
        if case .failure(let failure) = result, flight.job.tryCount < PostgresJob.maxTries {
            let wasHit = failure.isCancellation && flight.mayBeHit
            if failure.isRepeatable || wasHit { return enqueue(flight.job, first: true) }
        }
        guard case .caller = flight.job.purpose else { return takeOwn(flight.job, result, from: index) }
        flight.job.finish(result.mapError { $0.error(outcome: .answered) })
    }

    /// Ends the transaction that a failed script may have left open.
    ///
    /// Otherwise, all later statements on its connection would fail.
    private func rollBack(_ index: Int) {
        var rollback = own("ROLLBACK", .rollback)
        rollback.endsPipeline = true
        send(rollback, to: index)
    }

    /// Ends the waits of statements that fail if no connection can be made.
    func failAtOnce(_ role: ConnectionRole, _ error: NetKitError) {
        for job in waiting[role, default: []] where job.failsAtOnce { job.finish(.failure(error)) }
        waiting[role]?.removeAll { $0.failsAtOnce }
    }

    // MARK: - Time and cancellation

    private func expire() {
        let now = clock.now
        guard now >= firstDeadline else { return }
        giveUp(
            where: { $0.deadline <= now },
            error: { [self] isSent in
                isSent ? Self.timeout : status.connectProblem ?? Self.queueTimeout
            }
        )
        let rest =
            waiting.values.joined().map(\.deadline)
            + slots.flatMap { $0.connection?.inFlight.filter { !$0.isAbandoned }.map(\.job.deadline) ?? [] }
        firstDeadline = rest.min() ?? .distantFuture
    }

    private static let timeout = NetKitError(
        .timeout,
        "The database did not respond in time; whether the statement took effect is not known.",
        outcome: .unknown,
        timeoutPhase: .attempt
    )

    private static let queueTimeout = NetKitError(
        .timeout,
        "The statement found no free connection to the database in time.",
        timeoutPhase: .queue
    )

    private func giveUpCancelled() {
        let ids = exchange(&cancelled, with: [])
        guard !ids.isEmpty else { return }
        giveUp(where: { ids.contains($0.id) }, error: { _ in CancellationError() })
    }

    /// Ends the waits for some statements; those that run are cancelled.
    private func giveUp(
        where isAffected: (PostgresJob) -> Bool,
        error: (_ isSent: Bool) -> any Error
    ) {
        for (role, jobs) in waiting where jobs.contains(where: isAffected) {
            waiting[role] = jobs.filter { !isAffected($0) }[...]
            for job in jobs where isAffected(job) { job.finish(.failure(error(false))) }
        }
        for index in slots.indices {
            for job in slots[index].connection?.abandon(where: isAffected) ?? [] { job.finish(.failure(error(true))) }
            cancelAbandoned(index)
        }
    }

    /// Asks the server to cancel the statement that runs, if nothing waits for it anymore.
    func cancelAbandoned(_ index: Int) {
        guard slots[index].isOpen, let connection = slots[index].connection, let first = connection.inFlight.first,
            first.isAbandoned
        else { return }
        if slots[index].deadline == .distantFuture { slots[index].deadline = clock.now.advanced(by: options.patience) }
        guard !slots[index].isCancelling, let cancellation = connection.cancellation() else { return }
        let isStarted = SystemThread.start("netkit.cancel") { [inbox] in
            cancellation()
            inbox.post(.cancelSent(slot: index))
        }
        if isStarted { slots[index].cancelled = first.job.id }
    }

    // MARK: - End

    private func end() {
        alarm?.alarm.cancel()
        let left = inbox.close()
        var (jobs, done) = (waiting.values.flatMap { Array($0) }, closing?.done ?? [])
        for command in left {
            switch command {
            case .run(let job): jobs.append(job)
            case .close(_, let finish): done.append(finish)
            default: break
            }
        }
        for job in jobs { job.finish(.failure(Postgres.closed)) }
        for index in slots.indices {
            for flight in slots[index].connection?.takeInFlight() ?? [] where !flight.isAbandoned {
                flight.job.finish(.failure(Postgres.closed.with(outcome: .unknown)))
            }
            slots[index].connection = nil
        }
        status.finish()
        for finish in done { finish() }
    }
}
