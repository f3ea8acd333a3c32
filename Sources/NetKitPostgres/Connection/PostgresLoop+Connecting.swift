import Foundation
import NetKit

/// The beginning and the end of connections.
extension PostgresLoop {
    /// Begins to connect, with lookups of the servers' names that do not block this thread.
    func open(_ index: Int) {
        slots[index].attempt += 1
        slots[index].phase = .resolving
        slots[index].deadline = clock.now.advanced(by: options.connectTimeout)
        slots[index].lookups = []
        lookUpFurther(index)
    }

    /// Looks up further names, and connects after the last one, but only waits for hanging names if no other has an
    /// address.
    private func lookUpFurther(_ index: Int) {
        func awaitedCount() -> Int {
            slots[index].lookups.indices.count { slots[index].lookups[$0] == nil && !hanging.contains($0) }
        }
        while awaitedCount() < Self.maxLookups, slots[index].lookups.count < options.settings.targets.count {
            lookUpNext(index)
        }
        guard awaitedCount() == 0 else { return }
        let lookups = slots[index].lookups
        if !lookups.contains(where: { $0 == nil }) || lookups.contains(where: { (try? $0?.get()) != nil }) {
            connect(index)
        }
    }

    /// Looks up the next name; each address of a name becomes a target.
    private func lookUpNext(_ index: Int) {
        let (number, attempt) = (slots[index].lookups.count, slots[index].attempt)
        slots[index].lookups.append(nil)
        let target = options.settings.targets[number]
        let take = { @Sendable [inbox] (lookup: PostgresSlot.Lookup) -> Void in
            inbox.post(.resolved(slot: index, attempt: attempt, number: number, lookup))
        }
        guard let name = target.unresolvedName else { return take(.success([target])) }
        options.names.ask(name, notOlderThan: .seconds(1)) { lookup in
            switch lookup {
            case .success(let addresses):
                take(.success(addresses.map { ConnectionSettings.Target(host: name, address: $0, port: target.port) }))
            case .failure(let error):
                take(.failure(PostgresFailure(lookup: "\(name): \((error as? ResolverError)?.reason ?? "\(error)")")))
            }
        }
    }

    /// Takes the result of a lookup.
    func takeLookup(_ index: Int, _ attempt: Int, _ number: Int, _ lookup: PostgresSlot.Lookup) {
        if case .success = lookup { hanging.remove(number) }
        guard case .resolving = slots[index].phase, slots[index].attempt == attempt else { return }
        slots[index].lookups[number] = lookup
        lookUpFurther(index)
    }

    /// Passes over the names that have no response in time, which must not keep the others from being tried.
    private func passOverHanging(_ index: Int) {
        let lookups = slots[index].lookups
        hanging.formUnion(lookups.indices.filter { lookups[$0] == nil })
        guard lookups.count < options.settings.targets.count else { return connect(index) }
        slots[index].deadline = clock.now.advanced(by: options.connectTimeout)
        lookUpFurther(index)
    }

    /// Connects to the targets that were found, in the order of the settings.
    private func connect(_ index: Int) {
        let lookups = slots[index].lookups
        let isComplete = !lookups.contains { $0 == nil }
        var failure = PostgresFailure(connection: "timeout expired while the name of the server was looked up")
        for case .failure(let problem)? in lookups where isComplete { failure = problem }
        slots[index].targets = lookups.flatMap { (try? $0?.get()) ?? [] }[...]
        tryNextTarget(index, after: failure)
    }

    private func tryNextTarget(_ index: Int, after failure: PostgresFailure) {
        slots[index].connection = nil
        slots[index].phase = .connecting
        var latest = failure
        while let target = slots[index].targets.popFirst() {
            slots[index].deadline = clock.now.advanced(by: options.connectTimeout)
            do {
                slots[index].connection = try PostgresConnection(
                    options.settings.parameters(for: target),
                    options.library
                )
                return
            } catch {
                latest = error
            }
        }
        fail(index, latest)
    }

    /// The maximum number of names of an attempt that are waited for at the same time.
    private static let maxLookups = 8

    private static let noResponse = "timeout expired: the server did not respond, or is no PostgreSQL server"

