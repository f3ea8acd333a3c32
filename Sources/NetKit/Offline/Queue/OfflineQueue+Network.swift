extension OfflineQueue {
    /// Notes the state of the network, and begins to note each change that the monitor reports.
    func watchMonitor() async {
        guard let monitor else { return }
        // Listening begins before the monitor is asked: a change in between would otherwise be missed.
        let changes = monitor.connectionStream()
        note(isConnected: await monitor.isConnected)
        watches.append(
            startDetached { [weak self] in
                for await isConnected in changes {
                    guard let self else { return }
                    // A report of an outage may be late. A report that the network is back always counts: a monitor
                    // that asks from time to time might not repeat it.
                    let isStillOut = isConnected ? false : await !monitor.isConnected
                    await self.handleReport(isConnected, isStillOut: isStillOut)
                }
            }
        )
    }

    /// Notes a report of the monitor, and then its present answer.
    func handleReport(_ isConnected: Bool, isStillOut: Bool) {
        note(isConnected: isConnected)
        note(isConnected: !isStillOut)
        beginDueEntries()
    }

    /// Asks the monitor.
    func askMonitor() async {
        guard let monitor else { return }
        let count = network.noteCount
        let isConnected = await monitor.isConnected
        if network.counts(answer: isConnected, askedAfter: count) { note(isConnected: isConnected) }
    }

    /// Notes the state of the network; when the network returns, entries that waited for it are due.
    func note(isConnected: Bool) {
        let nextQuestion = configuration.clock.now.advanced(by: configuration.refreshInterval)
        guard network.note(isConnected: isConnected, askAgainAt: nextQuestion) else { return }
        for id in history.waitingForNetwork { scheduler.forgetWait(id) }
    }
}

/// The state of the network, as a queue knows it from its monitor.
///
/// A monitor may be wrong once, and may report only changes. A later report therefore takes precedence over an answer
/// that states an outage. The monitor is asked again only during an outage.
struct QueueNetwork: ~Copyable {
    private(set) var isConnected = true
    /// The number of times that the network returned.
    private(set) var returnCount = 0
    private(set) var noteCount = 0
    private(set) var nextQuestion: NetKitClock.Instant?

    /// Notes the state of the network, and returns whether it has returned.
    mutating func note(isConnected: Bool, askAgainAt time: NetKitClock.Instant) -> Bool {
        let isBack = isConnected && !self.isConnected
        self.isConnected = isConnected
        noteCount &+= 1
        nextQuestion = isConnected ? nil : time
        if isBack { returnCount &+= 1 }
        return isBack
    }

    /// Returns whether the answer to a question that was asked after a number of notes still counts.
    func counts(answer isConnected: Bool, askedAfter count: Int) -> Bool { isConnected || noteCount == count }

    /// Returns whether the monitor is to be asked now.
    mutating func takeQuestion(at now: NetKitClock.Instant) -> Bool {
        guard let time = nextQuestion, time <= now else { return false }
        nextQuestion = nil
        return true
    }
}
