import NetKit

/// The listeners of a loop, and whether notices reach them.
struct PostgresListening {
    /// A closure that receives the notices of a channel.
    struct Listener {
        let channel: String
        let take: @Sendable (PostgresNotice) -> Void
    }

    var listeners: [UInt64: Listener] = [:]
    /// The payload of the test that is under way, and its end.
    var test: (payload: String, deadline: NetKitClock.Instant)?
    /// The instant of the next test, if the latest failed.
    var retest: NetKitClock.Instant?

    var channels: Set<String> { Set(listeners.values.map(\.channel)) }
    var wakeTime: NetKitClock.Instant { min(test?.deadline ?? .distantFuture, retest ?? .distantFuture) }
}

/// The control connection: its introduction, its test, and notices.
extension PostgresLoop {
    func own(
        _ text: String,
        _ purpose: PostgresJob.Purpose,
        _ parameters: [Parameter] = [],
        on role: ConnectionRole = .control,
        until deadline: NetKitClock.Instant = .distantFuture
    ) -> PostgresJob {
        PostgresJob(
            id: 0,
            text: text,
            parameters: parameters,
            role: role,
            deadline: deadline,
            purpose: purpose
        )
    }

    /// Queries the kind of server at the other end of a new control connection.
    func introduce(_ index: Int) {
        send(own("SELECT pg_backend_pid() AS process", .introduction), to: index)
    }

    /// Handles the result of one of the loop's own statements.
    func takeOwn(_ job: PostgresJob, _ result: Result<Rows, PostgresFailure>, from index: Int) {
        switch (job.purpose, result) {
        case (.introduction, .success(let rows)):
            guard let connection = slots[index].connection else { return }
            isIntroduced = true
            let process = try? rows.one().value("process", as: Int.self)
            // A pooler gives its clients numbers of its own.
            isPooled = process != Int(connection.processID)
            status.note(connectedTo: connection.serverVersion, isPooled: isPooled, at: clock.now)
            listenAnew()
        case (.introduction, .failure(let failure)): lose(index, failure)
        case (.listen, .success): beginTest()
        case (.listen, .failure), (.test, .failure): endTest(isHeard: false)
        default: break
        }
    }

    func listen(_ key: UInt64, _ channel: String, _ take: @escaping @Sendable (PostgresNotice) -> Void) {
        let isNew = !listening.channels.contains(channel)
        listening.listeners[key] = PostgresListening.Listener(channel: channel, take: take)
        guard isNew else { return take(.missed) }
        // Otherwise the introduction of the next connection does it.
        if isIntroduced { listenAnew() }
    }

    /// Listens to all channels, and then tests whether notices arrive.
    private func listenAnew() {
        listening.test = nil
        listening.retest = nil
        guard !listening.channels.isEmpty else { return }
        // A pooler in transaction mode would make one of its own connections listen, and deliver no notices.
        guard !isPooled else { return endTest(isHeard: false) }
        let names = (listening.channels.sorted() + [options.testChannel]).map { $0.replacing("\"", with: "\"\"") }
        // One transaction, because the test only shows that notices of its own channel arrive.
        var listen = own(names.map { "LISTEN \"\($0)\";" }.joined(separator: " "), .listen)
        listen.isScript = true
        enqueue(listen)
    }

    private func beginTest() {
        let payload = String(options.random.next(), radix: 16)
        let deadline = clock.now.advanced(by: options.patience)
        listening.test = (payload, deadline)
        // From another connection: a pooler could fool a test on the same one.
        let parameters: [Parameter] = [.text(options.testChannel), .text(payload)]
        var test = own("SELECT pg_notify($1, $2)", .test, parameters, on: .work, until: deadline)
        test.isRepeatable = true
        // The connection is lost if the test takes too long, and with it all that waits behind it.
        test.endsPipeline = true
        enqueue(test, first: true)
    }

    private func endTest(isHeard: Bool) {
        listening.test = nil
        listening.retest = isHeard || isPooled ? nil : clock.now.advanced(by: .seconds(60))
        guard !listening.channels.isEmpty else { return }
        status.note(isListening: isHeard)
        for listener in listening.listeners.values { listener.take(.missed) }
    }

    func takeNotice(_ channel: String, _ payload: String) {
        if channel == options.testChannel {
            if payload == listening.test?.payload { endTest(isHeard: true) }
            return
        }
        for listener in listening.listeners.values where listener.channel == channel {
            listener.take(.message(payload))
        }
    }

    /// Performs the overdue step of an open control connection.
    func tendControl(_ index: Int, _ now: NetKitClock.Instant) {
        if let test = listening.test, test.deadline <= now { endTest(isHeard: false) }
        if let retest = listening.retest, retest <= now { listenAnew() }
        // A connection that is only read could be dead for a long time.
        guard slots[index].connection?.inFlight.isEmpty == true else { return }
        guard slots[index].lastUse.advanced(by: Self.pingInterval) <= now else { return }
        send(own("SELECT 1 AS one", .ping), to: index)
    }
}