    /// Notes that a connection could not be made, and waits before the next attempt.
    private func fail(_ index: Int, _ failure: PostgresFailure) {
        slots[index].failureCount += 1
        closeSlot(index)
        let error = failure.error(outcome: .notSent)
        status.note(connectProblem: error, isControl: slots[index].role == .control)
        failAtOnce(slots[index].role, error)
    }

    private func closeSlot(_ index: Int) {
        let wait = PostgresSlot.backOff(
            failureCount: slots[index].failureCount,
            random: options.random.unitInterval()
        )
        slots[index].connection = nil
        slots[index].targets = []
        slots[index].deadline = .distantFuture
        slots[index].phase = .closed(until: slots[index].failureCount == 0 ? clock.now : clock.now.advanced(by: wait))
    }

    /// Abandons an open connection.
    func lose(_ index: Int, _ failure: PostgresFailure) {
        guard let connection = slots[index].connection else { return }
        let flights = connection.takeInFlight()
        slots[index].noteLoss(at: clock.now, isShutdown: failure.isShutdown)
        closeSlot(index)
        let isControl = slots[index].role == .control
        // A pooler also accepts connections while it cannot reach its server.
        if isControl, !isIntroduced { failAtOnce(.control, failure.error(outcome: .notSent)) }
        // The introduction of the next connection tests notices again. Until then, no test is due.
        if isControl { (isIntroduced, listening.test, listening.retest) = (false, nil, nil) }
        status.note(lost: failure.error(outcome: .unknown), isControl: isControl)
        // In reverse, because each is put in front of all waiting statements.
        for (position, flight) in flights.enumerated().reversed() where !flight.isAbandoned {
            guard flight.job.outlivesConnection else { continue }
            // A server that ends the connection at one statement has not begun the next.
            let isUntouched = failure.isShutdown && position > 0
            if isUntouched || flight.job.isRepeatable, flight.job.tryCount < PostgresJob.maxTries {
                var job = flight.job
                job.mayHaveRun = job.mayHaveRun || !isUntouched
                enqueue(job, first: true)
            } else {
                flight.job.finish(.failure(failure.error(outcome: .unknown)))
            }
        }
    }

    /// Performs the step of a slot whose time has come, if there is one.
    func performDueStep(of index: Int) {
        let now = clock.now
        switch slots[index].phase {
        case .closed(let time):
            // The control connection is always wanted, the others when there is work.
            if slots[index].role == .control, time <= now { open(index) }
        case .resolving where slots[index].deadline <= now: passOverHanging(index)
        case .connecting where slots[index].deadline <= now:
            tryNextTarget(index, after: PostgresFailure(connection: Self.noResponse))
        case .open where slots[index].deadline <= now:
            // The server notices the end of the connection when it has a result, and ends the statement no earlier.
            lose(index, PostgresFailure(connection: "the server did not respond in time"))
        case .open: if slots[index].role == .control { tendControl(index, now) }
        default: break
        }
    }

    /// Reads from and writes to the socket of a slot, which is ready.
    func useSocket(of index: Int) {
        guard let connection = slots[index].connection else { return }
        do throws(PostgresFailure) {
            guard slots[index].isOpen else {
                guard try connection.connectFurther() else { return }
                return opened(index)
            }
            var readings: [PostgresConnection.Reading] = []
            defer { for reading in readings { take(reading, from: index) } }
            try connection.work { readings.append($0) }
        } catch {
            if slots[index].isOpen {
                lose(index, error)
            } else if slots[index].connection === connection {
                tryNextTarget(index, after: error)
            }
            // Otherwise, something that was read before has ended the connection already.
        }
    }

    private func take(_ reading: PostgresConnection.Reading, from index: Int) {
        switch reading {
        case .notice(let channel, let payload): takeNotice(channel, payload)
        case .finished(let flight, let result):
            slots[index].deadline = .distantFuture
            limitFirst(index)
            take(flight, result, from: index)
            cancelAbandoned(index)
        }
    }

    private func opened(_ index: Int) {
        slots[index].phase = .open
        slots[index].deadline = .distantFuture
        slots[index].targets = []
        slots[index].openedAt = clock.now
        slots[index].lastUse = clock.now
        if slots[index].role == .control { introduce(index) } else { status.noteOpened() }
    }
}
